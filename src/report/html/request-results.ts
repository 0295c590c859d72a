import type { ClientTimeline } from '../client-timeline.ts'
import { type ReportEntry, TOO_MANY_REQUESTS } from '../report-entry.ts'

/** A period in which the client must not send requests. */
export interface WaitPeriod {
  readonly kind: 'wait' | 'ban'
  readonly start: number
  readonly end: number
}

/** The periods of `Retry-After` and of bans. Periods that overlap are merged. */
export function waitPeriods(timeline: ClientTimeline): readonly WaitPeriod[] {
  const periods: Record<WaitPeriod['kind'], WaitPeriod[]> = { wait: [], ban: [] }
  for (const { status, refusal, time, retryAt } of timeline) {
    if (status !== TOO_MANY_REQUESTS || retryAt === undefined || retryAt <= time) continue
    const kind = refusal === 'ban' ? 'ban' : 'wait'
    const last = periods[kind].at(-1)
    if (last && time >= last.start && time <= last.end) {
      periods[kind][periods[kind].length - 1] = { ...last, end: Math.max(last.end, retryAt) }
    } else periods[kind].push({ kind, start: time, end: retryAt })
  }
  return [...periods.wait, ...periods.ban]
}

/** The result of a request; it decides the color of the request. */
export type RequestResult = 'served' | 'failed' | 'refused' | 'early'

export const REQUEST_RESULTS: readonly RequestResult[] = ['served', 'failed', 'refused', 'early']

/** The names of the results for readers. */
export const RESULT_LABELS: Readonly<Record<RequestResult, string>> = {
  served: 'successful',
  failed: 'other error',
  refused: '429',
  early: 'sent too early',
}

/** The result of a request; `early` has the ids of the requests that were sent too early. */
export function resultOf({ id, status }: ReportEntry, early: ReadonlySet<string>): RequestResult {
  if (early.has(id)) return 'early'
  if (status === TOO_MANY_REQUESTS) return 'refused'

  return status >= 400 || status === 0 ? 'failed' : 'served'
}
