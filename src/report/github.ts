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
    return `::${level} title=${property(title)}::${data(`${message} (${clause}; ${exchangeIds(finding)})`)}`
  })
  const shortfall = describeShortfall(coverage)
  const lines = [
    ...annotations,
    ...(shortfall === undefined ? [] : [`::error title=coverage::${data(shortfall)}`]),
    ...notices.map((notice) => `::notice title=pet-sandbox::${data(notice)}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
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
    `## ${VERDICTS[verdict]} ${inline(headline(report))}`,
    '',
    inline(verdictSentence(report)),
    '',
    ...report.notices.flatMap((notice) => [`> ${inline(notice)}`, '']),
    ...(found.length === 0
      ? ['No findings.', '']
      : table(['Finding', 'Where', 'Description', 'Reference', 'Exchanges'], found)),
    ...(fit ? [inline(planSentence(fit)), ''] : []),
    `### Coverage ${coverage.percent} %`,
    '',
    ...table(['Operation', 'Requests', 'Covered', 'Not covered'], operations),
  ].join('\n')
}

const VERDICTS = { passed: '✅', failed: '❌', 'not-judged': '⚪' } as const

const MARKS: Readonly<Record<Severity, string>> = { error: '🛑', warning: '⚠️', note: '💡' }

function table(head: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(inline).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line), '']
}

/** Escapes text for one cell of a Markdown table. */
function inline(text: string): string {
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
