import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, type OpenedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer' }
const TIME = { type: 'string', format: 'date-time' }
const FLAG = { type: 'boolean' }
const NOW = '2030-12-05T12:00:00.000Z'

const ORDER: Schema = {
  ...objectOf({
    id: ID,
    note: { type: 'string' },
    status: { type: 'string', enum: ['open', 'closed', 'cancelled'] },
    cancelled_at: { ...TIME, type: ['string', 'null'] },
    closed_at: TIME,
    locked: FLAG,
    access_token: { type: 'string' },
    updated_at: TIME,
  }),
  required: ['id', 'note', 'status', 'cancelled_at', 'locked', 'updated_at'],
}
const ORDERS: DocumentedApi = {
  'GET /orders': { shown: listOf(ORDER) },
  'POST /orders': { sent: objectOf(['note']), shown: ORDER, status: [201] },
  'GET /orders/{id}': { shown: ORDER, status: [200, 404] },
  'POST /orders/{id}/cancel': { shown: ORDER, status: [200, 404] },
  'POST /orders/{id}/close': { sent: objectOf(['note', 'reason']), status: [204, 404] },
  'PUT /orders/{id}/reopen': { shown: objectOf({ success: FLAG }), status: [200, 404] },
  'PUT /orders/{id}/lock': { status: [204, 404] },
  'DELETE /orders/{id}/lock': { status: [204, 404] },
  'POST /orders/{id}:cancel': { shown: ORDER, status: [200, 404] },
  'POST /orders/{id}/rotate-token': { shown: ORDER, status: [200, 404] },
  'POST /orders/{id}/star': { status: [204, 404] },
  'PUT /orders/{id}/note': { sent: objectOf(['note']), status: [204, 404] },
  'POST /orders/{id}/notify': { sent: objectOf(['note']), status: [204, 404] },
}

interface Opened extends OpenedApi {
  /** The path of a new order. */
  readonly path: string
  /** The order as a read shows it. */
  read(): Promise<Readonly<Record<string, unknown>>>
}

async function openOrder(other: DocumentedApi = {}): Promise<Opened> {
  const api = await openApi({ ...ORDERS, ...other })
  api.sandbox.clock.set(NOW)
  const { body } = await api.ask('POST /orders', { note: 'Two cups' })
  const path = `/orders/${body.id}`

  return { ...api, path, read: async () => (await api.ask(`GET ${path}`)).body }
}

describe('an action on a record', () => {
  test('that renews a secret gives it another value each time', async () => {
    const { ask, path, read } = await openOrder()
    const { access_token: first } = await read()

    const { body } = await ask(`POST ${path}/rotate-token`)
    const { access_token: second } = await read()
    await ask(`POST ${path}/rotate-token`)
    const { access_token: third } = await read()

    expect(body.access_token).toBe(second)
    expect(new Set([first, second, third]).size).toBe(3)
  })

  test.each(['/cancel', ':cancel'])('at %s sets the status and its date', async (ending) => {
    const { ask, path, read, sandbox } = await openOrder()
    const before = await read()
    sandbox.clock.advance('60s')

    const { body } = await ask(`POST ${path}${ending}`)

    const later = '2030-12-05T12:01:00.000Z'
    const changed = { status: 'cancelled', cancelled_at: later, updated_at: later }
    expect(body).toEqual({ ...before, ...changed })
    expect(await read()).toEqual(body)
  })

  test('changes nothing when it is done again', async () => {
    const { ask, path, sandbox } = await openOrder()
    const { body: first } = await ask(`POST ${path}/cancel`)
    sandbox.clock.advance('60s')

    const { body, status } = await ask(`POST ${path}/cancel`)

    expect(status).toBe(200)
    expect(body).toEqual(first)
  })

  test('that is done again has a 304 where the document has one', async () => {
    const { ask, path } = await openOrder({
      'POST /orders/{id}/cancel': { status: [204, 304, 404] },
    })

    const [first, second] = [await ask(`POST ${path}/cancel`), await ask(`POST ${path}/cancel`)]

    expect([first.status, second.status]).toEqual([204, 304])
  })

  test('changes the record that its response does not show', async () => {
    const { ask, path, read } = await openOrder()

    const { status } = await ask(`POST ${path}/close`)

    expect(status).toBe(204)
    expect(await read()).toMatchObject({ status: 'closed', closed_at: NOW })
  })

  test('takes back what its opposite did', async () => {
    const { ask, path, read } = await openOrder()
    const before = await read()
    await ask(`POST ${path}/close`)

    const { status } = await ask(`PUT ${path}/reopen`)

    expect(status).toBe(200)
    expect(await read()).toEqual(before)
  })

  test('is undone by a DELETE on its path', async () => {
    const { ask, path, read } = await openOrder()

    await ask(`PUT ${path}/lock`)
    const locked = await read()
    await ask(`DELETE ${path}/lock`)

    expect(locked).toMatchObject({ locked: true })
    expect(await read()).toMatchObject({ locked: false })
  })

  test('changes what its body has of the record, and nothing else', async () => {
    const { ask, path, read } = await openOrder()

    await ask(`POST ${path}/close`, { note: 'No cups', reason: 'Tea is out' })

    const after = await read()
    expect(after).toMatchObject({ note: 'No cups', status: 'closed' })
    expect(after).not.toHaveProperty('reason')
  })

  test('that is called as a property changes it, and doing it again changes nothing', async () => {
    const { ask, path, read, sandbox } = await openOrder()

    await ask(`PUT ${path}/note`, { note: 'No cups' })
    const changed = await read()
    sandbox.clock.advance('60s')
    await ask(`PUT ${path}/note`, { note: 'No cups' })
    await ask(`POST ${path}/notify`, { note: 'Tea is out' })

    expect(changed).toMatchObject({ note: 'No cups' })
    expect(await read()).toEqual(changed)
  })

  test('that belongs to the caller changes nothing', async () => {
    const { ask, path, read } = await openOrder()
    const before = await read()

    await ask(`POST ${path}/star`)

    expect(await read()).toEqual(before)
  })

  test('is a 404 for a record that does not exist', async () => {
    const { ask, path } = await openOrder()

    expect((await ask('POST /orders/987654/close')).status).toBe(404)
    expect((await ask(`PUT ${path}0/lock`)).status).toBe(404)
  })
})

test('a 409 whose description names the state refuses the action in it', async () => {
  const { ask } = await openApi({
    ...ORDERS,
    'POST /orders/{id}/cancel': {
      ...{ shown: ORDER, status: [200, 404, 409] },
      described: { 409: 'The order is already cancelled or closed.' },
    },
  })
  const { body } = await ask('POST /orders', { note: 'Two cups', status: 'open' })

  const statuses = [
    (await ask(`POST /orders/${body.id}/cancel`)).status,
    (await ask(`POST /orders/${body.id}/cancel`)).status,
  ]

  expect(statuses).toEqual([200, 409])
})

test('a removal says what happened', async () => {
  const shown = objectOf({ id: ID, deleted: FLAG, object: { type: 'string', enum: ['order'] } })
  const removed: Schema = { ...shown, required: ['id', 'deleted', 'object'] }
  const { ask } = await openApi({
    ...ORDERS,
    'DELETE /orders/{id}': { shown: removed, status: [200, 404] },
  })
  const { body: order } = await ask('POST /orders', { note: 'Two cups' })

  const { body } = await ask(`DELETE /orders/${order.id}`)

  expect(body).toEqual({ id: order.id, deleted: true, object: 'order' })
  expect((await ask(`GET /orders/${order.id}`)).status).toBe(404)
})

test('detach takes back what attach has set in the record', async () => {
  const volume = {
    ...objectOf({
      id: ID,
      name: { type: 'string' },
      status: { type: 'string', enum: ['in-use', 'available'] },
      server_id: { type: ['integer', 'null'] },
    }),
    required: ['id', 'name', 'status', 'server_id'],
  }
  const { ask } = await openApi({
    'GET /volumes': { shown: listOf(volume) },
    'POST /volumes': { sent: objectOf(['name']), shown: volume, status: [201] },
    'GET /volumes/{id}': { shown: volume, status: [200, 404] },
    'POST /volumes/{id}/attach': { sent: objectOf({ server_id: ID }), status: [204, 404] },
    'POST /volumes/{id}/detach': { status: [204, 404] },
  })
  const { body: made } = await ask('POST /volumes', { name: 'Data' })

  await ask(`POST /volumes/${made.id}/attach`, { server_id: 7 })
  const attached = await ask(`GET /volumes/${made.id}`)
  await ask(`POST /volumes/${made.id}/detach`)
  const detached = await ask(`GET /volumes/${made.id}`)

  expect(made).toMatchObject({ name: 'Data', status: 'available', server_id: null })
  expect(attached.body).toEqual({ ...made, server_id: 7 })
  expect(detached.body).toEqual(made)
})
