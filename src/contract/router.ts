import { type Problem, problems } from '../http/problem.ts'
import type { Contract, Operation } from './contract.ts'
import { encodeLiteral, PathPattern, parseTemplate } from './path-pattern.ts'
import { ANY, type IndexedRoute, RouteIndex } from './route-index.ts'

/** The operation of a request. */
export interface Match {
  readonly operation: Operation
  /** The values of the path parameters, still percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** The operations of one path. */
interface Route extends IndexedRoute {
  readonly pattern: PathPattern
  readonly operations: ReadonlyMap<string, Operation>
  /** The value of `Allow`. */
  readonly methods: string
}

/** A message shows at most this much of each end of the listing (`Problem`), so the rest need not be kept. */
const MAX_SHOWN = 600

/** Finds the operation of a request by method and path. */
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
    this.#listing = listOperations(operations)
  }

  /** Whether any operation has this path. A trailing slash makes no difference. */
  hasPath(path: string): boolean {
    return this.#search(path) !== undefined || this.#search(path.replace(/\/$/, '')) !== undefined
  }

  /** The operation of a request; HEAD has that of GET. Throws a 404 for an unknown path, and a 405 for an unknown method. */
  match(method: string, path: string): Match {
    const route = this.#find(path)
    const operation = operationOf(route, method)
    if (!operation) throw methodNotAllowed(route, method, path)

    return { operation, pathParameters: parametersOf(route, path) }
  }

  /** The 405 of a method that a path does not have; `undefined` when it has the method. Throws a 404 for an unknown path. */
  methodProblem(method: string, path: string): Problem | undefined {
    const route = this.#find(path)
    if (method === 'OPTIONS' || operationOf(route, method)) return undefined
    return methodNotAllowed(route, method, path)
  }

  /** The methods of a path, for `Allow`. Throws a 404 for an unknown path. */
  allowedMethods(path: string): string {
    return this.#find(path).methods
  }

  #find(path: string): Route {
    const route = this.#search(path)
    if (route) return route

    throw problems.notFound(
      `There is no operation at ${path || '/'}. The operations are: ${this.#listing}.`,
    )
  }

  #search(path: string): Route | undefined {
    return this.#literal.get(path) ?? this.#templated.find(path)
  }
}

function operationOf({ operations }: Route, method: string): Operation | undefined {
  return operations.get(method === 'HEAD' ? 'GET' : method)
}

function methodNotAllowed({ methods }: Route, method: string, path: string): Problem {
  const message = `${method} is not allowed on ${path}. Allowed methods: ${methods}.`
  return problems.methodNotAllowed(message, methods)
}

function toRoute(path: string, operations: readonly Operation[]): Route {
  const methods = operations.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method))
  const pattern = new PathPattern(path)

  return {
    template: parseTemplate(path).literals.map(encodeLiteral).join(ANY),
    matches: (requested) => pattern.match(requested) !== undefined,
    pattern,
    operations: new Map(operations.map((operation) => [operation.method, operation])),
    methods: [...methods, 'OPTIONS'].join(', '),
  }
}

/** All operations as text. Of a long text, only the ends are kept. */
function listOperations(operations: readonly Operation[]): string {
  const listing = operations.map(({ method, path }) => `${method} ${path}`).join(', ')
  const isLong = listing.length > 2 * MAX_SHOWN
  return isLong ? listing.slice(0, MAX_SHOWN) + listing.slice(-MAX_SHOWN) : listing
}

/** Literal text precedes parameters (OpenAPI 3.1, Path Templating Matching): `/{name}.json` comes before `/{name}`. */
function bySpecificity(one: string, other: string): number {
  const rank = (path: string): string => `${parseTemplate(path).literals.join('\uffff')}\uffff`
  return rank(one) < rank(other) ? -1 : 1
}

function parametersOf({ pattern }: Route, path: string): Record<string, string> {
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
