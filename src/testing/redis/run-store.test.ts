import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { findRedis } from './find-redis.ts'
import { openRunStore } from './run-store.ts'
import { startRedis, stopRedis } from './start-redis.ts'

describe('the store of a run', () => {
  it('is none when the environment names none', async () => {
    expect(await openRunStore('')).toBeUndefined()
  })

  it('fails at the start when its address is wrong', async () => {
    await expect(openRunStore('redis://127.0.0.1:1')).rejects.toThrow(
      'Cannot use the store at 127.0.0.1:1: nothing listens at its address',
    )
  })
})

describe.skipIf(!findRedis())('the store of a run', () => {
  afterEach(stopRedis)

  it('keeps the keys of others at a given address, and no key of the run', async () => {
    const { address } = await startRedis()
    const client = new Redis(address)
    const opened = await openRunStore(address)
    await client.mset({ theirs: '1', [`${opened?.store.prefix}.a`]: '2' })

    await opened?.close()

    expect(await client.keys('*')).toEqual(['theirs'])
    client.disconnect()
  })

  it('is a Redis of its own when it is to be started, which ends with the run', async () => {
    const opened = await openRunStore('start')
    const address = String(opened?.store.address)
    const client = new Redis(address)
    expect(await client.ping()).toBe('PONG')
    client.disconnect()

    await opened?.close()

    await expect(openRunStore(address)).rejects.toThrow('Cannot use the store')
  })
})
