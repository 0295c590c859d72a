import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createTexts } from '../document/document-texts.ts'
import { loadContract } from '../document/load-contract.ts'
import { DEPOT, DEPOT_DOCUMENT, DEPOT_FAULTS, Depot } from '../testing/faulty-services/depot.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let folder: string
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'depot-'))
  const file = join(folder, 'depot.json')
  await writeFile(file, JSON.stringify(DEPOT_DOCUMENT))
  contract = await loadContract(file)
})

afterAll(() => rm(folder, { recursive: true }))

function run(fault?: string): Promise<Verification> {
  const depot = new Depot(fault)
  return verify(DEPOT.base, contract, {
    ...DEPOT.options,
    texts: createTexts(DEPOT_DOCUMENT),
    fetch: (request) => depot.fetch(request),
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

test('a service with orders that have each product in one line only keeps all promises', async () => {
  const verification = await run()

  expect(failed(verification)).toEqual([])
  expect(verification.operations.exercised).toBe(verification.operations.total)
})

test.each(Object.entries(DEPOT_FAULTS))(
  'verify sees that a service %s: %s',
  async (fault, check) => {
    expect(failed(await run(fault))).toContain(check)
  },
)
