import type { Contract } from '../contract/contract.ts'
import { type Match, Routes } from '../contract/match.ts'
import { read } from '../contract/read.ts'
import type { Exchange, Note } from '../exchange.ts'
import type { Ask } from '../message.ts'
import { Problem } from '../problem.ts'
import { UsageError } from '../usage-error.ts'
import { type Archived, isHar, type Pair } from './archive.ts'
import { type Entry, faultsIn, headerOf, keyOf, NO_KEY, refusalOf, toldBy } from './entry.ts'

type Headers = Exchange['request']['headers']

/** What an archive holds of an API. */
export interface Archive {
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
export async function readHar(har: unknown, contract: Contract, name = 'it'): Promise<Archive> {
  if (!isHar(har)) {
    throw new UsageError(
      'invalid_har',
      `Cannot read ${name}: it is no HTTP archive (HAR 1.2). Give a sandbox's address, a .har file or the JSON of a report.`,
    )
  }
  const routes = new Routes(contract)
  const archived = har.log.entries
  const read = await Promise.all(archived.map((one) => fromArchive(one, contract, routes)))
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

async function fromArchive(
  archived: Archived,
  { basePath }: Contract,
  routes: Routes,
): Promise<Entry | undefined> {
  const { request, response, _caller: caller, _plan: plan, _forced: forced } = archived
  const method = request.method.toUpperCase()
  const isOfSandbox = archived._id !== undefined
  const [path, query = ''] = below(basePath, request.url, isOfSandbox ? undefined : routes)
  if (path === undefined) return undefined
  const headers = request.headers.map(toPair)
  const match = matched(routes, method, path)
  const key = keyOf(headers)
  const { status } = response
  const { code, message } = errorBody(response.content?.text)
  const body = request.postData?.text
  const seen = match ? await reading(match, { method, path, query, headers, body }) : NOTHING
  const by = refusalOf(status, archived._reason, code)
  const time = Date.parse(archived.startedDateTime)

  return {
    id: '',
    recording: 1,
    ...orderOf(archived),
    time,
    end: time + Math.max(0, archived.time ?? 0),
    method,
    target: query === '' ? path : `${path}?${query}`,
    ...(match && { operation: match.operation.id }),
    caller: caller ?? callerOf(status, key),
    key,
    ...(plan !== undefined && { plan }),
    status,
    ...(by && { refusal: by }),
    forced: forced !== undefined || archived._reason?.startsWith('forced:') === true,
    notes: archived._notes ?? seen.notes,
    faults: [...new Set([...faultsIn(status, message), ...(status >= 400 ? seen.faults : [])])],
    ...(code !== undefined && { code }),
    ...(body && { body }),
    ...toldBy(response.headers.map(toPair), time),
    // A browser or a proxy records what it sends when it sends it; a sandbox what comes when it comes.
    remote: isOfSandbox && headerOf(headers, 'host') !== undefined,
  }
}

function orderOf({ _id: number, _follows: follows }: Archived): Pick<Entry, 'number' | 'follows'> {
  return number === undefined ? {} : { number, follows: follows ?? number - 1 }
}

/**
 * The part of an address below the base path, wherever a proxy or a world has put that. A sandbox archives what it was asked
 * alone, with paths that it does not know; of others, with `routes`, only the paths of operations count.
 */
function below(
  basePath: string,
  url: string,
  routes: Routes | undefined,
): [path?: string, query?: string] {
  if (!URL.canParse(url)) return []
  const { pathname, search } = new URL(url)
  let at = pathname.indexOf(`${basePath}/`)
  while (at !== -1) {
    const path = pathname.slice(at + basePath.length)
    if (!routes || hasPath(routes, path)) return [path, search.slice(1)]
    at = pathname.indexOf(`${basePath}/`, at + 1)
  }
  return []
}

function hasPath(routes: Routes, path: string): boolean {
  try {
    routes.methods(path)
    return true
  } catch {
    return false
  }
}

function matched(routes: Routes, method: string, path: string): Match | undefined {
  try {
    return routes.match(method, path)
  } catch {
    return undefined
  }
}

interface Sent extends Pick<Ask, 'method' | 'path'> {
  readonly query: string | undefined
  readonly headers: Headers
  readonly body: string | undefined
}

/** What the contract says of a request that was sent elsewhere. */
interface Reading {
  readonly notes: readonly Note[]
  readonly faults: readonly string[]
}

const NOTHING: Reading = { notes: [], faults: [] }

async function reading(match: Match, sent: Sent): Promise<Reading> {
  const notes: Note[] = []
  const { deprecation, id } = match.operation
  if (deprecation) notes.push({ kind: 'deprecated-operation', place: id })
  const ask: Ask = {
    method: sent.method,
    base: '',
    path: sent.path,
    query: sent.query ?? '',
    header: (name) => headerOf(sent.headers, name),
    headers: () => sent.headers.flat(),
    body: async () => new TextEncoder().encode(sent.body ?? ''),
  }
  const note = (kind: Note['kind'], place: string): void => void notes.push({ kind, place })
  try {
    await read(match, ask, { note })
    return { notes, faults: [] }
  } catch (error) {
    if (error instanceof Problem) return { notes, faults: faultsIn(error.status, error.message) }
    throw error
  }
}

/** A browser may leave the key out of its archive: then only a 401 tells that there was none, or a wrong one. */
function callerOf(status: number, key: string): Entry['caller'] {
  if (status !== 401) return 'valid'
  return key === NO_KEY ? 'missing' : 'invalid'
}

function errorBody(text = ''): { readonly code?: string; readonly message?: string } {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return {}
    return {
      ...('code' in body && typeof body.code === 'string' && { code: body.code }),
      ...('message' in body && typeof body.message === 'string' && { message: body.message }),
    }
  } catch {
    return {}
  }
}

function toPair({ name, value }: Pair): readonly [string, string] {
  return [name, value]
}
