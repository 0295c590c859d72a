import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { findRedis } from './find-redis.ts'
import { openNetwork, type StoreNetwork } from './network.ts'
import { type StartedRedis, startRedis, stopRedis } from './start-redis.ts'

describe.skipIf(!findRedis())('a network to a store', () => {
  const closers: (() => unknown)[] = []
  const open = async (): Promise<{ redis: StartedRedis; network: StoreNetwork; client: Redis }> => {
    const redis = await startRedis()
    const network = await openNetwork(redis.port)
    const client = connect(network.address)
    closers.push(network.close)
    return { redis, network, client }
  }
  const connect = (address: string): Redis => {
    const client = new Redis(address, {
      retryStrategy: () => 20,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
    }).on('error', () => undefined)
    closers.unshift(() => client.disconnect())
    return client
  }
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    await stopRedis()
  })

  it('counts the round trips, of which commands that are sent together need one', async () => {
    const { network, client } = await open()
    await client.ping()
    network.delay(10)
    const before = { ...network.traffic }

    await Promise.all([client.set('a', 1), client.set('b', 2)])
    await client.get('a')

    expect(network.traffic.trips - before.trips).toBe(2)
    expect(network.traffic.received - before.received).toBe('+OK\r\n+OK\r\n$1\r\n1\r\n'.length)
  })

  it('loses the answer to a command that the store has obeyed', async () => {
    const { redis, network, client } = await open()
    await client.ping()

    network.loseAnswers()
    const answer = await client.incr('count').catch(() => 'lost')
    network.mend()

    expect([answer, await connect(redis.address).get('count')]).toEqual(['lost', '1'])
  })

  it('refuses connections while it is cut', async () => {
    const { network, client } = await open()
    await client.ping()

    network.cut()
    const answer = await client.ping().catch(() => 'refused')
    network.mend()

    expect(answer).toBe('refused')
    await expect(connect(network.address).ping()).resolves.toBe('PONG')
  })
})
