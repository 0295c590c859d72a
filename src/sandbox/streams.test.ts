import { afterEach, describe, expect, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import {
  type Connection,
  connectByHttp,
  connectByMsw2,
  connectInProcess,
} from '../testing/connections.ts'
import { EventReader, type ReadEvent } from '../testing/event-reader.ts'
import { createSandbox } from './sandbox.ts'

const contract = await loadContract('src/testing/streams.yaml')

const CONNECT = { process: connectInProcess, http: connectByHttp, msw: connectByMsw2 }

const opened: Connection[] = []

afterEach(async () => {
  for (const { sandbox, close } of opened.splice(0)) {
    sandbox.reset()
    await close?.()
  }
})

/** A connection to a sandbox, with functions that send requests and open streams. */
async function open(
  connect: (typeof CONNECT)[keyof typeof CONNECT] = connectInProcess,
): Promise<Opened> {
  const connection = await connect({ contract, records: 3 })
  opened.push(connection)
  const { base, fetch, sandbox } = connection
  const headers = { 'Content-Type': 'application/json' }
  const get: Opened['get'] = (path, init) => fetch(new Request(`${base}${path}`, init))

  return {
    sandbox,
    get,
    send: async (method, path, body) => {
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
      const response = await fetch(new Request(`${base}${path}`, { method, ...sent }))
      expect(response.status).toBeLessThan(300)
      const text = await response.text()
      return text === '' ? {} : JSON.parse(text)
    },
    stream: async (path, init) => {
      const response = await get(path, init)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      const reader = new EventReader(response.body)
      expect(await reader.next()).toBe('retry: 1000')
      return reader
    },
  }
}

interface Opened extends Pick<Connection, 'sandbox'> {
  get(path: string, init?: RequestInit): Promise<Response>
  send(method: string, path: string, body?: object): Promise<{ readonly id?: number }>
  stream(path: string, init?: RequestInit): Promise<EventReader>
}

function withoutIds(events: readonly ReadEvent[]): readonly unknown[] {
  return events.map(({ event, data }) => [event, data])
}

const STREAM = { headers: { Accept: 'text/event-stream' } }

describe.each(Object.entries(CONNECT))('a stream of changes: %s', (_name, connect) => {
  test('tells of each change when it happens, as the document describes its events', async () => {
    const { send, stream } = await open(connect)
    const watched = await stream('/orders/events')
    const { id } = await send('POST', '/orders', { item: 'book' })
    const created = await watched.events(1)
    await send('PATCH', `/orders/${id}`, { item: 'pen' })
    const [updated] = await watched.events(1)

    expect(withoutIds(created)).toEqual([
      [
        'ORDER_CREATED',
        {
          type: 'ORDER_CREATED',
          at: expect.any(String),
          order: { id, item: 'book', status: 'open' },
        },
      ],
    ])
    expect(updated).toMatchObject({ event: 'ORDER_UPDATED', data: { order: { item: 'pen' } } })
  })

  test('goes on after the event that the client got last', async () => {
    const { send, stream } = await open(connect)
    const first = await stream('/orders', STREAM)
    for (const item of ['a', 'b', 'c']) await send('POST', '/orders', { item })
    const [got, ...missed] = await first.events(3)

    const again = await stream('/orders', {
      headers: { ...STREAM.headers, 'Last-Event-ID': got?.id ?? '' },
    })
    const events = await again.events(2)

    expect(events).toEqual(missed)
    expect(got?.id).toMatch(/^evt_/)
  })

  test('ends at a reset', async () => {
    const { sandbox, stream } = await open(connect)
    const watched = await stream('/orders/events')

    sandbox.reset()

    expect(await watched.next()).toBeUndefined()
  })
})

test('the data is the record where the schema is that of the record or says nothing', async () => {
  const { send, stream } = await open()
  const [list, one] = [await stream('/orders', STREAM), await stream('/orders/2/stream')]

  await send('PATCH', '/orders/1', { item: 'pen' })
  await send('PATCH', '/orders/2', { item: 'cup' })
  await send('DELETE', '/orders/2')

  expect(withoutIds(await list.events(3))).toMatchObject([
    ['order.updated', { id: 1, item: 'pen' }],
    ['order.updated', { id: 2, item: 'cup' }],
    ['order.deleted', { id: 2, item: 'cup' }],
  ])
  expect(withoutIds(await one.events(2))).toMatchObject([
    ['order.updated', { id: 2, item: 'cup' }],
    ['order.deleted', { id: 2, item: 'cup' }],
  ])
})

test('events with fields of their own are as the document describes each kind, and others are not sent', async () => {
  const { send, stream } = await open()
  const all = await stream('/stream')

  const { id } = await send('POST', '/orders', { item: 'book' })
  await send('PATCH', `/orders/${id}`, { item: 'pen' })
  await send('DELETE', `/orders/${id}`)

  expect(await all.events(2)).toEqual([
    { event: 'order-added', id: '1', data: { id, item: 'book', status: 'open' } },
    { event: 'order-removed', id: '3', data: { orderId: id } },
  ])
})

test('a stream below a record tells of the collection at its path only', async () => {
  const { send, stream } = await open()
  const notes = await stream('/orders/1/notes/events')

  await send('POST', '/orders/2/notes', { text: 'other' })
  await send('POST', '/orders/1/notes', { text: 'own' })

  expect(withoutIds(await notes.events(1))).toMatchObject([['note.created', { text: 'own' }]])
})

test('a list is streamed to clients that ask for it, with its filters', async () => {
  const { get, send, stream } = await open()
  const shipped = await stream('/orders?status=shipped', STREAM)
  const list = await get('/orders')

  await send('POST', '/orders', { item: 'book' })
  await send('POST', '/orders/1/ship')

  expect(list.headers.get('content-type')).toBe('application/json')
  expect(withoutIds(await shipped.events(1))).toMatchObject([['order.shipped', { id: 1 }]])
})

test('a change that was caused for later is told at its time on the clock', async () => {
  const { sandbox, send, stream } = await open()
  sandbox.clock.freeze()
  const watched = await stream('/orders/1/stream')
  await send('POST', '/orders/1/ship')

  sandbox.clock.advance('1h')

  expect(withoutIds(await watched.events(2))).toMatchObject([
    ['order.shipped', { status: 'shipped' }],
    ['order.updated', { status: 'delivered' }],
  ])
})

test('changes by hand and events that are emitted are told, too', async () => {
  const { sandbox, stream } = await open()
  const watched = await stream('/orders/events')

  await sandbox.collection('orders').create({ item: 'cup' })
  await sandbox.events.emit('order.created', { id: 7, item: 'by hand', status: 'open' })
  await sandbox.collection('orders').update(1, { item: 'pen' })

  expect(withoutIds(await watched.events(2))).toMatchObject([
    ['ORDER_CREATED', { order: { item: 'cup' } }],
    ['ORDER_UPDATED', { order: { item: 'pen' } }],
  ])
})

test('a client that names an unknown event gets all that are kept', async () => {
  const { send, stream } = await open()
  await send('POST', '/orders', { item: 'a' })
  await send('POST', '/orders', { item: 'b' })
  const before = await stream('/orders', STREAM)
  await send('POST', '/orders', { item: 'c' })
  await before.events(1)

  const again = await stream('/orders', {
    headers: { ...STREAM.headers, 'Last-Event-ID': 'evt_unknown' },
  })

  expect(withoutIds(await again.events(3))).toMatchObject([
    ['order.created', { item: 'a' }],
    ['order.created', { item: 'b' }],
    ['order.created', { item: 'c' }],
  ])
})

test.each([
  ['the schema has nothing of records', '/prices/stream', {}],
  ['the schema has nothing of the records at the path', '/orders/1/chat/stream', {}],
  ['a hint says so', '/orders/feed', {}],
  ['the client asks for it', '/orders/events', { Prefer: 'code=200' }],
])('it is a list of events that ends where %s', async (_reason, path, headers) => {
  const { get } = await open()
  const response = await get(path, { headers })

  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await response.text()).toMatch(/^(data: .*\n\n){3}$/)
})

test('an unknown record is a 404, and HEAD has no stream', async () => {
  const { get } = await open()
  const unknown = await get('/orders/99/stream')
  const head = await get('/orders/events', { method: 'HEAD' })

  expect(unknown.status).toBe(404)
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('a client that aborts its request, or does not read, leaves nothing behind', async () => {
  const { get } = await open()
  const aborting = new AbortController()
  const aborted = await get('/orders/events', { signal: aborting.signal })
  const read = aborted.text()
  aborting.abort(new Error('enough'))

  await expect(read).rejects.toThrow('enough')
  for (let at = 0; at < 1000; at += 1) {
    const { body } = await get('/orders/events')
    await body?.cancel()
  }
  expect((await get('/orders/events')).status).toBe(200)
})

test('the fault truncated breaks a stream off at its start', async () => {
  const { get } = await open()
  const { body } = await get('/orders/events', { headers: { Prefer: 'outcome=truncated' } })
  const reader = new EventReader(body)

  expect(await reader.next()).toBe('retry: 1000')
  await expect(reader.next()).rejects.toThrow('The connection was closed before the body ended')
})

test('a thousand streams are open at a time, and one more is refused', async () => {
  const { get, sandbox } = await open()
  for (let at = 0; at < 1000; at += 1) await get('/orders/events')

  const refused = await get('/orders/events')
  sandbox.reset()
  const next = await get('/orders/events')

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.text()).toContain('1000 streams of events are open.')
  expect(next.status).toBe(200)
})

test('what is undone is not told', async () => {
  const sandbox = createSandbox({ contract, records: 3 })
  const { resolveMount } = await import('./router.ts').then(({ routerOf }) => routerOf(sandbox))
  const response = await sandbox.fetch(new Request('http://localhost/v1/orders', STREAM))
  const reader = new EventReader(response.body)
  const mount = resolveMount('/v1/orders', () => undefined)
  const request = (item: string, saveChanges: () => Promise<void>) =>
    mount?.answer({
      ...{ method: 'POST', base: 'http://localhost/v1', path: '/orders', query: '' },
      header: (name) => (name === 'content-type' ? 'application/json' : undefined),
      headers: () => [],
      body: async () => new TextEncoder().encode(JSON.stringify({ item })),
      saveChanges,
    })

  await expect(
    request('lost', async () => {
      throw new Error('full')
    }),
  ).rejects.toThrow('full')
  await request('kept', async () => undefined)

  expect(withoutIds(await reader.events(1))).toMatchObject([['order.created', { item: 'kept' }]])
})
