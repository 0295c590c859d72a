import { isObject } from '../../validation/objects.ts'
import { count, suggest, UsageError } from '../../validation/usage-error.ts'
import { fields, is, mistakesIn, text, type ValueCheck } from '../../validation/value-check.ts'
import type { CheckResult, Verification } from '../verification.ts'

/** A failed check that is known: why it is accepted, and since when. */
export interface Acceptance {
  /** The id of a check, in which `*` stands for any text. */
  readonly check: string
  readonly reason: string
  /** Such as `2026-11-26`. */
  readonly date: string
}

/** What has changed since an earlier result: ids of checks. */
export interface Comparison {
  /** Failed now, and not in the earlier result. */
  readonly new: readonly string[]
  /** Failed in the earlier result, and passed now. */
  readonly gone: readonly string[]
  /** Failed in the earlier result, and not evaluated now. */
  readonly unchecked: readonly string[]
}

/** How severe a failed check is: a broken promise of the document or of an RFC, or another decision than the document's. */
export type CheckSeverity = 'error' | 'warning'

/** A failed check as a run judges it. */
export interface VerificationFinding {
  /** The id of the check. */
  readonly check: string
  readonly severity: CheckSeverity
  readonly accepted?: Omit<Acceptance, 'check'>
  /** Only with an earlier result: whether it is new. */
  readonly isNew?: boolean
  /** Whether it makes the run fail. */
  readonly fails: boolean
}

/** A verification with its verdict, as the JSON file has it. */
export interface JudgedVerification extends Verification {
  /** The address of the schema. */
  readonly $schema: string
  /** `not-tested` when no check was evaluated. */
  readonly verdict: 'passed' | 'failed' | 'not-tested'
  /** The failed checks, in the order of the checks. */
  readonly findings: readonly VerificationFinding[]
  /** Accepted findings that no longer occur: their checks passed, or no longer exist. */
  readonly outdated: readonly Acceptance[]
  readonly comparison?: Comparison
}

/** What makes a run fail: errors, also warnings, only what is new in a comparison, or nothing. */
export type FailOn = (typeof FAIL_ON)[number]

export const FAIL_ON: readonly ['errors', 'warnings', 'new', 'none'] = [
  'errors',
  'warnings',
  'new',
  'none',
]

/** How a verification is judged. */
export interface JudgeOptions {
  readonly accepted?: readonly Acceptance[]
  readonly earlier?: EarlierResult
  readonly failOn?: FailOn
}

/** The package contains it as `pet-sandbox/verification.schema.json`. */
const SCHEMA = 'https://unpkg.com/pet-sandbox/dist/verification.schema.json'

/** Judges a verification: which failed checks are accepted, new, and make the run fail. */
export function judge(
  verification: Verification,
  { accepted = [], earlier, failOn = 'warnings' }: JudgeOptions = {},
): JudgedVerification {
  const { checks, totals } = verification
  const failed = checks.filter(({ status }) => status === 'failed')
  const findings = failed.map((check): VerificationFinding => {
    const acceptance = accepted.find((one) => matches(one, check))
    const severity = check.decision ? 'warning' : 'error'
    const isNew = earlier && !earlier.failed.includes(check.id)
    const isCounted = {
      errors: severity === 'error',
      warnings: true,
      new: isNew === true,
      none: false,
    }
    return {
      check: check.id,
      severity,
      ...(acceptance && { accepted: { reason: acceptance.reason, date: acceptance.date } }),
      ...(isNew !== undefined && { isNew }),
      fails: !acceptance && isCounted[failOn],
    }
  })
  const isTested = totals.passed + totals.failed + totals.differs > 0
  const verdict = findings.some(({ fails }) => fails) ? 'failed' : 'passed'

  return {
    $schema: SCHEMA,
    verdict: isTested ? verdict : 'not-tested',
    ...verification,
    findings,
    outdated: isTested ? accepted.filter((one) => isOutdated(one, checks)) : [],
    ...(earlier && { comparison: compare(failed, checks, earlier) }),
  }
}

function matches({ check }: Acceptance, { id }: CheckResult): boolean {
  const parts = check.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(id)
}

/** Whether none of its checks failed, and all that exist were evaluated. */
function isOutdated(acceptance: Acceptance, checks: readonly CheckResult[]): boolean {
  return checks
    .filter((check) => matches(acceptance, check))
    .every(({ status }) => status === 'passed')
}

function compare(
  failed: readonly CheckResult[],
  checks: readonly CheckResult[],
  earlier: EarlierResult,
): Comparison {
  const failing = new Set(failed.map(({ id }) => id))
  const passed = new Set(checks.flatMap(({ id, status }) => (status === 'passed' ? [id] : [])))
  const others = earlier.failed.filter((id) => !failing.has(id))

  return {
    new: [...failing].filter((id) => !earlier.failed.includes(id)),
    gone: others.filter((id) => passed.has(id)),
    unchecked: others.filter((id) => !passed.has(id)),
  }
}

/** What a comparison needs of an earlier result. */
export interface EarlierResult {
  /** The ids of the checks that failed. */
  readonly failed: readonly string[]
}

/** Reads an earlier result. Throws a UsageError for a value that is not the JSON of one. */
export function readEarlier(value: unknown, file: string): EarlierResult {
  const checks: unknown = isObject(value) ? value.checks : undefined
  if (!Array.isArray(checks) || !checks.every(isCheck)) {
    throw new UsageError({
      code: 'invalid_report',
      task: `compare with ${file}`,
      reason: 'it is not a result of verify',
      help: 'Name a file that verify has written with --json.',
    })
  }
  return { failed: checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : [])) }
}

function isCheck(value: unknown): value is { readonly id: string; readonly status: string } {
  return isObject(value) && typeof value.id === 'string' && typeof value.status === 'string'
}

const DATE = is(
  'a date such as 2026-11-26',
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    new Date(`${value}T00:00:00Z`).toISOString().startsWith(value),
)

const WORDS = is('a text', (value) => typeof value === 'string' && value.trim() !== '')

const ACCEPTANCE: ValueCheck = fields({ check: text, reason: WORDS, date: DATE }, [
  'check',
  'reason',
  'date',
])

/** Reads the accepted findings of a file. Throws a UsageError for the first mistake. */
export function readAccepted(value: unknown, file: string): readonly Acceptance[] {
  if (areAccepted(value)) return value
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const [first] = list.flatMap((one, at) =>
    mistakesIn(one, ACCEPTANCE).map(({ reason, ...rest }) => ({
      ...rest,
      reason: `entry ${at + 1}: ${reason}`,
    })),
  )
  throw new UsageError({
    code: 'invalid_acceptance',
    task: `read ${file}`,
    reason: first?.reason ?? 'it must be a list of accepted findings',
    help: first?.help ?? 'Give each a check (its id), a reason and a date.',
  })
}

function areAccepted(value: unknown): value is readonly Acceptance[] {
  return Array.isArray(value) && value.every((one) => mistakesIn(one, ACCEPTANCE).length === 0)
}

/** Checks the value of `--fail-on`. Throws a UsageError for an unknown one, and for `new` without a comparison. */
export function readFailOn(value: string, hasEarlier: boolean): FailOn {
  const known = FAIL_ON.find((one) => one === value)
  if (known === 'new' && !hasEarlier) {
    throw new UsageError({
      code: 'invalid_option',
      task: 'use --fail-on new',
      reason: 'there is no earlier result',
      help: 'Name one with --compare.',
    })
  }
  if (known) return known
  throw new UsageError({
    code: 'invalid_option',
    task: `use --fail-on ${value}`,
    reason: `it must be ${FAIL_ON.slice(0, -1).join(', ')} or ${FAIL_ON.at(-1)}`,
    ...suggest(value, FAIL_ON),
  })
}

/** What a judged verification says beyond its checks, one line each. */
export function judgementLines({
  findings,
  outdated,
  comparison,
}: JudgedVerification): readonly string[] {
  const accepted = findings.filter((one) => one.accepted)
  const list = (name: string, ids: readonly string[]): readonly string[] =>
    ids.length === 0 ? [] : [`${name}: ${ids.join(', ')}`]
  return [
    ...accepted.map(
      (one) => `Accepted: ${one.check} (${one.accepted?.date}: ${one.accepted?.reason})`,
    ),
    ...outdated.map(
      ({ check }) => `Accepted, and no longer occurs: ${check}. Remove it from the file.`,
    ),
    ...(comparison
      ? [
          `Since the earlier result: ${count(comparison.new.length, 'new finding')}, ${comparison.gone.length} gone, ${comparison.unchecked.length} not checked again.`,
          ...list('  new', comparison.new),
          ...list('  gone', comparison.gone),
          ...list('  not checked again', comparison.unchecked),
        ]
      : []),
  ]
}
