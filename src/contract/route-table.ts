import type { Operation } from './contract.ts'
import { Route, routeTemplate } from './route.ts'
import { ANY, RouteIndex } from './route-index.ts'

/** Finds routes by path, in a few look-ups, however many there are. */
export class RouteTable {
  readonly operations: readonly Operation[]
  /** By their templates. That of a route without parameters is its path. */
  readonly #routes = new Map<string, Route>()
  readonly #templated: RouteIndex<Route>

  constructor(operations: readonly Operation[]) {
    this.operations = operations
    for (const operation of operations) {
      const template = routeTemplate(operation.path)
      const route = this.#routes.get(template) ?? new Route(template, operation)
      this.#routes.set(template, route)
      route.add(operation)
    }
    const templated = [...this.#routes].filter(([template]) => template.includes(ANY))
    // Literal text precedes parameters (OpenAPI 3.1, Path Templating Matching): `/{name}.json` comes before `/{name}`.
    const ranked = templated.map(([template, route]) => ({ rank: template + ANY, route }))
    ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1))
    this.#templated = new RouteIndex(ranked.map(({ route }) => route))
  }

  find(path: string): Route | undefined {
    return this.#routes.get(path) ?? this.#templated.find(path)
  }
}
