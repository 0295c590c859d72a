import type { Plan } from '../../access/plan.ts'
import type { Contract } from '../../contract/contract.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import { UsageError } from '../../validation/usage-error.ts'

/** What a source has recorded. */
export interface Recorded {
  readonly recordings: readonly (readonly ReportEntry[])[]
  /** What of it was left out. */
  readonly notices: readonly string[]
  /** The plans of a sandbox. */
  readonly plans?: readonly Plan[]
}

/** Throws a UsageError for a source that is of another API. */
export function checkTitle(source: string, title: string, contract: Contract): void {
  if (title === contract.title) return
  throw new UsageError({
    code: 'other_contract',
    task: `report on ${source}`,
    reason: `it serves ${title}, not ${contract.title}`,
    help: 'Name its document with --openapi.',
  })
}

/** Throws a UsageError when nothing at all was recorded. */
export function checkAsked(
  sources: readonly string[],
  recorded: readonly Recorded[],
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
