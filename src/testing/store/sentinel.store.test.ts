import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore } from '../../redis/open-redis-store.ts'
import { createDeliver, refuseDeliveriesToUsed } from '../../transports/deliver.ts'
import { stopCommands } from '../command.ts'
import { isReplicated } from '../redis/is-replicated.ts'
import { type StartedRedis, startRedis, stopRedis } from '../redis/start-redis.ts'
import {
  createAnimal,
  createdBy,
  createUntilServed,
  expectKept,
  expectUnavailable,
} from './animals.ts'
import { startServers } from './servers.ts'

describe('servers on a store that sentinels watch', () => {
  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  it('deliver no events to a replica of the store, however its address is written', async () => {
    const { master, address, replica } = await startWatched()
    const store = await openRedisStore(address)
    onTestFinished(() => store.close())
    onTestFinished(refuseDeliveriesToUsed(() => store.servers()))
    const deliver = createDeliver({ allow: ['*'] })

    for (const { port } of [master, replica])
      for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
        await expect(
          deliver(new Request(`http://${host}:${port}/`, { method: 'POST' })),
        ).rejects.toThrow('the sandbox itself or of its store')
  })

  it('go on with the replica that takes over, and with all that it has, when the master is killed', async () => {
    const { master, address } = await startWatched()
    const [one, two] = await startServers(2, address, ['--no-quota'])
    if (!one || !two) throw new Error('There are no two servers')
    const before = [await createAnimal(one, 'Before'), await createAnimal(two, 'Before')]
    await isReplicated(master)

    await master.kill()
    const after = await Promise.all([one, two].map(createUntilServed))

    const refused = after.flat().filter(({ status }) => status !== 201)
    expect(refused).not.toEqual([])
    for (const response of refused) expectUnavailable(response)
    const acknowledged = createdBy([...before, ...after.flat()])
    expect(acknowledged).toHaveLength(4)
    for (const server of [one, two]) await expectKept(server, acknowledged)
  })
})

/** Starts a master, a replica, and a sentinel that knows both. */
async function startWatched(): Promise<{
  readonly master: StartedRedis
  readonly replica: StartedRedis
  readonly address: string
}> {
  const master = await startRedis()
  const replica = await startRedis({
    settings: { replicaof: `127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay': '0' },
  })
  const sentinel = await startRedis({ monitors: { name: 'pets', port: master.port } })
  const client = new Redis(sentinel.port)
  const isKnown = async (): Promise<void> => {
    const replicas = await client.call('SENTINEL', 'REPLICAS', 'pets')
    expect(String(replicas)).toContain(`127.0.0.1:${replica.port}`)
    expect(String(replicas)).toContain('master-link-status,ok')
  }
  await vi.waitFor(isKnown, 30_000)
  client.disconnect()

  return { master, replica, address: `redis+sentinel://127.0.0.1:${sentinel.port}/3?name=pets` }
}
