import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createTexts } from '../document/document-texts.ts'
import { loadContract } from '../document/load-contract.ts'
import { DEPOT, DEPOT_DOCUMENT, DEPOT_FAULTS, Depot } from '../testing/faulty-services/depot.ts'
import {
  STUDIO,
  STUDIO_DOCUMENT,
  STUDIO_FAULTS,
  Studio,
} from '../testing/faulty-services/studio.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

const SERVICES = [
  {
    what: 'a service with orders that have each product in one line only',
    ...{ settings: DEPOT, document: DEPOT_DOCUMENT, faults: DEPOT_FAULTS, Service: Depot },
  },
  {
    what: 'a service whose optional properties may be null',
    ...{ settings: STUDIO, document: STUDIO_DOCUMENT, faults: STUDIO_FAULTS, Service: Studio },
  },
] as const

describe.each(SERVICES)('$what', ({ settings, document, faults, Service }) => {
  let folder: string
  let contract: Contract

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'service-'))
    const file = join(folder, 'service.json')
    await writeFile(file, JSON.stringify(document))
    contract = await loadContract(file)
  })

  afterAll(() => rm(folder, { recursive: true }))

  function run(fault?: string): Promise<Verification> {
    const service = new Service(fault)
    return verify(settings.base, contract, {
      ...settings.options,
      texts: createTexts(document),
      fetch: (request) => service.fetch(request),
    })
  }

  function failed({ checks }: Verification): readonly string[] {
    return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
  }

  test('keeps all promises', async () => {
    const verification = await run()

    expect(failed(verification)).toEqual([])
    expect(verification.operations.exercised).toBe(verification.operations.total)
  })

  test.each(Object.entries(faults))('is seen when it %s: %s', async (fault, check) => {
    expect(failed(await run(fault))).toContain(check)
  })
})
