import { type BanRules, resolveBanRules } from '../access/ban.ts'
import type { Plan } from '../access/callers.ts'
import type { Contract } from '../contract/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import {
  count,
  refuseUnknown,
  requireInteger,
  requireObject,
  UsageError,
} from '../validation/usage-error.ts'
import { toTimelines } from './client-timeline.ts'
import { comparePlans, type PlanComparison } from './compare-plans.ts'
import {
  type OperationUsage,
  unusedScopes,
  usageByOperation,
  usageViolations,
  waitViolations,
} from './conduct.ts'
import { type Coverage, describeShortfall, measureCoverage } from './coverage.ts'
import { type JudgedDelivery, judgeReceivers, type ReceiverJudgement } from './receivers.ts'
import { mergeRecordings, missingRequestNotices } from './recordings.ts'
import { NO_KEY, type ReportEntry, toReportEntry } from './report-entry.ts'
import { type Finding, RECEIVER_RULES, type RuleName, toFindings, toRules } from './rules.ts'

/** What a report checks, and what makes it fail. All options are optional. */
export interface ReportOptions {
  /** Rules whose violations make the report fail: rule names, or `errors` (default), `warnings` (includes errors), `all`, `none`. */
  readonly failOn?: readonly RuleName[]
  /** The rules to check. Default: all. */
  readonly only?: readonly RuleName[]
  /** Rules that are not checked. Default: none. */
  readonly ignore?: readonly RuleName[]
  /** The smallest coverage of the contract, in percent, with which the report passes. Default: 0. */
  readonly minCoverage?: number
  /** The operations whose coverage is measured: all, those that the client used, or these by their ids. Default: `all`. */
  readonly coverageOf?: 'all' | 'used' | readonly string[]
  /** Plans on which the recorded traffic is replayed, to find the smallest sufficient one. */
  readonly plans?: readonly Plan[]
  /** The rules for bans in that replay; `false` for no bans. */
  readonly ban?: BanRules | false
}

/** How a client behaved, and the receivers of events, as plain data. */
export interface Report {
  /** The address of the JSON Schema of this report. */
  readonly $schema: string
  /** The title of the contract. */
  readonly title: string
  /** The version of the contract. */
  readonly version: string
  /** `not-judged` when the options name no rule and no coverage that can make the report fail. */
  readonly verdict: 'passed' | 'failed' | 'not-judged'
  /** Why the report failed; empty when it did not. */
  readonly reasons: readonly string[]
  /** Which requests are missing in the recordings or were left out. */
  readonly notices: readonly string[]
  /** The number of requests, without CORS preflights. */
  readonly requests: number
  /** The number of recorded sandboxes or services. */
  readonly recordings: number
  /** Violations of rules, most severe first. */
  readonly findings: readonly Finding[]
  /** How each API key used each operation. */
  readonly conduct: readonly OperationUsage[]
  readonly coverage: Coverage
  /** How each receiver of events behaved; absent when no events were sent. */
  readonly receivers?: readonly ReceiverJudgement[]
  /** Which plan the traffic needs; only with the option `plans`. */
  readonly fit?: PlanComparison
  /** The recorded exchanges. */
  readonly entries: readonly ReportEntry[]
}

/** The package contains it as `pet-sandbox/report.schema.json`. */
const SCHEMA = 'https://unpkg.com/pet-sandbox/dist/report.schema.json'

const OPTIONS = ['failOn', 'only', 'ignore', 'minCoverage', 'coverageOf', 'plans', 'ban']

/**
 * Reports on recordings, each of one sandbox or service. `notices` say which requests the recordings lack, and `receivers` how receivers of
 * events behaved. Throws a UsageError for invalid options.
 */
export function report(
  recordings: readonly (readonly ReportEntry[])[],
  contract: Contract,
  options: ReportOptions = {},
  notices: readonly string[] = [],
  receivers: readonly ReceiverJudgement[] = [],
): Report {
  checkReportOptions(options)
  const entries = mergeRecordings(recordings)
  const timelines = toTimelines(entries)
  const requests = timelines.flat()
  const isAuthorized = requests.some(({ caller }) => caller === 'valid')
  const wanted = wantedRules(options)
  const failing = toRules(options.failOn ?? ['errors'])
  const violations = [
    ...timelines.flatMap((one) => [
      ...waitViolations(one),
      ...usageViolations(one, contract, isAuthorized),
    ]),
    ...unusedScopes(requests, contract),
  ]
  const findings = [
    ...receivers.flatMap((one) => receiverFindings(one, wanted, failing)),
    ...toFindings(violations, wanted, failing),
  ]
  const coverage = measureCoverage(requests, contract, {
    required: options.minCoverage,
    of: options.coverageOf,
  })
  const reasons = reasonsToFail(findings, coverage)
  const { plans } = options
  const ban = resolveBanRules(options.ban, contract.sandbox?.ban)

  return {
    $schema: SCHEMA,
    title: contract.title,
    version: contract.version,
    verdict: toVerdict(reasons, options),
    reasons,
    notices: [...new Set([...missingRequestNotices(entries), ...notices])],
    requests: requests.length,
    recordings: new Set(entries.map(({ recording }) => recording)).size,
    findings,
    conduct: timelines.flatMap(usageByOperation),
    coverage,
    ...(receivers.length > 0 && { receivers }),
    ...(plans && { fit: comparePlans(entries, plans, ban) }),
    entries,
  }
}

/** What a receiver of events did wrong. */
function receiverFindings(
  { url, checks }: ReceiverJudgement,
  wanted: ReadonlySet<string>,
  failing: ReadonlySet<string>,
): readonly Finding[] {
  return checks
    .filter(({ rule, verdict }) => verdict === 'failed' && wanted.has(rule))
    .map(({ rule, message, deliveries }) => ({
      rule,
      severity: 'error',
      receiver: url,
      key: NO_KEY,
      message,
      clause: RECEIVER_RULES[rule].clause,
      entries: [],
      deliveries,
      count: deliveries.length,
      fails: failing.has(rule),
    }))
}

function toVerdict(
  reasons: readonly string[],
  { failOn = ['errors'], minCoverage = 0 }: ReportOptions,
): Report['verdict'] {
  if (reasons.length > 0) return 'failed'
  return toRules(failOn).size === 0 && minCoverage === 0 ? 'not-judged' : 'passed'
}

/** Throws a UsageError for invalid options. */
export function checkReportOptions(options: ReportOptions): void {
  refuseUnknown('report', options, OPTIONS)
  const { failOn = [], only = [], ignore = [], minCoverage = 0 } = options
  toRules([...failOn, ...only, ...ignore])
  if (requireInteger('minCoverage', minCoverage, 0) <= 100) return
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option minCoverage',
    reason: `the value must be an integer from 0 to 100 (got ${minCoverage})`,
  })
}

function wantedRules({ only = ['all'], ignore = [] }: ReportOptions): ReadonlySet<string> {
  const ignored = toRules(ignore)
  return new Set([...toRules(only)].filter((rule) => !ignored.has(rule)))
}

function reasonsToFail(findings: readonly Finding[], coverage: Coverage): readonly string[] {
  const failing = findings.filter(({ fails }) => fails)
  const violations = [...new Set(failing.map(({ rule }) => rule))].map((rule) => {
    const sameRule = failing.filter((finding) => finding.rule === rule)
    const number = sameRule.reduce((sum, finding) => sum + finding.count, 0)
    return `${count(number, 'violation')} of ${rule}`
  })
  const shortfall = describeShortfall(coverage)

  return shortfall === undefined ? violations : [...violations, shortfall]
}

/** The parts of a world that a report needs. */
export interface ReportSource {
  readonly contract: Contract
  readonly journal: { readonly exchanges: readonly Exchange[]; readonly last: number }
  readonly plans: readonly Plan[]
  /** The events that were sent. */
  readonly events?: { readonly deliveries: readonly JudgedDelivery[] }
}

/** Reports on the journal of a world. With `plans: true`, the traffic is replayed on the plans of the world. */
export function reportOnWorld(
  { contract, journal, plans, events }: ReportSource,
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

  const receivers = judgeReceivers(events?.deliveries ?? [], entries)

  return report([entries], contract, { ...options, ...planOptions }, notices, receivers)
}
