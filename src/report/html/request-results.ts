import type { ClientTimeline } from '../client-timeline.ts'
import { type Entry, TOO_MANY_REQUESTS } from '../entry.ts'

/** A time in which nothing was to be sent. */
export interface WaitPeriod {
  readonly kind: 'wait' | 'ban'
  readonly start: number
  readonly end: number
}

/** The times in which a client had been asked to wait, or its key was banned; those that touch are one. */
export function waitPeriods(trail: ClientTimeline): readonly WaitPeriod[] {
  const zones: Record<WaitPeriod['kind'], WaitPeriod[]> = { wait: [], ban: [] }
  for (const { status, refusal, time, retryAt } of trail) {
    if (status !== TOO_MANY_REQUESTS || retryAt === undefined || retryAt <= time) continue
    const kind = refusal === 'ban' ? 'ban' : 'wait'
    const last = zones[kind].at(-1)
    if (last && time >= last.start && time <= last.end) {
      zones[kind][zones[kind].length - 1] = { ...last, end: Math.max(last.end, retryAt) }
    } else zones[kind].push({ kind, start: time, end: retryAt })
  }
  return [...zones.wait, ...zones.ban]
}

/** What became of a request, for its colour. */
export type RequestResult = 'served' | 'failed' | 'refused' | 'early'

export const REQUEST_RESULTS: readonly RequestResult[] = ['served', 'failed', 'refused', 'early']

/** What became of requests, in words. */
export const RESULT_LABELS: Readonly<Record<RequestResult, string>> = {
  served: 'served',
  failed: 'failed',
  refused: 'refused',
  early: 'sent too early',
}

/** `early` are the ids of the requests that did not wait. */
export function resultOf({ id, status }: Entry, early: ReadonlySet<string>): RequestResult {
  if (early.has(id)) return 'early'
  if (status === TOO_MANY_REQUESTS) return 'refused'

  return status >= 400 || status === 0 ? 'failed' : 'served'
}
