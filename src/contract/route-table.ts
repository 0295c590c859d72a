import type { Operation } from './contract.ts'
import { listOperations } from './operation-list.ts'
import { Route, routeTemplate } from './route.ts'
import { ANY, RouteIndex } from './route-index.ts'

/** Finds routes by path, in a few look-ups, however many there are. */
export class RouteTable {
  readonly #literal = new Map<string, Route>()
  readonly #templated: RouteIndex<Route>

  readonly #operations: readonly Operation[]
  #listing: string | undefined

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
    const templated: Route[] = []
    for (const route of routesOf(operations)) {
      if (route.isTemplated) templated.push(route)
      else this.#literal.set(route.template, route)
    }
    this.#templated = new RouteIndex(bySpecificity(templated))
  }

  /** The operations as text, for messages. */
  get listing(): string {
    this.#listing ??= listOperations(this.#operations)
    return this.#listing
  }

  find(path: string): Route | undefined {
    return this.#literal.get(path) ?? this.#templated.find(path)
  }
}

function routesOf(operations: readonly Operation[]): Iterable<Route> {
  const routes = new Map<string, Route>()
  for (const operation of operations) {
    const template = routeTemplate(operation.path)
    const route = routes.get(template) ?? new Route(template, operation.path)
    routes.set(template, route)
    route.add(operation)
  }
  return routes.values()
}

/** Literal text precedes parameters (OpenAPI 3.1, Path Templating Matching): `/{name}.json` comes before `/{name}`. */
function bySpecificity(routes: readonly Route[]): Route[] {
  const ranked = routes.map((route) => ({ route, rank: route.template + ANY }))
  return ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1)).map(({ route }) => route)
}
