import type { Contract } from '../contract/contract.ts'
import { parseJsonText } from '../contract/json.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { isObject } from '../validation/objects.ts'
import { listLength, shorten } from './checks/check.ts'
import { linkOf, type ProbeResponse } from './messages.ts'
import type { Probe } from './probes/probe.ts'
import type { VerifySettings } from './session/options.ts'
import { Session } from './session/session.ts'
import type { Difference } from './verification.ts'

const KEY = 'sk_reference'

const CREDENTIALS = {
  key: [],
  none: ['(without a key)'],
  'invalid-key': ['(with an invalid key)'],
  'cut-key': ['(with the beginning of the key)'],
  'empty-key': ['(with an empty key)'],
  'other-case': ['(with the key in other capitals)'],
  'other-scheme': ['(with another authentication scheme)'],
  'no-scheme': ['(with the key without its authentication scheme)'],
  'other-key': ['(with the other key)'],
} as const

/** A sandbox of a document that can be tested like a server. */
interface ReferenceService extends Pick<VerifySettings, 'fetch' | 'now' | 'sleep'> {
  readonly base: string
  readonly key: string
}

/** A sandbox of a document, in process. `limit` is its request limit. */
export function referenceService(contract: Contract, limit = 1_000_000): ReferenceService {
  const sandbox = createSandbox({
    contract,
    auth: 'keys',
    plans: { reference: { minute: limit, day: Math.max(limit, 1_000_000) } },
    keys: { [KEY]: 'reference' },
  })
  return {
    base: `http://sandbox.invalid${contract.basePath}`,
    key: KEY,
    fetch: (request) => sandbox.fetch(request),
    now: () => sandbox.clock.now(),
    sleep: async (milliseconds) => sandbox.clock.advance(milliseconds),
  }
}

/** A sandbox of the same document, which gets the same requests as the server. */
export class ReferenceSandbox {
  readonly #session: Session
  readonly #statuses: Difference[] = []
  readonly #pairs = new Map<string, ResponsePairs>()

  /** `limit` is the request limit that the server states. */
  constructor(contract: Contract, limit?: number) {
    const { base, key, ...service } = referenceService(contract, limit)
    this.#session = new Session(
      { base, contract, key },
      {
        ...service,
        budget: Number.POSITIVE_INFINITY,
        exhaust: true,
        timeout: 60_000,
        maxWait: Number.POSITIVE_INFINITY,
        data: {},
        requests: {},
        states: {},
        changes: false,
        excluded: new Set(),
        deadline: Number.POSITIVE_INFINITY,
        onWait: () => undefined,
      },
    )
  }

  /** Sends a probe to the sandbox and compares the responses with those of the server. */
  async repeat(probe: Probe, responses: readonly ProbeResponse[]): Promise<void> {
    const before = this.#session.responses.length
    await probe.send(this.#session).catch(() => undefined)
    const own = this.#session.responses.slice(before)
    // One of the two can have more pages or a larger quota.
    const hasSameLength = own.length === responses.length
    for (const [at, response] of responses.entries()) {
      const sameStatus = own.find(({ status }) => status === response.status) ?? own.at(-1)
      const counterpart = hasSameLength ? own[at] : sameStatus
      if (counterpart) this.#compare(response, counterpart)
    }
  }

  differences(): Difference[] {
    const pairs = [...this.#pairs.values()]
    const found = pairs.flatMap((one) => [...headerDifferences(one), ...bodyDifferences(one)])
    return [...this.#statuses, ...found]
  }

  #compare(target: ProbeResponse, sandbox: ProbeResponse): void {
    const operation = operationName(target)
    if (target.status !== sandbox.status) {
      this.#statuses.push({
        operation,
        what: 'status',
        place: describeRequest(target),
        target: String(target.status),
        sandbox: String(sandbox.status),
      })
      return
    }
    const key = `${operation} ${target.status}`
    const pairs = this.#pairs.get(key) ?? { target: [], sandbox: [] }
    pairs.target.push(target)
    pairs.sandbox.push(sandbox)
    this.#pairs.set(key, pairs)
  }
}

/** `POST /pets (without a key) {"name":"Rex"}`. */
function describeRequest({ request }: ProbeResponse): string {
  const { method, target, credentials, body } = request
  return [
    `${method} ${target}`,
    ...CREDENTIALS[credentials],
    ...(body ? [shorten(body, 80)] : []),
  ].join(' ')
}

/** Responses to the same operation with the same status, in pairs: one of the server, one of the sandbox. */
interface ResponsePairs {
  readonly target: ProbeResponse[]
  readonly sandbox: ProbeResponse[]
}

/** Headers of the transport, not of the API, and headers that only the sandbox adds. */
const IGNORED_HEADERS =
  /^(date|server|via|connection|keep-alive|transfer-encoding|content-length|content-encoding|vary|etag|age|alt-svc|x-powered-by|x-request-id|x-sandbox-.*|strict-transport-security|set-cookie|access-control-.*|cf-.*|nel|report-to)$/

/** Headers of one kind in all responses of the server and of another kind in all responses of the sandbox. */
function headerDifferences({ target, sandbox }: ResponsePairs): Difference[] {
  const names = [...target, ...sandbox].flatMap(({ headers }) => [...headers.keys()])

  return [...new Set(names)].sort().flatMap((name) => {
    if (IGNORED_HEADERS.test(name)) return []
    const [one, other] = [headerKinds(target, name), headerKinds(sandbox, name)]
    // A header may be present in some responses only: the last page has no link to the next page.
    const isAlike = one.some((kind) => other.includes(kind))
    const hasNextLinks = name !== 'link' || one.some((kind) => kind.includes('next'))
    if (isAlike && (hasNextLinks || !lacksNextLink(target) || lacksNextLink(sandbox))) return []
    return [toDifference(target, 'header', name, one.join(', '), other.join(', '))]
  })
}

/** Values of one type in the bodies of the server and of another type in the bodies of the sandbox. */
function bodyDifferences({ target, sandbox }: ResponsePairs): Difference[] {
  const [one, other] = [bodyTypes(target), bodyTypes(sandbox)]
  if (one.size === 0 || other.size === 0) return []
  const paths = [...new Set([...one.keys(), ...other.keys()])]

  return paths.flatMap((path) => {
    if (!hasParent(path, one) || !hasParent(path, other)) return []
    const [types, otherTypes] = [describeTypes(one, path), describeTypes(other, path)]
    if (types === otherTypes) return []
    return [toDifference(target, 'body', path || 'body', types, otherTypes)]
  })
}

/** The operation of a response, or its method and path. */
function operationName({ request }: ProbeResponse): string {
  return request.operation?.id ?? `${request.method} ${request.target}`
}

function headerKinds(responses: readonly ProbeResponse[], name: string): string[] {
  const values = responses.map(({ headers }) => headers.get(name))
  return [...new Set(values.map((value) => (value === null ? 'none' : headerKind(value))))]
}

/** Whether a full page of a longer list has no link to the next page. */
function lacksNextLink(responses: readonly ProbeResponse[]): boolean {
  const longest = Math.max(...responses.map(listLength))
  return responses.some((response) => {
    const [, limit] = /\?limit=(\d+)$/.exec(response.request.target) ?? []
    const length = listLength(response)
    const isFullPage = length === Number(limit) && length < longest
    return isFullPage && linkOf(response.headers, 'next') === undefined
  })
}

function bodyTypes(responses: readonly ProbeResponse[]): TypesByPath {
  return typesByPath(responses.flatMap(({ text }) => (text === '' ? [] : [parseJsonText(text)])))
}

/** Whether a value at this path was possible: an empty list has no items whose types could be compared. */
function hasParent(path: string, types: TypesByPath): boolean {
  const parent = path.replace(/(\[\]|\.?[^.[\]]+)$/, '')
  return path.endsWith('[]') ? types.has(path) : path === '' || types.has(parent)
}

function describeTypes(types: TypesByPath, path: string): string {
  return [...(types.get(path) ?? ['none'])].sort().join(' or ')
}

function toDifference(
  responses: readonly ProbeResponse[],
  what: Difference['what'],
  place: string,
  target: string,
  sandbox: string,
): Difference {
  const [first] = responses
  const operation = first ? operationName(first) : ''
  return { operation, what, place, ...(first && { status: first.status }), target, sandbox }
}

/** The kind of a header value, for instance `an integer` or `a date`. Two values of one kind are not compared. */
function headerKind(value: string): string {
  if (/^-?\d+$/.test(value)) return 'an integer'
  if (/^@\d+$/.test(value)) return 'a date as @seconds'
  if (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(value)) return 'a date'
  if (/^<[^>]*>\s*;/.test(value)) return describeLinks(value)
  if (/^https?:\/\//.test(value)) return 'a URL'
  if (/^\/\S*$/.test(value)) return 'a path'
  if (/^[\w.+-]+\/[\w.+-]+\s*(;.*)?$/.test(value)) return value.split(';', 1)[0]?.trim() ?? ''

  return 'text'
}

function describeLinks(link: string): string {
  const relations = [...link.matchAll(/rel="?([\w-]+)/g)].map(([, relation]) => relation)
  return `a link: ${[...new Set(relations)].sort().join(', ')}`
}

/** The types of the values at each path, for instance `number` at `[].price`. */
type TypesByPath = ReadonlyMap<string, ReadonlySet<string>>

/** Deeper values are ignored. */
const MAX_DEPTH = 12

/** The types in several values together, so that optional properties are included. */
function typesByPath(values: readonly unknown[]): TypesByPath {
  const types = new Map<string, Set<string>>()
  for (const value of values) collectTypes(value, '', types, 0)

  return types
}

function collectTypes(
  value: unknown,
  path: string,
  types: Map<string, Set<string>>,
  depth: number,
): void {
  const atPath = types.get(path) ?? new Set()
  types.set(path, atPath.add(typeOf(value)))
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) {
    for (const item of value) collectTypes(item, `${path}[]`, types, depth + 1)
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      collectTypes(member, path === '' ? name : `${path}.${name}`, types, depth + 1)
    }
  }
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'not JSON'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
