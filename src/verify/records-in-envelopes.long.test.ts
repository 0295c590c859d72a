import { beforeAll, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { CLINIC, CLINIC_FAULTS, Clinic } from '../testing/faulty-services/clinic.ts'
import { checksAround } from '../testing/long-run.ts'
import type { VerifyOptions } from './options.ts'
import type { CheckResult, Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract(CLINIC.document)
})

/** Verifies the clinic as a user does: with writes, and with the default budget. */
async function run(
  fault?: string,
  options: VerifyOptions = {},
): Promise<{ verification: Verification; clinic: Clinic }> {
  const clinic = new Clinic(fault)
  const verification = await verify(CLINIC.base, contract, {
    ...CLINIC.options,
    fetch: (request) => clinic.fetch(request),
    ...options,
  })
  return { verification, clinic }
}

function failed({ checks }: Verification): readonly CheckResult[] {
  return checks.filter(({ status }) => status === 'failed')
}

test('a service with numbers that no two records may have fails no check and keeps its records', async () => {
  const before = JSON.stringify(new Clinic().records)

  const { verification, clinic } = await run()

  expect(failed(verification)).toEqual([])
  expect(verification.operations.exercised).toBe(verification.operations.total)
  expect(verification.requests).toBeLessThanOrEqual(50 * verification.operations.total)
  expect(verification.left).toEqual([])
  expect(JSON.stringify(clinic.records)).toBe(before)
})

test.each(Object.entries(CLINIC_FAULTS))(
  'verify sees that a service has the fault "%s": %s',
  async (fault, check) => {
    const { verification } = await run(fault, checksAround(check))

    expect(failed(verification).map(({ id }) => id)).toContain(check)
  },
)
