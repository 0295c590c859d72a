import { describeShortfall } from './coverage.ts'
import { escapeXml, toOneLine } from './format.ts'
import type { ReceiverCheck } from './receivers.ts'
import type { Report } from './report.ts'
import { RECEIVER_RULES, RULE_NAMES, RULES, type Rule } from './rules.ts'
import { exchangeIds, findingScope } from './text.ts'

/** A JUnit test case. */
export interface TestCase {
  /** A fact in the present tense. */
  readonly name: string
  /** The group of test cases that it belongs to (`classname`). */
  readonly group: string
  /** Why it failed, in one line and in full. Absent when it passed. */
  readonly failure?: { readonly message: string; readonly detail: string }
  /** Why it was skipped. */
  readonly skipped?: string
  /** Output of a test case that did not fail. */
  readonly output?: string
}

/** The test cases of a report take no time. */
const NO_TIME = 'time="0.000"'

/** Test cases as JUnit XML with one test suite, in the form that Jenkins, GitLab and Azure read. */
export function toJUnit(suite: string, testCases: readonly TestCase[]): string {
  const failures = testCases.filter(({ failure }) => failure).length
  const skipped = testCases.filter((one) => one.skipped !== undefined).length
  const counts = `tests="${testCases.length}" failures="${failures}" errors="0"`

  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pet-sandbox" ${counts} ${NO_TIME}>`,
    `  <testsuite name="${escapeXml(suite)}" ${counts} skipped="${skipped}" ${NO_TIME}>`,
    ...testCases.map(testCaseXml),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

/** A report as JUnit XML: a test case for each rule, one for each check of a receiver of events, and one for the coverage. */
export function reportToJUnit(report: Report): string {
  return toJUnit(`How the client of ${report.title} behaved`, [
    ...RULE_NAMES.map((rule) => toRuleCase(rule, report)),
    ...(report.receivers ?? []).flatMap(({ url, checks }) =>
      checks.map((check) => toReceiverCase(url, check, report)),
    ),
    toCoverageCase(report),
  ])
}

/** Findings that do not make the report fail are output. */
function toRuleCase(rule: Rule, { findings, verdict }: Report): TestCase {
  const { expectation, clause } = RULES[rule]
  const found = findings.filter((finding) => finding.rule === rule)
  const name = `The client ${expectation} (${clause})`
  const detail = found
    .map((one) => `${findingScope(one)}: ${one.message} ${exchangeIds(one)}`)
    .join('\n')
  if (found.some(({ fails }) => fails)) {
    const message = found.map((finding) => finding.message).join(' ')
    return { name, group: rule, failure: { message, detail } }
  }
  const skipped = verdict === 'not-judged' && detail ? { skipped: 'Not judged.' } : {}

  return { name, group: rule, ...skipped, ...(detail && { output: detail }) }
}

/** Checks that could not be made are skipped. */
function toReceiverCase(
  url: string,
  { rule, verdict, message }: ReceiverCheck,
  { findings }: Report,
): TestCase {
  const { expectation, clause } = RECEIVER_RULES[rule]
  const name = `The receiver ${toOneLine(url)} ${expectation} (${clause})`
  const fails = findings.some((one) => one.rule === rule && one.receiver === url && one.fails)
  if (fails) return { name, group: rule, failure: { message, detail: message } }

  return verdict === 'not-judged'
    ? { name, group: rule, skipped: message }
    : { name, group: rule, output: message }
}

function toCoverageCase({ coverage, notices }: Report): TestCase {
  const { percent, met, total } = coverage
  const name = 'The client covers the required part of the contract'
  const detail = [`${percent} % (${met} of ${total})`, ...notices].join('\n')
  const shortfall = describeShortfall(coverage)

  return shortfall === undefined
    ? { name, group: 'coverage', output: detail }
    : { name, group: 'coverage', failure: { message: shortfall, detail } }
}

function testCaseXml({ name, group, failure, skipped, output }: TestCase): string {
  const head = `name="${escapeXml(name)}" classname="${escapeXml(group)}" ${NO_TIME}`
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
