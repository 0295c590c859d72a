import { readdirSync, readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import { PROBE } from './scripts/registry-scripts.ts'

const FOLDER = new URL('./', import.meta.url)

describe('the probe of the rights of a user', () => {
  afterEach(stopRedis)

  it('calls every command that is used', () => {
    const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'))
    const calls = sources.flatMap((text) => [
      ...text.matchAll(/(?:redis\.p?call|command)\(\s*'(?<name>\w+)'/g),
    ])
    const used = new Set(calls.map(({ groups }) => groups?.name?.toUpperCase() ?? ''))

    const missing = [...used].filter((name) => !PROBE.lua.includes(`{'${name}'`))

    expect(used.size).toBeGreaterThan(30)
    expect(missing).toEqual([])
  })

  it.each([
    ['xadd', 'what pet-sandbox needs'],
    ['zpopmin', 'what pet-sandbox needs'],
    ['get', 'what pet-sandbox needs'],
    ['info', 'the command INFO'],
    ['eval', 'the command EVAL'],
  ])(
    'refuses a user without the right to %s, and leaves nothing in the store',
    async (command, missing) => {
      const { port } = await startRedis()
      const client = new Redis(port)
      await client.call('ACL', 'SETUSER', 'pets', 'on', '>s3cret', '~*', '+@all', `-${command}`)

      const opening = openRedisStore(`redis://pets:s3cret@127.0.0.1:${port}`)

      await expect(opening).rejects.toThrow(
        `Cannot use the store at 127.0.0.1:${port}: it does not allow its user ${missing}. Allow what the guide names: ACL SETUSER NAME ~pet-sandbox:* +@read +@write +@connection +@scripting +info +time, with the prefix of the store.`,
      )
      await expect(client.keys('*')).resolves.toEqual([])
      client.disconnect()
    },
  )

  it('accepts a user that may only read and write the keys of the prefix', async () => {
    const { port } = await startRedis()
    const client = new Redis(port)
    const rights = '+@read +@write +@connection +@scripting +info +time'.split(' ')
    await client.call('ACL', 'SETUSER', 'pets', 'on', '>s3cret', '~pets:*', ...rights)
    client.disconnect()

    const store = await openRedisStore(`redis://pets:s3cret@127.0.0.1:${port}`, { prefix: 'pets' })

    await expect(store.check()).resolves.toBeUndefined()
    await store.close()
  })
})
