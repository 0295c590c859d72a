import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { findRedis } from './find-redis.ts'
import { startRedis, stopRedis } from './start-redis.ts'

describe.skipIf(!findRedis())('a Redis server of a test', () => {
  const clients: Redis[] = []
  const connect = (address: string): Redis => {
    const client = new Redis(address, { retryStrategy: () => 50 }).on('error', () => undefined)
    clients.push(client)
    return client
  }
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await stopRedis()
  })

  it('keeps what it acknowledged when it is killed and started again', async () => {
    const redis = await startRedis({ appendOnly: true, password: 'p@ss/word' })
    await connect(redis.address).set('name', 'Fern')

    await redis.kill()
    await redis.restart()

    expect(await connect(redis.address).get('name')).toBe('Fern')
  })

  it('answers nothing while it is paused', async () => {
    const redis = await startRedis()
    const client = connect(redis.address)
    await client.ping()

    redis.pause()
    const answer = client.ping()
    const first = await Promise.race([answer, sleep(100, 'nothing')])
    redis.resume()

    expect([first, await answer]).toEqual(['nothing', 'PONG'])
  })

  it('refuses to write when its memory is full', async () => {
    const redis = await startRedis({ maxmemory: '100kb' })

    await expect(connect(redis.address).set('name', 'x'.repeat(100))).rejects.toThrow('OOM')
  })
})
