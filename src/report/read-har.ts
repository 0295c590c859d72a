import type { Contract } from '../contract/contract.ts'
import { read } from '../contract/read.ts'
import { type Match, Router } from '../contract/router.ts'
import type { CoreRequest } from '../http/message.ts'
import type { Exchange, Note } from '../journal/exchange.ts'
import { LATEST } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import { type Entry, faultsIn, headerOf, keyOf, NO_KEY, refusalOf, toldBy } from './entry.ts'
import { describeHarError, type HarEntry, type HarHeader, isHar } from './har-file.ts'
import { pathBelowBase } from './path-below-base.ts'

type Headers = Exchange['request']['headers']

/** What an archive holds of an API. */
export interface HarContents {
  readonly entries: readonly Entry[]
  /** How many requests went elsewhere. */
  readonly ignored: number
  /** The hosts that those went to. */
  readonly hosts: readonly string[]
}

/**
 * The entries of an HTTP archive: one that a sandbox wrote, or a browser's of the real service. What is no request to an
 * operation's path of the contract is left out. Throws a UsageError for what is no archive; `name` is what it is told as.
 */
export async function readHar(har: unknown, contract: Contract, name = 'it'): Promise<HarContents> {
  if (!isHar(har)) {
    throw new UsageError({
      code: 'invalid_har',
      task: `read ${name}`,
      reason: `it is not an HTTP archive (HAR 1.2), because ${describeHarError(har)}`,
      help: 'Give the address of a sandbox, a .har file or the JSON of a report.',
    })
  }
  const routes = new Router(contract)
  const archived = har.log.entries
  const read = await Promise.all(archived.map((one) => toReportEntry(one, contract, routes)))
  const entries = read.filter((entry) => entry !== undefined)
  const others = archived.filter((_, at) => read[at] === undefined)

  return {
    entries: entries.map((entry, at) => ({ ...entry, id: String(entry.number ?? at + 1) })),
    ignored: others.length,
    hosts: [...new Set(others.map(({ request }) => hostOf(request.url)))],
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url.slice(0, 20) : 'no address'
}

async function toReportEntry(
  archived: HarEntry,
  { basePath }: Contract,
  routes: Router,
): Promise<Entry | undefined> {
  const { request, response, _caller: caller, _plan: plan, _forced: forced } = archived
  const method = request.method.toUpperCase()
  const isOfSandbox = archived._id !== undefined
  const [path, query = ''] = pathBelowBase(basePath, request.url, isOfSandbox ? undefined : routes)
  if (path === undefined) return undefined
  const headers = request.headers.map(toPair)
  const match = matched(routes, method, path)
  const key = keyOf(headers)
  // Some programs write -1 where there was no answer.
  const status = Math.max(0, response.status)
  const body = request.postData?.text ?? undefined
  const seen = match ? await reading(match, { method, path, query, headers, body }) : NOTHING
  const time = Date.parse(archived.startedDateTime)

  return {
    id: '',
    recording: 1,
    ...orderOf(archived),
    time,
    end: Math.min(time + Math.max(0, archived.time ?? 0), LATEST),
    method,
    target: query === '' ? path : `${path}?${query}`,
    ...(match && { operation: match.operation.id }),
    caller: caller ?? callerOf(status, key),
    key,
    ...(plan !== undefined && { plan }),
    status,
    ...refusedBy(archived, status, seen),
    forced: forced !== undefined || archived._reason?.startsWith('forced:') === true,
    notes: archived._notes ?? seen.notes,
    ...(body && { body }),
    ...toldBy(response.headers.map(toPair), time),
    // A browser or a proxy records what it sends when it sends it; a sandbox what comes when it comes.
    remote: isOfSandbox && headerOf(headers, 'host') !== undefined,
  }
}

/** What refused a request, by the answer and by what the contract says of it. */
function refusedBy(
  { response, _reason: reason, _errors: errors }: HarEntry,
  status: number,
  seen: Reading,
): Pick<Entry, 'refusal' | 'faults' | 'code'> {
  const code = codeIn(response.content?.text ?? '')
  const by = refusalOf(status, reason, code)

  return {
    ...(by && { refusal: by }),
    faults: [...new Set([...faultsIn(status, errors), ...(status >= 400 ? seen.faults : [])])],
    ...(code !== undefined && { code }),
  }
}

function orderOf({ _id: number, _follows: follows }: HarEntry): Pick<Entry, 'number' | 'follows'> {
  return number === undefined ? {} : { number, follows: follows ?? number - 1 }
}

function matched(routes: Router, method: string, path: string): Match | undefined {
  try {
    return routes.match(method, path)
  } catch {
    return undefined
  }
}

interface Sent extends Pick<CoreRequest, 'method' | 'path'> {
  readonly query: string | undefined
  readonly headers: Headers
  readonly body: string | undefined
}

/** What the contract says of a request that was sent elsewhere. */
interface Reading {
  readonly notes: readonly Note[]
  readonly faults: readonly string[]
}

/** The longest body that is held against the contract, in characters. */
const LONGEST_BODY = 1024 * 1024

const NOTHING: Reading = { notes: [], faults: [] }

async function reading(match: Match, sent: Sent): Promise<Reading> {
  if ((sent.body?.length ?? 0) > LONGEST_BODY) return NOTHING
  const { deprecation, id } = match.operation
  const deprecated: Note[] = deprecation ? [{ kind: 'deprecated-operation', place: id }] : []
  const request: CoreRequest = {
    method: sent.method,
    base: '',
    path: sent.path,
    query: sent.query ?? '',
    header: (name) => headerOf(sent.headers, name),
    headers: () => sent.headers.flat(),
    body: async () => new TextEncoder().encode(sent.body ?? ''),
  }
  const { notes, problem } = await read(match, request)

  return {
    notes: [...deprecated, ...notes],
    faults: problem ? faultsIn(problem.status, problem.errors) : [],
  }
}

/** A browser may leave the key out of its archive: then only a 401 tells that there was none, or a wrong one. */
function callerOf(status: number, key: string): Entry['caller'] {
  if (status !== 401) return 'valid'
  return key === NO_KEY ? 'missing' : 'invalid'
}

/** The code of an Error body. */
function codeIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    const code: unknown = Object(body).code
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}

/** As much of a header is read as servers take. */
const LONGEST_HEADER = 65_536

function toPair({ name, value }: HarHeader): readonly [string, string] {
  return [name, value.slice(0, LONGEST_HEADER)]
}
