import type { Contract, Operation } from '../contract/contract.ts'
import type { Note } from '../journal/exchange.ts'
import { getOwn } from '../validation/objects.ts'
import { type ClientTimeline, hadSeenResponse, requestIdentity } from './client-timeline.ts'
import type { ReportEntry } from './report-entry.ts'
import type { Rule, Violation } from './rules.ts'

/** The same request gets these statuses each time. */
const INVALID_STATUSES: ReadonlySet<number> = new Set([400, 405, 413, 415, 422])
/** A retry after a server error that comes sooner gives the service no time to recover. */
const MIN_RETRY_MILLISECONDS = 100
/** So many immediate retries are allowed: the connection may have failed. */
const MAX_IMMEDIATE_RETRIES = 2

const RULE_OF_NOTE: Readonly<Partial<Record<Note['kind'], Rule>>> = {
  'unknown-parameter': 'unknown-parameter',
  'dropped-property': 'dropped-property',
  'invalid-input': 'invalid-input',
  'deprecated-operation': 'deprecated',
}

/** Violations in the way a client uses the API: keys, deprecation, ignored input, repeated requests. */
export function usageViolations(
  timeline: ClientTimeline,
  contract: Contract,
): readonly Violation[] {
  return [
    ...timeline.flatMap((entry) => violationsFromNotes(entry, contract)),
    ...timeline.flatMap(unauthorized),
    ...repeatedInvalid(timeline),
    ...retryStorms(timeline),
    ...pagesFetchedTwice(timeline),
  ]
}

function violationsFromNotes(entry: ReportEntry, { operations }: Contract): readonly Violation[] {
  return entry.notes.flatMap(({ kind, place }): readonly Violation[] => {
    const rule = getOwn(RULE_OF_NOTE, kind)
    if (!rule) return []
    if (rule !== 'deprecated') return [{ rule, entry, detail: place }]
    const operation = operations.find(({ id }) => id === entry.operation)
    return [{ rule, entry, detail: place + describeDeprecation(operation) }]
  })
}

/** ` (removal on 2030-12-05; use /pets?status=available instead)`. */
function describeDeprecation(operation: Operation | undefined): string {
  const { sunset, successor } = operation?.deprecation ?? {}
  const parts = [
    ...(sunset === undefined ? [] : [`removal on ${new Date(sunset).toISOString().slice(0, 10)}`]),
    ...(successor === undefined ? [] : [`use ${successor} instead`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}

function unauthorized(entry: ReportEntry): readonly Violation[] {
  if (entry.status !== 401 || entry.forced || entry.caller === 'valid') return []
  const detail = entry.caller === 'missing' ? 'without an API key' : 'with an invalid API key'
  return [{ rule: 'unauthorized', entry, detail }]
}

function repeatedInvalid(timeline: ClientTimeline): readonly Violation[] {
  const firstRejected = new Map<string, ReportEntry>()
  const violations: Violation[] = []
  for (const entry of timeline) {
    const identity = requestIdentity(entry)
    const earlier = firstRejected.get(identity)
    const isInvalid = INVALID_STATUSES.has(entry.status) && !entry.forced
    if (earlier && isInvalid && hadSeenResponse(entry, earlier, timeline)) {
      const detail = entry.faults.join(', ') || `${entry.method} ${entry.target}`.slice(0, 80)
      violations.push({ rule: 'repeated-invalid', entry, detail })
    }
    if (isInvalid) firstRejected.set(identity, earlier ?? entry)
  }
  return violations
}

/** Fast retries of a request that fails with a server error. On a frozen clock, waits cannot be measured. */
function retryStorms(timeline: ClientTimeline): readonly Violation[] {
  const sequences = new Map<string, ReportEntry[]>()
  const violations: Violation[] = []
  for (const entry of timeline) {
    const identity = requestIdentity(entry)
    const sequence = sequences.get(identity) ?? []
    const last = sequence.at(-1)
    const isRetry = last && hadSeenResponse(entry, last, timeline) && entry.time >= last.time
    const isTooSoon = isRetry && entry.time - last.end < MIN_RETRY_MILLISECONDS
    if (!isTooSoon) sequence.length = 0
    sequence.push(entry)
    sequences.set(identity, sequence)
    const isClockRunning = entry.time > (sequence[0]?.time ?? entry.time)
    if (sequence.length > MAX_IMMEDIATE_RETRIES + 1 && isClockRunning) {
      violations.push({ rule: 'retry-storm', entry })
    }
    if (!isServerError(entry)) sequences.delete(identity)
  }
  return violations
}

/**
 * Whether the service failed. A response with `Retry-After` is checked by that time instead. When the client aborted its
 * own request body, the service did not fail.
 */
function isServerError({ status, code, retryAt }: ReportEntry): boolean {
  if (status === 0) return code !== 'incomplete_body'
  return status >= 500 && retryAt === undefined
}

/** A page may be fetched once for each response that linked to it: a client that starts again reads all pages again. */
function pagesFetchedTwice(timeline: ClientTimeline): readonly Violation[] {
  const unusedLinks = new Map<string, number>()
  const violations: Violation[] = []
  for (const entry of timeline) {
    if (entry.status < 200 || entry.status > 299) continue
    const page = pageOf(entry.target)
    const links = unusedLinks.get(page)
    if (links !== undefined) unusedLinks.set(page, Math.max(0, links - 1))
    if (links === 0) violations.push({ rule: 'page-twice', entry, detail: entry.target })
    if (entry.next === undefined) continue
    const next = pageOf(entry.next)
    unusedLinks.set(next, (unusedLinks.get(next) ?? 0) + 1)
  }
  return violations
}

/** A page by its last path segment and its query: a link contains the base path, a request target does not. */
function pageOf(target: string): string {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  return `${path.slice(path.lastIndexOf('/'))}?${query}`
}
