import type { PlanComparison, PlanResult } from './compare-plans.ts'
import type { Coverage, OperationCoverage } from './coverage.ts'
import { NO_KEY } from './entry.ts'
import type { Finding } from './findings.ts'
import type { Report } from './report.ts'
import { formatDuration, type Severity, toOneLine } from './rules.ts'
import { verdictSentence } from './verdict-sentence.ts'

/** Gives text its colour. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string) => string

export interface TextOptions {
  /** No colours when left out. */
  readonly paint?: Paint
  /** Whether to tell of findings and the verdict alone. */
  readonly findingsOnly?: boolean
}

const COLORS: Readonly<Record<Severity, 'red' | 'yellow' | 'dim'>> = {
  error: 'red',
  warning: 'yellow',
  note: 'dim',
}

const LONGEST_NOTICE = 300

/** So many keys and operations are told of. */
const MOST_ROWS = 20

/** As many ids as a line has room for. */
const MOST_IDS = 12

/** A report as text for a terminal. */
export function toText(report: Report, options: TextOptions = {}): string {
  const { paint = (_style, text) => text, findingsOnly = false } = options
  const rest = findingsOnly
    ? []
    : [
        ...usageLines(report, paint),
        ...coverageLines(report.coverage, paint),
        ...(report.fit ? [paint('bold', 'Plans'), ...planLines(report.fit), ''] : []),
      ]

  return [
    paint('bold', headline(report)),
    ...report.notices.map((notice) => paint('yellow', toOneLine(notice, LONGEST_NOTICE))),
    '',
    ...report.findings.flatMap((finding) => findingLines(finding, paint)),
    ...(report.findings.length === 0 ? [paint('green', 'Nothing was found.'), ''] : []),
    ...rest,
    verdictLine(report, paint),
  ].join('\n')
}

/** `Bookshop 1.0.0: 12 requests in 2 recordings`. */
export function headline({ title, version, requests, recordings }: Report): string {
  const from = recordings > 1 ? ` in ${recordings} recordings` : ''
  return `${title} ${version}: ${requests} ${requests === 1 ? 'request' : 'requests'}${from}`
}

/** The operation and the key that a finding is of. */
export function findingScope({ operation = 'no operation', key }: Finding): string {
  return `${toOneLine(operation)}, ${key === NO_KEY ? key : `key ${toOneLine(key)}`}`
}

/** `#3, #4, #5 and 20 more`. */
export function exchangeIds({ entries }: Finding): string {
  const told = entries.slice(0, MOST_IDS).map((id) => `#${id}`)
  const left = entries.length - told.length
  return told.join(', ') + (left > 0 ? ` and ${left} more` : '')
}

/** `This traffic needs pro; on free 14 requests are refused and the longest wait is 41 s.` */
export function planSentence({ needs, plans, requests }: PlanComparison): string {
  if (requests === 0) return 'No traffic with a valid key was recorded.'
  const least = plans[0]?.plan
  const short = plans.filter(({ enough }) => !enough).map(shortfall)
  const head =
    needs === undefined
      ? 'No plan is enough for this traffic'
      : `This traffic ${needs === least ? 'fits' : 'needs'} ${needs}`

  return `${[head, ...short].join('; ')}.`
}

function shortfall({ plan, refused, longestWait, bans }: PlanResult): string {
  const count = refused === 1 ? '1 request is' : `${refused} requests are`
  const ban = bans > 0 ? ', and a client that does not wait is banned' : ''
  return `on ${plan} ${count} refused and the longest wait is ${formatDuration(longestWait)}${ban}`
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { severity, rule, message, clause } = finding
  return [
    `${paint(COLORS[severity], severity.padEnd(7))} ${paint('bold', rule)}  ${findingScope(finding)}`,
    `        ${message}`,
    paint('dim', `        ${clause}  ${exchangeIds(finding)}`),
    '',
  ]
}

function usageLines({ conduct, recordings }: Report, paint: Paint): string[] {
  // Of many, as of a recording for each test, those first that were refused something.
  const telling = conduct.toSorted(
    (one, other) => other.early - one.early || other.refused - one.refused,
  )
  const rows = (conduct.length > MOST_ROWS ? telling : conduct).map(
    ({ recording, key, operation = '-', requests, refused, early, waits }) => [
      recordings > 1 ? `${recording}: ${key}` : key,
      operation,
      String(requests),
      String(refused),
      String(early),
      waits
        .slice(0, 4)
        .map(({ waited, asked }) => `${formatDuration(waited)} of ${formatDuration(asked)}`)
        .join(', '),
    ],
  )
  if (rows.length === 0) return []
  const left = rows.length - MOST_ROWS
  const head = ['KEY', 'OPERATION', 'REQUESTS', 'REFUSED', 'EARLY', 'WAITED']

  return [
    ...columns([head, ...rows.slice(0, MOST_ROWS)]).map((line, at) =>
      at === 0 ? paint('bold', line) : line,
    ),
    ...(left > 0 ? [`and ${left} more, which the JSON has`] : []),
    '',
  ]
}

function coverageLines({ percent, met, total, operations }: Coverage, paint: Paint): string[] {
  return [
    paint('bold', `Coverage ${percent} % (${met} of ${total})`),
    ...operations.flatMap(coverageRows),
    '',
  ]
}

function coverageRows(one: OperationCoverage): string[] {
  const parts = [...one.statuses, ...one.values, ...one.errors]
  const missed = parts.filter(({ count }) => count === 0).map(({ name }) => name)
  const met = `${parts.length - missed.length} of ${parts.length}`
  const head = `  ${one.operation}  ${one.count === 0 ? 'never called' : met}`

  return one.count === 0 || missed.length === 0
    ? [head]
    : [head, ...wrapped(`never met: ${missed.join(', ')}`, '    ')]
}

/** At most so many characters stand in a line. */
const LINE = 100

/** Lines of a list, broken at its commas. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = []
  for (const part of text.split(/(?<=, )/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + part.length <= LINE) lines[lines.length - 1] += part
    else lines.push(indent + part)
  }
  return lines.map((line) => line.trimEnd())
}

function planLines(fit: PlanComparison): string[] {
  return [`  ${planSentence(fit)}`]
}

const COLOR_OF_VERDICT = { passed: 'green', failed: 'red', 'not-judged': 'yellow' } as const

function verdictLine(report: Report, paint: Paint): string {
  return paint(COLOR_OF_VERDICT[report.verdict], verdictSentence(report))
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
