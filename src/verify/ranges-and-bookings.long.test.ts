import { expect, test } from 'vitest'
import {
  CABIN_FAULTS,
  CABIN_PATHS,
  CABIN_REST,
  CABINS,
  Cabins,
} from '../testing/faulty-services/cabins.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { checksAround } from '../testing/long-run.ts'
import type { VerifyOptions } from './options.ts'
import { verify } from './verify.ts'

const contract = await loadDocumentOf(CABIN_PATHS, CABIN_REST)

/** The ids of the checks that fail. */
async function failed(cabins: Cabins, options: VerifyOptions = {}): Promise<readonly string[]> {
  const { checks } = await verify(CABINS.base, contract, {
    ...CABINS.options,
    fetch: (request) => cabins.fetch(request),
    ...options,
  })
  return checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
}

test('a service with bookings for days, ranges and cursors in headers keeps all promises', async () => {
  const cabins = new Cabins()

  expect(await failed(cabins)).toEqual([])
  expect(JSON.stringify(cabins.records)).toBe(JSON.stringify(new Cabins().records))
})

test.each(Object.entries(CABIN_FAULTS))(
  'verify sees that a service %s: %s',
  async (fault, check) => {
    expect(await failed(new Cabins(fault), checksAround(check))).toContain(check)
  },
)
