import { groupBy } from '../validation/objects.ts'
import { shorten } from '../verify/checks/check.ts'
import type { Preview } from '../verify/preview.ts'
import type { RunStart } from '../verify/session/options.ts'
import type { Difference } from '../verify/verification.ts'
import { type CheckResult, commandsOf, type Verification } from '../verify/verification.ts'
import { type Paint, printable, table, tableWithHeader } from './terminal.ts'

interface LineOptions {
  readonly paint: Paint
  /** Whether to list all checks, not only those that failed. */
  readonly isVerbose: boolean
  /** Lines above the last one. */
  readonly notes?: readonly string[]
  /** Whether checks were evaluated, also when all of these are accepted findings. */
  readonly isTested: boolean
}

/** What is said before the first request. */
export function startLines({ contract, target, changes }: RunStart, paint: Paint): string[] {
  return [paint('bold', printable(`${contract} at ${target}`)), ...changesLines(changes)]
}

/** The number of collections and settings whose paths are shown. */
const MAX_SHOWN_PATHS = 8

function changesLines({ creations, settings }: Verification['changes']): string[] {
  if (creations.length + settings.length === 0) return []
  const list = (isRemovable: boolean): string =>
    shownOf(
      creations
        .filter((one) => one.isRemovable === isRemovable)
        .map(({ path, records }) => `up to ${records} in ${path}`),
    )
  const rows = [
    ['Creates records, and removes them at the end', list(true)],
    ['Creates records that no operation removes', list(false)],
    ['Changes settings, and restores them', shownOf(settings)],
  ]

  return rows.flatMap(([what, text]) => (text ? [printable(`${what}: ${text}`)] : []))
}

function shownOf(texts: readonly string[]): string {
  const more = texts.length - MAX_SHOWN_PATHS
  return texts.slice(0, MAX_SHOWN_PATHS).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const CREDENTIALS = {
  key: '',
  none: 'without a key',
  'invalid-key': 'with an invalid key',
  'cut-key': 'with the beginning of the key',
  'empty-key': 'with an empty key',
  'other-case': 'with the key in other capitals',
  'other-scheme': 'with another authentication scheme',
  'no-scheme': 'with the key without its authentication scheme',
  'other-key': 'with the other key',
} as const

/** The number of characters of a body in a list of requests. */
const MAX_BODY_LENGTH = 100

/** The requests that a run would send, as lines for a terminal. */
export function previewLines(
  preview: Preview & { readonly token?: string },
  paint: Paint,
): string[] {
  const { target, requests, token } = preview
  const rows = requests.map(({ method, url, body, credentials, fromResponses }, at) => {
    const address = url.startsWith(target) ? url.slice(target.length) : url
    const notes = [
      ...(CREDENTIALS[credentials] ? [CREDENTIALS[credentials]] : []),
      ...fromResponses.map(({ name, request }) => `${name}: response ${request}`),
    ]
    const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
    const sent = body === undefined ? '' : ` ${shorten(body, MAX_BODY_LENGTH)}`
    return [
      `  ${String(at + 1).padStart(String(requests.length).length)}`,
      method,
      printable(address + note + sent),
    ]
  })

  return [
    ...startLines(preview, paint),
    '',
    ...(token === undefined ? [] : [`Gets a token first: POST ${printable(token)}`, '']),
    ...table(rows),
    '',
    `Nothing was sent. verify would send these ${requests.length} requests, if the server answered like a sandbox of the document.`,
    'Requests after the first depend on the answers to those before them. The numbers say which response has an id.',
  ]
}

/** A verification as lines for a terminal, after {@link startLines}; no lines when the server could not be tested. */
export function verificationLines(
  verification: Verification,
  { paint, isVerbose, notes = [], isTested }: LineOptions,
): string[] {
  const { checks, unusable, stopped } = verification
  if (unusable !== undefined) return leftLines(verification, paint)

  return [
    ...(isVerbose ? ['', ...checks.map((check) => checkLine(check, paint))] : []),
    ...checks
      .filter(({ status, consequenceOf }) => status === 'failed' && consequenceOf === undefined)
      .flatMap((check) => failureLines(check, checks, paint)),
    ...(verification.differences ? [] : otherDecisionLines(checks, paint)),
    ...differenceLines(verification, paint),
    ...leftOutLines(checks),
    ...decisionHintLines(checks),
    ...operationLines(verification),
    ...fuzzLines(verification),
    ...leftLines(verification, paint),
    ...(stopped === undefined ? [] : ['', printable(`Stopped early: ${stopped}.`)]),
    ...(notes.length > 0 ? ['', ...notes.map(printable)] : []),
    '',
    summaryLine(verification, isTested, paint),
  ]
}

const MARKS = { passed: '✓', failed: '✗', differs: '≠', 'left-out': '-' } as const
const STYLES = { passed: 'green', failed: 'red', differs: 'yellow', 'left-out': 'dim' } as const

function checkLine(check: CheckResult, paint: Paint): string {
  const { status, name } = check
  return `${paint(STYLES[status], MARKS[status])} ${printable(name)} ${paint('dim', `(${reference(check)})`)}`
}

/** Where the promise comes from, and whether it is a decision. */
function reference({ clause, decision }: CheckResult): string {
  return printable(decision ? `${clause}, x-decision` : clause)
}

function failureLines(check: CheckResult, all: readonly CheckResult[], paint: Paint): string[] {
  const consequences = all.filter(
    ({ status, consequenceOf }) => status === 'failed' && consequenceOf === check.id,
  )
  const { name, id, expected = '', received = '' } = check
  return [
    '',
    `${paint('red', MARKS.failed)} ${paint('bold', printable(name))}`,
    `  ${paint('dim', `${reference(check)} [${printable(id)}]`)}`,
    printable(`  expected  ${expected}`),
    printable(`  received  ${received}`),
    ...commandsOf(check).map((line) => `  ${paint('cyan', printable(line))}`),
    ...consequences.map(({ name: other }) => paint('dim', printable(`  so, too: ${other}`))),
  ]
}

/** The number of characters of a received value. */
const MAX_RECEIVED_LENGTH = 50

function otherDecisionLines(checks: readonly CheckResult[], paint: Paint): string[] {
  const others = checks.filter(({ status }) => status === 'differs')
  if (others.length === 0) return []
  const rows = others.map(({ name, received = '' }) => [
    `  ${MARKS.differs} ${printable(name)}`,
    printable(shorten(received, MAX_RECEIVED_LENGTH)),
  ])

  return [
    '',
    paint('bold', 'The server made other decisions than the document (x-decision) or the sandbox:'),
    ...table(rows),
  ]
}

function differenceLines({ differences, requests }: Verification, paint: Paint): string[] {
  if (!differences) return []
  if (differences.length === 0) {
    return ['', `The sandbox responds like the server to all ${requests} requests.`]
  }
  const rows = [...groupByStatus(differences)].map(
    ([{ operation, what, place, status, target, sandbox }, more]) => {
      const where = what === 'status' ? place : `${status} ${what} ${place}`
      const others = more > 0 ? ` and ${more} more` : ''
      return [operation, where + others, target, sandbox]
    },
  )
  const header = ['OPERATION', 'DIFFERENCE', 'SERVER', 'SANDBOX']
  const lines = tableWithHeader([header, ...rows], paint)

  return ['', 'The sandbox and the server respond differently:', ...lines]
}

/** Differences in the status with the same two statuses are counted, and only the first is shown. */
function groupByStatus(differences: readonly Difference[]): ReadonlyMap<Difference, number> {
  const firsts = new Map<string, Difference>()
  const counts = new Map<Difference, number>()
  for (const difference of differences) {
    const { what, operation, target, sandbox } = difference
    const key = JSON.stringify([operation, target, sandbox])
    const first = what === 'status' ? firsts.get(key) : undefined
    if (first) counts.set(first, (counts.get(first) ?? 0) + 1)
    else counts.set(difference, 0)
    if (what === 'status' && !first) firsts.set(key, difference)
  }
  return counts
}

/** The number of checks that were left out, by reason. */
function leftOutLines(checks: readonly CheckResult[]): string[] {
  const reasons = new Map<string, number>()
  for (const { status, reason = '' } of checks) {
    if (status === 'left-out') reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  if (reasons.size === 0) return []
  const rows = [...reasons].sort(([, one], [, other]) => other - one)
  const width = String(rows[0]?.[1]).length

  return [
    '',
    'Left out:',
    ...rows.map(([reason, count]) => printable(`  ${String(count).padStart(width)}  ${reason}`)),
  ]
}

/** The number of operations whose names are shown for one reason. */
const MAX_SHOWN_OPERATIONS = 3

/** How many operations were exercised, and why others were not. */
function operationLines({ operations: { total, exercised, others } }: Verification): string[] {
  const line = `Exercised ${exercised} of ${total} operations`
  if (others.length === 0) return ['', `${line}.`]
  const reasons = new Map<string, string[]>()
  for (const { operation, reason } of others) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), operation])
  }
  const rows = [...reasons].map(([reason, ids]) => {
    const more = ids.length > MAX_SHOWN_OPERATIONS ? ', …' : ''
    const shown = ids.slice(0, MAX_SHOWN_OPERATIONS).join(', ') + more
    return printable(`  ${ids.length}  ${reason}: ${shown}`)
  })

  return ['', `${line}. Not exercised:`, ...rows]
}

function fuzzLines({ fuzz }: Verification): string[] {
  if (!fuzz) return []
  const { seed, requests, sequences } = fuzz
  return ['', `Sent ${requests} random requests in ${sequences} sequences (--seed ${seed}).`]
}

/** What the run created, and what it left on the server. */
function leftLines({ created, left }: Verification, paint: Paint): string[] {
  const records = created === 1 ? '1 record' : `${created} records`
  if (left.length === 0) {
    return created === 0
      ? []
      : ['', `Created ${records}, and removed ${created === 1 ? 'it' : 'all of them'}.`]
  }
  return [
    '',
    paint('yellow', `Created ${records}. Left on the server:`),
    ...[...groupBy(left, ({ reason, curl }) => curl ?? reason).values()].flatMap((same) => [
      printable(`  ${same.map(({ what }) => what).join(', ')}: ${same[0]?.reason}`),
      ...same
        .slice(0, 1)
        .flatMap(({ curl }) =>
          curl === undefined ? [] : [`    ${paint('cyan', printable(curl))}`],
        ),
    ]),
  ]
}

/** A service in production may have made other decisions than the document. */
function decisionHintLines(checks: readonly CheckResult[]): string[] {
  const count = checks.filter(({ status, decision }) => status === 'failed' && decision).length
  if (count === 0) return []
  const checkDecisions =
    count === 1
      ? '1 failed check is about a decision'
      : `${count} failed checks are about decisions`
  return ['', `${checkDecisions} (x-decision). Without --decisions, they do not count.`]
}

function summaryLine(
  { totals, requests, waited }: Verification,
  isTested: boolean,
  paint: Paint,
): string {
  const { passed, failed, differs, 'left-out': leftOut } = totals
  const verdict = failed > 0 ? paint('red', `${failed} failed`) : paint('green', 'none failed')
  const counts = [
    ...(isTested ? [verdict, `${passed} passed`] : [paint('yellow', 'no check was evaluated')]),
    ...(differs > 0 ? [`${differs} other decisions`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ]
  const wait = waited > 0 ? `, ${Math.round(waited / 1000)} s of waiting` : ''

  return `${counts.join(', ')}; ${requests} ${requests === 1 ? 'request' : 'requests'}${wait}`
}
