import { afterEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../records/stored-records.ts'
import { openRedisStore } from '../../redis/open-redis-store.ts'
import type { CommitResult, StoredWorld } from '../../redis/world-store.ts'
import { newEpoch } from '../redis/new-epoch.ts'
import { startRedisCluster } from '../redis/start-cluster.ts'
import { stopRedis } from '../redis/start-redis.ts'

const NAMES = Array.from({ length: 24 }, (_, index) => `world-${index}`)

describe('a store in a cluster', () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    await stopRedis()
  })

  it('spreads worlds over the nodes, and survives the loss of a master', async () => {
    const { address, masters, replicated } = await startRedisCluster({ replicas: 1 })
    const store = await openRedisStore(address)
    closers.push(() => store.close())
    await store.register({ title: 'Pets', version: '1', digest: 'a' })
    const worlds = NAMES.map((name) => store.world(name))
    // At once, so that the first commands reach nodes that are not connected yet.
    await Promise.all(worlds.map((world) => world.begin(newEpoch('a'), undefined)))
    const told: string[] = []
    closers.unshift(...worlds.map((world) => world.journal.follow(() => told.push(world.name))))
    const before = await Promise.all(worlds.map(record))
    await vi.waitFor(() => expect(told.toSorted()).toEqual(NAMES.toSorted()), 30_000)
    await replicated()

    await masters[0]?.kill()
    const during = await Promise.all(worlds.map((world) => record(world).catch((error) => error)))
    for (const world of worlds) await vi.waitFor(() => record(world), 60_000)
    await store.registry.add('world-1', { group: 'named', most: 10 })

    expect(before).toEqual(NAMES.map(() => ({ kind: 'done', exchange: 1 })))
    expect(during.some((one) => one instanceof StoreUnavailableError)).toBe(true)
    expect(during.some((one) => one.kind === 'done')).toBe(true)
    await expect(store.registry.list()).resolves.toEqual(['world-1'])
  })

  it('is opened by the address of one node, however soon the others are connected', async () => {
    const { masters } = await startRedisCluster()
    const address = `redis+cluster://127.0.0.1:${masters[0]?.port}`

    const stores = await Promise.all(Array.from({ length: 10 }, () => openRedisStore(address)))

    closers.push(...stores.map((store) => () => store.close()))
    const identity = { title: 'Pets', version: '1', digest: 'a' }
    const registrations = await Promise.all(stores.map((store) => store.register(identity)))
    expect(new Set(registrations.map(({ startedAt }) => startedAt)).size).toBe(1)
  })

  it('names all nodes as its servers, also those that the address does not name', async () => {
    const { masters, replicas } = await startRedisCluster({ replicas: 1 })
    const store = await openRedisStore(`redis+cluster://127.0.0.1:${masters[0]?.port}`)
    closers.push(() => store.close())
    const ports = [...masters, ...replicas].map(({ port }) => port)

    await vi.waitFor(async () => {
      const found = (await store.servers()).map(({ port }) => port)
      expect([...new Set(found)].toSorted()).toEqual(ports.toSorted())
    }, 30_000)
  })

  function record(world: StoredWorld): Promise<CommitResult> {
    return world.commit({ epoch: 'a', exchange: { text: world.name, size: 9 } })
  }
})
