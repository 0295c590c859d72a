import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { defineHandlers } from '../handlers/define-handlers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import type { SandboxOptions } from './options.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const contract = await loadContract('src/testing/later-events.yaml')
const directory = useTemporaryDirectory()
const START = '2030-12-05T00:00:00Z'

/** A sandbox at a time that stands still, whose events all go to one receiver. */
function open(options: SandboxOptions = {}): Sandbox {
  const deliver = async (): Promise<Response> => new Response()
  const events = { to: 'http://127.0.0.1:3000/hooks', deliver }
  const sandbox = createSandbox({ contract, events, ...options })
  sandbox.clock.set(START)
  return sandbox
}

async function send(
  { fetch }: Pick<Sandbox, 'fetch'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
  const response = await fetch(new Request(`http://localhost/v1${path}`, { method, ...sent }))
  expect(response.status).toBeLessThan(300)
  return response.json()
}

/** The events that were sent, with the hours since the start when they happened and when they were due. */
async function toldBy({ events }: Sandbox): Promise<readonly unknown[]> {
  await events.settled()
  return events.deliveries.map(({ event, attempts }) => [
    event.type,
    ...[event.at, attempts[0]?.at].map((at) => (Number(at) - Date.parse(START)) / 3_600_000),
  ])
}

const SHIPPED = [
  ['order.packed', 0, 0],
  ['order.shipped', 1, 1],
  ['order.updated', 3, 3],
]

test('a change that an action has caused for later causes its event at its own time', async () => {
  const sandbox = open()
  await send(sandbox, 'POST', '/orders/1/pack')

  sandbox.clock.advance('1d')

  expect(await toldBy(sandbox)).toEqual(SHIPPED)
  const body = JSON.parse(String(sandbox.events.deliveries[2]?.body))
  expect(body).toMatchObject({ data: { status: 'delivered' }, previous: { status: 'shipped' } })
})

test('its event is sent once, also when a request sees the change first', async () => {
  const sandbox = open()
  await send(sandbox, 'POST', '/orders/1/pack')

  sandbox.clock.advance('1d')
  const reads = [1, 2, 3].map(() => send(sandbox, 'GET', '/orders'))
  await Promise.all(reads)
  sandbox.clock.advance('1d')
  await sandbox.collection('orders').list()

  expect(await toldBy(sandbox)).toEqual(SHIPPED)
})

test('its event is sent when a handler sees the change first', async () => {
  const handlers = defineHandlers({
    'GET /orders': async ({ next, records }) => {
      await records('/orders').list()
      return next()
    },
  })
  const sandbox = open({ handlers })
  await send(sandbox, 'POST', '/orders/1/pack')

  sandbox.clock.advance('1d')
  await send(sandbox, 'GET', '/orders')

  expect(await toldBy(sandbox)).toEqual(SHIPPED)
})

test('on a running clock, a change for later needs no request', async () => {
  const sandbox = open()
  sandbox.clock.resume()
  const shipped = sandbox.events.next('order.shipped')
  await send(sandbox, 'POST', '/orders/1/pack')

  sandbox.clock.advance(3_600_000 - 50)

  await expect(shipped).resolves.toMatchObject({ record: 'orders/1' })
})

test('a restored sandbox knows the changes that are still to come', async () => {
  const sandbox = open()
  await send(sandbox, 'POST', '/orders/1/pack')
  await sandbox.events.settled()
  const other = open()

  await other.restore(await sandbox.snapshot())
  other.clock.advance('1d')

  expect(await toldBy(other)).toEqual(SHIPPED.slice(1))
})

test('who listens after the action is told of what it has caused for later', async () => {
  const sandbox = createSandbox({ contract })
  sandbox.clock.set(START)
  await send(sandbox, 'POST', '/orders/1/pack')
  const shipped = sandbox.events.next('order.shipped')

  sandbox.clock.advance('1d')

  await expect(shipped).resolves.toMatchObject({ at: Date.parse(START) + 3_600_000 })
})

test('a changed list inside a record is an event of the record, unless it stays the same', async () => {
  const sandbox = open()
  await send(sandbox, 'PUT', '/orders/1/tags', { tags: ['new', 'red'] })
  await send(sandbox, 'PUT', '/orders/1/tags', { tags: ['new', 'red'] })

  await sandbox.events.settled()

  expect(sandbox.events.deliveries.map(({ event }) => event)).toMatchObject([
    { type: 'order.updated', record: 'orders/1' },
  ])
})

test('what an action does to other records causes their events', async () => {
  const sandbox = open()
  await send(sandbox, 'POST', '/orders/1/pay')

  await sandbox.events.settled()

  expect(sandbox.events.deliveries.map(({ event }) => event)).toMatchObject([
    { type: 'order.paid', record: 'orders/1' },
    { type: 'charge.created' },
  ])
})

test('an event can be triggered about a record that is made for it', async () => {
  const sandbox = open()
  const count = await sandbox.collection('orders').count()

  const packed = await sandbox.events.trigger('order.shipped')
  await sandbox.events.settled()

  const { record = '' } = packed
  expect(await send(sandbox, 'GET', `/${record}`)).toMatchObject({ status: 'shipped' })
  expect(await sandbox.collection('orders').count()).toBe(count + 1)
  expect(sandbox.events.deliveries.map(({ event }) => event)).toEqual([packed])
  await expect(sandbox.events.trigger('order.shiped')).rejects.toThrow(
    'Did you mean "order.shipped"?',
  )
  // PUT /orders/{id}/tags changes a list in the order, whose event is order.updated.
  await expect(sandbox.events.trigger('order.tagsed')).rejects.toThrow(
    'no event has the name "order.tagsed"',
  )
})

test('a triggered event is about a record as the action leaves it, whose name the document does not have', async () => {
  const document = await readFile('src/testing/later-events.yaml', 'utf8')
  const file = join(directory(), 'later.yaml')
  await writeFile(file, document.replace('status: paid }', 'status: paid, item: a receipt }'))
  const sandbox = createSandbox({ contract: await loadContract(file) })

  const { record = '' } = await sandbox.events.trigger('order.paid')

  expect(await send(sandbox, 'GET', `/${record}`)).toMatchObject({
    ...{ status: 'paid', item: 'a receipt' },
  })
  expect(sandbox.force({ delivery: 'twice', event: 'order.packed' }).id).toBe(1)
})
