import { expect, test } from 'vitest'
import { GREENHOUSE, GREENHOUSE_FAULTS, Greenhouse } from '../testing/faulty-services/greenhouse.ts'
import { GREENHOUSE_PATHS, GREENHOUSE_REST } from '../testing/faulty-services/greenhouse-paths.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { checksAround } from '../testing/long-run.ts'
import type { VerifyOptions } from './options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

const contract = await loadDocumentOf(GREENHOUSE_PATHS, GREENHOUSE_REST)

async function verified(
  greenhouse: Greenhouse,
  options: VerifyOptions = {},
): Promise<Verification> {
  return await verify(GREENHOUSE.base, contract, {
    ...GREENHOUSE.options,
    fetch: (request) => greenhouse.fetch(request),
    ...options,
  })
}

function failed({ checks }: Verification): readonly string[] {
  return checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
}

test('a service with records at paths of their own, parts of records and lists in bodies keeps all promises', async () => {
  const verification = await verified(new Greenhouse())

  expect(failed(verification)).toEqual([])
  expect(verification.operations.others).toEqual([])
})

test('what a run did not create is as it was before', async () => {
  const greenhouse = new Greenhouse()
  const before = greenhouse.records.map((one) => JSON.stringify(one))

  await verified(greenhouse)

  const after = new Set(greenhouse.records.map((one) => JSON.stringify(one)))
  expect(before.filter((one) => !after.has(one))).toEqual([])
})

test.each(Object.entries(GREENHOUSE_FAULTS))(
  'verify sees that a service %s: %s',
  async (fault, check) => {
    // The walk needs the samples that the checks of other lists find.
    const words = check.startsWith('listSamples/walk') ? 'list' : undefined
    const verification = await verified(new Greenhouse(fault), checksAround(check, words))

    expect(failed(verification)).toContain(check)
  },
)
