import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StartedCommand, startCommand, stopCommands } from '../../testing/command.ts'
import { findRedis } from '../../testing/redis/find-redis.ts'
import { startRedis, stopRedis } from '../../testing/redis/start-redis.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }
const BIN = fileURLToPath(new URL('../../../bin/pet-sandbox.js', import.meta.url))

/** A value that no server wrote: which key has it, and how it gets there. */
type Corruption = readonly [
  what: string,
  key: RegExp,
  corrupt: (redis: Redis, key: string) => Promise<unknown>,
]

const CORRUPTIONS: readonly Corruption[] = [
  ['a record that is truncated', /:r:1$/, (redis, key) => redis.set(key, '1 1 {"id":1,"na')],
  ['a record that is no object', /:r:1$/, (redis, key) => redis.set(key, '1 1 [1]')],
  ['a record of another type', /:r:1$/, (redis, key) => replaceByList(redis, key)],
  ['an index with a long text', /:i$/, (redis, key) => redis.zadd(key, 0, '!'.repeat(20_000))],
  ['an index of another type', /:i$/, (redis, key) => replaceByList(redis, key)],
  [
    'a count that is no number',
    /:accounts$/,
    async (redis, key) => {
      for (const field of await redis.hkeys(key)) await redis.hset(key, field, '9e999:x:1:1|')
    },
  ],
  ['a clock that is no number', /\{default\}$/, (redis, key) => redis.hset(key, 'offset', 'soon')],
  ['a journal of another type', /:journal$/, (redis, key) => replaceByList(redis, key)],
  [
    'a configuration with a prototype',
    /\{default\}$/,
    (redis, key) =>
      redis.hset(key, 'text', '{"keys":{"__proto__":{"a":1}},"rules":{}}', 'version', 99),
  ],
]

async function replaceByList(redis: Redis, key: string): Promise<void> {
  await redis.del(key)
  await redis.rpush(key, 'one')
}

describe.skipIf(findRedis() === undefined)('a value in the store that no server wrote', () => {
  let redis: Redis
  let server: StartedCommand

  beforeAll(async () => {
    const { port } = await startRedis()
    redis = new Redis(port)
    server = await startCommand(['--store', `redis://127.0.0.1:${port}`], {
      program: [process.execPath, BIN],
    })
  })

  afterAll(async () => {
    redis.disconnect()
    await stopCommands()
    await stopRedis()
  })

  const get = (path: string): Promise<Response> =>
    fetch(new URL(path, server.base), { headers: FREE })

  test.each(CORRUPTIONS)('is refused with a 503: %s', async (_what, pattern, corrupt) => {
    await redis.flushall()
    await get('/v1/pets?limit=2')
    const keys = await redis.keys('*{default}*')
    const key = keys.find((one) => pattern.test(one)) ?? ''

    await corrupt(redis, key)
    const answers = [await get('/v1/pets?limit=2'), await get('/v1/pets?limit=2')]
    const other = await get('/worlds/other/v1/pets?limit=2')

    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(await answer.json()).toMatchObject({ code: 'service_unavailable', status: 503 })
    }
    expect(other.status).toBe(200)
  })

  test('is refused with a 503 by a creation: the state of a collection', async () => {
    await redis.flushall()
    await get('/v1/pets?limit=2')
    const [key = ''] = await redis.keys('*{default}*:c:pets*:s')

    await redis.hset(key, 'ready', '{"a":1}')
    const { status } = await fetch(new URL('/v1/pets', server.base), {
      method: 'POST',
      headers: { ...FREE, 'Content-Type': 'application/json' },
      body: '{"name":"Fern","categoryId":1}',
    })

    expect(status).toBe(503)
  })

  test('never ends the server or fills its log with stacks', async () => {
    const { code, stderr } = await server.stop()
    const lines = new Set(stderr.split('\n').filter(Boolean))

    expect({ code, lines: [...lines] }).toEqual({
      code: 0,
      lines: ['pet-sandbox: The store was emptied. Worlds begin again with their first records.'],
    })
  })
})
