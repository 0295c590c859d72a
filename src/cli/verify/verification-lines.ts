import type { CheckResult, Verification } from '../../verify/verification.ts'
import { type Paint, printable } from '../log.ts'
import { table } from '../table.ts'

/** How a verification is told. */
interface Telling {
  readonly paint: Paint
  /** Whether every check is listed, not those alone that failed. */
  readonly isVerbose: boolean
}

/** A verification for people; none of it steers the terminal. */
export function verificationLines(verification: Verification, telling: Telling): string[] {
  const { contract, target, unusable, checks } = verification
  const head = `${contract} at ${target}`
  if (unusable !== undefined) return [printable(`Cannot test ${head}: ${unusable}.`)]
  const { paint, isVerbose } = telling
  const isOfNote = ({ status }: CheckResult): boolean => status === 'failed' || status === 'differs'

  return [
    paint('bold', printable(head)),
    ...(isVerbose ? ['', ...checks.map((check) => checkLine(check, paint))] : []),
    ...checks.filter(isOfNote).flatMap((check) => faultLines(check, paint)),
    ...differenceLines(verification, paint),
    ...leftOutLines(checks),
    '',
    summary(verification, paint),
  ]
}

const MARKS = { passed: '✓', failed: '✗', differs: '≠', 'left-out': '-' } as const
const STYLES = { passed: 'green', failed: 'red', differs: 'yellow', 'left-out': 'dim' } as const

function checkLine({ status, name, decision, clause }: CheckResult, paint: Paint): string {
  const source = decision ? 'decision' : clause
  return `${paint(STYLES[status], MARKS[status])} ${printable(name)} ${paint('dim', `(${source})`)}`
}

/** What was expected, what came, and how to see it again. */
function faultLines(check: CheckResult, paint: Paint): string[] {
  const { status, name, id, clause, decision, expected = '', received = '', exchange } = check
  const where = decision ? `a decision of the document, on: ${clause}` : clause
  return [
    '',
    `${paint(STYLES[status], MARKS[status])} ${paint('bold', printable(name))}`,
    `  ${paint('dim', printable(`${where} [${id}]`))}`,
    printable(`  expected  ${expected}`),
    printable(`  received  ${received}`),
    ...(exchange ? [`  ${paint('cyan', printable(exchange.curl))}`] : []),
  ]
}

function differenceLines({ differences }: Verification, paint: Paint): string[] {
  if (!differences) return []
  if (differences.length === 0) return ['', 'The sandbox answers as the target does.']
  const rows = differences.map(({ operation, what, place, status, target, sandbox }) =>
    [operation, what === 'status' ? place : `${status} ${what} ${place}`, target, sandbox].map(
      printable,
    ),
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
  const counts = [
    failed > 0 ? paint('red', `${failed} failed`) : paint('green', 'none failed'),
    `${passed} passed`,
    ...(differs > 0 ? [`${differs} decided otherwise`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ]
  const wait = waited > 0 ? `, ${Math.round(waited / 1000)} s of waiting` : ''

  return `${counts.join(', ')}; ${requests} requests${wait}`
}
