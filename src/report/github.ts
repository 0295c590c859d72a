import type { Report } from './report.ts'
import type { Severity } from './rules.ts'
import { exchangeIds, findingScope, headline, planSentence } from './text.ts'
import { verdictSentence } from './verdict-sentence.ts'

const LEVELS: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  note: 'notice',
}

/** Findings as workflow commands, which GitHub shows as annotations of a run. What fails the report is an error. */
export function toAnnotations({ findings, reasons, notices }: Report): string {
  const lines = findings.map((finding) => {
    const { rule, severity, message, clause, fails } = finding
    const title = `${rule}: ${findingScope(finding)}`
    const level = fails ? 'error' : LEVELS[severity === 'error' ? 'warning' : severity]
    return `::${level} title=${property(title)}::${data(`${message} (${clause}; ${exchangeIds(finding)})`)}`
  })
  const low = reasons
    .filter((reason) => reason.startsWith('coverage '))
    .map((reason) => `::error title=coverage::${data(reason)}`)

  const known = notices.map((notice) => `::notice title=pet-sandbox::${data(notice)}`)

  return [...lines, ...low, ...known].map((line) => `${line}\n`).join('')
}

/** A report as the Markdown of a job's summary. */
export function toSummary(report: Report): string {
  const { findings, coverage, fit, verdict } = report
  const found = findings.map((finding) => [
    `${MARKS[finding.severity]} ${finding.rule}`,
    findingScope(finding),
    finding.message,
    finding.clause,
    // GitHub takes a bare #3 for an issue.
    `\`${exchangeIds(finding)}\``,
  ])
  const covered = coverage.operations.map(({ operation, count, statuses, values, errors }) => {
    const parts = [...statuses, ...values, ...errors]
    const missed = parts.filter((part) => part.count === 0).map(({ name }) => `\`${name}\``)
    return [
      operation,
      String(count),
      `${parts.length - missed.length}/${parts.length}`,
      missed.join(', '),
    ]
  })

  return [
    `## ${VERDICTS[verdict]} ${inline(headline(report))}`,
    '',
    inline(verdictSentence(report)),
    '',
    ...report.notices.flatMap((notice) => [`> ${inline(notice)}`, '']),
    ...(found.length === 0
      ? ['Nothing was found.', '']
      : rows(['Finding', 'Where', 'What', 'Clause', 'Exchanges'], found)),
    ...(fit ? [inline(planSentence(fit)), ''] : []),
    `### Coverage ${coverage.percent} %`,
    '',
    ...rows(['Operation', 'Requests', 'Met', 'Never met'], covered),
  ].join('\n')
}

const VERDICTS = { passed: '✅', failed: '❌', 'not-judged': '⚪' } as const

const MARKS: Readonly<Record<Severity, string>> = { error: '🛑', warning: '⚠️', note: '💡' }

function rows(head: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(inline).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line), '']
}

/** One line, in which neither HTML nor the table's bars are read. */
function inline(text: string): string {
  return text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
}

/** As @actions/core escapes a message: these characters would end it. */
function data(text: string): string {
  return text
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replace(/\p{Cc}/gu, '\ufffd')
}

/** As it escapes a property, which a colon and a comma end, too. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
