import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { type StartedCommand, stopCommands } from '../command.ts'
import { type StartedRedis, startRedis, stopRedis } from '../redis/start-redis.ts'
import {
  createAnimal,
  createdBy,
  createMany,
  expectGoesOn,
  expectUnavailable,
  listAnimals,
  namesOf,
} from './animals.ts'
import { startServers, startTwo } from './servers.ts'

const KILL_CLIENTS = ['CLIENT', 'KILL', 'TYPE', 'normal']

describe('servers on a Redis', () => {
  const clients: Redis[] = []
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    await stopCommands()
    await stopRedis()
  })

  /** Connects, and returns a function that sends commands. */
  function openOperator({ port }: StartedRedis): (command: readonly string[]) => Promise<unknown> {
    const client = new Redis(port, { retryStrategy: () => null }).on('error', () => undefined)
    clients.push(client)

    return ([command = '', ...args]) => client.call(command, ...args)
  }

  it.each([
    ['is full', [['CONFIG', 'SET', 'maxmemory', '1']], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['is a replica', [['REPLICAOF', '127.0.0.1', '1']], ['REPLICAOF', 'NO', 'ONE']],
    [
      'has a new password',
      [['CONFIG', 'SET', 'requirepass', 'new'], KILL_CLIENTS],
      ['CONFIG', 'SET', 'requirepass', ''],
    ],
  ])('answer 503 while it %s, write nothing, and go on after that', async (_fault, begin, end) => {
    const redis = await startRedis()
    const servers = await startTwo(redis.address)
    const before = createdBy(await Promise.all(servers.map((one) => createAnimal(one, 'Before'))))
    const operator = openOperator(redis)

    for (const command of begin) await operator(command)
    const during = await Promise.all(servers.map((server) => createAnimal(server, 'During')))
    await operator(end)

    for (const response of during) {
      expectUnavailable(response)
      expect(response.headers.get('X-RateLimit-Limit')).toBeNull()
    }
    for (const server of servers) await expectGoesOn(server, before)
    expect(await namesOf(servers[0])).not.toContain('During')
  })

  it('answer 503 at most, and lose nothing, when it closes all connections', async () => {
    const redis = await startRedis()
    const servers = await startTwo(redis.address)

    const loads = servers.map(createMany)
    await Promise.all(loads.map(({ hasBegun }) => hasBegun))
    await openOperator(redis)(KILL_CLIENTS)
    const all = (await Promise.all(loads.map(({ responses }) => responses))).flat()

    for (const refused of all.filter(({ status }) => status !== 201)) expectUnavailable(refused)
    for (const server of servers) await expectGoesOn(server, createdBy(all))
  })

  it('serve when it has forgotten its scripts', async () => {
    const redis = await startRedis()
    const servers = await startTwo(redis.address)
    await createAnimal(servers[0], 'Before')

    await openOperator(redis)(['SCRIPT', 'FLUSH'])
    const after = await Promise.all(servers.map((server) => createAnimal(server, 'After')))

    expect(after.map(({ status }) => status)).toEqual([201, 201])
  })

  it.each([
    ['was emptied', (redis: StartedRedis) => openOperator(redis)(['FLUSHALL'])],
    [
      'was started again without its data',
      async (redis: StartedRedis) => {
        await redis.kill()
        await redis.restart()
      },
    ],
  ])(
    'begin again with the first records when it %s, and one of them says so',
    async (_how, empty) => {
      const redis = await startRedis()
      const servers = await startTwo(redis.address)
      const first = await listAnimals(servers[0])
      const created = await createAnimal(servers[0], 'Before')

      await empty(redis)
      for (const server of servers) await expectGoesOn(server, [])

      const names = await namesOf(servers[1])
      expect(created.status).toBe(201)
      expect(names.slice(0, first.length)).toEqual(first.map(({ name }) => name))
      expect(names).not.toContain('Before')
      await expect(startServers(1, redis.address, ['--seed', '7'])).rejects.toThrow(
        'have another document or other options',
      )
      expect((await errorsOf(servers)).sort()).toEqual([
        '',
        'pet-sandbox: The store was emptied. Worlds begin again with their first records.\n',
      ])
    },
  )

  it('say at their start that it removes records when its memory is full', async () => {
    const { address } = await startRedis({ settings: { 'maxmemory-policy': 'allkeys-lru' } })

    const servers = await startServers(1, address)

    expect(await errorsOf(servers)).toEqual([
      'pet-sandbox: The store has the setting maxmemory-policy allkeys-lru, with which it removes records when its memory is full. Set it to noeviction.\n',
    ])
  })
})

async function errorsOf(servers: readonly StartedCommand[]): Promise<string[]> {
  const ends = await Promise.all(servers.map((server) => server.stop()))
  return ends.map(({ stderr }) => stderr)
}
