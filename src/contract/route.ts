import type { CoreRequest } from '../http/message.ts'
import { setOwn } from '../validation/own-property.ts'
import type { Operation } from './contract.ts'
import { type Condition, parsePathKey } from './path-key.ts'
import { encodeLiteral, PathPattern, parseTemplate } from './path-pattern.ts'
import { ANY, type IndexedRoute } from './route-index.ts'

/** The operation of a request. */
export interface Match {
  readonly operation: Operation
  /** The values of the path parameters, still percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** The parts of a request, beside method and path, that can decide between operations. */
export type RequestDetails = Partial<Pick<CoreRequest, 'query' | 'header'>>

/** An operation of a route, with what distinguishes it from others of the same method. */
interface Candidate {
  readonly operation: Operation
  /** The operation's own names of the path parameters, in order. */
  readonly names: readonly string[]
  readonly conditions: readonly Condition[]
}

/** The operations of one method. */
type Candidates = [Candidate, ...Candidate[]]

/**
 * The operations whose paths match the same requests: `/a/{x}` and `/a/{y}` are one route. Each operation keeps its own names
 * of the parameters.
 */
export class Route implements IndexedRoute {
  readonly template: string
  readonly #pattern: PathPattern
  readonly #candidates = new Map<string, Candidates>()

  /** `template` is that of {@link routeTemplate} for the path key of any of the operations. */
  constructor(template: string, key: string) {
    this.template = template
    this.#pattern = new PathPattern(parsePathKey(key).template)
  }

  get operations(): readonly Operation[] {
    return [...this.#candidates.values()].flat().map(({ operation }) => operation)
  }

  /** Whether the path has parameters. */
  get isTemplated(): boolean {
    return this.#pattern.names.length > 0
  }

  /** The methods of the path, for `Allow`. GET implies HEAD, and every path has OPTIONS. */
  get methods(): string {
    const documented = [...this.#candidates.keys()]
    const methods = documented.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    return [...new Set([...methods, 'OPTIONS'])].join(', ')
  }

  add(operation: Operation): void {
    const { template, conditions } = parsePathKey(operation.path)
    const { names } = parseTemplate(template)
    const candidate = { operation, names, conditions }
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

  /** The operation of a request with its path parameters, still percent-encoded. HEAD without an operation has that of GET. */
  find(method: string, path: string, details: RequestDetails): Match | undefined {
    const candidates =
      this.#candidates.get(method) ?? (method === 'HEAD' ? this.#candidates.get('GET') : undefined)
    if (!candidates) return undefined
    const candidate = choose(candidates, details)

    return {
      operation: candidate.operation,
      pathParameters: this.#parameters(path, candidate, details),
    }
  }

  #parameters(
    path: string,
    { names, conditions }: Candidate,
    { query }: RequestDetails,
  ): Record<string, string> {
    const values = names.length === 0 ? [] : (this.#pattern.match(path) ?? [])
    const parameters: Record<string, string> = {}
    for (const [index, name] of names.entries()) setOwn(parameters, name, values[index] ?? '')
    for (const { name, parameter } of conditions) {
      if (parameter === undefined) continue
      const value = new URLSearchParams(query).get(name) ?? ''
      setOwn(parameters, parameter, encodeURIComponent(value))
    }
    return parameters
  }
}

/** The path template of a route: percent-encoded literal text, with {@link ANY} in place of each parameter. */
export function routeTemplate(key: string): string {
  return parseTemplate(parsePathKey(key).template).literals.map(encodeLiteral).join(ANY)
}

/** Of several operations, the one with the most conditions that the request meets, else the first without any, else the first. */
function choose(candidates: Candidates, { query, header }: RequestDetails): Candidate {
  const [first] = candidates
  if (candidates.length === 1) return first
  const sent = new URLSearchParams(query)
  let best: Candidate | undefined
  for (const candidate of candidates) {
    const isMet = candidate.conditions.every((condition) => meets(condition, sent, header))
    if (isMet && candidate.conditions.length > (best?.conditions.length ?? -1)) best = candidate
  }
  return best ?? first
}

function meets(
  { name, value, isFragment }: Condition,
  sent: URLSearchParams,
  header: RequestDetails['header'],
): boolean {
  const values = isFragment ? [...sent.getAll(name), headerValue(name, header)] : sent.getAll(name)
  return values.some((one) => one !== undefined && (value === undefined || one === value))
}

/** A header by the name in a fragment. Web requests throw for a name that no header can have. */
function headerValue(name: string, header: RequestDetails['header']): string | undefined {
  return /^[\w-]+$/.test(name) ? header?.(name.toLowerCase()) : undefined
}
