import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { createTexts } from '../../document/document-texts.ts'
import { loadContract } from '../../document/load-contract.ts'
import type { VerifyOptions } from '../../verify/session/options.ts'
import type { Verification } from '../../verify/verification.ts'
import { verify } from '../../verify/verify.ts'
import { loadDocumentOf } from '../load-document-of.ts'
import { checksAround } from '../long-run.ts'
import type { FaultyService, RunningService } from './faulty-service.ts'

/** Tests that a run finds each fault of a service, and no other; and that it changes only what it created. */
export function describeFaultyService(service: FaultyService): void {
  const { what, faults, seenElsewhere, create } = service

  describe(what, () => {
    let contract: Contract

    beforeAll(async () => {
      contract = await contractOf(service)
    })

    test('keeps all promises and its records', async () => {
      const running = create()
      const before = running.records.map((one) => JSON.stringify(one))

      const verification = await verifyService(service, contract, running)

      expect(failed(verification)).toEqual([])
      expect(verification.operations.exercised).toBe(verification.operations.total)
      expect(verification.requests).toBeLessThanOrEqual(60 * verification.operations.total)
      const after = new Set(running.records.map((one) => JSON.stringify(one)))
      expect(before.filter((one) => !after.has(one))).toEqual([])
    })

    test.each(Object.entries(faults))('is seen when it %s: %s', async (fault, check) => {
      const options = seenElsewhere?.includes(fault) ? {} : checksAround(check)
      const verification = await verifyService(service, contract, create(fault), options)

      expect(failed(verification)).toContain(check)
    })
  })
}

export function contractOf({ document }: FaultyService): Promise<Contract> {
  return typeof document === 'string' ? loadContract(document) : loadDocumentOf({}, document)
}

/** A run as users have it: with writes, and with the default budget. */
export function verifyService(
  { base, options, document }: FaultyService,
  contract: Contract,
  running: RunningService,
  more: VerifyOptions = {},
): Promise<Verification> {
  let time = Date.UTC(2026, 2, 1)
  return verify(base, contract, {
    ...options,
    ...(typeof document !== 'string' && { texts: createTexts(document) }),
    fetch: (request) => running.fetch(request),
    now: () => {
      time += 10
      return time
    },
    ...more,
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}
