import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { newEpoch } from '../testing/redis/new-epoch.ts'
import {
  type RedisOptions,
  type StartedRedis,
  startRedis,
  stopRedis,
} from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredWorld, WorldStore } from './world-store.ts'

describe('a store that fails', () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    await stopRedis()
  })

  async function open(
    options?: RedisOptions,
  ): Promise<{ redis: StartedRedis; store: WorldStore; world: StoredWorld; client: Redis }> {
    const redis = await startRedis(options)
    const store = await openRedisStore(redis.address)
    const client = new Redis(redis.address, { retryStrategy: () => 50 }).on(
      'error',
      () => undefined,
    )
    closers.push(
      () => store.close(),
      () => client.disconnect(),
    )
    const world = store.world('one')
    await world.begin(newEpoch('a'), undefined)

    return { redis, store, world, client }
  }

  it('writes nothing of what came too late, while it was paused', async () => {
    const { redis, store, world } = await open()

    redis.pause()
    const commits = Array.from({ length: 5 }, () =>
      world.commit({ epoch: 'a', exchange: { text: 'late', size: 9 } }).catch((error) => error),
    )
    const results = await Promise.all(commits)
    await sleep(500)
    redis.resume()

    expect(results).toEqual(Array.from({ length: 5 }, () => expect.any(StoreUnavailableError)))
    await vi.waitFor(() => store.check(), 20_000)
    await expect(world.load()).resolves.toMatchObject({ last: 0 })
    const done = await world.commit({ epoch: 'a', exchange: { text: 'in time', size: 9 } })
    expect(done).toEqual({ kind: 'done', exchange: 1 })
  })

  it('serves again after it was killed, with all that it acknowledged', async () => {
    const { redis, store, world } = await open({ appendOnly: true })
    await world.commit({ epoch: 'a', exchange: { text: 'kept', size: 9 } })

    await redis.kill()
    const refused = await world.load().catch((error) => error)
    await redis.restart()

    expect(refused).toBeInstanceOf(StoreUnavailableError)
    await vi.waitFor(() => store.check(), 20_000)
    await expect(world.journal.read(0, 9)).resolves.toEqual([{ id: 1, text: 'kept' }])
  })

  it('refuses all of a write when it is full, and still reads and deletes', async () => {
    const { store, world, client } = await open()
    await client.config('SET', 'maxmemory', '1kb')

    const refused = await world.commit({ epoch: 'a', random: 3 }).catch((error) => error)

    expect(refused).toBeInstanceOf(StoreUnavailableError)
    expect(refused.message).toBe(
      'The store cannot be used: it is full (maxmemory). Give it more memory.',
    )
    await expect(world.load()).resolves.toMatchObject({ random: 1 })
    await expect(store.register(CONTRACT)).rejects.toThrow(
      'Cannot use the store: it is full (maxmemory). Give it more memory.',
    )
    await expect(world.delete()).resolves.toBe(true)
  })

  it('refuses to write to a replica', async () => {
    const { world, client } = await open({ settings: { 'replica-serve-stale-data': 'yes' } })
    await client.call('replicaof', '127.0.0.1', '1')

    await expect(world.commit({ epoch: 'a', random: 3 })).rejects.toThrow(
      'The store cannot be used: it is a replica, which cannot be written to.',
    )
  })

  it.each([
    ['a field of the world', 'hset', ['pet-sandbox:1:{one}', 'offset', 'x']],
    ['an account', 'hset', ['pet-sandbox:1:{one}:a:accounts', 'sk', 'x']],
    ['a key of another type', 'set', ['pet-sandbox:1:{one}:a:rules', 'x']],
  ])('names %s that it cannot read', async (_name, command, args) => {
    const { world, client } = await open()
    await client.call(command, ...args)

    const error = await world.load().catch((one) => one)

    expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(error.message).toMatch(/pet-sandbox (?:writes|did not write)/)
  })

  it('shows the password in no error and in no object', async () => {
    const { redis, store } = await open({ password: 's3cret/pass' })
    const wrong = redis.address.replace('s3cret%2Fpass', 'wr0ng')

    const error = await openRedisStore(wrong).catch((one) => one)
    await redis.kill()
    const away = await store.check().catch((one) => one)

    expect(error.message).toBe(
      `Cannot use the store at 127.0.0.1:${redis.port}: it refuses the user name or the password. Give user and password in the address: redis://USER:PASSWORD@HOST:PORT.`,
    )
    const shown = inspect([error, away, store, store.world('one')], { depth: 20, showHidden: true })
    expect(shown).not.toMatch(/s3cret|wr0ng/)
  })

  it('is refused at the start with one line when nothing listens', async () => {
    await expect(openRedisStore('redis://user:s3cret@127.0.0.1:1')).rejects.toThrow(
      'Cannot use the store at 127.0.0.1:1: nothing listens at its address. Check the address, and that the store is running.',
    )
  })

  it('is refused at the start when it has another contract or another format', async () => {
    const { store, client } = await open()
    const first = await store.register(CONTRACT)

    await expect(store.register(CONTRACT)).resolves.toEqual(first)
    await expect(store.register({ ...CONTRACT, title: 'Orders', digest: 'x' })).rejects.toThrow(
      'Cannot use the store: its worlds under the prefix "pet-sandbox" are those of Pets 1, and not of Orders 1. Start all servers of a store with the same document and options, or choose another prefix with --store-prefix to deploy a new one.',
    )
    await client.hset('pet-sandbox:contract', 'format', '2')
    await expect(store.register(CONTRACT)).rejects.toThrow('another version of pet-sandbox wrote')
  })

  it('gives notice of a setting with which it loses records', async () => {
    const { redis } = await open({ settings: { 'maxmemory-policy': 'allkeys-lru' } })
    const store = await openRedisStore(redis.address)
    closers.push(() => store.close())

    const { notices } = await store.register(CONTRACT)

    expect(notices).toEqual([expect.stringContaining('maxmemory-policy allkeys-lru')])
  })
})

const CONTRACT = { title: 'Pets', version: '1', digest: 'a' }
