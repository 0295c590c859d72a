import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import type { World } from '../sandbox/world.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { loadItems, range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { createSharedHost } from './shared-host.ts'
import { keyWorldOf } from './world-choice.ts'
import type { StoredAccount } from './world-store.ts'

const KEY = 'key-one'

describe.skipIf(!findRedis())(
  'worlds of API keys have the plans and keys of the default world',
  () => {
    let redis: StartedRedis
    let contract: Contract
    let pair: SharedPair
    beforeAll(async () => {
      redis = await startRedis()
      contract = await loadItems()
    })
    afterEach(() => pair.close())
    afterAll(stopRedis)

    const open = async (): Promise<SharedPair> =>
      SharedPair.open(redis.address, {
        contract,
        auth: 'keys',
        plans: { free: { minute: 60, day: 900 } },
        ban: { refusals: 5 },
        keys: { [KEY]: 'free', other: 'free' },
        scenario: 'noon',
        scenarios: {
          noon: { description: 'Time stands still', clock: '2026-01-01T12:00:00Z', frozen: true },
        },
        worldBy: 'key',
      })
    const list = (sandbox: number, key = KEY): ReturnType<SharedPair['send']> =>
      pair.send(sandbox, 'GET', '/items', undefined, { Authorization: `Bearer ${key}` })
    /** Changes a world on the first server. */
    const change = (task: (world: World) => void, name = 'default'): Promise<void> =>
      createSharedHost(pair.sandboxes[0]).use(name, {}, ({ world }) => task(world))
    const accountOf = async (key: string): Promise<StoredAccount | undefined> => {
      const world = await pair.sandboxes[0].store.world(await keyWorldOf(key)).load()
      return world?.accounts.get(key)
    }

    it('when a plan is changed, which counts each request once', async () => {
      pair = await open()
      await list(1)

      await change((world) => world.setPlan('free', { minute: 3 }))
      const statuses: number[] = []
      for (const _ of range(3)) statuses.push((await list(1)).status)

      expect(statuses).toEqual([200, 200, 429])
      expect(await accountOf(KEY)).toMatchObject({
        usage: { minute: { used: 3 } },
        history: { row: 1 },
      })
    })

    it('when plans are changed while many requests are answered', async () => {
      pair = await open()

      const [answers] = await Promise.all([
        Promise.all(range(50).map((at) => list(at))),
        ...range(5).map((at) => change((world) => world.setPlan('free', { minute: 100 + at }))),
      ])

      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(await accountOf(KEY)).toMatchObject({ usage: { minute: { used: 50 } } })
    })

    it('when a key is removed, which uses no world any more, and starts unused when it is back', async () => {
      pair = await open()
      await list(1)
      const before = await accountOf(KEY)

      await change((world) => {
        world.removeKey(KEY)
        world.removeKey('other')
      })
      const refused = [await list(1), await list(1, 'other')]
      const after = [await accountOf(KEY), await accountOf('other')]
      const worlds = await pair.sandboxes[0].store.world(await keyWorldOf('other')).load()
      await change((world) => world.setKey(KEY, 'free'))
      const back = await list(1)

      expect(refused.map(({ status }) => status)).toEqual([401, 401])
      expect(before).toMatchObject({ usage: { minute: { used: 1 } } })
      expect(after).toEqual([before, undefined])
      expect(worlds).toBeUndefined()
      expect(back.status).toBe(200)
      expect(await accountOf(KEY)).toMatchObject({ usage: { minute: { used: 1 } } })
    })

    it('when they are controlled, and refuse to change them', async () => {
      pair = await open()
      await list(0)
      const name = await keyWorldOf(KEY)
      await change((world) => world.setPlan('free', { minute: 7 }))
      let seen: World['plans'] = []

      await change((world) => {
        seen = world.plans
        world.clock.advanceToReset(KEY)
      }, name)
      const refused = change((world) => world.setPlan('free', { minute: 9 }), name)

      await expect(refused).rejects.toThrow(/Change them in the default world/)
      expect(seen).toEqual([{ name: 'free', minute: 7, day: 900 }])
      const world = await pair.sandboxes[0].store.world(name).load()
      expect(world?.clock.frozenAt).toBe(Date.parse('2026-01-01T12:01:00Z'))
    })

    it('which answer with a 503 while the store is away', async () => {
      const server = await startRedis()
      pair = await SharedPair.open(server.address, { contract, worldBy: 'key' })
      await list(0)
      await server.kill()

      const { status } = await list(0)

      expect(status).toBe(503)
    })
  },
)
