import { expect, test } from 'vitest'
import {
  LEDGER,
  LEDGER_FAULTS,
  LEDGER_PATHS,
  LEDGER_REST,
  Ledger,
} from '../testing/faulty-services/ledger.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { checksAround } from '../testing/long-run.ts'
import type { VerifyOptions } from './options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

const contract = await loadDocumentOf(LEDGER_PATHS, LEDGER_REST)

async function verified(ledger: Ledger, options: VerifyOptions = {}): Promise<Verification> {
  let time = Date.UTC(2026, 2, 1)
  return await verify(LEDGER.base, contract, {
    ...LEDGER.options,
    fetch: (request) => ledger.fetch(request),
    ...options,
    now: () => {
      time += 10
      return time
    },
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
}

test('a service with states, restorations, merge patches and texts that are ids keeps all promises', async () => {
  const ledger = new Ledger()

  const verification = await verified(ledger)

  expect(failed(verification)).toEqual([])
  expect(verification.operations.others).toEqual([])
  expect(ledger.records).toHaveLength(new Ledger().records.length)
})

test.each(Object.entries(LEDGER_FAULTS))(
  'verify sees that a service has the fault "%s": %s',
  async (fault, check) => {
    expect(failed(await verified(new Ledger(fault), checksAround(check)))).toContain(check)
  },
)
