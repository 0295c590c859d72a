import { createScheme } from '../access/security-scheme.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { read } from '../contract/read.ts'
import { type Location, type Match, type MatchDetails, Router } from '../contract/router.ts'
import { type HeaderList, headerIn } from '../http/headers.ts'
import type { CoreRequest, Delivery } from '../http/message.ts'
import { chooseWorld } from '../http/paths.ts'
import { type Exchange, type ExchangeError, maskSecret, type Note } from '../journal/exchange.ts'
import { targetOf } from '../journal/exchange-facts.ts'
import { MAX_TIME } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  integerFrom,
  is,
  listOf,
  text,
  type ValueCheck,
  withFields,
} from '../validation/value-check.ts'
import {
  CALLER,
  DELIVERY,
  ERRORS,
  firstMistake,
  isTimestamp,
  NOTES,
  number,
} from './exchange-check.ts'
import {
  codeIn,
  fieldsFromHeaders,
  invalidInputs,
  NO_KEY,
  type ReportEntry,
  refusalCause,
} from './report-entry.ts'

/** The requests of an archive. */
interface HarContents {
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
      reason: `it is not an HTTP archive (HAR 1.2), because ${firstMistake(har, HAR)}`,
      help: 'Give the address of a sandbox, a .har file or the JSON of a report.',
    })
  }
  const source = { contract, routes: new Router(contract), clients: new Map<string, string>() }
  // What a sandbox has sent to receivers of events is no request of a client.
  const archived = har.log.entries.filter(({ _sent: sent }) => sent === undefined)
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
  _delivery: delivery,
}: HarEntry): Pick<ReportEntry, 'number' | 'follows' | 'delivery'> {
  if (number === undefined) return {}
  return { number, follows: follows ?? number - 1, ...(delivery && { delivery }) }
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

interface ArchivedRequest extends Pick<CoreRequest, 'method' | 'path' | 'query'> {
  readonly headers: HeaderList
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
    query: sent.query,
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

interface HarHeader {
  readonly name: string
  readonly value: string
}

/** A body as text. With an `encoding`, the text is that of the bytes in base64. */
interface HarBody {
  readonly text?: string | null
  readonly encoding?: string | null
}

/** The fields of an archive's entry that a report reads. Fields that only a sandbox writes have an underscore. */
interface HarEntry {
  readonly startedDateTime: string
  readonly time?: number | null
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly HarHeader[]
    readonly postData?: HarBody | null
  }
  readonly response: {
    /** 0 or -1 when there was no response. */
    readonly status: number
    readonly headers: readonly HarHeader[]
    readonly content?: HarBody | null
  }
  readonly _id?: number
  readonly _follows?: number
  readonly _delivery?: Delivery
  readonly _caller?: Exchange['caller']
  readonly _key?: string
  readonly _client?: string
  readonly _plan?: string
  readonly _reason?: string
  readonly _forced?: string
  readonly _notes?: readonly Note[]
  readonly _errors?: readonly ExchangeError[]
  /** Only of a delivery to a receiver of events. */
  readonly _sent?: unknown
}

/** The fields of an HTTP archive that a report reads. */
interface HarFile {
  readonly log: { readonly entries: readonly HarEntry[] }
}

/** Some programs write `null` for what is absent. */
function nullable(check: ValueCheck): ValueCheck {
  return (value, path, mistakes) => (value === null ? undefined : check(value, path, mistakes))
}

const DATE = is(
  'a date between 1970 and 9999',
  (value) => typeof value === 'string' && isTimestamp(Date.parse(value)),
)
const HEADERS = listOf(withFields({ name: text, value: text }))
const BODY = nullable(withFields({}, { text: nullable(text), encoding: nullable(text) }))

const ENTRY = withFields(
  {
    startedDateTime: DATE,
    request: withFields({ method: text, url: text, headers: HEADERS }, { postData: BODY }),
    response: withFields({ status: integerFrom(-1, 999), headers: HEADERS }, { content: BODY }),
  },
  {
    time: nullable(number),
    _id: integerFrom(1),
    _follows: integerFrom(0),
    _delivery: DELIVERY,
    _caller: CALLER,
    _key: text,
    _client: text,
    _plan: text,
    _reason: text,
    _forced: text,
    _notes: NOTES,
    _errors: ERRORS,
  },
)

const HAR = withFields({ log: withFields({ entries: listOf(ENTRY) }) })

/** Whether a value has the fields of an HTTP archive that a report reads. */
function isHar(har: unknown): har is HarFile {
  return firstMistake(har, HAR) === undefined
}

/** The text of a body; `undefined` when there is none, or when it is in an encoding that cannot be read. */
function bodyText(body: HarBody | null | undefined): string | undefined {
  const { text, encoding } = body ?? {}
  if (!(text && encoding)) return text ?? undefined
  if (encoding.toLowerCase() !== 'base64') return undefined
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return undefined
  }
}

type SentRequest = Pick<CoreRequest, 'header' | 'query'>

/** The API key of a request, by the security schemes of its operation, else by those of the contract. */
function sentKey(
  request: SentRequest,
  { securitySchemes = [] }: Contract,
  operation: Pick<Operation, 'security'> | undefined,
): string | undefined {
  const names = operation?.security?.flat() ?? []
  const own = securitySchemes.filter(({ name }) => names.includes(name))
  for (const scheme of [...own, ...securitySchemes].flatMap(createScheme)) {
    const sent = scheme.read(request)
    if (sent !== undefined) return sent
  }
  const authorization = request.header('authorization')?.trim()
  return authorization ? authorization.replace(/^\S+\s+/, '') : undefined
}

/** The query parameters that contain credentials. */
function secretParameters({ securitySchemes = [] }: Contract): readonly string[] {
  return securitySchemes.flatMap((scheme) => (scheme.type === 'query' ? scheme.parameter : []))
}

/** The API key of an archived request, masked, and what tells it from other ones with the same end. `numbers` are those of complete keys. */
function archivedKey(
  { _key: key, _client: client }: Pick<HarEntry, '_key' | '_client'>,
  sent: string | undefined,
  numbers: Map<string, string>,
): Pick<ReportEntry, 'key'> & { readonly client: string | undefined } {
  if (key !== undefined) return { key, client }
  if (sent === undefined) return { key: NO_KEY, client }
  // Some recorders have already masked the key.
  if (sent.startsWith('…')) return { key: sent, client }
  const number = numbers.get(sent) ?? String(numbers.size + 1)
  numbers.set(sent, number)

  return { key: maskSecret(sent), client: number }
}

/** A longer URL, such as a `data:` URL, is not a request to an API. */
const MAX_URL_LENGTH = 65_536

/** The maximum number of occurrences of a base path that are tried. */
const MAX_OCCURRENCES = 16

/** The part of a URL below a base path. */
interface PathBelowBase extends Pick<Location, 'path' | 'serverPath'> {
  readonly query: string
}

/**
 * The path and query of a URL relative to a base path; `undefined` for a request to something else. A proxy or a world can put
 * a prefix before the base path. Only paths of operations are accepted, except from archives of a sandbox: they have only
 * requests to it.
 */
function pathBelowBase(
  routes: Router,
  url: string,
  isOfSandbox: boolean,
): PathBelowBase | undefined {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return undefined
  const { pathname, search } = new URL(url)
  const located = isOfSandbox ? routes.locate(chooseWorld(pathname).rest) : undefined
  const location = located ?? findBelowPrefix(routes, pathname, isOfSandbox)
  if (!location) return undefined

  return { path: location.path, serverPath: location.serverPath, query: search.slice(1) }
}

/** Looks for each base path anywhere in a path. */
function findBelowPrefix(
  routes: Router,
  pathname: string,
  acceptsAll: boolean,
): Location | undefined {
  for (const { basePath, serverPath } of routes.bases) {
    let at = pathname.indexOf(`${basePath}/`)
    for (let tried = 0; at !== -1 && tried < MAX_OCCURRENCES; tried += 1) {
      const path = pathname.slice(at + basePath.length)
      if (acceptsAll || routes.hasRoute(path, serverPath)) return { basePath, path, serverPath }
      at = pathname.indexOf(`${basePath}/`, at + 1)
    }
  }
  return undefined
}
