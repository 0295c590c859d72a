import { type ClientTimeline, requestIdentity } from './client-timeline.ts'
import { type ReportEntry, TOO_MANY_REQUESTS } from './report-entry.ts'
import { earlyRequests } from './wait-violations.ts'

/** How a client used one operation with one API key. */
export interface OperationUsage {
  readonly recording: number
  readonly key: string
  /** Absent for requests that match no operation. */
  readonly operation?: string
  readonly requests: number
  /** The number of responses with status 429. */
  readonly refused: number
  /** The number of requests that were sent before `Retry-After` had passed. */
  readonly early: number
  /** For each 429 whose request was retried: the requested wait and the actual wait, in milliseconds. */
  readonly waits: readonly { readonly asked: number; readonly waited: number }[]
}

/** How a client used each operation. */
export function usageByOperation(timeline: ClientTimeline): readonly OperationUsage[] {
  const early = new Set(earlyRequests(timeline).map(({ entry }) => entry))
  const operations = new Map<string | undefined, ReportEntry[]>()
  for (const entry of timeline) {
    const entries = operations.get(entry.operation) ?? []
    entries.push(entry)
    operations.set(entry.operation, entries)
  }

  return [...operations].flatMap(([operation, entries]) => {
    const [first] = entries
    if (!first) return []
    return {
      recording: first.recording,
      key: first.key,
      ...(operation !== undefined && { operation }),
      requests: entries.length,
      refused: entries.filter(({ status }) => status === TOO_MANY_REQUESTS).length,
      early: entries.filter((entry) => early.has(entry)).length,
      waits: waitsOf(entries),
    }
  })
}

function waitsOf(entries: readonly ReportEntry[]): OperationUsage['waits'] {
  const latest = new Map<string, ReportEntry>()
  const retries = new Map<ReportEntry, ReportEntry>()
  for (const entry of entries) {
    const identity = requestIdentity(entry)
    const earlier = latest.get(identity)
    if (earlier) retries.set(earlier, entry)
    latest.set(identity, entry)
  }
  return entries.flatMap((refused) => {
    if (refused.status !== TOO_MANY_REQUESTS || refused.retryAt === undefined) return []
    const retry = retries.get(refused)
    if (!retry || retry.time < refused.time) return []
    const waited = Math.max(0, Math.round(retry.time - refused.end))
    return [{ asked: refused.retryAt - refused.time, waited }]
  })
}
