import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient } from '../client.ts'
import { closeServer, type ServedSandbox, serveSandbox, stopServers } from '../testing/servers.ts'
import { SandboxStore } from './sandbox-store.ts'

const stores: SandboxStore[] = []

afterEach(async () => {
  for (const store of stores.splice(0)) store.stop()
  await stopServers()
})

/** A loaded machine may need seconds. */
function eventually(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 20_000, interval: 50 })
}

/** A store of a world, which draws at once. */
function openStore(origin: string, world?: string): SandboxStore {
  return storeOf(createClient(origin, { ...(world !== undefined && { world }) }))
}

function storeOf(client: ConstructorParameters<typeof SandboxStore>[0]): SandboxStore {
  const surroundings = { schedule: (draw: () => void) => draw(), now: () => performance.now() }
  const store = new SandboxStore(client, surroundings)
  stores.push(store)
  return store
}

async function requestPets({ origin }: ServedSandbox, world = ''): Promise<void> {
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  await (await fetch(`${origin}${world}/v1/pets?limit=1`, { headers })).text()
}

describe('the store of a sandbox', () => {
  test('has the recorded exchanges, and then each exchange when it ends', async () => {
    const served = await serveSandbox()
    await requestPets(served)
    const store = openStore(served.origin)

    await store.refresh()
    await requestPets(served)

    await eventually(() => expect(store.traffic.exchanges.map(({ id }) => id)).toEqual([1, 2]))
    expect(store.state).toMatchObject({ connection: 'live', health: { basePath: '/v1' } })
  })

  test('has the time of the sandbox', async () => {
    const served = await serveSandbox()
    served.sandbox.clock.set('2030-12-05T00:00:00Z')
    const store = openStore(served.origin)

    await store.refresh()

    expect(store.state.clock).toMatchObject({
      now: Date.parse('2030-12-05T00:00:00Z'),
      isFrozen: true,
    })
  })

  test('forgets the exchanges after a reset', async () => {
    const served = await serveSandbox()
    await requestPets(served)
    const store = openStore(served.origin)
    await store.refresh()
    await eventually(() => expect(store.traffic.counted).toBe(1))
    const { generation } = store.state

    served.sandbox.reset()
    await store.refresh()

    expect(store.traffic.exchanges).toEqual([])
    expect(store.state.generation).not.toBe(generation)
  })

  test('keeps the first exchange when it arrives while an empty journal is read', async () => {
    const served = await serveSandbox()
    const client = createClient(served.origin)
    let afterRead = async () => {}
    const last = async () => {
      const id = await client.journal.last()
      await afterRead()
      return id
    }
    const store = storeOf({ ...client, journal: { ...client.journal, last } })
    await store.refresh()

    afterRead = async () => {
      await requestPets(served)
      await eventually(() => expect(store.traffic.last).toBe(1))
    }
    await store.refresh()

    expect(store.traffic.exchanges.map(({ id }) => id)).toEqual([1])
  })

  test('notices that the server has gone, and recovers with a server that is started again', async () => {
    const served = await serveSandbox()
    await requestPets(served)
    const store = openStore(served.origin)
    await store.refresh()

    await closeServer(served)
    await store.refresh()
    const { connection, problem } = store.state
    const again = await serveSandbox({ port: served.port })
    await requestPets(again)
    await requestPets(again)
    await store.refresh()

    expect(connection).toBe('lost')
    expect(problem).toContain('Cannot reach the sandbox')
    expect(store.state).toMatchObject({ connection: 'live', problem: '' })
    await vi.waitFor(
      async () => {
        await requestPets(again)
        expect(store.traffic.last).toBeGreaterThan(2)
      },
      { timeout: 20_000, interval: 200 },
    )
  })

  test('loses no exchange of a server that was started again, and has more exchanges than were seen', async () => {
    const served = await serveSandbox()
    await requestPets(served)
    const store = openStore(served.origin)
    await store.refresh()
    await eventually(() => expect(store.traffic.counted).toBe(1))

    await closeServer(served)
    const again = await serveSandbox({ port: served.port })
    // The connection of the first server is closed.
    await vi.waitFor(() => requestPets(again), 20_000)
    for (let count = 0; count < 2; count += 1) await requestPets(again)

    await vi.waitFor(
      async () => {
        await store.refresh()
        expect(store.traffic.exchanges.map(({ id }) => id)).toEqual([1, 2, 3])
      },
      { timeout: 20_000, interval: 300 },
    )
    expect(store.traffic.counted).toBe(3)
  })

  test('notices that its world was deleted, and does not create it again', async () => {
    const served = await serveSandbox()
    await requestPets(served, '/worlds/one')
    const store = openStore(served.origin, 'one')
    await store.refresh()
    const { connection } = store.state

    served.sandbox.worlds.delete('one')
    await store.refresh()
    await store.refresh()

    expect(connection).toBe('live')
    expect(store.state.connection).toBe('no-world')
    expect(served.sandbox.worlds.list().map(({ name }) => name)).toEqual(['default'])
  })

  test.each([401, 403])('notices that a token is needed (%i)', async (status) => {
    const body = { code: status === 401 ? 'unauthorized' : 'forbidden', message: 'Send the token.' }
    const fetch = async () => Response.json(body, { status })
    const client = createClient('http://127.0.0.1:1', { fetch })
    const store = new SandboxStore(client, { schedule: (draw) => draw(), now: () => 0 })
    stores.push(store)

    await store.refresh()

    expect(store.state.connection).toBe('unauthorized')
  })

  test('tells its listeners once per frame', async () => {
    const served = await serveSandbox()
    const draws: (() => void)[] = []
    const surroundings = { schedule: (draw: () => void) => draws.push(draw), now: () => 0 }
    const store = new SandboxStore(createClient(served.origin), surroundings)
    stores.push(store)
    let told = 0
    store.subscribe(() => {
      told += 1
    })
    await store.refresh()
    for (let count = 0; count < 20; count += 1) await requestPets(served)
    await eventually(() => expect(store.traffic.counted).toBe(20))

    expect(draws).toHaveLength(1)
    draws[0]?.()
    expect(told).toBe(1)
  })
})
