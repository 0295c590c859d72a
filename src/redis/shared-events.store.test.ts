import { afterEach, describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import type { EventOptions } from '../events/event-settings.ts'
import { actUntil } from '../testing/act-until.ts'
import { findRunStore } from '../testing/redis/run-store.ts'
import { type BalancedServers, openBalancedServers } from '../testing/store-sandbox.ts'
import type { SharedOptions } from './shared-sandbox.ts'

const contract = await loadContract('src/testing/shop-events.yaml')

/** What a receiver got. */
interface Got {
  readonly url: string
  readonly id: string
  readonly type: string
}

/** Requests alternate between two servers. */
let servers: BalancedServers
let got: Got[] = []

/** Starts two servers, and a receiver that answers with a status for each request. */
async function open(
  events: Omit<EventOptions, 'deliver'> = {},
  {
    statusOf = () => 200,
    ...options
  }: Omit<SharedOptions, 'store' | 'events'> & {
    readonly statusOf?: (at: number) => number | Promise<number>
  } = {},
): Promise<BalancedServers> {
  got = []
  const deliver = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname.startsWith('/v1/')) return servers.fetch(request)
    const { type } = await request.json()
    got.push({ url: request.url, id: request.headers.get('webhook-id') ?? '', type })
    return new Response('thanks', { status: await statusOf(got.length) })
  }
  servers = await openBalancedServers({
    sandbox: { contract, ...options, events: { ...events, deliver } },
  })
  await servers.client.clock.freeze()
  return servers
}

async function send(
  method: string,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await servers.fetch(
    new Request(`http://localhost/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  expect(response.status).toBeLessThan(300)
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}

const HOOK = 'http://127.0.0.1:3000/hooks'

/** The addresses that get every event, as the store knows them. */
async function receivers(): Promise<readonly string[]> {
  const { host } = servers.instances[0]
  return host.use('default', { isRead: true }, ({ world }) => world.events.receivers)
}

function subscribe(events: readonly string[]): Promise<object> {
  return send('POST', '/hooks', { events, config: { url: HOOK, secret: 'shh' } })
}

/** Moves the clock, and resolves with what became of the deliveries that are due then: as soon as all are sent, which takes seconds on a busy machine. */
async function advance(duration: string): Promise<unknown> {
  const [{ callControl }] = servers.instances
  const { body } = await callControl('POST', '/clock?wait=30000', { body: { advance: duration } })
  return body.deliveries
}

describe.skipIf(!findRunStore())('the events of two servers on one store', () => {
  afterEach(() => servers.close())

  it('go to the subscriptions that ask for them once, in the order of their causes', async () => {
    const { client } = await open()
    await subscribe(['order.created', 'order.cancelled'])

    const { id } = await send('POST', '/orders', { item: 'book' })
    await send('PATCH', `/orders/${id}`, { item: 'pen' })
    await send('POST', `/orders/${id}/cancel`)
    const settled = await client.events.settled()
    const deliveries = [await client.events.deliveries(), await client.events.deliveries()]

    expect(settled).toEqual({ delivered: 2, failed: 0, pending: 0 })
    expect(got.map(({ type }) => type)).toEqual(['order.created', 'order.cancelled'])
    expect(deliveries[0]).toEqual(deliveries[1])
    expect(deliveries[0]?.map(({ id: one, state }) => [one, state])).toEqual([
      [1, 'delivered'],
      [2, 'delivered'],
    ])
  })

  it('are repeated with the same id on the clock, until they are accepted', async () => {
    const { client } = await open({ to: HOOK }, { statusOf: (at) => (at < 3 ? 500 : 200) })
    await send('POST', '/orders', { item: 'book' })

    const first = await client.events.settled()
    const second = await advance('5s')
    const third = await advance('5m')

    expect([first, second, third]).toEqual([
      { delivered: 0, failed: 0, pending: 1 },
      { delivered: 0, failed: 0, pending: 1 },
      { delivered: 1, failed: 0, pending: 0 },
    ])
    expect(new Set(got.map(({ id }) => id)).size).toBe(1)
    expect(got).toHaveLength(3)
  })

  it('wait in the strict order for one that is repeated', async () => {
    const { client } = await open(
      { to: HOOK, ordered: 'strict' },
      { statusOf: (at) => (at === 1 ? 500 : 200) },
    )
    await send('POST', '/orders', { item: 'book' })
    await client.events.settled()
    for (let at = 0; at < 45; at += 1) await send('PATCH', '/orders/1', { item: `${at}` })

    const waiting = await client.events.settled()
    const settled = await advance('5s')

    expect(waiting).toEqual({ delivered: 0, failed: 0, pending: 46 })
    expect(settled).toEqual({ delivered: 46, failed: 0, pending: 0 })
    expect(got.slice(0, 3).map(({ type }) => type)).toEqual([
      'order.created',
      'order.created',
      'order.updated',
    ])
  })

  it('are held by one server: a receiver that takes its time gets each of them once, in order', async () => {
    const { client } = await open(
      { to: HOOK },
      {
        statusOf: async () => {
          await new Promise((resolve) => setTimeout(resolve, 60))
          return 200
        },
      },
    )

    const orders = await Promise.all(
      Array.from({ length: 12 }, (_, at) => send('POST', '/orders', { item: `${at}` })),
    )
    const settled = await client.events.settled()

    expect(settled).toEqual({ delivered: orders.length, failed: 0, pending: 0 })
    expect(new Set(got.map(({ id }) => id)).size).toBe(orders.length)
    const deliveries = await client.events.deliveries()
    expect(got.map(({ id }) => id)).toEqual(deliveries.map(({ event }) => event.id))
  })

  it('are dropped by a reset, and kept by a restore with their ids, but not by a fork', async () => {
    const { client } = await open({ to: HOOK }, { statusOf: (at) => (at === 1 ? 500 : 200) })
    await send('POST', '/orders', { item: 'book' })
    await client.events.settled()
    const snapshot = await client.snapshot()
    const fork = await client.world('copy', { from: 'default' })
    const copied = await fork.events.deliveries()

    await client.reset()
    await client.clock.freeze()
    const dropped = await client.events.deliveries()
    await client.restore(snapshot)
    const restored = await client.events.deliveries()
    await advance('5s')
    await send('POST', '/orders', { item: 'pen' })
    await client.events.settled()

    expect([copied, dropped]).toEqual([[], []])
    expect(restored).toMatchObject([{ id: 1, state: 'pending', event: { type: 'order.created' } }])
    expect(got.map(({ id }) => id === got[0]?.id)).toEqual([true, true, false])
    expect((await client.events.deliveries()).map(({ id }) => id)).toEqual([1, 2])
  })

  it('are sent again, forged, and with what is forced on deliveries', async () => {
    const { client } = await open({ to: HOOK })
    await client.force({ delivery: 'twice', times: 1 })
    await send('POST', '/orders', { item: 'book' })
    await send('POST', '/orders', { item: 'pen' })
    await client.events.settled()

    const again = await client.events.resend(1)
    const forged = await client.events.resend(2, { fault: 'wrong-signature' })
    await client.events.settled()
    const deliveries = await client.events.deliveries()

    expect([again.id, forged.id]).toEqual([4, 5])
    expect(got.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => 'order.created'))
    expect(deliveries.map(({ fault, state }) => [fault, state])).toEqual([
      [undefined, 'delivered'],
      ['twice', 'delivered'],
      [undefined, 'delivered'],
      [undefined, 'delivered'],
      ['wrong-signature', 'delivered'],
    ])
    expect(await client.forced()).toEqual([])
  })

  it('are sent out of order: after the next event of their receiver', async () => {
    const { client } = await open({ to: HOOK })
    await client.force({ delivery: 'out-of-order', times: 1 })
    await send('POST', '/orders', { item: 'late' })
    const waiting = await client.events.settled()
    await send('PATCH', '/orders/1', { item: 'first' })
    await client.events.settled()

    expect(waiting).toMatchObject({ delivered: 0, pending: 1 })
    expect(got.map(({ type }) => type)).toEqual(['order.updated', 'order.created'])
  })

  it('are waited for', async () => {
    const { client } = await open({ to: HOOK })
    const orders = client.collection('orders')

    const waiting = client.events.next('order.updated', { timeout: '20s' })
    const found = await actUntil(waiting, (count) => orders.update(1, { item: `${count}` }))

    expect(found).toMatchObject({ type: 'order.updated', record: 'orders/1' })
    await expect(client.events.next('order.created', { timeout: 100 })).rejects.toThrow(
      'it did not happen within 100 ms',
    )
  })

  it('are emitted by hand, and caused by records of the control interface', async () => {
    const { client } = await open({ to: HOOK })

    await client.events.emit('order.created', { id: 7 })
    await client.events.trigger('order.cancelled')
    await client.collection('orders').remove(1)
    await client.events.settled()

    expect(got.map(({ type }) => type)).toEqual([
      'order.created',
      'order.cancelled',
      'order.deleted',
    ])
    await expect(client.events.emit('order.creatd')).rejects.toThrow('order.created')
  })

  it('that a change on the clock causes are sent at its time, without any request', async () => {
    const later = await loadContract('src/testing/later-events.yaml')
    const { client } = await open({ to: HOOK }, { contract: later })
    await send('POST', '/orders/1/pack')

    await advance('1d')
    const deliveries = await client.events.deliveries()

    expect(got.map(({ type }) => type)).toEqual(['order.packed', 'order.shipped', 'order.updated'])
    const [first, ...rest] = deliveries.map(({ event }) => event.at)
    expect(rest.map((at) => (at - (first ?? 0)) / 3_600_000)).toEqual([1, 3])
  })

  it('disable a subscription whose receiver is given up', async () => {
    const { client } = await open({ retries: ['5s'] }, { statusOf: () => 500 })
    await subscribe(['order.created'])
    await send('POST', '/orders', { item: 'book' })
    await client.events.settled()

    const ended = await advance('5s')

    expect(ended).toEqual({ delivered: 0, failed: 1, pending: 0 })
    expect(await client.events.subscriptions()).toMatchObject([{ active: false }])
  })

  it('are written with the change that caused them: what is refused sends nothing', async () => {
    const { client } = await open({ to: HOOK })
    await client.force('unavailable', { operation: 'createOrder', times: 1 })
    const refused = await servers.fetch(
      new Request('http://localhost/v1/orders', { method: 'POST', body: '{"item":"book"}' }),
    )

    expect(refused.status).toBe(503)
    expect(await client.events.deliveries()).toEqual([])
  })

  it('are no requests to any of the servers, which would cause the next event', async () => {
    const { client } = await open({ to: 'http://localhost/v1/orders', retries: [] })
    await send('POST', '/orders', { item: 'book' })

    const settled = await client.events.settled()

    expect(settled).toEqual({ delivered: 0, failed: 1, pending: 0 })
    const [delivery] = await client.events.deliveries()
    expect(delivery?.attempts).toMatchObject([{ status: 403 }])
    expect(await client.events.deliveries()).toHaveLength(1)
  })

  it('are received by a client, whose answers another server may get', async () => {
    const { client } = await open({ retries: ['5s'] })
    const received: string[] = []
    const answers = [500, 204, 204]
    const { secret } = await client.events.receive(HOOK, async (request, { type }) => {
      received.push(`${type} ${request.headers.get('webhook-id')}`)
      return new Response(null, { status: answers[received.length - 1] ?? 500 })
    })

    const { id } = await send('POST', '/orders', { item: 'book' })
    const first = await client.events.settled()
    await advance('5s')
    await send('POST', `/orders/${id}/cancel`)
    const settled = await client.events.settled()
    const deliveries = await client.events.deliveries()

    expect(secret).toMatch(/^whsec_/)
    expect([first, settled]).toEqual([
      { delivered: 0, failed: 0, pending: 1 },
      { delivered: 2, failed: 0, pending: 0 },
    ])
    expect(deliveries).toMatchObject([
      { url: HOOK, forwarded: true, attempts: [{ status: 500 }, { status: 204 }] },
      { event: { type: 'order.cancelled' }, attempts: [{ status: 204 }] },
    ])
    expect(received[1]).toBe(received[0])
    expect(got).toEqual([])
  })

  it('reach a receiver that is connected to one server also after a reset and a restore', async () => {
    const { client } = await open()
    const received: string[] = []
    await client.events.receive(HOOK, async (_request, { type }) => {
      received.push(type)
      return new Response('thanks')
    })
    const snapshot = await client.snapshot()

    await client.reset()
    await send('POST', '/orders', { item: 'book' })
    await client.events.settled()
    await client.restore(snapshot)
    await send('DELETE', '/orders/1')
    const settled = await client.events.settled()

    expect(JSON.stringify(snapshot)).not.toContain('3000')
    expect(received).toEqual(['order.created', 'order.deleted'])
    expect(settled).toMatchObject({ failed: 0, pending: 0 })
  })

  it('are sent by the server that their receiver is connected to: what another one learns after that is dropped', async () => {
    const { client, instances } = await open({ retries: ['5s'] })
    const [one, other] = instances.map(({ host }) => host.sending)
    const ids: (string | null)[] = []
    let fail = (): void => undefined
    await one?.receive('default', HOOK, ({ headers }) => {
      ids.push(headers.get('webhook-id'))
      return new Promise((_, reject) => {
        fail = () => reject(new Error('connection lost'))
      })
    })
    await send('POST', '/orders', { item: 'book' })
    await expect.poll(() => ids).toHaveLength(1)

    await other?.receive('default', HOOK, async ({ headers }) => {
      ids.push(headers.get('webhook-id'))
      fail()
      return new Response('thanks')
    })
    const settled = await client.events.settled()

    expect(settled).toEqual({ delivered: 1, failed: 0, pending: 0 })
    expect(ids[1]).toBe(ids[0])
    expect(await client.events.deliveries()).toMatchObject([{ attempts: [{ status: 200 }] }])
  })

  it('wait for a receiver that is connected to no server, as long as events are repeated', async () => {
    const { client, instances } = await open({ retries: ['5s', '5s', '5s'] })
    const [one, other] = instances.map(({ host }) => host.sending)
    const stop = await one?.receive('default', HOOK, async () => new Response('', { status: 500 }))
    await send('POST', '/orders', { item: 'book' })
    await client.events.settled()
    stop?.()
    await expect.poll(receivers).toEqual([])
    await send('POST', '/orders', { item: 'for nobody' })

    const alone = await advance('5s')
    await other?.receive('default', HOOK, async () => new Response('thanks'))
    const settled = await advance('5s')
    const [delivery] = await client.events.deliveries()

    expect([alone, settled]).toEqual([
      { delivered: 0, failed: 0, pending: 1 },
      { delivered: 1, failed: 0, pending: 0 },
    ])
    expect(delivery?.attempts.map(({ status, error }) => status ?? error)).toEqual([
      500,
      'nobody receives at this address',
      200,
    ])
  })
})
