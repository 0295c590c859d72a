import { planSentence } from './compare-plans.ts'
import { describeShortfall, itemsOf } from './coverage.ts'
import type { Report } from './report.ts'
import type { Severity } from './rules.ts'
import { exchangeIds, findingScope, headline, verdictSentence } from './text.ts'

const LEVELS: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  note: 'notice',
}

/** Findings as workflow commands, which GitHub shows as annotations. A finding that makes the report fail is an error. */
export function toAnnotations({ findings, coverage, notices }: Report): string {
  const annotations = findings.map((finding) => {
    const { rule, severity, message, clause, fails } = finding
    const title = `${rule}: ${findingScope(finding)}`
    const level = fails ? 'error' : LEVELS[severity === 'error' ? 'warning' : severity]
    return annotation(level, title, `${message} (${clause}; ${exchangeIds(finding)})`)
  })
  const shortfall = describeShortfall(coverage)
  const lines = [
    ...annotations,
    ...(shortfall === undefined ? [] : [annotation('error', 'coverage', shortfall)]),
    ...notices.map((notice) => annotation('notice', 'pet-sandbox', notice)),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** A workflow command that GitHub shows as an annotation. */
export function annotation(level: string, title: string, message: string): string {
  return `::${level} title=${property(title)}::${data(message)}`
}

/** A report as Markdown, for the summary of a GitHub job. */
export function toSummary(report: Report): string {
  const { findings, coverage, fit, verdict } = report
  const found = findings.map((finding) => [
    `${MARKS[finding.severity]} ${finding.rule}`,
    findingScope(finding),
    finding.message,
    finding.clause,
    // GitHub would link a bare #3 to an issue.
    `\`${exchangeIds(finding)}\``,
  ])
  const operations = coverage.operations.map((one) => {
    const items = itemsOf(one)
    const missing = items.filter((item) => item.count === 0).map(({ name }) => `\`${name}\``)
    const covered = `${items.length - missing.length}/${items.length}`
    return [one.operation, String(one.count), covered, missing.join(', ')]
  })

  return [
    `## ${VERDICTS[verdict]} ${markdownText(headline(report))}`,
    '',
    markdownText(verdictSentence(report)),
    '',
    ...report.notices.flatMap((notice) => [`> ${markdownText(notice)}`, '']),
    ...(found.length === 0
      ? ['No findings.', '']
      : markdownTable(['Finding', 'Where', 'Description', 'Reference', 'Exchanges'], found)),
    ...(fit ? [markdownText(planSentence(fit)), ''] : []),
    `### Coverage ${coverage.percent} %`,
    '',
    ...markdownTable(['Operation', 'Requests', 'Covered', 'Not covered'], operations),
  ].join('\n')
}

const VERDICTS = { passed: '✅', failed: '❌', 'not-judged': '⚪' } as const

const MARKS: Readonly<Record<Severity, string>> = { error: '🛑', warning: '⚠️', note: '💡' }

/** A table in Markdown. */
export function markdownTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line), '']
}

/** Escapes text for one line, also for one cell of a Markdown table. */
export function markdownText(text: string): string {
  return text
    .replace(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
}

/** Escapes the message of a workflow command, like @actions/core does. */
function data(text: string): string {
  return text
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replace(/\p{Cc}/gu, '\ufffd')
}

/** Escapes a property of a workflow command, like @actions/core does. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
