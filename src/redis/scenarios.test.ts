import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createSandbox } from '../index.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances, type Instance, openInstances } from '../testing/redis/instances.ts'
import { loadItems } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'

const SCENARIOS = {
  few: { description: 'Few records', records: 2 },
  given: { description: 'Given records', records: { items: [{ id: 1, name: 'Fern' }] } },
  later: { description: 'Another time', clock: '2030-12-04T12:00:00Z' },
}

interface Api {
  fetch(request: Request): Promise<Response>
}

/** The records of a world: those at the top, and those below the first one. */
async function recordsIn({ fetch }: Api, world = ''): Promise<unknown> {
  const read = async (path: string): Promise<unknown> => {
    const headers = { Authorization: 'Bearer any' }
    return (await fetch(new Request(`http://localhost${world}${path}`, { headers }))).json()
  }
  return [await read('/items'), await read('/items/1/parts')]
}

describe.skipIf(!findRedis())('a scenario on a shared store', () => {
  let redis: StartedRedis
  let contract: Contract
  beforeAll(async () => {
    redis = await startRedis()
    contract = await loadItems()
  })
  afterEach(closeInstances)
  afterEach(() => {
    vi.useRealTimers()
  })
  afterAll(stopRedis)

  const open = (scenario?: string): Promise<readonly [Instance, Instance]> =>
    openInstances(redis.address, { contract, scenarios: SCENARIOS, ...(scenario && { scenario }) })

  it.each(['few', 'given'])(
    'with records of its own starts all collections as in memory: %s',
    async (name) => {
      const memory = createSandbox({ contract, scenarios: SCENARIOS })
      const [one, other] = await open()
      const atStart = await recordsIn(memory)
      expect(await recordsIn(one)).toEqual(atStart)

      await memory.play(name)
      await one.callControl('POST', `/scenarios/${name}`)
      const played = await recordsIn(memory)

      expect(played).not.toEqual(atStart)
      await other.callControl('POST', '/worlds', { body: { name: 'fork', from: 'default' } })
      expect(await recordsIn(other, '/worlds/fork')).toEqual(played)
      expect(await recordsIn(other)).toEqual(played)
      await one.callControl('POST', '/reset')
      expect(await recordsIn(other)).toEqual(atStart)
    },
  )

  it('at the start does not change what a restored snapshot has', async () => {
    const memory = createSandbox({ contract, scenarios: SCENARIOS })
    const snapshot = await memory.snapshot()
    const [one, other] = await open('few')
    const before = await recordsIn(other)

    await one.callControl('PUT', '/snapshot', { body: snapshot })

    const restored = await recordsIn(other)
    expect(restored).toEqual(await recordsIn(memory))
    expect(restored).not.toEqual(before)
  })

  it('starts at its time, whatever the clock of the machine', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
    const [one, other] = await open('later')
    const timeOf = async ({ callControl }: Instance): Promise<string> =>
      (await callControl<{ now: string }>('GET', '/clock')).body.now.slice(0, 13)

    const started = await timeOf(one)
    await one.callControl('POST', '/clock', { body: { advance: '2h' } })
    const advanced = await timeOf(other)
    await other.callControl('POST', '/reset')
    const reset = await timeOf(one)

    expect([started, advanced, reset]).toEqual(['2030-12-04T12', '2030-12-04T14', '2030-12-04T12'])
  })
})
