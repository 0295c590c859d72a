import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type StartedCommand, startCommand, stopCommands } from '../../testing/command.ts'
import { type StartedRedis, startRedis, stopRedis } from '../../testing/redis/start-redis.ts'

const BIN = fileURLToPath(new URL('../../../bin/pet-sandbox.js', import.meta.url))

let redis: StartedRedis
let prefixes = 0

/** Starts two servers on one store. */
function startTwo(...args: string[]): Promise<StartedCommand[]> {
  prefixes += 1
  const all = ['--store', redis.address, '--store-prefix', `${prefixes}`, '--world-by', 'key']
  const options = { program: [process.execPath, BIN] as const }

  return Promise.all([1, 2].map(() => startCommand([...all, ...args], options)))
}

async function create(base: string | undefined, path: string, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 2 })
  return (await fetch(base + path, { method: 'POST', headers, body })).status
}

/** The status of a response with this key. */
async function read(base: string | undefined, path: string, key: string): Promise<number> {
  return (await fetch(base + path, { headers: { Authorization: `Bearer ${key}` } })).status
}

describe('servers with --world-by key', () => {
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(stopCommands)
  afterAll(stopRedis)

  test('keep the records of each key apart from those of the others, on every server', async () => {
    const [one, two] = await startTwo()

    const created = await create(one?.base, '/pets', 'sk_sandbox_free')
    const own = await read(two?.base, '/pets/51', 'sk_sandbox_free')
    const others = await read(two?.base, '/pets/51', 'sk_sandbox_pro')

    expect([created, own, others]).toEqual([201, 200, 404])
  })

  test('let requests with invalid keys share the count of the default world', async () => {
    const [one, two] = await startTwo()
    const remaining = async (base = '', key: string): Promise<string | null> => {
      const headers = { Authorization: `Bearer ${key}` }
      return (await fetch(`${base}/pets`, { headers })).headers.get('x-ratelimit-remaining')
    }

    // All requests are in the same minute.
    await fetch(new URL('/__sandbox/clock', one?.base), {
      method: 'POST',
      body: '{"freeze":true}',
      headers: { 'Content-Type': 'application/json' },
    })

    const counts = [await remaining(one?.base, 'wrong'), await remaining(two?.base, 'other')]
    const worlds = await (await fetch(new URL('/__sandbox/worlds', one?.base))).json()

    expect(counts).toEqual(['59', '58'])
    expect(worlds).toMatchObject([{ name: 'default', requests: 2 }])
    expect(worlds).toHaveLength(1)
  })

  test('serve the world that the path names, whatever the key', async () => {
    const [one, two] = await startTwo()
    const inWorld = (server: StartedCommand | undefined): string =>
      `${new URL(server?.base ?? '').origin}/worlds/shared/v1`

    await create(inWorld(one), '/pets', 'sk_sandbox_free')

    expect(await read(inWorld(two), '/pets/51', 'sk_sandbox_pro')).toBe(200)
    expect(await read(two?.base, '/pets/51', 'sk_sandbox_free')).toBe(404)
  })

  test('drop the world of a key that is not used, say so, and create it anew', async () => {
    const [one, two] = await startTwo('--world-ttl', '1s')
    await create(one?.base, '/pets', 'sk_sandbox_free')

    const dropped = /world key:[0-9a-f]{32} was dropped/
    await expect.poll(() => dropped.test(`${one?.output()}${two?.output()}`)).toBe(true)

    expect(await read(two?.base, '/pets/51', 'sk_sandbox_free')).toBe(404)
    expect(await read(one?.base, '/pets/1', 'sk_sandbox_free')).toBe(200)
  })
})
