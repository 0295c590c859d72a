import { pathBelow } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { basePathsOf } from './base-paths.ts'
import type { Contract, Operation } from './contract.ts'
import { listOperations } from './operation-list.ts'
import type { Match, RequestDetails, Route } from './route.ts'
import { RouteTable } from './route-table.ts'

export type { Match }

/** The place of a request below a base path. */
export interface Location {
  readonly basePath: string
  /** The base path, if some operations are served below some base paths only. */
  readonly serverPath?: string | undefined
  /** The rest of the path, such as `/books/7`. */
  readonly path: string
}

/** The parts of a request, beside method and path, that can decide between operations. */
export interface MatchDetails extends RequestDetails {
  /** The base path that the request is below. Without it, the operations of all servers match. */
  readonly serverPath?: string | undefined
}

/** Finds the operation of a request by method and path. */
export class Router {
  /** All base paths, the longest first. */
  readonly bases: readonly Omit<Location, 'path'>[]
  /** The paths of the document's own servers, the main one first. */
  readonly #shared: readonly string[]
  readonly #operations: readonly Operation[]
  readonly #overview: string | undefined
  /** By base path. A table is made when it is first needed. */
  readonly #tables = new Map<string | undefined, RouteTable>()

  /** `overview` is what lists all operations, in the message about an unknown path. */
  constructor(contract: Contract, overview?: string) {
    this.#overview = overview
    this.#operations = contract.operations
    this.#shared = basePathsOf(contract)
    const own = this.#operations.flatMap(({ basePaths }) => basePaths ?? [])
    this.bases = [...new Set([...this.#shared, ...own])]
      .sort((one, other) => other.length - one.length)
      .map((basePath) => ({ basePath, ...(own.length > 0 && { serverPath: basePath }) }))
  }

  /**
   * The base path that a path is below; `undefined` outside the API. Of several, it is the longest one below which the path
   * has an operation, else the longest.
   */
  locate(pathname: string): Location | undefined {
    let longest: Location | undefined
    for (const base of this.bases) {
      const path = pathBelow(base.basePath, pathname)
      if (path === undefined) continue
      if (!this.bases[1] || this.hasRoute(path, base.serverPath)) return { ...base, path }
      longest ??= { ...base, path }
    }
    return longest
  }

  /** Whether any operation has exactly this path. */
  hasRoute(path: string, serverPath?: string): boolean {
    return this.#tableOf(serverPath).find(path) !== undefined
  }

  /** Whether any operation has this path. A trailing slash makes no difference. */
  hasPath(path: string, serverPath?: string): boolean {
    return this.hasRoute(path, serverPath) || this.hasRoute(path.replace(/\/$/, ''), serverPath)
  }

  /**
   * The operation of a request. HEAD without an operation of its own has that of GET. Throws a 404 for an unknown path, and a
   * 405 for an unknown method.
   */
  match(method: string, path: string, details: MatchDetails = {}): Match {
    const route = this.#find(path, details)
    const match = route.find(method, path, details)
    if (!match) throw methodNotAllowed(route, method, path)

    return match
  }

  /** Whether the document has an operation for exactly this method and path. */
  isDocumented(method: string, path: string, { serverPath }: MatchDetails = {}): boolean {
    return this.#tableOf(serverPath).find(path)?.has(method) ?? false
  }

  /** The 405 of a method that a path does not have; `undefined` when it has the method. Throws a 404 for an unknown path. */
  methodProblem(method: string, path: string, details: MatchDetails = {}): Problem | undefined {
    const route = this.#find(path, details)
    if (method === 'OPTIONS' || route.find(method, path, details)) return undefined
    return methodNotAllowed(route, method, path)
  }

  /** The methods of a path, for `Allow`. Throws a 404 for an unknown path. */
  allowedMethods(path: string, details: MatchDetails = {}): string {
    return this.#find(path, details).methods
  }

  /** The address at which the API has a path, such as `/v1/books` for `/books`. */
  addressOf(path: string): string | undefined {
    const route = this.#tableOf(undefined).find(path)
    return route && (route.first.basePaths ?? this.#shared)[0] + path
  }

  #find(path: string, { serverPath }: MatchDetails): Route {
    const table = this.#tableOf(serverPath)
    const route = table.find(path)
    if (route) return route

    const address = this.addressOf(path)
    const elsewhere = address ? ` It is at ${address}.` : ''
    throw problems.notFound(
      `There is no operation at ${path || '/'}.${elsewhere} ${listOperations(table.operations, path, { overview: this.#overview })}`,
    )
  }

  #tableOf(serverPath: string | undefined): RouteTable {
    const known = this.#tables.get(serverPath)
    if (known) return known
    const isServed = ({ basePaths = this.#shared }: Operation): boolean =>
      serverPath === undefined || basePaths.includes(serverPath)
    const table = new RouteTable(this.#operations.filter(isServed))
    this.#tables.set(serverPath, table)
    return table
  }
}

function methodNotAllowed({ methods }: Route, method: string, path: string): Problem {
  const message = `${method} is not allowed on ${path}. Allowed methods: ${methods}.`
  return problems.methodNotAllowed(message, methods)
}
