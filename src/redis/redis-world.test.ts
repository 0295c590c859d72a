import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findRedis } from '../testing/redis/find-redis.ts'
import { newEpoch } from '../testing/redis/new-epoch.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { MAX_TIME } from '../time/clock.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredAccount, StoredWorld, WorldStore } from './world-store.ts'

const RULE = { matched: 1, forced: 2, random: -2_147_483_648 }
const USED = {
  usage: { minute: { window: 29_923_888, used: 3 }, day: { window: 20_780, used: 5 } },
}
const BANNED = { history: { row: 0, retryAt: 5, bans: 1, until: MAX_TIME } }

describe.skipIf(!findRedis())('a world in Redis', () => {
  let store: WorldStore
  let worlds = 0
  beforeAll(async () => {
    const { address } = await startRedis()
    store = await openRedisStore(address)
  })
  afterAll(async () => {
    await store.close()
    await stopRedis()
  })

  async function begin(given: Parameters<typeof newEpoch>[1] = {}): Promise<StoredWorld> {
    worlds += 1
    const world = store.world(`wörld {${worlds}} \ud800`)
    await world.begin(newEpoch('first', given), undefined)
    return world
  }

  it('is loaded as it began', async () => {
    const given = {
      text: '{"keys":"schlüssel \\u0000"}',
      clock: { offset: -5, frozenAt: MAX_TIME },
      random: -7,
      accounts: new Map<string, StoredAccount>([
        ['used', USED],
        ['banned', { ...USED, ...BANNED }],
        ['a:b|c d', BANNED],
      ]),
      rules: new Map([[3, RULE]]),
    }
    const world = await begin(given)

    const loaded = await world.load()

    expect(loaded).toEqual({
      ...given,
      epoch: 'first',
      version: 1,
      storeTime: expect.any(Number),
      lead: expect.any(Number),
      last: 0,
      isFollowed: false,
      told: 0,
    })
  })

  it('does not exist before it begins, and begins once', async () => {
    const world = store.world('new')

    const before = await world.load()
    const begun = await Promise.all([
      world.begin(newEpoch('one'), undefined),
      world.begin(newEpoch('two'), undefined),
    ])

    expect([before, begun]).toEqual([undefined, [true, false]])
    await expect(world.load()).resolves.toMatchObject({ epoch: 'one' })
    await expect(world.begin(newEpoch('three'), 'two')).resolves.toBe(false)
    await expect(world.begin(newEpoch('three'), 'one')).resolves.toBe(true)
  })

  it('is deleted once', async () => {
    const world = await begin()

    const deleted = [await world.delete(), await world.delete()]

    expect([deleted, await world.load()]).toEqual([[true, false], undefined])
    await expect(world.commit({ epoch: 'first' })).resolves.toEqual({ kind: 'past' })
  })

  it('keeps what is committed', async () => {
    const world = await begin({ rules: new Map([[3, RULE]]), accounts: new Map([['used', USED]]) })

    const result = await world.commit({
      epoch: 'first',
      version: 1,
      text: 'changed',
      clock: { offset: 9 },
      random: 4,
      accounts: [
        { key: 'used', before: USED, after: undefined },
        { key: 'banned', before: undefined, after: BANNED },
      ],
      rules: [{ key: 8, before: undefined, after: RULE }],
      ruleCounts: [
        { rule: 3, matched: 2, forced: 1 },
        { rule: 99, matched: 1, forced: 1 },
      ],
      exchange: { text: 'one', size: 2 },
    })

    expect(result).toEqual({ kind: 'done', exchange: 1 })
    await expect(world.load()).resolves.toMatchObject({
      version: 2,
      text: 'changed',
      clock: { offset: 9 },
      random: 4,
      accounts: new Map([['banned', BANNED]]),
      rules: new Map([
        [3, { matched: 3, forced: 3, random: RULE.random }],
        [8, RULE],
      ]),
      last: 1,
    })
  })

  it.each([
    ['the configuration', { version: 2 }],
    ['an account', { accounts: [{ key: 'used', before: BANNED, after: undefined }] }],
    ['a new account', { accounts: [{ key: 'used', before: undefined, after: BANNED }] }],
    ['a rule', { rules: [{ key: 3, before: { ...RULE, forced: 0 }, after: undefined }] }],
    ['the ids', { ids: [{ collection: 'pets@0', from: 1, to: 2 }] }],
  ])('writes nothing when %s has changed', async (_name, changed) => {
    const given = { rules: new Map([[3, RULE]]), accounts: new Map([['used', USED]]) }
    const world = await begin(given)
    const before = await world.load()

    const result = await world.commit({
      epoch: 'first',
      text: 'changed',
      random: 5,
      exchange: { text: 'one', size: 2 },
      ...changed,
    })

    expect(result.kind).toBe('conflict')
    const time = { storeTime: expect.any(Number), lead: expect.any(Number) }
    await expect(world.load()).resolves.toEqual({ ...before, ...time })
  })

  it('answers a conflict with the present rules, in the order of the commit', async () => {
    const world = await begin({ rules: new Map([[3, RULE]]) })

    const result = await world.commit({
      epoch: 'first',
      rules: [
        { key: 4, before: RULE, after: undefined },
        { key: 3, before: RULE, after: undefined },
      ],
    })

    expect(result).toMatchObject({ kind: 'conflict', rules: [undefined, RULE] })
  })

  it('tells a request with an older configuration the present one, and counts nothing', async () => {
    const world = await begin({ text: 'present' })
    const count = {
      account: 'sk',
      plan: { minute: 1, day: 1 },
      cost: 1,
      isEnforced: true,
      isUnlisted: false,
      isAdmitted: true,
    } as const

    const arrive = (epoch: string) =>
      world.arrive({ epoch, version: 1, account: 'sk', rules: [], count })

    await expect(arrive('older')).resolves.toEqual({
      kind: 'stale',
      config: { epoch: 'first', version: 1, text: 'present' },
    })
    await expect(arrive('first')).resolves.toMatchObject({ arrived: { before: {} } })
    await expect(
      store.world('none').arrive({ epoch: '', version: 1, account: '', rules: [] }),
    ).resolves.toEqual({ kind: 'missing', storeTime: expect.any(Number) })
  })

  it('removes what an ended epoch had', async () => {
    const world = await begin({ accounts: new Map([['used', USED]]) })
    await world.commit({ epoch: 'first', exchange: { text: 'one', size: 2 } })

    await world.begin(newEpoch('second'), 'first')

    await expect(world.journal.read(0, 10)).resolves.toEqual([])
    await expect(world.load()).resolves.toMatchObject({ accounts: new Map(), last: 0 })
    await expect(world.commit({ epoch: 'first', random: 3 })).resolves.toEqual({ kind: 'past' })
  })

  it.each([
    [0, 200],
    [250, 250],
  ])('of a journal of %d exchanges, keeps the latest %d', async (size, kept) => {
    const world = await begin()
    const texts = Array.from({ length: 260 }, (_, at) => `${at + 1}`)
    await Promise.all(
      texts.map((text) => world.commit({ epoch: 'first', exchange: { text, size } })),
    )

    const exchanges = texts.map((text) => ({ id: Number(text), text })).slice(-kept)
    expect(await world.journal.read(0, Number.POSITIVE_INFINITY)).toEqual(exchanges)
    expect(await world.journal.read(259, 10)).toEqual([{ id: 260, text: '260' }])
    expect(await world.journal.read(0, 1)).toEqual(exchanges.slice(0, 1))
    await expect(world.load()).resolves.toMatchObject({ last: 260 })
  })
})
