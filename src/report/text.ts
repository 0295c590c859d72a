import { count } from '../validation/usage-error.ts'
import { planSentence } from './compare-plans.ts'
import { byRefusals } from './conduct.ts'
import { type Coverage, itemsOf, type OperationCoverage } from './coverage.ts'
import { formatDuration, toOneLine } from './format.ts'
import type { Report } from './report.ts'
import { NO_KEY } from './report-entry.ts'
import type { Finding, Severity } from './rules.ts'

/** Adds a style to text. */
type Paint = (style: 'bold' | 'dim' | 'red' | 'yellow' | 'green', text: string) => string

interface TextOptions {
  /** Default: no styles. */
  readonly paint?: Paint
  /** Whether to write only the findings and the verdict. Default: `false`. */
  readonly findingsOnly?: boolean
}

const SEVERITY_COLORS: Readonly<Record<Severity, 'red' | 'yellow' | 'dim'>> = {
  error: 'red',
  warning: 'yellow',
  note: 'dim',
}

const VERDICT_COLORS = { passed: 'green', failed: 'red', 'not-judged': 'yellow' } as const

const MAX_NOTICE_LENGTH = 300
const MAX_USAGE_ROWS = 20
const MAX_WAITS = 4
const MAX_IDS = 12

/** A report as text for a terminal. */
export function toText(report: Report, options: TextOptions = {}): string {
  const { paint = (_style, text) => text, findingsOnly = false } = options
  const { coverage, findings, fit, notices, verdict } = report
  const rest = findingsOnly
    ? []
    : [
        ...usageLines(report, paint),
        ...receiverLines(report, paint),
        ...coverageLines(coverage, paint),
        ...(fit ? [paint('bold', 'Plans'), `  ${planSentence(fit)}`, ''] : []),
      ]

  return [
    paint('bold', headline(report)),
    ...notices.map((notice) => paint('yellow', toOneLine(notice, MAX_NOTICE_LENGTH))),
    '',
    ...findings.flatMap((finding) => findingLines(finding, paint)),
    ...(findings.length === 0 ? [paint('green', 'No findings.'), ''] : []),
    ...rest,
    paint(VERDICT_COLORS[verdict], verdictSentence(report)),
  ].join('\n')
}

/** `Bookshop 1.0.0: 12 requests in 2 recordings`. */
export function headline({ title, version, requests, recordings }: Report): string {
  const where = recordings > 1 ? ` in ${recordings} recordings` : ''
  return `${title} ${version}: ${count(requests, 'request')}${where}`
}

/** The operation and the API key of a finding: `listBooks, key …free`; or the receiver of events. */
export function findingScope({ operation = 'no operation', key, receiver }: Finding): string {
  if (receiver !== undefined) return `receiver ${toOneLine(receiver)}`
  return `${toOneLine(operation)}, ${key === NO_KEY ? key : `key ${toOneLine(key)}`}`
}

/** The exchanges of a finding: `#3, #4, #5 and 20 more`; or `deliveries 3, 4` of a receiver. */
export function exchangeIds({ entries, deliveries }: Finding): string {
  const ids = deliveries?.map(String) ?? entries.map((id) => `#${id}`)
  const shown = ids.slice(0, MAX_IDS).join(', ')
  const more = ids.length - MAX_IDS
  const what = deliveries ? `${ids.length === 1 ? 'delivery' : 'deliveries'} ` : ''
  return what + shown + (more > 0 ? ` and ${more} more` : '')
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { severity, rule, message, clause } = finding
  return [
    `${paint(SEVERITY_COLORS[severity], severity.padEnd(7))} ${paint('bold', rule)}  ${findingScope(finding)}`,
    `        ${message}`,
    paint('dim', `        ${clause}  ${exchangeIds(finding)}`),
    '',
  ]
}

function receiverLines({ receivers = [] }: Report, paint: Paint): string[] {
  return receivers.flatMap(({ url, subscription, requests, checks }) => [
    paint('bold', `Receiver ${toOneLine(url)}: ${count(requests, 'request')}`) +
      (subscription === undefined ? '' : `, subscription ${toOneLine(subscription)}`),
    ...checks.map(({ rule, verdict, message }) =>
      [
        paint(VERDICT_COLORS[verdict], `  ${verdict === 'not-judged' ? 'not judged' : verdict}`),
        `  ${rule}: ${message}`,
      ].join(''),
    ),
    '',
  ])
}

function usageLines({ conduct, recordings }: Report, paint: Paint): string[] {
  // With many keys, the ones with the most refused requests come first.
  const shown = conduct.length > MAX_USAGE_ROWS ? byRefusals(conduct) : conduct
  const rows = shown.map(({ recording, key, operation = '-', requests, refused, early, waits }) => [
    recordings > 1 ? `${recording}: ${key}` : key,
    operation,
    String(requests),
    String(refused),
    String(early),
    waits
      .slice(0, MAX_WAITS)
      .map(({ waited, asked }) => `${formatDuration(waited)} of ${formatDuration(asked)}`)
      .join(', '),
  ])
  if (rows.length === 0) return []
  const more = rows.length - MAX_USAGE_ROWS
  const head = ['KEY', 'OPERATION', 'REQUESTS', '429', 'TOO EARLY', 'WAIT (ACTUAL OF REQUESTED)']

  return [
    ...columns([head, ...rows.slice(0, MAX_USAGE_ROWS)]).map((line, at) =>
      at === 0 ? paint('bold', line) : line,
    ),
    ...(more > 0 ? [`and ${more} more; the JSON report contains all`] : []),
    '',
  ]
}

function coverageLines({ percent, met, total, operations }: Coverage, paint: Paint): string[] {
  return [
    paint('bold', `Coverage ${percent} % (${met} of ${total})`),
    ...operations.flatMap(operationCoverageLines),
    '',
  ]
}

function operationCoverageLines(one: OperationCoverage): string[] {
  if (one.count === 0) return [`  ${one.operation}  never called`]
  const items = itemsOf(one)
  const missing = items.filter((item) => item.count === 0).map(({ name }) => name)
  const head = `  ${one.operation}  ${items.length - missing.length} of ${items.length}`

  return missing.length === 0
    ? [head]
    : [head, ...wrapList(`not covered: ${missing.join(', ')}`, '    ')]
}

const MAX_LINE_LENGTH = 100

/** Breaks a list into lines at its commas. */
function wrapList(text: string, indent: string): string[] {
  const lines: string[] = []
  for (const part of text.split(/(?<=, )/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + part.length <= MAX_LINE_LENGTH) {
      lines[lines.length - 1] += part
    } else lines.push(indent + part)
  }
  return lines.map((line) => line.trimEnd())
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

/** The verdict as a sentence. */
export function verdictSentence(report: Report): string {
  switch (report.verdict) {
    case 'failed':
      return `Failed: ${explainVerdict(report)}`
    case 'not-judged':
      return 'Not judged: no rule and no minimum coverage can make this report fail.'
    case 'passed':
      return ['Passed.', ...ignoredErrors(report)].join(' ')
  }
}

/** Why the verdict is what it is, to be shown beside the verdict. */
export function explainVerdict(report: Report): string {
  switch (report.verdict) {
    case 'failed':
      return `${report.reasons.join('; ')}.`
    case 'not-judged':
      return 'No rule and no minimum coverage can make this report fail.'
    case 'passed':
      return ['No finding makes the report fail.', ...ignoredErrors(report)].join(' ')
  }
}

/** For a report that passed: a sentence about the errors that could not make it fail, if there are any. */
function ignoredErrors({ findings }: Report): readonly string[] {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const them = errors === 1 ? 'it' : 'them'
  return errors === 0
    ? []
    : [
        `${count(errors, 'error')} did not make the report fail, because failOn does not include ${them}.`,
      ]
}
