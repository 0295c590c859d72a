import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient, type ToldExchange } from '../client.ts'
import { closeServer, type ServedSandbox, serveSandbox, stopServers } from '../testing/servers.ts'

afterEach(stopServers)

function list({ origin }: Pick<ServedSandbox, 'origin'>, path = '/v1/pets'): Promise<Response> {
  return fetch(origin + path, { headers: { Connection: 'close' } })
}

/** Collects what is told. */
function collect() {
  const told: ToldExchange[] = []
  return {
    told,
    listener: (exchange: ToldExchange) => void told.push(exchange),
    ids: () => told.map(({ id }) => id),
    has: (count: number) =>
      vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(count), { timeout: 5000 }),
  }
}

describe('onExchange', () => {
  test('tells each exchange from then on, as it ends, until it is stopped', async () => {
    const served = await serveSandbox()
    const { told, listener, ids, has } = collect()
    await list(served)

    const stop = await createClient(served.origin).onExchange(listener)
    await list(served)
    await list(served, '/v1/pets/1?page=ä')
    await has(2)
    stop()
    await list(served)

    expect(ids()).toEqual([2, 3])
    expect(told[1]).toEqual({ ...served.sandbox.journal.exchanges[2] })
    expect(told[1]).toMatchObject({ target: '/pets/1?page=%C3%A4', notes: [{}] })
  })

  test('is of one world', async () => {
    const served = await serveSandbox()
    const { ids, told, listener, has } = collect()
    const stop = await createClient(served.origin, { world: 'one' }).onExchange(listener)

    await list(served)
    await list(served, '/worlds/one/v1/pets/7')
    await has(1)
    stop()

    expect(ids()).toEqual([1])
    expect(told[0]?.target).toBe('/pets/7')
  })

  test('tells what came while the connection was broken', async () => {
    const served = await serveSandbox()
    const { listener, ids, has } = collect()
    const stop = await createClient(served.origin).onExchange(listener)
    await list(served)
    await has(1)

    served.dropConnections()
    await served.sandbox.fetch(new Request(`${served.origin}/v1/pets/1`))
    await has(2)
    await list(served)
    await has(3)
    stop()

    expect(ids()).toEqual([1, 2, 3])
  })

  test('misses nothing when the connection breaks before the first exchange', async () => {
    const served = await serveSandbox()
    const { listener, ids, has } = collect()
    await list(served)
    const stop = await createClient(served.origin).onExchange(listener)

    served.dropConnections()
    await served.sandbox.fetch(new Request(`${served.origin}/v1/pets/1`))
    await has(1)
    stop()

    expect(ids()).toEqual([2])
  })

  test('goes on with a sandbox that is started anew', async () => {
    const served = await serveSandbox()
    const { told, listener, has } = collect()
    const stop = await createClient(served.origin).onExchange(listener)
    await list(served)
    await has(1)

    await closeServer(served)
    const again = await serveSandbox({ port: served.port })
    await vi.waitFor(
      async () => {
        await list(again)
        expect(told.length).toBeGreaterThan(1)
      },
      { timeout: 5000, interval: 100 },
    )
    stop()
  }, 15_000)

  test('lets go of a stream whose event never ends, and connects anew', async () => {
    const served = await serveSandbox()
    await list(served)
    const { told, listener, has } = collect()
    let streams = 0
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 0\n\ndata: ')),
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)),
    })
    const client = createClient(served.origin, {
      fetch: async (address, init) => {
        if (String(address).endsWith('/events')) streams += 1
        return streams === 1 && String(address).endsWith('/events')
          ? new Response(endless)
          : fetch(address, init)
      },
    })

    const stop = await client.onExchange(listener)
    await vi.waitFor(() => expect(streams).toBe(2), { timeout: 5000 })
    await list(served)
    await has(1)
    stop()

    expect(told).toHaveLength(1)
  })

  test('lets go of a stream whose event has lines without end, before they take memory', async () => {
    const served = await serveSandbox()
    let pulled = 0
    let isLetGo = false
    const chunk = new TextEncoder().encode('data: x\n'.repeat(1000))
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 0\n\n')),
      pull: (controller) => {
        pulled += 1
        controller.enqueue(chunk)
      },
      cancel: () => {
        isLetGo = true
      },
    })
    const client = createClient(served.origin, {
      fetch: async (address, init) =>
        String(address).endsWith('/events') ? new Response(endless) : fetch(address, init),
    })

    const stop = await client.onExchange(() => undefined)
    await vi.waitFor(() => expect(isLetGo).toBe(true), { timeout: 5000 })
    stop()

    expect(pulled).toBeLessThan(10)
  })

  test('has a signal for each connection, so that no listener outlives one', async () => {
    const served = await serveSandbox()
    const signals: unknown[] = []
    const client = createClient(served.origin, {
      fetch: async (address, init) => {
        if (!String(address).endsWith('/events')) return fetch(address, init)
        signals.push(init?.signal)
        return new Response('retry: 0\n\n')
      },
    })

    const stop = await client.onExchange(() => undefined)
    await vi.waitFor(() => expect(signals.length).toBeGreaterThan(2), { timeout: 5000 })
    stop()

    expect(new Set(signals).size).toBe(signals.length)
    expect(signals.at(-1)).toMatchObject({ aborted: true })
  })

  test('connects anew after a connection that took too long', async () => {
    const served = await serveSandbox()
    let streams = 0
    const client = createClient(served.origin, {
      timeout: '200ms',
      fetch: async (address, init) => {
        if (!String(address).endsWith('/events')) return fetch(address, init)
        streams += 1
        return streams === 2 ? new Promise(() => undefined) : new Response('retry: 0\n\n')
      },
    })

    const stop = await client.onExchange(() => undefined)
    await vi.waitFor(() => expect(streams).toBeGreaterThan(2), { timeout: 5000 })
    stop()
  })

  test('rejects when there is no sandbox', async () => {
    const served = await serveSandbox()
    await closeServer(served)

    await expect(createClient(served.origin).onExchange(() => undefined)).rejects.toThrow(
      'no server listens at this address',
    )
  })

  test('lets the sandbox go when it is stopped', async () => {
    const served = await serveSandbox()
    const connections = new Set<Socket>()
    served.server.on('connection', (connection: Socket) => connections.add(connection))
    const stop = await createClient(served.origin).onExchange(() => undefined)

    stop()
    stop()

    await vi.waitFor(() => {
      expect([...connections].filter(({ destroyed }) => destroyed)).toHaveLength(1)
    })
  })

  test('leaves the errors of a listener to whoever watches for those', async () => {
    const served = await serveSandbox()
    const { told, has, listener } = collect()
    const unhandled: unknown[] = []
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (reason) => unhandled.push(reason))
    const fault = new TypeError('broken listener')
    const stop = await createClient(served.origin).onExchange((exchange) => {
      listener(exchange)
      throw fault
    })

    await list(served)
    await list(served)
    await has(2)
    stop()
    await vi.waitFor(() => expect(unhandled).toEqual([fault, fault]))
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)

    expect(told).toHaveLength(2)
  })
})
