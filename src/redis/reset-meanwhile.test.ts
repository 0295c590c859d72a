import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { StoredRecords } from '../records/stored-records.ts'
import { answerRequest } from '../sandbox/fetch.ts'
import { routerOf } from '../sandbox/router.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { withMethod } from '../testing/with-method.ts'
import { openRedisStore } from './open-redis-store.ts'
import { createSharedHost } from './shared-host.ts'
import { createSharedSandbox } from './shared-sandbox.ts'
import type { SharedSandbox } from './world-choice.ts'
import type { StoredWorld, WorldStore } from './world-store.ts'

const HEADERS = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }

describe.skipIf(!findRedis())('a world that another server resets', () => {
  let redis: StartedRedis
  const opened: SharedSandbox[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    for (const sandbox of opened.splice(0)) {
      sandbox.close()
      await sandbox.store.close()
    }
  })
  afterAll(stopRedis)

  /** Two servers. The store of the first one can be changed. */
  async function open(
    change: (store: WorldStore, reset: () => Promise<void>) => WorldStore,
  ): Promise<{ readonly disturbed: SharedSandbox; readonly other: SharedSandbox }> {
    const prefix = `test-${crypto.randomUUID()}`
    const create = async (store: WorldStore): Promise<SharedSandbox> => {
      const sandbox = await createSharedSandbox({ store })
      opened.push(sandbox)
      return sandbox
    }
    const other = await create(await openRedisStore(redis.address, { prefix }))
    const reset = async (): Promise<void> => {
      const world = other.store.world('default')
      const ended = await world.load()
      await createSharedHost(other).use('default', {}, (used) => used.world.reset())
      // Its records are removed in the background.
      const records = world.records(ended?.epoch ?? '')
      await vi.waitFor(async () => expect(await records.opened()).toEqual([]), 20_000)
    }
    const disturbed = await create(change(await openRedisStore(redis.address, { prefix }), reset))
    return { disturbed, other }
  }

  const send = (sandbox: SharedSandbox, path: string, body?: object): Promise<Response> =>
    answerRequest(
      new Request(`http://localhost/v1${path}`, {
        headers: HEADERS,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
      routerOf(sandbox),
    )
  const numberOf = async ({ store }: SharedSandbox): Promise<number | undefined> =>
    (await store.world('default').load())?.last
  const usedIn = async ({ store }: SharedSandbox): Promise<number | undefined> =>
    (await store.world('default').load())?.accounts.get('sk_sandbox_free')?.usage?.minute.used

  it('answers a request that is under way as it is after the reset', async () => {
    const { disturbed, other } = await open((store, reset) => beforeCommit(store, once(reset)))

    const created = await send(disturbed, '/pets', { name: 'Fern', categoryId: 1 })
    const { id } = await created.json()

    expect(created.status).toBe(201)
    expect([await numberOf(other), await usedIn(other)]).toEqual([1, 1])
    expect((await send(other, `/pets/${id}`)).status).toBe(200)
  })

  it('answers a request whose collection is removed when it was opened', async () => {
    const { disturbed, other } = await open((store, reset) => afterOpening(store, once(reset)))

    const listed = await send(disturbed, '/pets?limit=2')

    expect(listed.status).toBe(200)
    expect(await listed.json()).toHaveLength(2)
    expect([await numberOf(other), await usedIn(other)]).toEqual([1, 1])
  })

  it('is read by the control interface as it is after the reset', async () => {
    let reset = async (): Promise<void> => undefined
    const { disturbed } = await open((store, given) => {
      reset = once(given)
      return store
    })
    await send(disturbed, '/pets')

    const first = await createSharedHost(disturbed).use('default', {}, async ({ world }) => {
      const before = await world.collection('pets').get(1)
      await reset()
      return [before, (await world.collection('pets').list()).length]
    })

    expect(first).toEqual([expect.objectContaining({ id: 1 }), 50])
  })

  it('refuses a list that is sorted in an epoch that has ended, and does not look for it forever', async () => {
    const { other } = await open((store) => store)
    const records = other.store.world('default').records('ended')

    const page = records.page('pets@0', { sort: { by: 'name' }, limit: 5 }, [])

    await expect(page).rejects.toThrow('The world was reset while it was read.')
  })
})

/** A task that runs once. */
function once(task: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return async () => {
    done ??= task()
    await done
  }
}

function beforeCommit(store: WorldStore, task: () => Promise<void>): WorldStore {
  return withWorlds(store, (world) =>
    withMethod(world, 'commit', async (commit: Parameters<StoredWorld['commit']>[0]) => {
      await task()
      return world.commit(commit)
    }),
  )
}

function afterOpening(store: WorldStore, task: () => Promise<void>): WorldStore {
  const disturb = (records: StoredRecords): StoredRecords =>
    withMethod(records, 'open', async (...given: Parameters<StoredRecords['open']>) => {
      await records.open(...given)
      await task()
    })
  return withWorlds(store, (world) =>
    withMethod(world, 'records', (epoch: string) => disturb(world.records(epoch))),
  )
}

function withWorlds(store: WorldStore, change: (world: StoredWorld) => StoredWorld): WorldStore {
  return withMethod(store, 'world', (name: string) => change(store.world(name)))
}
