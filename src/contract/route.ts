import type { CoreRequest } from '../http/message.ts'
import type { Operation } from './contract.ts'
import { encodeLiteral, PathPattern, parseTemplate } from './path-pattern.ts'
import type { QueryCondition } from './query-condition.ts'
import { ANY, type IndexedRoute } from './route-index.ts'

/** The operation of a request. */
export interface Match {
  readonly operation: Operation
  /** The values of the path parameters, still percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** The parts of a request, beside method and path, that can decide between operations. */
export type RequestDetails = Partial<Pick<CoreRequest, 'query' | 'header'>>

/** The operations of one method, with their own names of the path parameters. */
type Candidates = [Candidate, ...Candidate[]]
type Candidate = readonly [operation: Operation, names: readonly string[]]

/**
 * The operations whose paths match the same requests: `/a/{x}` and `/a/{y}` are one route. Each operation keeps its own names
 * of the parameters.
 */
export class Route implements IndexedRoute {
  readonly template: string
  /** The first operation of the document. */
  readonly first: Operation
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

  /** Whether the document has an operation for the method. */
  has(method: string): boolean {
    return this.#candidates.has(method)
  }

  /** The operation of a request with its path parameters. HEAD without an operation has that of GET. */
  find(method: string, path: string, details: RequestDetails): Match | undefined {
    const key = method === 'HEAD' && !this.has(method) ? 'GET' : method
    const candidates = this.#candidates.get(key)
    if (!candidates) return undefined
    const [operation, names] = choose(candidates, details)
    const values = names.length === 0 ? [] : (this.#pattern.match(path) ?? [])
    const pathParameters = Object.fromEntries(
      names.map((name, index) => [name, values[index] ?? '']),
    )
    return { operation, pathParameters }
  }
}

/** The path template of a route: percent-encoded literal text, with {@link ANY} in place of each parameter. */
export function routeTemplate(path: string): string {
  return parseTemplate(path).literals.map(encodeLiteral).join(ANY)
}

/** Of several operations, the one with the most conditions that the request meets, else the first without any, else the first. */
function choose(candidates: Candidates, { query, header }: RequestDetails): Candidate {
  const [first] = candidates
  if (candidates.length === 1) return first
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
