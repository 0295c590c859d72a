import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import {
  createFrozenSandbox,
  createMisusedSandbox,
  entriesOf,
  reportOn,
} from '../testing/report-inputs.ts'
import { readHar } from './read-har.ts'
import { readReport } from './read-report.ts'
import { type Report, report } from './report.ts'

const schema = JSON.parse(readFileSync('src/report/report.schema.json', 'utf8'))
const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema)

function schemaErrors(one: Report): unknown {
  return validate(JSON.parse(JSON.stringify(one))) ? [] : validate.errors
}

it('reports of every kind match the published schema', async () => {
  const sandbox = await createMisusedSandbox()
  const plans = sandbox.plans
  const har: unknown = JSON.parse(JSON.stringify(await sandbox.journal.toHar()))
  const { entries } = await readHar(har, contract)
  const other = entriesOf(sandbox).map((entry) => ({ ...entry, world: 'other' }))

  expect(schemaErrors(reportOn(createFrozenSandbox()))).toEqual([])
  expect(schemaErrors(reportOn(sandbox, { plans, failOn: ['all'], minCoverage: 99 }))).toEqual([])
  expect(schemaErrors(report([entries, other], contract, { plans }, ['left out']))).toEqual([])
})

it('a property that is not in the schema is an error', () => {
  const invalid = { ...reportOn(createFrozenSandbox()), extra: 1 }

  expect(schemaErrors(invalid)).toMatchObject([{ keyword: 'additionalProperties' }])
})

it('a JSON report can be read again, and gives the same report', async () => {
  const original = reportOn(await createMisusedSandbox(), { failOn: ['warnings'] })

  const contents = readReport(JSON.parse(JSON.stringify(original)), contract.title)

  expect(report(contents?.recordings ?? [], contract, { failOn: ['warnings'] })).toEqual(original)
})
