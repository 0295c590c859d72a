import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import { stopCommands } from '../command.ts'
import { startRedisCluster } from '../redis/start-cluster.ts'
import { type StartedRedis, stopRedis } from '../redis/start-redis.ts'
import {
  createAnimal,
  createdBy,
  createUntilServed,
  expectKept,
  expectUnavailable,
} from './animals.ts'
import { inWorld, startServers } from './servers.ts'

const NAMES = Array.from({ length: 12 }, (_, index) => `world-${index}`)

describe('servers on a cluster', () => {
  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  it('spread worlds over its nodes, and lose nothing of them when a master is killed', async () => {
    const cluster = await startRedisCluster({ replicas: 1 })
    const servers = await startServers(2, cluster.address, ['--no-quota'])
    const worlds = NAMES.map((name, index) => inWorld(servers[index % 2] ?? fail(), name))
    const before = await Promise.all(worlds.map((world) => createAnimal(world, 'Before')))
    const spread = await Promise.all(cluster.masters.map(worldsOn))
    await cluster.replicated()

    await cluster.masters[0]?.kill()
    const after = await Promise.all(worlds.map(createUntilServed))

    for (const names of spread) expect(names).not.toEqual([])
    expect(spread.flat().toSorted()).toEqual(['default', ...NAMES].toSorted())
    const refused = after.flat().filter(({ status }) => status !== 201)
    expect(refused).not.toEqual([])
    for (const response of refused) {
      expectUnavailable(response)
      expect(JSON.stringify(response.body)).not.toContain('it is a node of a cluster')
    }
    for (const [index, world] of worlds.entries()) {
      const ofWorld = [before[index] ?? fail(), ...(after[index] ?? [])]
      expect(createdBy(ofWorld)).toHaveLength(2)
      await expectKept(world, createdBy(ofWorld))
    }
  })
})

/** The worlds whose keys are on a node. */
async function worldsOn({ port }: StartedRedis): Promise<readonly string[]> {
  const client = new Redis(port)
  const keys = await client.keys('pet-sandbox:1:{*}')
  client.disconnect()

  return keys.flatMap((key) => /\{(.+)\}/.exec(key)?.[1] ?? [])
}

function fail(): never {
  throw new Error('There is no such server')
}
