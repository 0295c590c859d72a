import type { Contract } from '../contract/contract.ts'
import { read } from '../contract/read.ts'
import { type Match, type MatchDetails, Router } from '../contract/router.ts'
import { headerIn } from '../http/headers.ts'
import type { CoreRequest } from '../http/message.ts'
import type { Exchange, Note } from '../journal/exchange.ts'
import { targetOf } from '../journal/exchange-facts.ts'
import { MAX_TIME } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import { codeIn, fieldsFromHeaders, invalidInputs, refusalCause } from './entry-fields.ts'
import { bodyText, describeHarError, type HarEntry, type HarHeader, isHar } from './har-file.ts'
import { archivedKey, secretParameters, sentKey } from './masked-key.ts'
import { pathBelowBase } from './path-below-base.ts'
import { NO_KEY, type ReportEntry } from './report-entry.ts'

type Headers = Exchange['request']['headers']

/** The requests of an archive. */
export interface HarContents {
  /** The requests to operations of the contract. */
  readonly entries: readonly ReportEntry[]
  /** The number of other requests. */
  readonly ignored: number
  /** The hosts of the other requests. */
  readonly hosts: readonly string[]
}

/**
 * Reads an HTTP archive that a sandbox wrote, or a recording of a real service by a browser. Throws a UsageError for
 * anything else; `name` is its name in the message.
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
  const source = { contract, routes: new Router(contract), clients: new Map<string, string>() }
  const archived = har.log.entries
  const read = await Promise.all(archived.map((one) => fromHarEntry(one, source)))
  const entries = read.filter((entry) => entry !== undefined)
  const others = archived.filter((_, at) => read[at] === undefined)

  return {
    entries: entries.map((entry, at) => ({ ...entry, id: String(entry.number ?? at + 1) })),
    ignored: others.length,
    hosts: [...new Set(others.map(({ request }) => hostOf(request.url)))],
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url.slice(0, 20) : 'an invalid URL'
}

interface Source {
  readonly contract: Contract
  readonly routes: Router
  /** The numbers of the API keys that are in the archive completely. */
  readonly clients: Map<string, string>
}

async function fromHarEntry(
  archived: HarEntry,
  { contract, routes, clients }: Source,
): Promise<ReportEntry | undefined> {
  const { request, response, _caller: caller, _plan: plan, _forced: forced } = archived
  const method = request.method.toUpperCase()
  const isOfSandbox = archived._id !== undefined
  const below = pathBelowBase(routes, request.url, isOfSandbox)
  if (!below) return undefined
  const { path, query } = below
  const headers = request.headers.map(toPair)
  const header = (name: string): string | undefined => headerIn(headers, name)
  const match = matchOperation(routes, method, path, { ...below, header })
  const sent = sentKey({ query, header }, contract, match?.operation)
  const { key, client } = archivedKey(archived, sent, clients)
  // Some programs write -1 when there was no response.
  const status = Math.max(0, response.status)
  const body = bodyText(request.postData)
  const seen = match ? await readByContract(match, { method, path, query, headers, body }) : NOTHING
  const time = Date.parse(archived.startedDateTime)

  return {
    id: '',
    recording: 1,
    ...orderOf(archived),
    time,
    end: Math.min(time + Math.max(0, archived.time ?? 0), MAX_TIME),
    method,
    // A sandbox has masked the credentials already.
    target: targetOf({ path, query }, isOfSandbox ? [] : secretParameters(contract)),
    ...(match && { operation: match.operation.id }),
    caller: caller ?? callerOf(status, key),
    key,
    ...(client !== undefined && { client }),
    ...(plan !== undefined && { plan }),
    status,
    ...errorDetails(archived, status, seen),
    forced: forced !== undefined || archived._reason?.startsWith('forced:') === true,
    notes: archived._notes ?? seen.notes,
    ...(body && { body }),
    ...fieldsFromHeaders(response.headers.map(toPair), time, contract),
    // Times in a recording of a browser are those of the client, so no request is in flight at them.
    remote: isOfSandbox && headerIn(headers, 'host') !== undefined,
  }
}

/** The error of a request, by its response and by the contract. */
function errorDetails(
  { response, _reason: reason, _errors: errors }: HarEntry,
  status: number,
  seen: ContractFindings,
): Pick<ReportEntry, 'refusal' | 'faults' | 'code'> {
  const code = codeIn(bodyText(response.content) ?? '')
  const by = refusalCause(status, reason, code)

  return {
    ...(by && { refusal: by }),
    faults: [...new Set([...invalidInputs(status, errors), ...(status >= 400 ? seen.faults : [])])],
    ...(code !== undefined && { code }),
  }
}

function orderOf({
  _id: number,
  _follows: follows,
}: HarEntry): Pick<ReportEntry, 'number' | 'follows'> {
  return number === undefined ? {} : { number, follows: follows ?? number - 1 }
}

function matchOperation(
  routes: Router,
  method: string,
  path: string,
  details: MatchDetails,
): Match | undefined {
  try {
    return routes.match(method, path, details)
  } catch {
    return undefined
  }
}

interface ArchivedRequest extends Pick<CoreRequest, 'method' | 'path'> {
  readonly query: string | undefined
  readonly headers: Headers
  readonly body: string | undefined
}

/** What the contract says about a request. */
interface ContractFindings {
  readonly notes: readonly Note[]
  readonly faults: readonly string[]
}

/** A longer body, in characters, is not checked against the contract. */
const MAX_BODY_LENGTH = 1024 * 1024

const NOTHING: ContractFindings = { notes: [], faults: [] }

async function readByContract(match: Match, sent: ArchivedRequest): Promise<ContractFindings> {
  if ((sent.body?.length ?? 0) > MAX_BODY_LENGTH) return NOTHING
  const { deprecation, id } = match.operation
  const deprecated: Note[] = deprecation ? [{ kind: 'deprecated-operation', place: id }] : []
  const request: CoreRequest = {
    method: sent.method,
    base: '',
    path: sent.path,
    query: sent.query ?? '',
    header: (name) => headerIn(sent.headers, name),
    headers: () => sent.headers.flat(),
    body: async () => new TextEncoder().encode(sent.body ?? ''),
  }
  const { notes, problem } = await read(match, request)

  return {
    notes: [...deprecated, ...notes],
    faults: problem ? invalidInputs(problem.status, problem.errors) : [],
  }
}

/** A browser can omit the key from its archive. Then only a 401 shows that the key was missing or invalid. */
function callerOf(status: number, key: string): ReportEntry['caller'] {
  if (status !== 401) return 'valid'
  return key === NO_KEY ? 'missing' : 'invalid'
}

/** The rest of a longer header is ignored. */
const MAX_HEADER_LENGTH = 65_536

function toPair({ name, value }: HarHeader): readonly [string, string] {
  return [name, value.slice(0, MAX_HEADER_LENGTH)]
}
