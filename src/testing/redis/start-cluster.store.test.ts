import { Cluster } from 'ioredis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startRedisCluster } from './start-cluster.ts'
import { stopRedis } from './start-redis.ts'

describe('a Redis Cluster of a test', () => {
  afterEach(stopRedis)

  it('spreads keys over three masters, and keeps serving all of them when a replica takes over', async () => {
    const { address, masters } = await startRedisCluster({ replicas: 1 })
    const nodes = address
      .replace('redis+cluster://', '')
      .split(',')
      .map((node) => ({ host: '127.0.0.1', port: Number(node.split(':')[1]) }))
    const client = new Cluster(nodes).on('error', () => undefined)
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`)
    for (const key of keys) await client.set(key, key)
    // Replication is asynchronous: without this, the failover may lose the latest writes.
    const copies = await Promise.all(client.nodes('master').map((node) => node.wait(1, 10_000)))
    expect(copies).toEqual([1, 1, 1])

    await masters[0]?.kill()
    const values = await vi.waitFor(() => Promise.all(keys.map((key) => client.get(key))), 20_000)
    client.disconnect()

    expect(values).toEqual(keys)
  })
})
