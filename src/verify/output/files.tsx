import type { JSX } from 'preact'
import { escapeXml } from '../../report/format.ts'
import { annotation, markdownTable, markdownText } from '../../report/github.ts'
import { renderToText } from '../../report/html/render.ts'
import { Badge } from '../../report/html/sections.tsx'
import { STYLE } from '../../report/html/style.ts'
import { type TestCase, toJUnit } from '../../report/junit.ts'
import { count } from '../../validation/usage-error.ts'
import { type CheckResult, commandsOf } from '../verification.ts'
import { type JudgedVerification, judgementLines, type VerificationFinding } from './judged.ts'

/** The checks as JUnit XML, a test case each. Accepted ones, and those that were left out, are skipped. */
export function verificationToJUnit(judged: JudgedVerification): string {
  const findings = findingsOf(judged)
  const cases = judged.checks.map((check): TestCase => {
    const { name, clause, operation = 'service', status, reason, id } = check
    const testCase = { name: `${name} (${clause})`, group: operation }
    const finding = findings.get(id)
    if (status === 'left-out') return { ...testCase, skipped: reason ?? 'left out' }
    if (finding?.accepted) return { ...testCase, skipped: acceptedText(finding) }
    if (!finding) return testCase
    const detail = describeFailure(check)
    if (!finding.fails) return { ...testCase, output: detail }
    return { ...testCase, failure: { message: `received ${check.received ?? ''}`, detail } }
  })
  return toJUnit(`${judged.contract} at ${judged.target}`, cases)
}

/** The findings as workflow commands, which GitHub shows as annotations. Accepted ones are notices. */
export function verificationToAnnotations(judged: JudgedVerification): string {
  const checks = new Map(judged.checks.map((check) => [check.id, check]))
  const lines = judged.findings.flatMap((finding) => {
    const check = checks.get(finding.check)
    if (!check) return []
    if (finding.accepted) return [annotation('notice', check.id, acceptedText(finding))]
    const level = finding.fails ? 'error' : 'warning'
    const message = `${check.name} (${check.clause}). Expected ${check.expected}, received ${check.received}`
    return [annotation(level, check.id, message)]
  })
  const outdated = judged.outdated.map(({ check }) =>
    annotation('notice', check, 'This accepted finding no longer occurs.'),
  )
  return [...lines, ...outdated].map((line) => `${line}\n`).join('')
}

/** A verification as Markdown, for the summary of a GitHub job. */
export function verificationToSummary(judged: JudgedVerification): string {
  const checks = new Map(judged.checks.map((check) => [check.id, check]))
  const rows = judged.findings.map((finding) => {
    const check = checks.get(finding.check)
    const state = finding.accepted ? acceptedText(finding) : finding.severity
    return [check?.name ?? finding.check, state, check?.expected ?? '', check?.received ?? '']
  })
  return [
    `## ${MARKS[judged.verdict]} ${markdownText(`${judged.contract} at ${judged.target}`)}`,
    '',
    markdownText(summaryOf(judged)),
    '',
    ...judgementLines(judged).flatMap((line) => [`> ${markdownText(line)}`, '']),
    ...(rows.length === 0
      ? []
      : markdownTable(['Promise', 'Severity', 'Expected', 'Received'], rows)),
  ].join('\n')
}

const MARKS = { passed: '✅', failed: '❌', 'not-tested': '⚪' } as const

function summaryOf({ totals, requests, operations, unusable }: JudgedVerification): string {
  if (unusable !== undefined) return `The server cannot be tested: ${unusable}`
  const tested = `${operations.exercised} of ${operations.total} operations`
  return `${totals.failed} failed, ${totals.passed} passed, ${totals['left-out']} left out; ${tested}, ${count(requests, 'request')}`
}

function findingsOf({ findings }: JudgedVerification): ReadonlyMap<string, VerificationFinding> {
  return new Map(findings.map((finding) => [finding.check, finding]))
}

function acceptedText({ accepted }: VerificationFinding): string {
  return accepted ? `accepted on ${accepted.date}: ${accepted.reason}` : ''
}

function describeFailure(check: CheckResult): string {
  const { expected = '', received = '' } = check
  return [`expected  ${expected}`, `received  ${received}`, ...commandsOf(check)].join('\n')
}

/** A verification as one HTML page, without scripts and without other files. */
export function verificationToHtml(judged: JudgedVerification): string {
  const title = `${VERDICTS[judged.verdict].name}: ${judged.contract}`

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>${renderToText(<Page judged={judged} />)}</body>
</html>
`
}

const VERDICTS = {
  passed: { tone: 'good', name: 'Passed' },
  failed: { tone: 'bad', name: 'Failed' },
  'not-tested': { tone: 'neutral', name: 'Not tested' },
} as const

function Page({ judged }: { readonly judged: JudgedVerification }): JSX.Element {
  const { verdict, checks, operations } = judged
  const { tone, name } = VERDICTS[verdict]
  const findings = findingsOf(judged)
  const others = checks.filter(({ id }) => !findings.has(id))

  return (
    <main>
      <h1>Whether the service keeps its promises</h1>
      <p class="quiet">{`${judged.contract} at ${judged.target}`}</p>
      <div class={`verdict ${verdict}`}>
        <Badge tone={tone}>{name}</Badge> <span>{summaryOf(judged)}</span>
      </div>
      {judgementLines(judged).map((line) => (
        <p key={line} class="notice">
          {line}
        </p>
      ))}
      <h2>Findings</h2>
      {findings.size === 0 && <p class="card">No findings.</p>}
      {checks.map((check) => {
        const finding = findings.get(check.id)
        return finding && <Finding key={check.id} check={check} finding={finding} />
      })}
      {operations.others.length > 0 && <h2>Operations that were not exercised</h2>}
      {operations.others.map(({ operation, reason }) => (
        <p key={operation} class="long">
          {operation} <span class="quiet">{reason}</span>
        </p>
      ))}
      <h2>Other checks</h2>
      {others.map(({ id, name: promise, status, reason = '' }) => (
        <p key={id} class="long">
          <Badge tone={status === 'passed' ? 'good' : 'neutral'}>{status}</Badge> {promise}{' '}
          <span class="quiet">{reason}</span>
        </p>
      ))}
    </main>
  )
}

interface FindingProps {
  readonly check: CheckResult
  readonly finding: VerificationFinding
}

function Finding({ check, finding }: FindingProps): JSX.Element {
  return (
    <section class="card">
      <header class="finding">
        <Badge tone={finding.severity === 'error' ? 'bad' : 'warning'}>{finding.severity}</Badge>{' '}
        <h3>{check.name}</h3> {finding.isNew && <Badge tone="warning">new</Badge>}{' '}
        {finding.accepted && <Badge>{acceptedText(finding)}</Badge>}
      </header>
      <p class="long">{`Expected ${check.expected}`}</p>
      <p class="long">{`Received ${check.received}`}</p>
      <p class="quiet clause">{`${check.clause} [${check.id}]`}</p>
      {commandsOf(check).map((command) => (
        <p key={command}>
          <code>{command}</code>
        </p>
      ))}
    </section>
  )
}
