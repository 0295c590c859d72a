import { ANY_KEY, usableKey } from '../access/keys.ts'
import type { AuthMode } from '../access/security-scheme.ts'
import type { Operation } from '../contract/contract.ts'
import { curlCommand } from '../requests/curl.ts'
import type { OutgoingRequest } from '../requests/outgoing-request.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Trial } from '../sandbox/trial.ts'

/** The first request that a developer can send. */
export interface FirstRequest {
  readonly curl: string
  /** The status of its response. */
  readonly status: number
}

/**
 * After so many milliseconds, no further operation is tried. The start message waits for it, and for the operation that is being tried
 * then: for a document of several megabytes, that takes up to half a second, for which the first request would wait otherwise.
 */
const TIME_LIMIT_MS = 150

/**
 * A request that gets a 2xx response: the first of the candidates for which a throw-away copy of the sandbox gives one. When none
 * does, the first candidate; `undefined` when there is none. The credential is the first key of the sandbox, where it has one or takes any.
 */
export async function findFirstRequest(
  sandbox: Sandbox,
  { origin, auth }: { readonly origin: string; readonly auth: AuthMode },
  timeLimit: number = TIME_LIMIT_MS,
): Promise<FirstRequest | undefined> {
  const { sampleRequest } = await import('../sandbox/sample-request.ts')
  const { createTrial } = await import('../sandbox/trial.ts')
  const { contract, keys } = sandbox
  const trial = createTrial(sandbox)
  const key = usableKey(keys) ?? (auth === 'any' ? ANY_KEY : undefined)
  const end = performance.now() + timeLimit
  let first: FirstRequest | undefined
  const isLate = (): boolean => performance.now() > end
  const isList = (one: Operation): boolean => !isLate() && trial.binding(one).action === 'list'
  for (const operation of candidatesOf(contract.operations, isList)) {
    const request = await sampleRequest(operation, trial, { contract, origin, key })
    const status = request && (await statusOf(request, trial))
    if (request && status !== undefined) {
      const found = { curl: curlCommand(request), status }
      if (status >= 200 && status < 300) return found
      first ??= found
    }
    if (isLate()) break
  }
  return first
}

/** `undefined` when the request has no response, is one that few clients send, or does not fit in one line to paste. */
async function statusOf(request: OutgoingRequest, trial: Trial): Promise<number | undefined> {
  const { method, headers, body } = request
  if (body && /^(GET|HEAD)$/.test(method)) return undefined
  const texts = [body?.text ?? '', ...headers.map(([, value]) => value)]
  if (texts.some((text) => /[\r\n]/.test(text))) return undefined
  try {
    const { status } = await trial.answer(request)
    return status
  } catch {
    return undefined
  }
}

/** How many operations of each kind are looked at. A document may have ten thousand. */
const MAX_OF_KIND = 25

/** Methods whose requests show nothing, or are no requests of a client. */
const HIDDEN: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE'])

/**
 * The operations that a first request may be for, the most instructive ones first: lists, other GETs without required parameters,
 * other GETs, POSTs, all others. Of operations of a kind, those with few path parameters precede others, then those of resources
 * with many operations. What is deprecated, needs parameters, or is for the operators of the service comes last.
 *
 * The parameters of an operation are read only when it may be next, and `isList` is asked of one after the other: both take long in a
 * large document.
 */
function* candidatesOf(
  operations: readonly Operation[],
  isList: (operation: Operation) => boolean,
): Generator<Operation> {
  const below = countBelow(operations)
  const first = (isKind: (operation: Operation) => boolean): Operation[] => {
    const known = sortBy(operations.filter(isKind), (one) => placeOf(one, below))
    return sortBy(
      known.slice(0, MAX_OF_KIND),
      (one) => placeOf(one, below) + 10 * requiredOf(one).length,
    )
  }
  const isGet = ({ method }: Operation): boolean => method === 'GET'
  const isPost = ({ method }: Operation): boolean => method === 'POST'
  const isOther = (one: Operation): boolean =>
    !isGet(one) && !isPost(one) && !HIDDEN.has(one.method)
  const isPlain = ({ path }: Operation): boolean => !path.includes('{')
  const rankOf = (one: Operation): number => {
    if (isUnusual(one)) return 2
    return one.parameters.some(({ required }) => required) ? 1 : 0
  }
  const plain = sortBy(
    first((one) => isGet(one) && isPlain(one)),
    rankOf,
  )
  yield* putFirst(plain, (one) => rankOf(one) === 0 && isList(one))
  yield* first((one) => isGet(one) && !isPlain(one))
  yield* sortBy(first(isPost), ({ body }) => (body ? 0 : 1))
  yield* first(isOther)
}

/** Those that are wanted before the others. Each is looked at when it may be next. */
function* putFirst(
  operations: readonly Operation[],
  isWanted: (operation: Operation) => boolean,
): Generator<Operation> {
  const others: Operation[] = []
  for (const one of operations) {
    if (isWanted(one)) yield one
    else others.push(one)
  }
  yield* others
}

/** The parameters that a request must have, besides those of the path. */
function requiredOf({ parameters }: Operation): Operation['parameters'] {
  return parameters.filter((one) => one.required && one.in !== 'path')
}

/** Segments of paths that are for the operators of a service, or say nothing about its records. */
const OPERATORS =
  /^_|^(admin|cron|debug|health|healthz|healthcheck|internal|jobs?|livez?|metrics|ping|private|readyz?|status|system|test|version)$/i

function isUnusual({ path, deprecation }: Operation): boolean {
  return deprecation !== undefined || path.split('/').some((segment) => OPERATORS.test(segment))
}

/** Smaller for what is shown first, by the path alone. */
function placeOf(operation: Operation, below: ReadonlyMap<string, number>): number {
  const { path } = operation
  // The main resource of an API has the most operations.
  const share = 1 / (1 + (below.get(path) ?? 0))

  return (isUnusual(operation) ? 10_000 : 0) + 100 * path.split('{').length + share
}

/** How many operations each path has itself and below it. */
function countBelow(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { path } of operations) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const start = path.slice(0, end)
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
  }
  return counts
}

/** Sorted by ascending rank; operations of equal rank keep their order. */
function sortBy(
  operations: readonly Operation[],
  rankOf: (operation: Operation) => number,
): Operation[] {
  const ranks = new Map(operations.map((operation) => [operation, rankOf(operation)]))
  return [...operations].sort((one, two) => (ranks.get(one) ?? 0) - (ranks.get(two) ?? 0))
}
