import { type CoreRequest, pathBelow } from '../http/message.ts'
import { asProblem, type Problem, problems } from '../http/problem.ts'
import { allBasePaths } from './base-paths.ts'
import type { Contract, Operation, QueryCondition } from './contract.ts'
import { listOperations } from './operation-list.ts'
import { decodeComponent } from './parse-text.ts'
import { encodeLiteral, PathPattern, parseTemplate } from './path-pattern.ts'
import { SIGN_IN_ENDPOINTS } from './sign-in.ts'

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
  readonly #leftOut: readonly string[]
  readonly #overview: string | undefined
  /** A document that names each property that a body may have is as exact about its paths. */
  readonly #isExact: boolean
  /** By base path. A table is made when it is first needed. */
  readonly #tables = new Map<string | undefined, RouteTable>()

  /** `overview` is what lists all operations, in the message about an unknown path. */
  constructor(contract: Contract, overview?: string) {
    this.#overview = overview
    this.#isExact = contract.sandbox?.unknownProperties === 'drop'
    this.#operations = contract.operations
    this.#leftOut = contract.leftOut ?? []
    this.#shared = allBasePaths(contract)
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

  /**
   * Whether any operation has this path, also one that a compiled part of the document does not have. A trailing slash makes no
   * difference.
   */
  hasPath(path: string, serverPath?: string): boolean {
    const bare = path.replace(/\/$/, '')
    return (
      this.hasRoute(path, serverPath) ||
      this.hasRoute(bare, serverPath) ||
      this.#findLeftOut(bare) !== undefined
    )
  }

  /**
   * The operation of a request. HEAD without an operation of its own has that of GET. Throws a 404 for an unknown path, and a
   * 405 for an unknown method.
   */
  match(method: string, path: string, details: MatchDetails = {}): Match {
    const route = this.#find(path, details)
    const match = route.find(method, path, details)
    if (!match) throw this.#leftOutProblem(path, method) ?? methodNotAllowed(route, method, path)

    return match
  }

  /** The operation of a request, or the 404 or 405 that `match` throws. */
  find(request: Pick<CoreRequest, 'method' | 'path'> & MatchDetails): Match | Problem {
    try {
      return this.match(request.method, request.path, request)
    } catch (error) {
      return asProblem(error)
    }
  }

  /** Whether the document has an operation for exactly this method and path. */
  isDocumented(method: string, path: string, { serverPath }: MatchDetails = {}): boolean {
    return this.#tableOf(serverPath).find(path)?.has(method) ?? false
  }

  /** The 405 of a method that a path does not have; `undefined` when it has the method. Throws a 404 for an unknown path. */
  methodProblem(method: string, path: string, details: MatchDetails = {}): Problem | undefined {
    const route = this.#find(path, details)
    if (method === 'OPTIONS' || route.find(method, path, details)) return undefined
    return this.#leftOutProblem(path, method) ?? methodNotAllowed(route, method, path)
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
    const leftOut = this.#leftOutProblem(path)
    if (leftOut) throw leftOut

    const address = this.addressOf(path)
    const elsewhere = address ? ` It is at ${address}.` : ''
    throw problems.notFound(
      `There is no operation at ${path || '/'}.${elsewhere} ${listOperations(table.operations, path, { overview: this.#overview })}`,
    )
  }

  /** The 404 of an operation that the document has, but not the compiled part of it. */
  #leftOutProblem(path: string, method?: string): Problem | undefined {
    const found = this.#findLeftOut(path, method === 'HEAD' ? 'GET' : method)
    if (!found) return undefined
    const [methods, template] = found
    return problems.notFound(
      `${method ?? methods} ${template} was left out when a part of the document was compiled. Compile it, too, with --operations or --tags.`,
    )
  }

  #findLeftOut(
    path: string,
    method?: string,
  ): readonly [methods: string, path: string] | undefined {
    for (const entry of this.#leftOut) {
      const [methods, template] = splitOnce(entry)
      if (method !== undefined && !methods.split(',').includes(method)) continue
      if (new PathPattern(template).match(path)) return [methods, template]
    }
    return undefined
  }

  #tableOf(serverPath: string | undefined): RouteTable {
    const known = this.#tables.get(serverPath)
    if (known) return known
    const isServed = ({ basePaths = this.#shared }: Operation): boolean =>
      serverPath === undefined || basePaths.includes(serverPath)
    const table = new RouteTable(this.#operations.filter(isServed), this.#isExact)
    this.#tables.set(serverPath, table)
    return table
  }
}

/** The methods and the path of `GET,POST /books`. A path may contain spaces. */
function splitOnce(entry: string): readonly [methods: string, path: string] {
  const end = entry.indexOf(' ')
  return [entry.slice(0, end), entry.slice(end + 1)]
}

function methodNotAllowed({ methods }: Route, method: string, path: string): Problem {
  const message = `${method} is not allowed on ${path}. Allowed methods: ${methods}.`
  return problems.methodNotAllowed(message, methods)
}

/** Finds routes by path, in a few look-ups, however many there are. */
class RouteTable {
  readonly operations: readonly Operation[]
  /** By their templates. That of a route without parameters is its path. */
  readonly #routes = new Map<string, Route>()
  readonly #templated: RouteIndex<Route>
  /** Whether any path but `/` ends with a slash. */
  readonly #hasSlashes: boolean
  readonly #isExact: boolean

  /** With `isExact`, a request with a slash that the document does not have at the end of its path has no route. */
  constructor(operations: readonly Operation[], isExact: boolean) {
    this.operations = operations
    this.#isExact = isExact
    this.#hasSlashes = operations.some(({ path }) => /.\/$/.test(path))
    for (const operation of operations) {
      const template = routeTemplate(operation.path)
      const route = this.#routes.get(template) ?? new Route(template, operation)
      this.#routes.set(template, route)
      route.add(operation)
    }
    const calls = [...this.#routes.values()].filter(({ first }) => CALL.test(first.path))
    if (calls.filter((route) => route.has('POST')).length >= MANY_CALLS)
      for (const route of calls) route.isCall = true
    const templated = [...this.#routes].filter(([template]) => template.includes(ANY))
    // Literal text precedes parameters (OpenAPI 3.1, Path Templating Matching): `/{name}.json` comes before `/{name}`.
    const ranked = templated.map(([template, route]) => ({ rank: template + ANY, route }))
    ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1))
    this.#templated = new RouteIndex(ranked.map(({ route }) => route))
  }

  /**
   * The route of a path. A slash at its end makes no difference where only one of both paths exists: most services take both, and
   * some clients add one. The same goes for characters that need no encoding, such as the `%40` of `/users/%40me`.
   */
  find(path: string): Route | undefined {
    const plain = this.#isExact ? path : withoutNeedlessEncoding(path)
    const route = this.#findExact(plain) ?? (plain === path ? undefined : this.#findExact(path))
    return route || path === '' ? route : this.#findBySlash(plain)
  }

  #findBySlash(path: string): Route | undefined {
    if (/[^/]\/$/.test(path)) return this.#isExact ? undefined : this.#findExact(path.slice(0, -1))
    return this.#hasSlashes ? this.#findExact(`${path}/`) : undefined
  }

  #findExact(path: string): Route | undefined {
    return this.#routes.get(path) ?? this.#templated.find(path)
  }
}

/** A path that calls a function by its name, such as `/channels.archive`, and names no file such as `/users.json`. */
const CALL =
  /\/[a-z]\w*(\.[a-z]\w*)*\.(?!(?:json|xml|html?|csv|txt|ya?ml|php|aspx?|jsp|js|rss|pdf|zip|png|jpe?g|svg)$)[a-z][a-zA-Z]+$/

/** How many calls with a body a document has that is about calls. */
const MANY_CALLS = 3

/** The operation of a request. */
export interface Match {
  readonly operation: Operation
  /** The values of the path parameters, still percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>
  /** Whether the parameters of the query are in the body, as those of a call by its name may be. Default: no. */
  readonly inBody?: true
}

/** The parts of a request, beside method and path, that can decide between operations. */
type RequestDetails = Partial<Pick<CoreRequest, 'query' | 'header'>>

/** The operations of one method, with their own names of the path parameters. */
type Candidates = [Candidate, ...Candidate[]]
type Candidate = readonly [operation: Operation, names: readonly string[]]

/**
 * The operations whose paths match the same requests: `/a/{x}` and `/a/{y}` are one route. Each operation keeps its own names
 * of the parameters.
 */
class Route implements IndexedRoute {
  readonly template: string
  /** The first operation of the document. */
  readonly first: Operation
  /** Whether clients may POST to it what a GET has in its query. */
  isCall = false
  readonly #pattern: PathPattern
  readonly #candidates = new Map<string, Candidates>()

  /** `template` is that of {@link routeTemplate} for the path of the operations. */
  constructor(template: string, first: Operation) {
    this.template = template
    this.first = first
    this.#pattern = new PathPattern(first.path)
  }

  /** The methods of the path, for `Allow`. GET implies HEAD, and every path has OPTIONS. */
  get methods(): string {
    const methods = [...this.#candidates.keys()].flatMap((method) =>
      method === 'GET' ? [method, 'HEAD'] : method,
    )
    return [...new Set([...methods, 'OPTIONS'])].join(', ')
  }

  add(operation: Operation): void {
    const candidate: Candidate = [operation, parseTemplate(operation.path).names]
    const others = this.#candidates.get(operation.method)
    if (others) others.push(candidate)
    else this.#candidates.set(operation.method, [candidate])
  }

  matches(path: string): boolean {
    return this.#pattern.match(path) !== undefined
  }

  /** The values of the parameters, for each path by which the table finds the route. */
  #valuesIn(path: string): readonly string[] | undefined {
    const plain = withoutNeedlessEncoding(path)
    const other = plain.endsWith('/') ? plain.slice(0, -1) : `${plain}/`
    for (const one of [path, plain, other]) {
      const values = this.#pattern.match(one)
      if (values) return values
    }
    return undefined
  }

  /** Whether the document has an operation for the method. */
  has(method: string): boolean {
    return this.#candidates.has(method)
  }

  /** The operation of a request with its path parameters. HEAD without an operation has that of GET. */
  find(method: string, path: string, details: RequestDetails): Match | undefined {
    const inBody = this.isCall && method === 'POST' && !this.has(method)
    const key = inBody || (method === 'HEAD' && !this.has(method)) ? 'GET' : method
    const candidates = this.#candidates.get(key)
    if (!candidates) return undefined
    const values = candidates[0][1].length === 0 ? [] : (this.#valuesIn(path) ?? [])
    const [operation, names] = choose(candidates, details, values)
    const pathParameters = Object.fromEntries(
      names.map((name, index) => [name, values[index] ?? '']),
    )
    return { operation, pathParameters, ...(inBody && { inBody }) }
  }
}

/** Percent-encoded characters that paths contain as they are, and that separate no values (RFC 3986, section 3.3). */
const NEEDLESS = /%(?:2[14789AaDdEe]|3[0-9]|4[0-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])/g

function withoutNeedlessEncoding(path: string): string {
  return path.includes('%') ? path.replace(NEEDLESS, decodeURIComponent) : path
}

/** The path template of a route: percent-encoded literal text, with {@link ANY} in place of each parameter. */
function routeTemplate(path: string): string {
  return parseTemplate(path).literals.map(encodeLiteral).join(ANY)
}

/**
 * Of several operations, the one with the most conditions that the request meets, else the first without any, else the first. Of those with
 * as many, the first whose path parameters can have the values of the path: `/files/{id}` with a number, and not `/files/{name}`.
 */
function choose(
  all: Candidates,
  { query, header }: RequestDetails,
  values: readonly string[],
): Candidate {
  const [only, ...others] = all
  if (others.length === 0) return only
  const fitting = all.filter((one) => canHave(one, values))
  const [first = only] = fitting
  const candidates = fitting.length > 0 ? fitting : all
  const sent = new URLSearchParams(query)
  const meets = ({ name, value, orHeader }: QueryCondition): boolean =>
    [...sent.getAll(name), orHeader && header?.(name.toLowerCase())].some(
      (one) => one !== undefined && (value === undefined || one === value),
    )
  let best = first
  let most = -1
  for (const candidate of candidates) {
    const [{ conditions = [] }] = candidate
    if (conditions.length <= most || !conditions.every(meets)) continue
    best = candidate
    most = conditions.length
  }
  return best
}

/** Whether the path parameters of an operation can have the values of a path. */
function canHave([{ parameters }, names]: Candidate, values: readonly string[]): boolean {
  return names.every((name, at) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    const text = decodeComponent(values[at] ?? '')
    if (!parameter) return true
    return parameter.validate(text) || (/^-?\d/.test(text) && parameter.validate(Number(text)))
  })
}

/** The part of a route that the index uses. */
export interface IndexedRoute {
  /** The path template with percent-encoded literal text, and {@link ANY} in place of each parameter. */
  readonly template: string
  /** Whether a path matches the template. */
  readonly matches: (path: string) => boolean
}

/** Replaces a parameter in a template. No request has this character in its path. */
export const ANY = '\uffff'

/** A route, and its position in the order of precedence. */
interface RankedRoute<Route> {
  readonly route: Route
  readonly rank: number
}

/** The lengths of the literal text around the parameters of a segment, such as `v` and `.json` of `v{version}.json`. */
type AffixLengths = readonly [prefix: number, suffix: number]

/**
 * Routes with parameters as a tree of their segments. Finding a route takes a few lookups for each segment of the path, however
 * many routes there are. Of several matching routes, it finds the first in the order of precedence.
 */
export class RouteIndex<Route extends IndexedRoute> {
  readonly #root = new Branch<Route>()

  /** The routes are in the order of precedence. */
  constructor(routes: readonly Route[]) {
    for (const [rank, route] of routes.entries()) {
      let branch = this.#root
      for (const segment of route.template.split('/')) branch = branch.at(segment)
      branch.leaves.push({ route, rank })
    }
  }

  find(path: string): Route | undefined {
    const found = this.#root.find(path.split('/'), 0, path)
    return found?.route
  }
}

class Branch<Route extends IndexedRoute> {
  /** The routes that end here. */
  readonly leaves: RankedRoute<Route>[] = []
  readonly #literal = new Map<string, Branch<Route>>()
  /** By the prefix and suffix of the segment, with {@link ANY} between them. */
  readonly #templated = new Map<string, Branch<Route>>()
  /** By their text, so that each is there once. */
  readonly #affixes = new Map<string, AffixLengths>()

  /** The branch of a segment of a template. Creates a missing one. */
  at(segment: string): Branch<Route> {
    const parts = segment.split(ANY)
    if (parts.length === 1) return getOrCreate(this.#literal, segment)
    const prefix = parts[0] ?? ''
    const suffix = parts.at(-1) ?? ''
    const lengths: AffixLengths = [prefix.length, suffix.length]
    this.#affixes.set(lengths.join(), lengths)

    return getOrCreate(this.#templated, prefix + ANY + suffix)
  }

  /** The first route in the order of precedence below this branch that matches the segments from `index` on. */
  find(segments: readonly string[], index: number, path: string): RankedRoute<Route> | undefined {
    const segment = segments[index]
    if (segment === undefined) return this.leaves.find(({ route }) => route.matches(path))
    let best = this.#literal.get(segment)?.find(segments, index + 1, path)
    for (const [prefixLength, suffixLength] of this.#affixes.values()) {
      if (segment.length <= prefixLength + suffixLength) continue
      const prefix = segment.slice(0, prefixLength)
      const suffix = segment.slice(segment.length - suffixLength)
      const found = this.#templated.get(prefix + ANY + suffix)?.find(segments, index + 1, path)
      if (found && (!best || found.rank < best.rank)) best = found
    }
    return best
  }
}

function getOrCreate<Route extends IndexedRoute>(
  branches: Map<string, Branch<Route>>,
  key: string,
): Branch<Route> {
  const branch = branches.get(key) ?? new Branch<Route>()
  branches.set(key, branch)
  return branch
}

/** The endpoint of sign-in that a request is for, as an operation, which rules can match. */
export function endpointOperation({
  method,
  path,
  endpoint,
}: Pick<CoreRequest, 'method' | 'path' | 'endpoint'>): Operation {
  const signIn = SIGN_IN_ENDPOINTS.find((one) => one === endpoint)
  if (!signIn) throw new TypeError(`There is no endpoint ${endpoint}`)
  return {
    id: `${method} ${path}`,
    ...{ method, path, secured: false, parameters: [], responses: [], signIn, isBesideApi: true },
  }
}
