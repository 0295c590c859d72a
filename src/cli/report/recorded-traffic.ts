import type { Plan } from '../../access/callers.ts'
import type { Contract } from '../../contract/contract.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import { UsageError } from '../../validation/usage-error.ts'

/** The requests that a source has recorded. */
export interface RecordedTraffic {
  readonly recordings: readonly (readonly ReportEntry[])[]
  /** What the source did not record, or what was ignored. */
  readonly notices: readonly string[]
  /** The plans of the recorded sandbox. */
  readonly plans?: readonly Plan[]
}

/** Throws a UsageError for a source of another API. */
export function rejectOtherApi(source: string, title: string, contract: Contract): void {
  if (title === contract.title) return
  throw new UsageError({
    code: 'other_contract',
    task: `report on ${source}`,
    reason: `it serves ${title}, not ${contract.title}`,
    help: 'Name its document with --openapi.',
  })
}

/** Throws a UsageError when no requests were recorded. */
export function rejectEmptyTraffic(
  sources: readonly string[],
  recorded: readonly RecordedTraffic[],
  advice: string,
): void {
  if (recorded.some(({ recordings }) => recordings.some(({ length }) => length > 0))) return
  throw new UsageError({
    code: 'nothing_recorded',
    task: `report on ${sources.join(', ')}`,
    reason: 'no request was recorded',
    help: advice,
  })
}
