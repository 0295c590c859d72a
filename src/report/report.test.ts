import { describe, expect, it } from 'vitest'
import { createFrozenSandbox, reportOn, sendRequest } from '../testing/report-inputs.ts'
import { UsageError } from '../validation/usage-error.ts'
import { toSummary } from './github.ts'
import { toHtml } from './html/page.tsx'
import { reportToJUnit } from './junit.ts'
import type { ReportOptions } from './report.ts'
import { toText } from './text.ts'

async function createMisusedSandbox(): Promise<ReturnType<typeof createFrozenSandbox>> {
  const sandbox = createFrozenSandbox({ plans: { free: { minute: 2, day: 100 } } })
  await sendRequest(sandbox, '/pets/1')
  await sendRequest(sandbox, '/pets?page=1')
  await sendRequest(sandbox, '/pets')
  await sendRequest(sandbox, '/pets')
  return sandbox
}

describe('the verdict', () => {
  it.each<[options: ReportOptions, reasons: string[]]>([
    [{}, ['1 violation of early-retry']],
    [{ failOn: ['deprecated'] }, ['1 violation of deprecated']],
    [
      { failOn: ['warnings'], ignore: ['early-retry'] },
      ['1 violation of deprecated', '1 violation of unknown-parameter'],
    ],
    [{ failOn: ['all'], only: ['deprecated'] }, ['1 violation of deprecated']],
    [{ failOn: ['none'], minCoverage: 80 }, ['coverage is 12 %, but must be at least 80 %']],
  ])('with %j is failed', async (options, reasons) => {
    const report = reportOn(await createMisusedSandbox(), options)

    expect(report).toMatchObject({ verdict: 'failed', reasons })
  })

  it.each<ReportOptions>([
    { ignore: ['errors'] },
    { failOn: ['none'], minCoverage: 12 },
    { failOn: ['page-twice'], minCoverage: 12 },
  ])('with %j is passed', async (options) => {
    expect(reportOn(await createMisusedSandbox(), options)).toMatchObject({
      verdict: 'passed',
      reasons: [],
    })
  })

  it('is passed by the coverage alone, and states that the errors did not count', async () => {
    const report = reportOn(await createMisusedSandbox(), { failOn: ['none'], minCoverage: 12 })

    expect(toText(report)).toMatch(/\nPassed\. \d+ errors? did not make the report fail, because/)
    expect(toHtml(report)).toMatch(
      /makes the report fail\. \d+ errors? did not make the report fail, because/,
    )
  })

  it.each<ReportOptions>([{ failOn: ['none'] }, { failOn: [] }])(
    'with %j is "not judged" in every output format',
    async (options) => {
      const report = reportOn(await createMisusedSandbox(), options)

      expect(report).toMatchObject({ verdict: 'not-judged', reasons: [] })
      expect(toText(report)).toMatch(
        /\nNot judged: no rule and no minimum coverage can make this report fail/,
      )
      expect(toSummary(report)).toMatch(/^## ⚪ .*\n\nNot judged: /)
      expect(toHtml(report)).toContain('<span class="badge neutral">Not judged</span>')
      expect(toHtml(report)).not.toContain('Passed')
      expect(reportToJUnit(report)).toContain('<skipped message="Not judged."/>')
    },
  )
})

it.each([
  [{ failOn: ['early-retrie'] }, /unknown rule "early-retrie". Did you mean "early-retry"/],
  [Object({ failon: [] }), /Did you mean "failOn"/],
  [{ minCoverage: -1 }, /minCoverage: the value must be an integer/],
])('options %j are invalid', (options, message) => {
  expect(() => reportOn(createFrozenSandbox(), options)).toThrow(UsageError)
  expect(() => reportOn(createFrozenSandbox(), options)).toThrow(message)
})

it('states how each key used each operation', async () => {
  const { conduct } = reportOn(await createMisusedSandbox())

  expect(conduct).toEqual([
    {
      recording: 1,
      key: '…free',
      operation: 'getPet',
      requests: 1,
      refused: 0,
      early: 0,
      waits: [],
    },
    {
      recording: 1,
      key: '…free',
      operation: 'listPets',
      requests: 3,
      refused: 2,
      early: 1,
      waits: [{ asked: 30_000, waited: 0 }],
    },
  ])
})
