import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createTexts } from '../document/document-texts.ts'
import { loadContract } from '../document/load-contract.ts'
import {
  ACADEMY,
  ACADEMY_DOCUMENT,
  ACADEMY_FAULTS,
  Academy,
} from '../testing/faulty-services/academy.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let folder: string
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'academy-'))
  const file = join(folder, 'academy.json')
  await writeFile(file, JSON.stringify(ACADEMY_DOCUMENT))
  contract = await loadContract(file)
})

afterAll(() => rm(folder, { recursive: true }))

function run(fault?: string): Promise<Verification> {
  const academy = new Academy(fault)
  return verify(ACADEMY.base, contract, {
    ...ACADEMY.options,
    texts: createTexts(ACADEMY_DOCUMENT),
    fetch: (request) => academy.fetch(request),
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

test('reaches what is below courses that must be published, and finds nothing', async () => {
  const verification = await run()

  expect(failed(verification)).toEqual([])
  expect(verification.operations.exercised).toBe(verification.operations.total)
})

describe('sees', () => {
  test.each(Object.entries(ACADEMY_FAULTS))('%s', async (fault, check) => {
    expect(failed(await run(fault))).toContain(check)
  })
})
