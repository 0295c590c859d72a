import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { newEpoch } from '../testing/redis/new-epoch.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredWorld, WorldStore } from './world-store.ts'

/** Longer than the limits of a command, of a script and of a silent connection. */
const LONGER_THAN_LIMITS = 3000

describe('in a process that is busy', () => {
  const stores: WorldStore[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    await stopRedis()
  })

  async function open(): Promise<StoredWorld> {
    const { address } = await startRedis()
    const store = await openRedisStore(address)
    stores.push(store)
    const world = store.world('one')
    await world.begin(newEpoch('a'), undefined)

    return world
  }

  it('an answer that arrived meanwhile is in time, and the connection stays', async () => {
    const world = await open()

    const loading = world.load()
    await nextTurn()
    beBusy(LONGER_THAN_LIMITS)

    await expect(loading).resolves.toMatchObject({ last: 0 })
    await expect(world.load()).resolves.toMatchObject({ last: 0 })
  })

  it('a commit that was not sent in time is sent again', async () => {
    const world = await open()

    const committing = world.commit({ epoch: 'a', exchange: { text: 'late', size: 9 } })
    beBusy(LONGER_THAN_LIMITS)

    await expect(committing).resolves.toEqual({ kind: 'done', exchange: 1 })
    await expect(world.load()).resolves.toMatchObject({ last: 1 })
  })
})

/** Blocks the event loop. */
function beBusy(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
