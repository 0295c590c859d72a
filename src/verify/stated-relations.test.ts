import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createTexts } from '../document/document-texts.ts'
import { loadContract } from '../document/load-contract.ts'
import {
  KITCHEN,
  KITCHEN_DOCUMENT,
  KITCHEN_FAULTS,
  Kitchen,
} from '../testing/faulty-services/kitchen.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let folder: string
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kitchen-'))
  const file = join(folder, 'kitchen.json')
  await writeFile(file, JSON.stringify(KITCHEN_DOCUMENT))
  contract = await loadContract(file)
})

afterAll(() => rm(folder, { recursive: true }))

function run(fault?: string): Promise<Verification> {
  const kitchen = new Kitchen(fault)
  return verify(KITCHEN.base, contract, {
    ...KITCHEN.options,
    texts: createTexts(KITCHEN_DOCUMENT),
    fetch: (request) => kitchen.fetch(request),
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

test('finds nothing in a service that keeps what its document says of other records', async () => {
  const verification = await run()

  expect(failed(verification)).toEqual([])
  expect(verification.operations.exercised).toBe(verification.operations.total)
})

describe('sees', () => {
  test.each(Object.entries(KITCHEN_FAULTS))('%s', async (fault, check) => {
    expect(failed(await run(fault))).toContain(check)
  })
})

test('a service that trims all texts has one mistake, whose others are consequences', async () => {
  const { checks } = await run('trims texts')
  const ofBlanks = checks.filter(({ id, status }) => /blanks/.test(id) && status === 'failed')

  expect(ofBlanks.length).toBeGreaterThan(2)
  expect(ofBlanks.filter(({ consequenceOf }) => consequenceOf === undefined)).toHaveLength(1)
})
