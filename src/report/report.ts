import { BAN_RULES, type BanRules } from '../access/bans.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import { refuseUnknown, UsageError, wholeNumber } from '../validation/usage-error.ts'
import { toTimelines } from './client-timeline.ts'
import { comparePlans, type PlanComparison } from './compare-plans.ts'
import { type Coverage, measureCoverage } from './coverage.ts'
import type { Entry } from './entry.ts'
import { type Finding, toFindings } from './findings.ts'
import { mergeRecordings } from './merge.ts'
import { missingRequestNotices } from './missing-requests.ts'
import { type OperationUsage, usageByOperation } from './operation-usage.ts'
import { type RuleName, toRules } from './rule-names.ts'
import { usageViolations } from './usage-violations.ts'
import { waitViolations } from './wait-violations.ts'

/** What a report looks for, and what makes it fail. */
export interface ReportOptions {
  /** Rules that fail it: names, or the groups `errors`, `warnings` (errors, too), `all` and `none`. `errors` when left out. */
  readonly failOn?: readonly RuleName[]
  /** Rules that are looked for; all when left out. */
  readonly only?: readonly RuleName[]
  /** Rules that are not looked for. */
  readonly ignore?: readonly RuleName[]
  /** The least part of the contract, in percent, that has to be met. */
  readonly minCoverage?: number
  /** The plans on which the traffic is replayed. */
  readonly plans?: readonly Plan[]
  /** The rules of bans for that; `false` for none. */
  readonly ban?: BanRules | false
}

/** How a client behaved: plain data. */
export interface Report {
  /** Where its schema is. */
  readonly $schema: string
  /** The contract's title and version. */
  readonly title: string
  readonly version: string
  /** `not-judged` when neither a rule nor a coverage was given that can fail it. */
  readonly verdict: 'passed' | 'failed' | 'not-judged'
  /** Why it failed; none when it passed. */
  readonly reasons: readonly string[]
  /** What of the recordings was not seen, or left out: what a reader has to know before the rest. */
  readonly notices: readonly string[]
  readonly requests: number
  /** How many sandboxes or services were recorded. */
  readonly recordings: number
  /** The worst first. */
  readonly findings: readonly Finding[]
  /** How each key used each operation. */
  readonly conduct: readonly OperationUsage[]
  readonly coverage: Coverage
  readonly fit?: PlanComparison
  /** What it was made from. */
  readonly entries: readonly Entry[]
}

/** In the package, as `pet-sandbox/report.schema.json`. */
const SCHEMA = 'https://unpkg.com/pet-sandbox/dist/report.schema.json'

const OPTIONS = ['failOn', 'only', 'ignore', 'minCoverage', 'plans', 'ban']

/**
 * Reports on recordings, each of one sandbox or service; `notices` tell what was left out of them. Throws a UsageError for
 * options that are wrong.
 */
export function report(
  recordings: readonly (readonly Entry[])[],
  contract: Contract,
  options: ReportOptions = {},
  notices: readonly string[] = [],
): Report {
  checkReportOptions(options)
  const entries = mergeRecordings(recordings)
  const trails = toTimelines(entries)
  const asked = entries.filter(({ method }) => method !== 'OPTIONS')
  const findings = toFindings(
    trails.flatMap((trail) => [...waitViolations(trail), ...usageViolations(trail, contract)]),
    wanted(options),
    toRules(options.failOn ?? ['errors']),
  )
  const covered = measureCoverage(asked, contract)
  const reasons = reasonsOf(findings, covered, options)
  const { plans, ban = BAN_RULES } = options

  return {
    $schema: SCHEMA,
    title: contract.title,
    version: contract.version,
    verdict: verdictOn(reasons, options),
    reasons,
    notices: [...new Set([...missingRequestNotices(entries), ...notices])],
    requests: asked.length,
    recordings: new Set(entries.map(({ recording }) => recording)).size,
    findings,
    conduct: trails.flatMap(usageByOperation),
    coverage: covered,
    ...(plans && { fit: comparePlans(entries, plans, ban || undefined) }),
    entries,
  }
}

function verdictOn(
  reasons: readonly string[],
  { failOn = ['errors'], minCoverage = 0 }: ReportOptions,
): Report['verdict'] {
  if (reasons.length > 0) return 'failed'
  return toRules(failOn).size === 0 && minCoverage === 0 ? 'not-judged' : 'passed'
}

/** Throws a UsageError for options that are wrong. */
export function checkReportOptions(options: ReportOptions): void {
  refuseUnknown('report option', options, OPTIONS)
  const { failOn = [], only = [], ignore = [], minCoverage = 0 } = options
  toRules([...failOn, ...only, ...ignore])
  if (wholeNumber('minCoverage', minCoverage, 0) <= 100) return
  throw new UsageError(
    'invalid_option',
    `Cannot use ${minCoverage} as minCoverage: there is no more than 100 percent. Give a whole number from 0 to 100.`,
  )
}

function wanted({ only = ['all'], ignore = [] }: ReportOptions): ReadonlySet<string> {
  const ignored = toRules(ignore)
  return new Set([...toRules(only)].filter((rule) => !ignored.has(rule)))
}

function reasonsOf(
  findings: readonly Finding[],
  { percent }: Coverage,
  { minCoverage = 0 }: ReportOptions,
): readonly string[] {
  const failing = findings.filter(({ fails }) => fails)
  const counts = [...new Set(failing.map(({ rule }) => rule))].map((rule) => {
    const count = failing
      .filter((finding) => finding.rule === rule)
      .reduce((sum, finding) => sum + finding.count, 0)
    return `${rule} was found ${count === 1 ? 'once' : `${count} times`}`
  })
  const low =
    percent < minCoverage ? [`coverage is ${percent} %, and has to be ${minCoverage} %`] : []

  return [...counts, ...low]
}
