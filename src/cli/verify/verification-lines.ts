import { shorten } from '../../verify/facts/judge.ts'
import type { Difference } from '../../verify/twin.ts'
import type { CheckResult, Verification } from '../../verify/verification.ts'
import { type Paint, printable } from '../log.ts'
import { table } from '../table.ts'

/** How a verification is told. */
interface Telling {
  readonly paint: Paint
  /** Whether every check is listed, not those alone that failed. */
  readonly isVerbose: boolean
  /** Whether the document is the one that ships: its checks name the headings of its specification. */
  readonly isShipped: boolean
}

/** A verification for people; none of it steers the terminal. Nothing where there was nothing to test. */
export function verificationLines(verification: Verification, telling: Telling): string[] {
  const { contract, target, checks, unusable } = verification
  if (unusable !== undefined) return []
  const { isVerbose, paint } = telling

  return [
    paint('bold', printable(`${contract} at ${target}`)),
    ...(isVerbose ? ['', ...checks.map((check) => checkLine(check, telling))] : []),
    ...checks
      .filter(({ status }) => status === 'failed')
      .flatMap((check) => faultLines(check, telling)),
    ...(verification.differences ? [] : decisionLines(checks, paint)),
    ...differenceLines(verification, paint),
    ...leftOutLines(checks),
    ...decidedLines(checks),
    '',
    summary(verification, paint),
  ]
}

const MARKS = { passed: '✓', failed: '✗', differs: '≠', 'left-out': '-' } as const
const STYLES = { passed: 'green', failed: 'red', differs: 'yellow', 'left-out': 'dim' } as const

function checkLine(check: CheckResult, telling: Telling): string {
  const { status, name } = check
  const { paint } = telling
  const source = printable(
    sourceOf(check, telling)
      .map((one) => ` (${one})`)
      .join(''),
  )

  return `${paint(STYLES[status], MARKS[status])} ${printable(name)}${paint('dim', source)}`
}

/** Who says so; nothing where the reader has the document alone. */
function sourceOf({ clause, decision }: CheckResult, { isShipped }: Telling): string[] {
  if (decision) return ['decision']
  return isShipped ? [clause] : []
}

/** What was expected, what came, and how to see it again. */
function faultLines(check: CheckResult, telling: Telling): string[] {
  const { name, id, expected = '', received = '', exchange } = check
  const { paint } = telling
  const where = [...sourceOf(check, telling), `[${id}]`].join(' ')
  return [
    '',
    `${paint('red', MARKS.failed)} ${paint('bold', printable(name))}`,
    `  ${paint('dim', printable(where))}`,
    printable(`  expected  ${expected}`),
    printable(`  received  ${received}`),
    ...(exchange ? [`  ${paint('cyan', printable(exchange.curl))}`] : []),
  ]
}

/** Of requests that are answered with the same other status, the first, and how many more there are. */
function alike(differences: readonly Difference[]): Map<Difference, number> {
  const counts = new Map<Difference, number>()
  for (const one of differences) {
    const first = [...counts.keys()].find(
      (other) =>
        one.what === 'status' &&
        other.what === 'status' &&
        [one.operation, one.target, one.sandbox].join() ===
          [other.operation, other.target, other.sandbox].join(),
    )
    counts.set(first ?? one, first ? (counts.get(first) ?? 0) + 1 : 0)
  }
  return counts
}

/** Whoever tests the real service may want the document's decisions not to count. */
function decidedLines(checks: readonly CheckResult[]): string[] {
  const count = checks.filter(({ status, decision }) => status === 'failed' && decision).length
  if (count === 0) return []
  const line = `${count} of what failed the document decides, where the specification is silent: --no-decisions tells those apart.`
  return ['', line]
}

/** Decisions that the target does not share, in a line each: they are no faults. */
function decisionLines(checks: readonly CheckResult[], paint: Paint): string[] {
  const others = checks.filter(({ status }) => status === 'differs')
  if (others.length === 0) return []
  const rows = others.map(({ name, received = '' }) => [
    `  ${MARKS.differs} ${printable(name)}`,
    printable(shorten(received, SHOWN)),
  ])

  return [
    '',
    paint('bold', 'Decided otherwise, where the specification leaves it open:'),
    ...table(rows),
  ]
}

/** As much as is shown of what came in place of a decision. */
const SHOWN = 50

function differenceLines({ differences, requests }: Verification, paint: Paint): string[] {
  if (!differences) return []
  if (differences.length === 0)
    return ['', `The sandbox answers ${requests} requests as the target does.`]
  const rows = [...alike(differences)].map(
    ([{ operation, what, place, status, ...both }, more]) => {
      const where = what === 'status' ? place : `${status} ${what} ${place}`
      const others = more > 0 ? ` and ${more} more` : ''
      return [operation, where + others, both.target, both.sandbox].map(printable)
    },
  )
  const [head = '', ...lines] = table([['OPERATION', 'WHAT', 'TARGET', 'SANDBOX'], ...rows])

  return ['', 'Where the sandbox is unlike the target:', paint('bold', head), ...lines]
}

/** How many checks were left out, by their reason. */
function leftOutLines(checks: readonly CheckResult[]): string[] {
  const reasons = new Map<string, number>()
  for (const { status, reason = '' } of checks) {
    if (status === 'left-out') reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  if (reasons.size === 0) return []
  const rows = [...reasons].sort(([, one], [, two]) => two - one)
  const width = String(rows[0]?.[1]).length

  return [
    '',
    'Left out:',
    ...rows.map(([reason, count]) => printable(`  ${String(count).padStart(width)}  ${reason}`)),
  ]
}

function summary({ totals, requests, waited }: Verification, paint: Paint): string {
  const { passed, failed, differs, 'left-out': leftOut } = totals
  const verdict = failed > 0 ? paint('red', `${failed} failed`) : paint('green', 'none failed')
  const isTested = passed + failed + differs > 0
  const counts = [
    ...(isTested ? [verdict, `${passed} passed`] : [paint('yellow', 'nothing was tested')]),
    ...(differs > 0 ? [`${differs} decided otherwise`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ]
  const wait = waited > 0 ? `, ${Math.round(waited / 1000)} s of waiting` : ''

  return `${counts.join(', ')}; ${requests} requests${wait}`
}
