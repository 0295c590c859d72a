import { type ClientTimeline, requestIdentity } from './client-timeline.ts'
import { type Entry, TOO_MANY_REQUESTS } from './entry.ts'
import { earlyRequests } from './wait-violations.ts'

/** How a key used an operation. */
export interface OperationUsage {
  readonly recording: number
  readonly key: string
  /** Absent for requests that no operation is for. */
  readonly operation?: string
  readonly requests: number
  /** How many were answered with 429. */
  readonly refused: number
  /** How many were sent before `Retry-After` had passed. */
  readonly early: number
  /** From each refusal to the retry of the same request, in milliseconds: what was asked for, and what was done. */
  readonly waits: readonly { readonly asked: number; readonly waited: number }[]
}

/** How a key used each operation. */
export function usageByOperation(trail: ClientTimeline): readonly OperationUsage[] {
  const early = new Set(earlyRequests(trail).map(({ entry }) => entry))
  const operations = new Map<string | undefined, Entry[]>()
  for (const entry of trail) {
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

function waitsOf(entries: ClientTimeline): OperationUsage['waits'] {
  const latest = new Map<string, Entry>()
  const retries = new Map<Entry, Entry>()
  for (const entry of entries) {
    const name = requestIdentity(entry)
    const before = latest.get(name)
    if (before) retries.set(before, entry)
    latest.set(name, entry)
  }
  return entries.flatMap((refused) => {
    if (refused.status !== TOO_MANY_REQUESTS || refused.retryAt === undefined) return []
    const retry = retries.get(refused)
    if (!retry || retry.time < refused.time) return []
    return [
      {
        asked: refused.retryAt - refused.time,
        waited: Math.max(0, Math.round(retry.time - refused.end)),
      },
    ]
  })
}
