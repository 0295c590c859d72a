import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { EventReader, type ReadEvent } from '../testing/event-reader.ts'
import { closeInstances, type Instance, openInstances } from '../testing/redis/instances.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { loadRedisClient, type RedisClient } from './redis-client.ts'
import { parseStoreAddress } from './store-address.ts'

const contract = await loadContract('src/testing/streams.yaml')

let redis: StartedRedis
let servers: readonly [Instance, Instance]
let client: RedisClient

beforeEach(async () => {
  redis = await startRedis()
  servers = await openInstances(redis.address, { contract, records: 3 })
  client = await loadRedisClient(parseStoreAddress(redis.address))
  await client.connect()
})
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.cancel()
  await closeInstances()
  client.close()
  await stopRedis()
})

const readers: EventReader[] = []

function fetchAt(server: 0 | 1, path: string, init?: RequestInit): Promise<Response> {
  return servers[server].fetch(new Request(`http://localhost/v1${path}`, init))
}

async function send(
  server: 0 | 1,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly id?: number }> {
  const headers = { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
  const response = await fetchAt(server, path, { method, ...sent })
  expect(response.status).toBeLessThan(300)
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}

async function stream(server: 0 | 1, path: string, last?: string): Promise<EventReader> {
  const response = await fetchAt(server, path, {
    headers: { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': last }) },
  })
  const reader = new EventReader(response.body)
  readers.push(reader)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await reader.next()).toBe('retry: 1000')
  return reader
}

function withoutIds(events: readonly ReadEvent[]): readonly unknown[] {
  return events.map(({ event, data }) => [event, data])
}

/** The keys of the logs of events. */
async function logs(): Promise<readonly string[]> {
  const keys = await client.call('keys', '*:events')
  return Array.isArray(keys) ? keys.map(String) : []
}

describe('a stream of two servers on one store', () => {
  it('tells of the changes that either server has made, in their order', async () => {
    const watched = await stream(0, '/orders')

    const { id } = await send(1, 'POST', '/orders', { item: 'book' })
    await send(0, 'PATCH', `/orders/${id}`, { item: 'pen' })
    await send(1, 'DELETE', `/orders/${id}`)

    expect(withoutIds(await watched.events(3))).toEqual([
      ['order.created', { id, item: 'book', status: 'open' }],
      ['order.updated', { id, item: 'pen', status: 'open' }],
      ['order.deleted', { id, item: 'pen', status: 'open' }],
    ])
  })

  it('goes on at the other server after the event that the client got last', async () => {
    const first = await stream(0, '/orders')
    for (const item of ['a', 'b', 'c']) await send(1, 'POST', '/orders', { item })
    const [got, ...others] = await first.events(3)
    await first.cancel()
    await send(0, 'POST', '/orders', { item: 'd' })

    const again = await stream(1, '/orders', got?.id)
    await send(0, 'POST', '/orders', { item: 'e' })
    const events = await again.events(4)

    expect(events.slice(0, 2)).toEqual(others)
    expect(events.map(({ data }) => data)).toMatchObject(
      ['b', 'c', 'd', 'e'].map((item) => ({ item })),
    )
  })

  it('has numbers as ids where the schema wants them, also when the client comes back', async () => {
    const first = await stream(0, '/stream')
    const { id } = await send(1, 'POST', '/orders', { item: 'book' })
    await send(1, 'DELETE', `/orders/${id}`)
    const [got, removed] = await first.events(2)

    const again = await stream(1, '/stream', got?.id)

    expect([got?.id, removed?.id]).toEqual(['1', '2'])
    expect(await again.events(1)).toEqual([removed])
  })

  it('tells of changes on the clock, by hand, and of events that are emitted', async () => {
    const [{ callControl }] = servers
    await callControl('POST', '/clock', { body: { freeze: true } })
    await send(0, 'POST', '/orders/1/ship')
    const watched = await stream(1, '/orders')

    await callControl('POST', '/clock', { body: { advance: '1h' } })
    const later = await watched.events(1)
    await callControl('PATCH', '/records/orders/2', { body: { item: 'pen' } })
    const data = { id: 7, item: 'by hand', status: 'open' }
    await callControl('POST', '/events', { body: { type: 'order.created', data } })

    expect(withoutIds([...later, ...(await watched.events(2))])).toMatchObject([
      ['order.updated', { id: 1, status: 'delivered' }],
      ['order.updated', { id: 2, item: 'pen' }],
      ['order.created', data],
    ])
  })

  it('ends when the world is reset, at any server, and begins anew after that', async () => {
    const watched = await stream(0, '/orders')
    await send(0, 'PATCH', '/orders/1', { item: 'pen' })
    const [got] = await watched.events(1)

    await servers[1].callControl('POST', '/reset')
    const end = await watched.next()
    const again = await stream(1, '/orders', got?.id)
    await send(0, 'PATCH', '/orders/1', { item: 'cup' })

    expect(end).toBeUndefined()
    expect(withoutIds(await again.events(1))).toMatchObject([['order.updated', { item: 'cup' }]])
  })

  it('keeps the latest thousand events, and none of the time in which nobody followed', async () => {
    await send(0, 'PATCH', '/orders/1', { item: 'before' })
    const watched = await stream(0, '/orders')
    for (let at = 0; at < 1005; at += 1) await send(1, 'PATCH', '/orders/1', { item: `${at}` })
    await watched.events(1005)

    const again = await stream(1, '/orders', 'evt_unknown')
    const [log = ''] = await logs()

    expect(await client.call('xlen', log)).toBe(1000)
    expect(withoutIds(await again.events(1))).toMatchObject([['order.updated', { item: '5' }]])
  })
})

describe('the store of a sandbox that could stream', () => {
  it('has no events while nobody follows them', async () => {
    const { id } = await send(0, 'POST', '/orders', { item: 'book' })
    await send(1, 'PATCH', `/orders/${id}`, { item: 'pen' })
    await fetchAt(0, '/orders')
    await fetchAt(0, '/orders/events', { method: 'HEAD' })
    const without = [await logs(), await fieldsOfWorlds()]
    await stream(0, '/orders/events')
    await send(1, 'PATCH', `/orders/${id}`, { item: 'cup' })

    expect(without).toEqual([[], []])
    expect([await logs(), await fieldsOfWorlds()]).toEqual([
      [expect.any(String)],
      ['followed', 'told'],
    ])
  })
})

/** The fields that only worlds have whose events are followed. */
async function fieldsOfWorlds(): Promise<readonly string[]> {
  const keys = await client.call('keys', '*}')
  const found: string[] = []
  for (const key of Array.isArray(keys) ? keys.map(String) : []) {
    for (const name of ['followed', 'told']) {
      const isHash = (await client.call('type', key)) === 'hash'
      if (isHash && (await client.call('hexists', key, name)) === 1) found.push(name)
    }
  }
  return found
}
