import { expect, it } from 'vitest'
import {
  createFrozenSandbox,
  createMisusedSandbox,
  HOSTILE,
  reportOn,
} from '../testing/report-inputs.ts'
import { toAnnotations, toSummary } from './github.ts'

it('findings are annotations, and a finding that makes the report fail is an error', async () => {
  const report = reportOn(await createMisusedSandbox(), { failOn: ['deprecated'], minCoverage: 99 })

  const lines = toAnnotations(report).trimEnd().split('\n')

  expect(lines).toContainEqual(
    expect.stringMatching(
      /^::error title=deprecated%3A getPet%2C key …free::1 request was sent .*\(RFC 9745 \(Deprecation header\); #1\)$/,
    ),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^::warning title=early-retry%3A /))
  expect(lines).toContainEqual(expect.stringMatching(/^::error title=coverage::coverage is /))
})

it('no text that a client sent creates an annotation', async () => {
  const report = reportOn(await createMisusedSandbox())

  const text = toAnnotations({ ...report, notices: [`a\n::error::${HOSTILE}`] })

  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^::(error|warning|notice) title=[^:]*::/)
    expect(line).not.toContain('\u001b')
  }
})

it('the summary is a table that escapes everything that a client sent', async () => {
  const summary = toSummary(reportOn(await createMisusedSandbox(), { minCoverage: 99 }))

  const rows = summary.split('\n').filter((line) => line.startsWith('| '))
  const cells = rows.map((row) => row.split(/(?<!\\)\|/).length)
  expect(new Set(cells)).toEqual(new Set([7, 6]))
  expect(summary).not.toContain('<script')
  expect(summary).toContain('### Coverage')
  expect(summary).toMatch(/^## ❌ Pet Adoption Store 1\.0\.0: 21 requests/)
})

it('the summary of a client without findings says so', () => {
  expect(toSummary(reportOn(createFrozenSandbox()))).toContain('No findings.')
  expect(toAnnotations(reportOn(createFrozenSandbox()))).toBe('')
})
