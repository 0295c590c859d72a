import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { stopCommands } from '../command.ts'
import { openNetwork } from '../redis/network.ts'
import { startRedis, stopRedis } from '../redis/start-redis.ts'
import {
  createAnimal,
  createdBy,
  createMany,
  expectGoesOn,
  expectKept,
  expectUnavailable,
  namesOf,
  REQUESTS,
} from './animals.ts'
import { countStatuses, runParallel, startServers, startTwo } from './servers.ts'

/** Longer than every limit of a server on a store. */
const LONGER_THAN_LIMITS_MS = 5000

describe('servers on one store', () => {
  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  it('keep what a server acknowledged that is killed under load, and go on', async () => {
    const { address } = await startRedis()
    const [killed, other] = await startTwo(address)

    const ofKilled = createMany(killed)
    const ofOther = createMany(other)
    await ofKilled.hasBegun
    await killed.stop('SIGKILL')
    const acknowledged = createdBy(await ofKilled.responses)

    expect(countStatuses(await ofOther.responses)).toEqual({ 201: REQUESTS })
    expect(acknowledged.length).toBeLessThan(REQUESTS)
    await expectKept(other, [...acknowledged, ...createdBy(await ofOther.responses)])
  })

  it('keep what was acknowledged when a Redis with an append-only file is killed, and go on with it', async () => {
    const redis = await startRedis({ appendOnly: true })
    const servers = await startTwo(redis.address)

    const loads = servers.map(createMany)
    await Promise.all(loads.map(({ hasBegun }) => hasBegun))
    await redis.kill()
    const all = (await Promise.all(loads.map(({ responses }) => responses))).flat()
    await redis.restart()

    expect(createdBy(all).length).toBeLessThan(all.length)
    for (const refused of all.filter(({ status }) => status !== 201)) expectUnavailable(refused)
    for (const server of servers) {
      await expectGoesOn(server, createdBy(all))
    }
  })

  it('answer 503 while Redis is paused for five seconds, do not write later, and go on', async () => {
    const redis = await startRedis()
    const servers = await startTwo(redis.address)
    const before = createdBy(await Promise.all(servers.map((one) => createAnimal(one, 'Before'))))

    redis.pause()
    const [responses] = await Promise.all([
      runParallel(10, 10, (index) => createAnimal(servers[index % 2] ?? servers[0], 'During')),
      sleep(LONGER_THAN_LIMITS_MS),
    ])
    redis.resume()

    for (const response of responses) expectUnavailable(response)
    for (const server of servers) await expectGoesOn(server, before)
    const left = await namesOf(servers[0])
    expect(left).not.toContain('During')
  })

  it.each([
    ['before the request has arrived', 0],
    ['before the commit is acknowledged', 1],
  ])(
    'answer 503 when the network loses the answers of the store to a creation: %s',
    async (_when, answers) => {
      const redis = await startRedis()
      const network = await openNetwork(redis.port)
      const [cut] = await startServers(1, network.address, ['--no-quota'])
      const [other] = await startServers(1, redis.address, ['--no-quota'])
      if (!cut || !other) throw new Error('There is no server')
      await createAnimal(cut, 'Before')

      network.loseAnswers(answers)
      const response = await createAnimal(cut, 'During')
      network.mend()

      expectUnavailable(response)
      await expectGoesOn(cut, [])
      // An answer may come in several parts. Without one, nothing is committed.
      const created = (await namesOf(other)).filter((name) => name === 'During')
      expect(created.length).toBeLessThanOrEqual(answers)
      await network.close()
    },
  )

  it('go on with a server that was stopped for longer than every limit', async () => {
    const { address } = await startRedis()
    const [stopped, other] = await startTwo(address)

    const ofStopped = createMany(stopped)
    await ofStopped.hasBegun
    stopped.signal('SIGSTOP')
    const [ofOther] = await Promise.all([createMany(other).responses, sleep(LONGER_THAN_LIMITS_MS)])
    stopped.signal('SIGCONT')
    const all = [...(await ofStopped.responses), ...ofOther]

    expect(countStatuses(ofOther)).toEqual({ 201: REQUESTS })
    // A server that continues first closes the connections that were idle when it was stopped.
    const answered = all.filter(({ status }) => status !== 0)
    for (const refused of answered.filter(({ status }) => status !== 201)) {
      expectUnavailable(refused)
    }
    await expectGoesOn(stopped, createdBy(all))
  })
})
