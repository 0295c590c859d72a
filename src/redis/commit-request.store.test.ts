import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { answerRequest } from '../sandbox/fetch.ts'
import { routerOf } from '../sandbox/router.ts'
import { EventReader } from '../testing/event-reader.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { withMethod } from '../testing/with-method.ts'
import { openRedisStore } from './open-redis-store.ts'
import { createSharedSandbox } from './shared-sandbox.ts'
import type { SharedSandbox } from './world-choice.ts'
import type { Commit, StoredWorld, WorldStore } from './world-store.ts'

const NOON = {
  description: 'The time stands still, and the requests of the minute are spent.',
  clock: '2026-01-01T12:00:00Z',
  frozen: true,
  spent: { sk_sandbox_free: { minute: 60 } },
}

/** How often others change the account before a request is committed. */
const CHANGES = 6

describe.skipIf(!findRedis())(
  'a request whose account others change before it is committed',
  () => {
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

    /** Sends a request while another server refuses others with the same key, one before each attempt to commit it. */
    async function send(
      headers: Readonly<Record<string, string>>,
      refusals: number,
    ): Promise<{
      readonly status: number
      readonly code: string
      readonly history: unknown
      /** How many requests the other server refused. */
      readonly others: number
    }> {
      const prefix = `test-${crypto.randomUUID()}`
      const open = async (change: (store: WorldStore) => WorldStore): Promise<SharedSandbox> => {
        const store = change(await openRedisStore(redis.address, { prefix }))
        const options = { scenario: 'noon', scenarios: { noon: NOON }, ban: { refusals } }
        const sandbox = await createSharedSandbox({ ...options, store })
        opened.push(sandbox)
        return sandbox
      }
      const other = await open((store) => store)
      const sendTo = (sandbox: SharedSandbox, given: Readonly<Record<string, string>>) =>
        answerRequest(
          new Request('http://localhost/v1/pets', {
            headers: { Authorization: 'Bearer sk_sandbox_free', ...given },
          }),
          routerOf(sandbox),
        )
      let changes = 0
      const disturbed = await open((store) =>
        beforeCommits(store, async () => {
          if (changes < CHANGES) await sendTo(other, {})
          changes += 1
        }),
      )

      const response = await sendTo(disturbed, headers)

      const { code } = await response.json()
      const world = await other.store.world('default').load()
      const { history } = world?.accounts.get('sk_sandbox_free') ?? {}
      return { status: response.status, code, history, others: Math.min(changes, CHANGES) }
    }

    it('is not counted as a refusal of its key when another outcome is forced', async () => {
      const { status, history, others } = await send({ Prefer: 'outcome=server-error' }, 100)

      expect(status).toBe(500)
      expect(history).toMatchObject({ row: others, bans: 0 })
    })

    it('is counted as a refusal after those of the others', async () => {
      const { status, history, others } = await send({ Prefer: 'handling=lenient' }, 100)

      expect(status).toBe(429)
      expect(others).toBe(CHANGES)
      expect(history).toMatchObject({ row: CHANGES + 1, bans: 0 })
    })

    it('causes the ban that its refusal completes', async () => {
      const { code, history } = await send({ Prefer: 'handling=lenient' }, CHANGES + 1)

      expect(code).toBe('rate_limit_exceeded')
      expect(history).toMatchObject({ row: 0, bans: 1 })
    })
  },
)

describe.skipIf(!findRedis())('a creation', () => {
  let redis: StartedRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(stopRedis)

  it('succeeds although another server creates a record before each of many attempts', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const create = async (sandbox: SharedSandbox): Promise<number> => {
      const body = '{"name":"Fern","categoryId":1}'
      const request = new Request('http://localhost/v1/pets', {
        method: 'POST',
        headers: {
          Authorization: 'Bearer sk_sandbox_enterprise',
          'Content-Type': 'application/json',
          'Content-Length': `${body.length}`,
        },
        body,
      })
      return (await answerRequest(request, routerOf(sandbox))).status
    }
    const stores = [
      await openRedisStore(redis.address, { prefix }),
      await openRedisStore(redis.address, { prefix }),
    ] as const
    const other = await createSharedSandbox({ store: stores[0], quota: false })
    let changes = 0
    const store = beforeCommits(stores[1], async () => {
      changes += 1
      if (changes <= 80) await create(other)
    })
    const disturbed = await createSharedSandbox({ store, quota: false })

    const status = await create(disturbed)

    expect(status).toBe(201)
    expect(changes).toBe(81)
    for (const sandbox of [other, disturbed]) {
      sandbox.close()
      await sandbox.store.close()
    }
  })
})

describe.skipIf(!findRedis())('a change that a stream is opened for before it is committed', () => {
  let redis: StartedRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(stopRedis)

  it('is told', async () => {
    const contract = await loadContract('src/testing/streams.yaml')
    const prefix = `test-${crypto.randomUUID()}`
    const open = async (change: (store: WorldStore) => WorldStore): Promise<SharedSandbox> => {
      const store = change(await openRedisStore(redis.address, { prefix }))
      return createSharedSandbox({ contract, records: 3, store })
    }
    const other = await open((store) => store)
    const bodies: (ReadableStream<Uint8Array> | null)[] = []
    const disturbed = await open((store) =>
      beforeCommits(store, async () => {
        const stream = new Request('http://localhost/v1/orders/2/stream')
        if (bodies.length === 0) bodies.push((await answerRequest(stream, routerOf(other))).body)
      }),
    )

    const cancel = new Request('http://localhost/v1/orders/2', { method: 'DELETE' })
    const { status } = await answerRequest(cancel, routerOf(disturbed))
    const reader = new EventReader(bodies[0] ?? null)
    const [event] = await reader.events(1)

    expect(status).toBe(204)
    expect(event).toMatchObject({ event: 'order.deleted', data: { id: 2 } })
    await reader.cancel()
    for (const sandbox of [other, disturbed]) {
      sandbox.close()
      await sandbox.store.close()
    }
  })
})

/** The store, with a task before each commit that changes the account. */
function beforeCommits(store: WorldStore, task: () => Promise<void>): WorldStore {
  const disturb = (world: StoredWorld): StoredWorld =>
    withMethod(world, 'commit', async (commit: Commit) => {
      await task()
      return world.commit(commit)
    })
  return withMethod(store, 'world', (name: string) => disturb(store.world(name)))
}
