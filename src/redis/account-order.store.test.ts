import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bans } from '../access/ban.ts'
import type { MeteredCaller } from '../access/callers.ts'
import { Limits } from '../access/limits.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { newEpoch } from '../testing/redis/new-epoch.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredAccount, StoredWorld, WorldStore } from './world-store.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const PLAN = { name: 'free', minute: 1, day: 10 }
/** How many requests are under way at once. */
const BATCH = 200

const BAN = { refusals: 1, seconds: 300, factor: 2, maxSeconds: 3600 }

describe.skipIf(!findRedis())('accounts in the store', () => {
  let store: WorldStore
  beforeAll(async () => {
    const { address } = await startRedis()
    store = await openRedisStore(address)
  })
  afterAll(async () => {
    await store.close()
    await stopRedis()
  })

  async function begun(name: string, names: readonly string[] = []): Promise<StoredWorld> {
    const world = store.world(name)
    const accounts = new Map(names.map((one) => [one, used(1)]))
    await world.begin(newEpoch('a', { clock: { offset: 0, frozenAt: NOON }, accounts }), undefined)
    return world
  }

  it('are loaded in the order of their first requests', async () => {
    const restored = tokens(200, 'restored')
    const world = await begun('order', restored)
    const [first = '', second = ''] = restored

    await arriveAll(world, [...tokens(600, 'new'), first])
    const accounts = [
      { key: second, before: used(1), after: undefined },
      { key: 'corrected', before: undefined, after: used(3) },
    ]
    await world.commit({ epoch: 'a', accounts })
    await arriveAll(world, [second])

    const loaded = await world.load()
    expect([...(loaded?.accounts.keys() ?? [])]).toEqual([
      ...restored.filter((one) => one !== second),
      ...tokens(600, 'new'),
      'corrected',
      second,
    ])
  })

  it('of more unlisted credentials than are kept are forgotten as in memory', async () => {
    const restored = tokens(10, 'restored')
    const world = await begun('limit', restored)
    const bans = new Bans(BAN)
    const limits = new Limits(bans, true)
    for (const one of restored) limits.put(one, used(1).usage)
    // Some credentials come again: once before others are forgotten for them, and once after that.
    const many = tokens(10_040, 'token')
    const sent = [...restored.slice(5), ...many.slice(0, 20), ...many, ...many.slice(0, 30)]

    await arriveAll(world, sent)
    for (const account of sent) {
      const caller = unlisted(account)
      bans.admit({ caller, quota: limits.count(caller, NOON), now: NOON })
    }

    const accounts = [...((await world.load())?.accounts ?? [])]
    const usage = accounts.flatMap(([name, one]) => (one.usage ? [[name, one.usage]] : []))
    const histories = accounts.flatMap(([name, one]) =>
      one.history ? [[name, one.history] as const] : [],
    )
    expect(usage).toEqual([...limits.read()])
    expect(new Map(histories)).toEqual(bans.read())
    expect(usage.length).toBe(10_005)
  })
})

function tokens(count: number, name: string): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${name}-${at}`)
}

function used(requests: number): Required<Pick<StoredAccount, 'usage'>> {
  const minute = { window: NOON / 60_000, used: requests }
  return { usage: { minute, day: { window: NOON / 86_400_000 - 0.5, used: requests } } }
}

function unlisted(account: string): MeteredCaller {
  return { account, credential: account, key: 'valid', plan: PLAN, isUnlisted: true }
}

async function arriveAll(world: StoredWorld, accounts: readonly string[]): Promise<void> {
  const count = {
    plan: PLAN,
    cost: 1,
    isEnforced: true,
    isUnlisted: true,
    isAdmitted: true,
    ban: BAN,
  } as const
  for (let at = 0; at < accounts.length; at += BATCH) {
    const arrivals = accounts
      .slice(at, at + BATCH)
      .map((account) =>
        world.arrive({ epoch: 'a', version: 1, account, rules: [], count: { account, ...count } }),
      )
    for (const { kind } of await Promise.all(arrivals)) expect(kind).toBe('arrived')
  }
}
