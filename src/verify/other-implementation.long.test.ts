import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { HandWrittenStore } from '../testing/hand-written-store.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
})

function run(animals: number, options: VerifyOptions = {}): Promise<Verification> {
  const store = new HandWrittenStore(animals)
  return verify('http://other.test/v1', contract, {
    key: store.key,
    writes: true,
    exhaust: true,
    decisions: false,
    budget: 500,
    fetch: (request) => store.fetch(request),
    now: () => store.now,
    sleep: async (length) => {
      store.now += length
    },
    ...options,
  })
}

describe('an independent implementation of the service', () => {
  test.each([0, 1, 60, 300])('fails no check, with %d records', async (animals) => {
    const { checks, totals } = await run(animals)

    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(totals.passed).toBeGreaterThan(70)
    expect(totals.differs).toBeGreaterThan(5)
  })

  test('fails only checks of decisions, when decisions count', async () => {
    const { checks } = await run(60, { decisions: true })

    const failed = checks.filter(({ status }) => status === 'failed')
    expect(failed.every(({ decision }) => decision)).toBe(true)
    expect(failed.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'listPets/order',
        'listPets/limit=101/400',
        'createPet/default/status',
        'createPet/201/Location',
        'createPet/body/415',
        'getPet/deprecation/Sunset',
        'listPets/401/WWW-Authenticate',
      ]),
    )
  })

  test('differs from the sandbox in the listed places', async () => {
    const { differences = [] } = await run(60, { twin: true })

    const told = differences.map(({ place, target, sandbox }) => `${place}: ${target}, ${sandbox}`)
    expect(told).not.toContainEqual(expect.stringMatching(/id: string/))
    expect(told).toEqual(
      expect.arrayContaining([
        'GET /pets?limit=101: 200, 400',
        'location: none, a URL',
        'retry-after: a date, an integer',
        'link: none, a link: next, none',
        'trace: string, none',
      ]),
    )
  })
})
