import type { BanRules } from '../access/ban.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import { requireObject } from '../validation/usage-error.ts'
import { toReportEntry } from './from-exchange.ts'
import { type Report, type ReportOptions, report } from './report.ts'

/** The parts of a world that a report needs. */
export interface ReportSource {
  readonly contract: Contract
  readonly journal: { readonly exchanges: readonly Exchange[]; readonly last: number }
  readonly plans: readonly Plan[]
}

/** Reports on the journal of a world. With `plans: true`, the traffic is replayed on the plans of the world. */
export function reportOnWorld(
  { contract, journal, plans }: ReportSource,
  ban: BanRules | undefined,
  given: Omit<ReportOptions, 'plans' | 'ban'> & { readonly plans?: boolean } = {},
): Report {
  requireObject('report', given)
  const { plans: comparesPlans = false, ...options } = given
  const planOptions: ReportOptions = comparesPlans ? { plans, ban: ban ?? false } : {}
  const { exchanges, last } = journal
  const isOff = exchanges.length === 0 && last > 0
  const notices = isOff ? ['The journal is switched off (journal: 0).'] : []

  const entries = exchanges.map((exchange) => toReportEntry(exchange, contract))

  return report([entries], contract, { ...options, ...planOptions }, notices)
}
