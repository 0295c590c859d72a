import type { BanRules } from '../access/ban.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import { requireObject } from '../validation/usage-error.ts'
import { toEntry } from './entry.ts'
import { type Report, type ReportOptions, report } from './report.ts'

/** As much of a world as a report on it needs. */
export interface ReportSource {
  readonly contract: Contract
  readonly journal: { readonly exchanges: readonly Exchange[]; readonly last: number }
  readonly plans: readonly Plan[]
}

/** The report on what a world was asked; with `plans`, on its own plans. */
export function reportOnWorld(
  { contract, journal, plans }: ReportSource,
  ban: BanRules | undefined,
  given: Omit<ReportOptions, 'plans' | 'ban'> & { readonly plans?: boolean } = {},
): Report {
  requireObject('report', given)
  const { plans: isFitted = false, ...options } = given
  const fitted: ReportOptions = isFitted ? { plans, ban: ban ?? false } : {}
  const { exchanges, last } = journal
  const none = exchanges.length === 0 && last > 0 ? ['The journal keeps no exchanges.'] : []

  return report([exchanges.map(toEntry)], contract, { ...options, ...fitted }, none)
}
