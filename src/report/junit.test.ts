import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { createFrozenSandbox, createMisusedSandbox, reportOn } from '../testing/report-inputs.ts'
import { reportToJUnit, toJUnit } from './junit.ts'

const SHAPE = readFileSync('src/testing/junit.xsd', 'utf8')

async function faultsIn(xml: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: { fileName: 'junit.xml', contents: xml },
    schema: { fileName: 'junit.xsd', contents: SHAPE },
  })
  return errors.map(({ message }) => message)
}

it('a report is valid JUnit XML, with and without findings', async () => {
  const wrong = reportToJUnit(
    reportOn(await createMisusedSandbox(), { failOn: ['all'], minCoverage: 90 }),
  )
  const fine = reportToJUnit(reportOn(createFrozenSandbox()))

  expect(await faultsIn(wrong)).toEqual([])
  expect(await faultsIn(fine)).toEqual([])
  expect(wrong).toContain('failures="10"')
  expect(fine).toContain('failures="0"')
})

it('a finding that makes the report fail is a failure, any other finding is output', async () => {
  const xml = reportToJUnit(reportOn(await createMisusedSandbox(), { failOn: ['early-retry'] }))

  expect(xml).toMatch(
    /waits for Retry-After after a 429 \(RFC 9110, section 10\.2\.3 \(Retry-After\)\)" classname="early-retry" time="0.000">\s*<failure/,
  )
  expect(xml).toMatch(/classname="deprecated" time="0.000">\s*<system-out>/)
})

it('a test case can be skipped, and can contain characters that XML forbids', async () => {
  const xml = toJUnit('Suite <1>', [
    { name: 'a', group: 'g', skipped: 'not now' },
    { name: 'b\u0000\ud800', group: 'g', failure: { message: 'x "y"', detail: ']]>' } },
  ])

  expect(await faultsIn(xml)).toEqual([])
  expect(xml).toContain('tests="2" failures="1" errors="0" skipped="1" time="0.000"')
})
