import { type Problem, problems } from '../http/problem.ts'
import type { Contract, Operation } from './contract.ts'
import { encodeLiteral, PathPattern, parseTemplate } from './path-pattern.ts'
import { ANY, type IndexedRoute, RouteIndex } from './route-index.ts'

/** The operation that a request is for, with the path's parameters as they were sent. */
export interface Match {
  readonly operation: Operation
  readonly pathParameters: Readonly<Record<string, string>>
}

interface Route extends IndexedRoute {
  readonly pattern: PathPattern
  readonly operations: ReadonlyMap<string, Operation>
  /** For `Allow`. */
  readonly methods: string
}

/** A message shows this much of either end of the listing at most (`Problem`), and none is made longer for a long listing. */
const SHOWN = 600

/** The contract's operations, ready to be found by method and path. */
export class Router {
  readonly #literal: ReadonlyMap<string, Route>
  readonly #templated: RouteIndex<Route>
  readonly #listing: string

  constructor({ operations }: Contract) {
    const byPath = groupByPath(operations)
    const paths = [...byPath.keys()].sort(bySpecificity)
    const isLiteral = (path: string): boolean => parseTemplate(path).names.length === 0
    const route = (path: string): Route => toRoute(path, byPath.get(path) ?? [])

    this.#literal = new Map(
      paths.filter(isLiteral).map((path) => [encodeLiteral(path), route(path)]),
    )
    this.#templated = new RouteIndex(paths.filter((path) => !isLiteral(path)).map(route))
    this.#listing = withoutMiddle(operations.map(({ method, path }) => `${method} ${path}`))
  }

  /** Whether there is such a path, whatever its methods. A slash at its end makes no difference. */
  hasPath(path: string): boolean {
    return this.#search(path) !== undefined || this.#search(path.replace(/\/$/, '')) !== undefined
  }

  /**
   * The operation of a request; HEAD has that of GET. Throws a 404 where there is no such path, a 405 where no such
   * method.
   */
  match(method: string, path: string): Match {
    const route = this.#find(path)
    const operation = operationOf(route, method)
    if (!operation) throw methodNotAllowed(route, method, path)

    return { operation, pathParameters: parameters(route, path) }
  }

  /** The 405 of a method that a path does not have, else `undefined`. Throws a 404 where there is no such path. */
  methodProblem(method: string, path: string): Problem | undefined {
    const route = this.#find(path)
    if (method === 'OPTIONS' || operationOf(route, method)) return undefined
    return methodNotAllowed(route, method, path)
  }

  /** The methods of a path, for `Allow`. Throws a 404 where there is no such path. */
  allowedMethods(path: string): string {
    return this.#find(path).methods
  }

  #find(path: string): Route {
    const route = this.#search(path)
    if (route) return route

    throw problems.notFound(`There is no ${path || '/'} here. There are: ${this.#listing}.`)
  }

  #search(path: string): Route | undefined {
    return this.#literal.get(path) ?? this.#templated.find(path)
  }
}

function operationOf({ operations }: Route, method: string): Operation | undefined {
  return operations.get(method === 'HEAD' ? 'GET' : method)
}

function methodNotAllowed({ methods }: Route, method: string, path: string): Problem {
  const message = `${method} is not available on ${path}. It has ${methods}.`
  return problems.methodNotAllowed(message, methods)
}

function toRoute(path: string, operations: readonly Operation[]): Route {
  const methods = operations.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method))
  const pattern = new PathPattern(path)

  return {
    shape: parseTemplate(path).literals.map(encodeLiteral).join(ANY),
    fits: (sent) => pattern.match(sent) !== undefined,
    pattern,
    operations: new Map(operations.map((operation) => [operation.method, operation])),
    methods: [...methods, 'OPTIONS'].join(', '),
  }
}

/** The listing of all operations, without what no message shows of it. */
function withoutMiddle(operations: readonly string[]): string {
  const listing = operations.join(', ')
  return listing.length > 2 * SHOWN ? listing.slice(0, SHOWN) + listing.slice(-SHOWN) : listing
}

/** Literal text wins over parameters (OpenAPI 3.1, Path Templating Matching): `/{name}.json` goes before `/{name}`. */
function bySpecificity(one: string, other: string): number {
  const rank = (path: string): string => `${parseTemplate(path).literals.join('\uffff')}\uffff`
  return rank(one) < rank(other) ? -1 : 1
}

function parameters({ pattern }: Route, path: string): Record<string, string> {
  const { names } = pattern
  if (names.length === 0) return {}
  const values = pattern.match(path) ?? []

  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

function groupByPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    groups.set(operation.path, [...(groups.get(operation.path) ?? []), operation])
  }
  return groups
}
