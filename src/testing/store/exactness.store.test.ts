import { afterEach, describe, expect, it } from 'vitest'
import { stopCommands } from '../command.ts'
import { startRedis, stopRedis } from '../redis/start-redis.ts'
import { createAnimal, createdBy, expectKept } from './animals.ts'
import { countStatuses, runParallel, send, startServers } from './servers.ts'

const CREATIONS = 3000

describe('three servers on one store', () => {
  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  it('serve exactly the quota of a key, of requests that arrive in parallel', async () => {
    const { address } = await startRedis()
    // A day of sixty requests, too, because a minute may end during the test.
    const servers = await startServers(3, address, ['--plan', 'free=60/60'])

    const responses = await runParallel(200, 200, (index) =>
      send(servers[index % 3] ?? fail(), 'GET', '/pets?limit=1'),
    )

    expect(countStatuses(responses)).toEqual({ 200: 60, 429: 140 })
  })

  it('give each record its own id, and lose none', async () => {
    const { address } = await startRedis()
    const servers = await startServers(3, address, ['--no-quota', '--records', '0'])

    const responses = await runParallel(CREATIONS, 48, (index) =>
      createAnimal(servers[index % 3] ?? fail(), `Fern ${index}`),
    )

    expect(countStatuses(responses)).toEqual({ 201: CREATIONS })
    const created = createdBy(responses)
    expect(new Set(created.map(({ id }) => id)).size).toBe(CREATIONS)
    await expectKept(servers[2] ?? fail(), created)
  }, 300_000)

  it('all refuse a key at once that one of them has banned', async () => {
    const { address } = await startRedis()
    const servers = await startServers(3, address, ['--plan', 'free=1/1'])
    const [first = fail()] = servers

    for (let count = 0; count < 11; count += 1) await send(first, 'GET', '/pets')
    const responses = await Promise.all(servers.map((server) => send(server, 'GET', '/pets')))

    expect(responses.map(({ body }) => body.code)).toEqual(Array(3).fill('api_key_banned'))
  })
})

function fail(): never {
  throw new Error('There is no such server')
}
