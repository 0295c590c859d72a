import type { Report } from './report.ts'
import { isRule, RULE_NAMES, RULES } from './rules.ts'
import { exchangeIds, findingScope } from './text.ts'

/** Something that was checked, as continuous integration shows it. */
export interface TestCase {
  /** A fact in the present tense. */
  readonly name: string
  /** What it belongs to. */
  readonly group: string
  /** In seconds. */
  readonly seconds?: number
  /** Why it failed: in one line, and in full. Absent when it passed. */
  readonly failure?: { readonly message: string; readonly detail: string }
  /** Why it was left out. */
  readonly skipped?: string
  /** What there is to tell of one that passed. */
  readonly output?: string
}

/** Checks as JUnit XML, one suite, as Jenkins, GitLab and Azure read it. */
export function toJUnit(suite: string, checks: readonly TestCase[]): string {
  const failures = checks.filter(({ failure }) => failure).length
  const skipped = checks.filter((check) => check.skipped !== undefined).length
  const seconds = checks.reduce((sum, check) => sum + (check.seconds ?? 0), 0)
  const counts = `tests="${checks.length}" failures="${failures}" errors="0"`
  const time = `time="${seconds.toFixed(3)}"`

  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pet-sandbox" ${counts} ${time}>`,
    `  <testsuite name="${escapeXml(suite)}" ${counts} skipped="${skipped}" ${time}>`,
    ...checks.map(testCaseXml),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

/** A report as JUnit XML: a case for each rule, and one for the coverage. Findings that do not fail it are output. */
export function reportToJUnit(report: Report): string {
  return toJUnit(`How the client of ${report.title} behaved`, toTestCases(report))
}

function toTestCases({
  findings,
  coverage,
  reasons,
  notices,
  verdict,
}: Report): readonly TestCase[] {
  const rules = RULE_NAMES.filter(isRule).map((rule): TestCase => {
    const { expectation: fact, clause } = RULES[rule]
    const found = findings.filter((finding) => finding.rule === rule)
    const name = `The client ${fact} (${clause})`
    const detail = found
      .map((one) => `${findingScope(one)}: ${one.message} ${exchangeIds(one)}`)
      .join('\n')
    if (found.some(({ fails }) => fails)) {
      const message = found.map((finding) => finding.message).join(' ')
      return { name, group: rule, failure: { message, detail } }
    }
    const skipped = verdict === 'not-judged' && detail ? { skipped: 'Not judged.' } : {}
    return { name, group: rule, ...skipped, ...(detail && { output: detail }) }
  })
  const name = 'The client meets enough of the contract'
  const told = [`${coverage.percent} %, ${coverage.met} of ${coverage.total}`, ...notices].join(
    '\n',
  )
  const low = reasons.find((reason) => reason.startsWith('coverage '))
  const covered: TestCase = low
    ? { name, group: 'coverage', failure: { message: low, detail: told } }
    : { name, group: 'coverage', output: told }

  return [...rules, covered]
}

function testCaseXml({ name, group, seconds = 0, failure, skipped, output }: TestCase): string {
  const head = `name="${escapeXml(name)}" classname="${escapeXml(group)}" time="${seconds.toFixed(3)}"`
  const inner = [
    ...(skipped === undefined ? [] : [`<skipped message="${escapeXml(skipped)}"/>`]),
    ...(failure
      ? [
          `<failure message="${escapeXml(failure.message)}" type="${escapeXml(group)}">${escapeXml(failure.detail)}</failure>`,
        ]
      : []),
    ...(output === undefined ? [] : [`<system-out>${escapeXml(output)}</system-out>`]),
  ]
  if (inner.length === 0) return `    <testcase ${head}/>`

  return `    <testcase ${head}>\n${inner.map((line) => `      ${line}`).join('\n')}\n    </testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for XML and HTML. What XML 1.0 cannot hold at all, as most control characters, becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
