import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Control } from '../control.ts'
import { openControl, readControlResponse } from '../testing/control.ts'

const PEER = { address: '127.0.0.1' }
const controls: Control[] = []

afterEach(() => {
  for (const control of controls.splice(0)) control.close()
  vi.useRealTimers()
})

/** A sandbox, and the ways to ask it and to follow its journal. */
function open() {
  const { sandbox, control } = openControl()
  controls.push(control)

  return {
    sandbox,
    control,
    ask: (path = '/v1/pets?limit=1') => sandbox.fetch(new Request(`http://localhost${path}`)),
    follow: async (headers: Record<string, string> = {}, world = '') => {
      const address = `http://localhost/__sandbox${world}/journal/events`
      const response = await control.fetch(new Request(address, { headers }), PEER)
      await readControlResponse('GET', '/journal/events', response)
      return new Reader(response.body)
    },
  }
}

/** Reads a stream of events piece by piece. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #rest = ''

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (!body) throw new TypeError('There is no stream')
    this.#reader = body.getReader()
  }

  /** What stands before the next empty line; `undefined` at the end. */
  async next(): Promise<string | undefined> {
    while (!this.#rest.includes('\n\n')) {
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#rest += new TextDecoder().decode(value)
    }
    const end = this.#rest.indexOf('\n\n')
    const block = this.#rest.slice(0, end)
    this.#rest = this.#rest.slice(end + 2)
    return block
  }

  /** The ids of the next events. */
  async ids(count: number): Promise<number[]> {
    const ids: number[] = []
    while (ids.length < count) {
      const id = /^id: (\d+)$/m.exec((await this.next()) ?? 'id: 0')?.[1]
      if (id !== undefined) ids.push(Number(id))
    }
    return ids
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}

describe('a stream of events', () => {
  test('tells each exchange as it ends, in one line of JSON', async () => {
    const { ask, follow } = open()
    await ask()
    const events = await follow()

    await ask()
    const first = await events.next()
    const event = await events.next()

    expect(first).toBe('retry: 1000')
    const [id, name, data, ...more] = event?.split('\n') ?? []
    expect([id, name, more]).toEqual(['id: 2', 'event: exchange', []])
    expect(JSON.parse(data?.replace('data: ', '') ?? '')).toMatchObject({
      id: 2,
      operation: 'listPets',
      status: 401,
    })
  })

  test('resumes after the last event that the client has', async () => {
    const { ask, follow } = open()
    for (let sent = 0; sent < 4; sent += 1) await ask()

    const events = await follow({ 'Last-Event-ID': '2' })
    await ask()

    expect(await events.ids(3)).toEqual([3, 4, 5])
  })

  test('begins anew for a client whose last event is of before a reset', async () => {
    const { sandbox, ask, follow } = open()
    for (let sent = 0; sent < 4; sent += 1) await ask()
    sandbox.reset()
    await ask()

    const events = await follow({ 'Last-Event-ID': '4' })

    expect(await events.ids(1)).toEqual([1])
  })

  test('goes on when the sandbox is reset', async () => {
    const { sandbox, ask, follow } = open()
    const events = await follow()
    await ask()

    sandbox.reset()
    await ask()

    expect(await events.ids(2)).toEqual([1, 1])
  })

  test('is of one world, which may go and come back', async () => {
    const { sandbox, ask, follow } = open()
    const events = await follow({}, '/worlds/one')

    await ask()
    await ask('/worlds/one/v1/pets')
    await ask('/worlds/one/v1/pets')
    sandbox.worlds.delete('one')
    await ask('/worlds/one/v1/pets')

    expect(await events.ids(3)).toEqual([1, 2, 1])
  })

  test('says every 15 seconds that it is there', async () => {
    vi.useFakeTimers()
    const { follow } = open()
    const events = await follow()
    await events.next()

    vi.advanceTimersByTime(15_000)

    expect(await events.next()).toBe(': heartbeat')
  })

  test('ends when the control interface is closed', async () => {
    const { control, follow } = open()
    const events = await follow()
    await events.next()

    control.close()

    expect(await events.next()).toBeUndefined()
  })

  test('leaves nothing behind when the client leaves', async () => {
    vi.useFakeTimers()
    const { control, ask, follow } = open()
    const events = await follow()

    await events.cancel()

    expect(vi.getTimerCount()).toBe(0)
    await ask()
    control.close()
  })

  test('ends for a client that does not read, rather than grow without end', async () => {
    const { ask, follow } = open()
    const events = await follow()
    for (let sent = 0; sent < 1100; sent += 1) await ask()

    let told = 0
    while ((await events.next()) !== undefined) told += 1

    expect(told).toBeGreaterThan(1000)
    expect(told).toBeLessThan(1100)
  })
})
