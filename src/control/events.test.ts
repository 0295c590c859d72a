import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Control } from '../control.ts'
import { openControl, readControlResponse } from '../testing/control.ts'
import { EventReader } from '../testing/event-reader.ts'

const LOCAL_PEER = { address: '127.0.0.1' }
const AUTHORIZED = { Authorization: 'Bearer sk_sandbox_enterprise' }
const controls: Control[] = []

afterEach(() => {
  for (const control of controls.splice(0)) control.close()
  vi.useRealTimers()
})

/** A sandbox, with functions that send requests to its API and open streams of its events. */
function open() {
  const { sandbox, control } = openControl()
  controls.push(control)

  return {
    sandbox,
    control,
    requestApi: (path = '/v1/pets?limit=1') =>
      sandbox.fetch(new Request(`http://localhost${path}`, { headers: AUTHORIZED })),
    openEvents: async (headers: Record<string, string> = {}, world = '') => {
      const address = `http://localhost/__sandbox${world}/journal/events`
      const response = await control.fetch(new Request(address, { headers }), LOCAL_PEER)
      await readControlResponse('GET', '/journal/events', response)
      return new EventReader(response.body)
    },
  }
}

describe('the event stream', () => {
  test('sends each exchange when it ends, in one line of JSON', async () => {
    const { requestApi, openEvents } = open()
    await requestApi()
    const events = await openEvents()

    await requestApi()
    const retry = await events.next()
    const event = await events.next()

    expect(retry).toBe('retry: 1000')
    const [id, name, data, ...more] = event?.split('\n') ?? []
    expect([id, name, more]).toEqual(['id: 2', 'event: exchange', []])
    expect(JSON.parse(data?.replace('data: ', '') ?? '')).toMatchObject({
      id: 2,
      operation: 'listPets',
      status: 200,
    })
  })

  test('continues after the event that Last-Event-ID names', async () => {
    const { requestApi, openEvents } = open()
    for (let count = 0; count < 4; count += 1) await requestApi()

    const events = await openEvents({ 'Last-Event-ID': '2' })
    await requestApi()

    expect(await events.ids(3)).toEqual([3, 4, 5])
  })

  test('starts with the first exchange when Last-Event-ID is from before a reset', async () => {
    const { sandbox, requestApi, openEvents } = open()
    for (let count = 0; count < 4; count += 1) await requestApi()
    sandbox.reset()
    await requestApi()

    const events = await openEvents({ 'Last-Event-ID': '4' })

    expect(await events.ids(1)).toEqual([1])
  })

  test('continues when the sandbox is reset', async () => {
    const { sandbox, requestApi, openEvents } = open()
    const events = await openEvents()
    await requestApi()

    sandbox.reset()
    await requestApi()

    expect(await events.ids(2)).toEqual([1, 1])
  })

  test('has the exchanges of one world, also after the world was deleted and created again', async () => {
    const { sandbox, requestApi, openEvents } = open()
    const events = await openEvents({}, '/worlds/one')

    await requestApi()
    await requestApi('/worlds/one/v1/pets')
    await requestApi('/worlds/one/v1/pets')
    sandbox.worlds.delete('one')
    await requestApi('/worlds/one/v1/pets')

    expect(await events.ids(3)).toEqual([1, 2, 1])
  })

  test('sends a comment every 15 seconds', async () => {
    vi.useFakeTimers()
    const { openEvents } = open()
    const events = await openEvents()
    await events.next()

    vi.advanceTimersByTime(15_000)

    expect(await events.next()).toBe(': heartbeat')
  })

  test('ends when the control interface is closed', async () => {
    const { control, openEvents } = open()
    const events = await openEvents()
    await events.next()

    control.close()

    expect(await events.next()).toBeUndefined()
  })

  test('removes its timer when the client disconnects', async () => {
    vi.useFakeTimers()
    const { control, requestApi, openEvents } = open()
    const events = await openEvents()

    await events.cancel()

    expect(vi.getTimerCount()).toBe(0)
    await requestApi()
    control.close()
  })

  test('ends for a client that does not read, so that its buffer does not grow without limit', async () => {
    const { requestApi, openEvents } = open()
    const events = await openEvents()
    for (let count = 0; count < 1100; count += 1) await requestApi()

    let received = 0
    while ((await events.next()) !== undefined) received += 1

    expect(received).toBeGreaterThan(1000)
    expect(received).toBeLessThan(1100)
  })
})
