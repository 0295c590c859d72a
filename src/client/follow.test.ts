import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient, type ToldExchange } from '../client.ts'
import { closeServer, type ServedSandbox, serveSandbox, stopServers } from '../testing/servers.ts'
import { createLineLimit } from './follow.ts'

afterEach(stopServers)

function requestPets(
  { origin }: Pick<ServedSandbox, 'origin'>,
  path = '/v1/pets',
): Promise<Response> {
  return fetch(origin + path, { headers: { Connection: 'close' } })
}

/** A listener that collects exchanges. */
function collect() {
  const exchanges: ToldExchange[] = []
  return {
    exchanges,
    listener: (exchange: ToldExchange) => void exchanges.push(exchange),
    ids: () => exchanges.map(({ id }) => id),
    waitForCount: (count: number) =>
      vi.waitFor(() => expect(exchanges.length).toBeGreaterThanOrEqual(count), { timeout: 20_000 }),
  }
}

describe('onExchange', () => {
  test('calls the listener with each later exchange when it ends, until it is stopped', async () => {
    const served = await serveSandbox()
    const { exchanges, listener, ids, waitForCount } = collect()
    await requestPets(served)

    const stop = await createClient(served.origin).onExchange(listener)
    await requestPets(served)
    await requestPets(served, '/v1/pets/1?page=ä')
    await waitForCount(2)
    stop()
    await requestPets(served)

    expect(ids()).toEqual([2, 3])
    expect(exchanges[1]).toEqual({ ...served.sandbox.journal.exchanges[2] })
    expect(exchanges[1]).toMatchObject({ target: '/pets/1?page=%C3%A4', notes: [{}] })
  })

  test('calls the listener with the recorded exchanges after an id first', async () => {
    const served = await serveSandbox()
    for (let count = 0; count < 3; count += 1) await requestPets(served)
    const { ids, listener, waitForCount } = collect()

    const stop = await createClient(served.origin).onExchange(listener, { after: 1 })
    await requestPets(served)
    await waitForCount(3)
    stop()

    expect(ids()).toEqual([2, 3, 4])
  })

  test('rejects for an id that is not an integer from 0 on', async () => {
    const served = await serveSandbox()

    const following = createClient(served.origin).onExchange(() => undefined, { after: -1 })

    await expect(following).rejects.toMatchObject({ code: 'invalid_option' })
  })

  test('follows the exchanges of one world only', async () => {
    const served = await serveSandbox()
    const { ids, exchanges, listener, waitForCount } = collect()
    const stop = await createClient(served.origin, { world: 'one' }).onExchange(listener)

    await requestPets(served)
    await requestPets(served, '/worlds/one/v1/pets/7')
    await waitForCount(1)
    stop()

    expect(ids()).toEqual([1])
    expect(exchanges[0]?.target).toBe('/pets/7')
  })

  test('continues with the exchanges that were missed while the connection was broken', async () => {
    const served = await serveSandbox()
    const { listener, ids, waitForCount } = collect()
    const stop = await createClient(served.origin).onExchange(listener)
    await requestPets(served)
    await waitForCount(1)

    served.dropConnections()
    await served.sandbox.fetch(new Request(`${served.origin}/v1/pets/1`))
    await waitForCount(2)
    await requestPets(served)
    await waitForCount(3)
    stop()

    expect(ids()).toEqual([1, 2, 3])
  })

  test('misses no exchange when the connection breaks before the first one', async () => {
    const served = await serveSandbox()
    const { listener, ids, waitForCount } = collect()
    await requestPets(served)
    const stop = await createClient(served.origin).onExchange(listener)

    served.dropConnections()
    await served.sandbox.fetch(new Request(`${served.origin}/v1/pets/1`))
    await waitForCount(1)
    stop()

    expect(ids()).toEqual([2])
  })

  test('continues with a sandbox that is started again', async () => {
    const served = await serveSandbox()
    const { exchanges, listener, waitForCount } = collect()
    const stop = await createClient(served.origin).onExchange(listener)
    await requestPets(served)
    await waitForCount(1)

    await closeServer(served)
    const again = await serveSandbox({ port: served.port })
    await vi.waitFor(
      async () => {
        await requestPets(again)
        expect(exchanges.length).toBeGreaterThan(1)
      },
      { timeout: 20_000, interval: 100 },
    )
    stop()
  })

  test('closes a stream with an endless event, and reconnects', async () => {
    const served = await serveSandbox()
    await requestPets(served)
    const { exchanges, listener, waitForCount } = collect()
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
    await vi.waitFor(() => expect(streams).toBe(2), { timeout: 20_000 })
    await requestPets(served)
    await waitForCount(1)
    stop()

    expect(exchanges).toHaveLength(1)
  })

  test('closes a stream with an event of endless lines before the lines use much memory', async () => {
    const served = await serveSandbox()
    let pulls = 0
    let isCancelled = false
    const chunk = new TextEncoder().encode('data: x\n'.repeat(1000))
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 0\n\n')),
      pull: (controller) => {
        pulls += 1
        controller.enqueue(chunk)
      },
      cancel: () => {
        isCancelled = true
      },
    })
    const client = createClient(served.origin, {
      fetch: async (address, init) =>
        String(address).endsWith('/events') ? new Response(endless) : fetch(address, init),
    })

    const stop = await client.onExchange(() => undefined)
    await vi.waitFor(() => expect(isCancelled).toBe(true), { timeout: 20_000 })
    stop()

    expect(pulls).toBeLessThan(10)
  })

  test('uses a new signal for each connection, so that listeners do not accumulate on one signal', async () => {
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
    await vi.waitFor(() => expect(signals.length).toBeGreaterThan(2), { timeout: 20_000 })
    stop()

    expect(new Set(signals).size).toBe(signals.length)
    expect(signals.at(-1)).toMatchObject({ aborted: true })
  })

  test('reconnects after an attempt that exceeds the timeout', async () => {
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
    await vi.waitFor(() => expect(streams).toBeGreaterThan(2), { timeout: 20_000 })
    stop()
  })

  test('rejects when no server listens', async () => {
    const served = await serveSandbox()
    await closeServer(served)

    await expect(createClient(served.origin).onExchange(() => undefined)).rejects.toThrow(
      'no server listens at this address',
    )
  })

  test('closes its connection when it is stopped', async () => {
    const served = await serveSandbox()
    const connections = new Set<Socket>()
    served.server.on('connection', (connection: Socket) => connections.add(connection))
    const stop = await createClient(served.origin).onExchange(() => undefined)

    stop()
    stop()

    await vi.waitFor(() => {
      expect([...connections].filter(({ destroyed }) => destroyed)).toHaveLength(1)
    }, 20_000)
  })

  test('reports the errors of a listener as unhandled rejections, and continues', async () => {
    const served = await serveSandbox()
    const { exchanges, waitForCount, listener } = collect()
    const unhandled: unknown[] = []
    const originalListeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (reason) => unhandled.push(reason))
    const bug = new TypeError('broken listener')
    const stop = await createClient(served.origin).onExchange((exchange) => {
      listener(exchange)
      throw bug
    })

    await requestPets(served)
    await requestPets(served)
    await waitForCount(2)
    stop()
    await vi.waitFor(() => expect(unhandled).toEqual([bug, bug]), 20_000)
    process.removeAllListeners('unhandledRejection')
    for (const original of originalListeners) process.on('unhandledRejection', original)

    expect(exchanges).toHaveLength(2)
  })
})

/** Whether the text passes a limit of three lines per event. */
function passes(...pieces: readonly string[]): boolean {
  const limit = createLineLimit(3)
  try {
    for (const piece of pieces) limit(piece)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

test.each(['\n', '\r', '\r\n'])(
  'the lines of an event that end with %j count until a blank line',
  (end) => {
    const three = `a${end}b${end}c${end}`

    expect(passes(three)).toBe(true)
    expect(passes(`${three}d`)).toBe(true)
    expect(passes(`${three}d${end}`)).toBe(false)
    expect(passes(`${three}${end}${three}${end}`)).toBe(true)
    expect(passes(...`${three}d${end}`)).toBe(false)
    expect(passes(...`${three}${end}${three}`)).toBe(true)
  },
)
