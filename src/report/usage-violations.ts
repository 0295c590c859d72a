import type { Contract, Operation } from '../contract/contract.ts'
import type { Note } from '../journal/exchange.ts'
import { getOwn } from '../validation/own-property.ts'
import { type ClientTimeline, hadSeenResponse, requestIdentity } from './client-timeline.ts'
import type { Entry } from './entry.ts'
import type { Rule, Violation } from './rules.ts'

/** Refusals that the same request will meet again. */
const INVALID: ReadonlySet<number> = new Set([400, 405, 413, 415, 422])
/** Retries of a failed request that come sooner, in milliseconds, give the service no time. */
const TOO_SOON = 100
/** As often a request may be sent again at once: something may have gone wrong on the way. */
const AT_ONCE = 2

const BY_NOTE: Readonly<Partial<Record<Note['kind'], Rule>>> = {
  'unknown-parameter': 'unknown-parameter',
  'dropped-property': 'dropped-property',
  'deprecated-operation': 'deprecated',
}

/** What was seen of the use of the interface: keys, deprecation, what was sent in vain. */
export function usageViolations(trail: ClientTimeline, contract: Contract): readonly Violation[] {
  return [
    ...trail.flatMap((entry) => notedViolations(entry, contract)),
    ...trail.flatMap((entry): readonly Violation[] => {
      if (entry.status !== 401 || entry.forced || entry.caller === 'valid') return []
      const place = entry.caller === 'missing' ? 'no API key' : 'a wrong API key'
      return [{ rule: 'unauthorized', entry, place }]
    }),
    ...repeatedInvalid(trail),
    ...retryStorms(trail),
    ...pagesFetchedTwice(trail),
  ]
}

function notedViolations(entry: Entry, { operations }: Contract): readonly Violation[] {
  return entry.notes.flatMap(({ kind, place }) => {
    const rule = getOwn(BY_NOTE, kind)
    if (!rule) return []
    const operation = operations.find(({ id }) => id === entry.operation)
    return [{ rule, entry, place: rule === 'deprecated' ? successor(place, operation) : place }]
  })
}

function successor(place: string, operation: Operation | undefined): string {
  const { sunset, successor } = operation?.deprecation ?? {}
  const gone = sunset === undefined ? '' : `, which is removed on ${day(sunset)}`
  return place + gone + (successor === undefined ? '' : `; use ${successor} instead`)
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function repeatedInvalid(trail: ClientTimeline): readonly Violation[] {
  const refused = new Map<string, Entry>()
  const seen: Violation[] = []
  for (const entry of trail) {
    const name = requestIdentity(entry)
    const before = refused.get(name)
    const isInvalid = INVALID.has(entry.status) && !entry.forced
    if (before && isInvalid && hadSeenResponse(entry, before, trail)) {
      const place = entry.faults.join(', ') || `${entry.method} ${entry.target}`.slice(0, 80)
      seen.push({ rule: 'repeated-invalid', entry, place })
    }
    if (isInvalid) refused.set(name, before ?? entry)
  }
  return seen
}

/** Retries of one request on a service that fails. A clock that stands still tells nothing of waits. */
function retryStorms(trail: ClientTimeline): readonly Violation[] {
  const rows = new Map<string, Entry[]>()
  const seen: Violation[] = []
  for (const entry of trail) {
    const name = requestIdentity(entry)
    const row = rows.get(name) ?? []
    const last = row.at(-1)
    const isRetry = last && hadSeenResponse(entry, last, trail) && entry.time >= last.time
    const isSoon = isRetry && entry.time - last.end < TOO_SOON
    if (!isSoon) row.length = 0
    row.push(entry)
    rows.set(name, row)
    const isRunning = entry.time > (row[0]?.time ?? entry.time)
    if (row.length > AT_ONCE + 1 && isRunning) seen.push({ rule: 'retry-storm', entry })
    if (!fails(entry)) rows.delete(name)
  }
  return seen
}

/** An outage that names its end is judged by that. A body that its client broke off is no fault of the service. */
function fails({ status, code, retryAt }: Entry): boolean {
  if (status === 0) return code !== 'incomplete_body'
  return status >= 500 && retryAt === undefined
}

/** A page may be fetched as often as an answer pointed to it: who lists anew walks all pages anew. */
function pagesFetchedTwice(trail: ClientTimeline): readonly Violation[] {
  const pointers = new Map<string, number>()
  const seen: Violation[] = []
  for (const entry of trail) {
    if (entry.status < 200 || entry.status > 299) continue
    const page = pageOf(entry.target)
    const left = pointers.get(page)
    if (left !== undefined) pointers.set(page, Math.max(0, left - 1))
    if (left === 0) seen.push({ rule: 'page-twice', entry, place: entry.target })
    if (entry.next === undefined) continue
    const next = pageOf(entry.next)
    pointers.set(next, (pointers.get(next) ?? 0) + 1)
  }
  return seen
}

/** A page by the end of its path and its query: a pointer has a base path before that. */
function pageOf(target: string): string {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  return `${path.slice(path.lastIndexOf('/'))}?${query}`
}
