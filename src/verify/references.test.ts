import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createTexts } from '../document/document-texts.ts'
import { loadContract } from '../document/load-contract.ts'
import {
  BOX_OFFICE,
  BOX_OFFICE_DOCUMENT,
  BOX_OFFICE_FAULTS,
  BoxOffice,
} from '../testing/faulty-services/box-office.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let folder: string
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'box-office-'))
  const file = join(folder, 'box-office.json')
  await writeFile(file, JSON.stringify(BOX_OFFICE_DOCUMENT))
  contract = await loadContract(file)
})

afterAll(() => rm(folder, { recursive: true }))

function run(service: BoxOffice): Promise<Verification> {
  return verify(BOX_OFFICE.base, contract, {
    ...BOX_OFFICE.options,
    texts: createTexts(BOX_OFFICE_DOCUMENT),
    fetch: (request) => service.fetch(request),
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

test('creates what refers to records below others, to two that differ, and to codes; finds nothing, and removes it', async () => {
  const service = new BoxOffice()
  const verification = await run(service)

  expect(failed(verification)).toEqual([])
  expect(verification.operations.exercised).toBe(verification.operations.total)
  expect(service.bookings).toEqual([])
  // A voucher that was used too often is replaced by another one, and booked seats are of kinds that have many.
  expect(service.uses.length).toBeGreaterThan(1)
  expect(service.fewest).toBeGreaterThanOrEqual(100)
})

describe('sees', () => {
  test.each(Object.entries(BOX_OFFICE_FAULTS))('%s', async (fault, check) => {
    expect(failed(await run(new BoxOffice(fault)))).toContain(check)
  })
})
