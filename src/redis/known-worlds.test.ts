import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { loadItems, range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'

describe.skipIf(!findRedis())('worlds of sandboxes on one store', () => {
  let redis: StartedRedis
  let contract: Contract
  let pair: SharedPair
  beforeAll(async () => {
    redis = await startRedis()
    contract = await loadItems()
  })
  afterEach(() => pair.close())
  afterAll(stopRedis)

  const create = (sandbox: number, world: string): ReturnType<SharedPair['send']> =>
    pair.send(sandbox, 'POST', `/worlds/${world}/items`, { name: 'Fern' })

  it('that are too many are dropped, the least recently used one first, and created again', async () => {
    pair = await SharedPair.open(redis.address, { contract, worlds: 2, records: 1 })
    const told: string[] = []
    for (const { onDrop } of pair.sandboxes) onDrop((name) => told.push(name))

    for (const [at, world] of ['a', 'b', 'c'].entries()) await create(at, world)
    const { registry } = pair.sandboxes[0].store
    const listed = await registry.list()
    const dropped = await registry.dropped()
    const again = await pair.send(1, 'GET', '/worlds/a/items')

    expect([listed, dropped, told.slice(0, 1)]).toEqual([['b', 'c'], ['a'], ['a']])
    expect(again.body).toHaveLength(1)
    expect(await registry.list()).toEqual(['c', 'a'])
  })

  it('are dropped in the order of their latest uses, however soon these follow each other', async () => {
    pair = await SharedPair.open(redis.address, { contract, worlds: 3, records: 1 })

    for (const world of ['a', 'b', 'c']) await create(0, world)
    for (const world of ['a', 'd']) await create(1, world)
    await create(0, 'c')

    const { registry } = pair.sandboxes[0].store
    expect(await registry.dropped()).toEqual(['b'])
    expect(await registry.list()).toEqual(['a', 'd', 'c'])
  })

  it('are all listed, also when they are created and dropped at the same time', async () => {
    pair = await SharedPair.open(redis.address, { contract, worlds: 2, records: 1 })
    const names = ['a', 'b', 'c']

    const answers = await Promise.all(
      range(30).map((at) => create(at, names[Math.floor(at / 2) % 3] ?? '')),
    )

    // A request whose world is dropped again and again gets a 503.
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].filter((status) => status !== 503)).toEqual([201])
    const { store } = pair.sandboxes[0]
    await expect
      .poll(async () => {
        const loaded = await Promise.all(names.map((name) => store.world(name).load()))
        const existing = names.filter((_, at) => loaded[at])
        const listed = await store.registry.list()
        return existing.filter((name) => !listed.includes(name))
      })
      .toEqual([])
  })
})

describe.skipIf(!findRedis())('the registry of worlds', () => {
  let redis: StartedRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(stopRedis)

  it('drops the unused worlds with a prefix, and each of them for one server only', async () => {
    const pair = await SharedPair.open(redis.address)
    const [
      {
        store: { registry },
      },
      { store: other },
    ] = pair.sandboxes
    for (const name of ['key:a', 'named', 'key:b']) {
      await registry.add(name, { group: name === 'named' ? 'named' : 'keys', most: 10 })
    }

    const early = await registry.dropUnused('key:', 60_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await registry.use('key:b')
    const both = await Promise.all([
      registry.dropUnused('key:', 10),
      other.registry.dropUnused('key:', 10),
    ])

    expect(early).toEqual([])
    expect(both.flat().filter((name) => name === 'key:a')).toEqual(['key:a'])
    expect(await registry.list()).toContain('named')
    await pair.close()
  })

  it('has places for each group, and those of others are free only after a time without use', async () => {
    const pair = await SharedPair.open(redis.address)
    const [
      {
        store: { registry },
      },
    ] = pair.sandboxes
    const add = (name: string, idle: number) =>
      registry.add(name, { group: 'others', most: 2, idle })
    await registry.add('named', { group: 'named', most: 1 })
    await registry.add('key', { group: 'keys', most: 1 })

    const first = [await add('a', 60_000), await add('b', 60_000), await add('c', 60_000)]
    await new Promise((resolve) => setTimeout(resolve, 30))
    const later = [await add('a', 60_000), await add('c', 20)]
    await registry.use('a', 'keys')

    expect([...first, ...later]).toEqual([[], [], undefined, [], ['b']])
    expect(await registry.list()).toEqual(['named', 'key', 'c', 'a'])
    expect(await registry.add('d', { group: 'keys', most: 2 })).toEqual(['key'])
    await pair.close()
  })
})
