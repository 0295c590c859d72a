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

describe('an action that renews a secret', () => {
  const SECRET = objectOf({ secret: { type: 'string' }, created_at: TIME })
  const OWN: DocumentedApi = {
    'GET /orders/{id}/secret': { shown: SECRET },
    'POST /orders/{id}/secret/rotate': { shown: SECRET },
    'POST /orders/{id}/key/regenerate': { shown: objectOf(['key']) },
    'POST /orders/{id}/reset_access_token': { shown: objectOf(['token']) },
    'POST /orders/{id}/access_token/renew': { shown: objectOf(['access_token']) },
  }

  test('at a path that only reads it gives the path another value, now', async () => {
    const { ask, path, read } = await openOrder(OWN)
    const { body: first } = await ask(`GET ${path}/secret`)

    const { body: rotated } = await ask(`POST ${path}/secret/rotate`)

    expect(rotated.secret).not.toBe(first.secret)
    expect(String(rotated.secret)).toHaveLength(String(first.secret).length)
    expect(rotated.created_at).toBe(NOW)
    expect((await ask(`GET ${path}/secret`)).body).toEqual(rotated)
    expect(await read()).not.toHaveProperty('secret')
  })

  test.each([
    ['its name', 'secret', 'secret'],
    ['what it is called as a new one', 'new_secret', 'secret'],
    ['another name', 'value_key', 'value_key'],
  ])('gives it the value that the request has under %s', async (_, sent, beside) => {
    const { ask, path } = await openOrder({
      ...OWN,
      'POST /orders/{id}/secret/rotate': { sent: objectOf([sent, beside]), shown: SECRET },
    })
    const { body: first } = await ask(`GET ${path}/secret`)

    await ask(`POST ${path}/secret/rotate`, { [sent]: 'of-my-own' })
    const { body: own } = await ask(`GET ${path}/secret`)
    const { body: other } = await ask(`POST ${path}/secret/rotate`, {})

    expect(own).toEqual({ ...first, secret: 'of-my-own', created_at: NOW })
    expect([first.secret, own.secret]).not.toContain(other.secret)
  })

  test('gives it another value when the request has the present one', async () => {
    const { ask, path } = await openOrder({
      ...OWN,
      'POST /orders/{id}/secret/rotate': { sent: objectOf(['secret']), shown: SECRET },
    })
    const { body: first } = await ask(`GET ${path}/secret`)

    const { body } = await ask(`POST ${path}/secret/rotate`, { secret: first.secret })

    expect(body.secret).not.toBe(first.secret)
  })

  test('that no path reads answers with another value each time', async () => {
    const { ask, path } = await openOrder(OWN)

    const { body: first } = await ask(`POST ${path}/key/regenerate`)
    const { body: second } = await ask(`POST ${path}/key/regenerate`)

    expect(second.key).not.toBe(first.key)
  })

  test.each([
    ['reset_access_token', 'token'],
    ['access_token/renew', 'access_token'],
  ])('of a record at …/%s shows the new value of the record', async (action, name) => {
    const { ask, path, read } = await openOrder(OWN)
    const before = await read()

    const { body } = await ask(`POST ${path}/${action}`)

    expect((await read()).access_token).toBe(body[name])
    expect(body[name]).not.toBe(before.access_token)
  })
})

test('the journal says that an action keeps nothing of its request, where no record has any of it', async () => {
  const { ask, path, read, sandbox } = await openOrder({
    'POST /orders/{id}/weigh': { sent: objectOf(['unit', 'note']), shown: ORDER, status: [200] },
  })
  const before = await read()

  await ask(`POST ${path}/weigh`, { unit: 'kg' })
  const after = await read()
  await ask(`POST ${path}/weigh`, { unit: 'kg', note: 'Heavy' })
  await ask(`POST ${path}/weigh`, {})

  expect(after).toEqual({ ...before, updated_at: NOW })
  const notes = sandbox.journal.exchanges.flatMap((exchange) => exchange.notes)
  expect(notes).toEqual([{ kind: 'unkept-property', place: 'body.unit' }])
})

test('a fork is another record, which names the first one', async () => {
  const from = objectOf({ id: ID, name: { type: 'string' } })
  const project = {
    ...objectOf({ id: ID, name: { type: 'string' }, forked: FLAG, forked_from_project: from }),
    required: ['id', 'name', 'forked'],
  }
  const { ask } = await openApi({
    'POST /projects': { sent: objectOf(['name']), shown: project, status: [201] },
    'GET /projects/{id}': { shown: project, status: [200, 404] },
    'POST /projects/{id}/fork': { sent: objectOf(['name']), shown: project, status: [201, 404] },
  })
  const { body: first } = await ask('POST /projects', { name: 'web' })

  const { body: fork } = await ask(`POST /projects/${first.id}/fork`, {})

  expect(first).toEqual({ id: first.id, name: 'web', forked: false })
  expect(fork).toMatchObject({ name: 'web', forked: true, forked_from_project: { id: first.id } })
  expect(fork.id).not.toBe(first.id)
  expect((await ask(`GET /projects/${fork.id}`)).body).toEqual(fork)
})

test('an action on a part of a record turns it on and off', async () => {
  const server = objectOf({ id: ID, backups: objectOf({ enabled: FLAG, day: { type: 'string' } }) })
  const { ask } = await openApi({
    'POST /servers': { sent: objectOf(['name']), shown: server, status: [201] },
    'GET /servers/{id}': { shown: server, status: [200, 404] },
    'GET /servers/{id}/backups': { shown: listOf(objectOf(['id', 'label'])) },
    'POST /servers/{id}/backups/enable': { status: [204, 404] },
    'POST /servers/{id}/backups/cancel': { status: [204, 404] },
  })
  const { body } = await ask('POST /servers', { name: 'web' })
  const read = async () => (await ask(`GET /servers/${body.id}`)).body.backups

  await ask(`POST /servers/${body.id}/backups/enable`)
  const on = await read()
  await ask(`POST /servers/${body.id}/backups/cancel`)

  expect(on).toMatchObject({ enabled: true })
  expect(await read()).toMatchObject({ enabled: false })
})

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

  test('that is done again has no 304 for the default response', async () => {
    const { ask, path } = await openOrder({
      'POST /orders/{id}/cancel': { status: [204, 404, 'default'] },
    })

    const [first, second] = [await ask(`POST ${path}/cancel`), await ask(`POST ${path}/cancel`)]

    expect([first.status, second.status]).toEqual([204, 204])
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

  test('that no rule names sets the status that its own form names', async () => {
    const mail = { type: 'string', enum: ['pending', 'mailed'] }
    const { ask } = await openApi({
      'POST /letters': { sent: objectOf(['to']), shown: objectOf({ id: ID, status: mail }) },
      'GET /letters/{id}': { shown: objectOf({ id: ID, status: mail }) },
      'POST /letters/{id}/mail/': { status: [204] },
    })
    const { body } = await ask('POST /letters', { to: 'Emma' })

    await ask(`POST /letters/${body.id}/mail/`)

    expect((await ask(`GET /letters/${body.id}`)).body.status).toBe('mailed')
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

describe('an action whose request has the value of one property', () => {
  const rule = objectOf({ port: { type: 'integer' }, source: { type: 'string' } })
  const server: Schema = {
    ...objectOf({
      id: ID,
      name: { type: 'string' },
      size: objectOf({ id: ID, name: { type: 'string' } }),
      protection: objectOf({ delete: FLAG, rebuild: FLAG }),
      rules: listOf(rule),
    }),
    required: ['id', 'name', 'protection', 'rules'],
  }
  const size = objectOf({ id: ID, name: { type: 'string' } })
  const servers: DocumentedApi = {
    'GET /sizes': { shown: listOf(size) },
    'POST /sizes': { sent: objectOf(['name']), shown: size, status: [201] },
    'GET /sizes/{id}': { shown: size },
    'GET /servers': { shown: listOf(server) },
    'POST /servers': { sent: objectOf(['name']), shown: server, status: [201] },
    'GET /servers/{id}': { shown: server },
    'POST /servers/{id}/actions/change_protection': {
      sent: objectOf({ delete: FLAG, rebuild: FLAG }),
      status: [204],
    },
    'PUT /servers/{id}/protection': {
      sent: objectOf({ delete: FLAG, rebuild: FLAG }),
      shown: server,
    },
    'POST /servers/{id}/actions/add_rule': { sent: rule, status: [204] },
    'POST /servers/{id}/actions/delete_rule': { sent: rule, status: [204] },
    'POST /servers/{id}/actions/change_size': {
      sent: objectOf({ size: { type: 'string' }, upgrade_disk: FLAG }),
      status: [204],
    },
  }

  test('sets the object that it is called as', async () => {
    const { ask } = await openApi(servers)
    const { body: made } = await ask('POST /servers', { name: 'web' })
    const path = `/servers/${made.id}`
    const protection = { delete: true, rebuild: true }

    await ask(`POST ${path}/actions/change_protection`, protection)
    expect((await ask(`GET ${path}`)).body).toEqual({ ...made, protection })
    await ask(`PUT ${path}/protection`, { delete: false, rebuild: true })
    expect((await ask(`GET ${path}`)).body).toMatchObject({ protection: { delete: false } })
  })

  test.each([
    ['PUT', true],
    ['POST', false],
  ])('is what a %s has that answers with nothing: %s', async (method, isSet) => {
    const user = objectOf({ id: ID, name: { type: 'string' }, enabled: FLAG })
    const { ask } = await openApi({
      'GET /users': { shown: listOf(user) },
      'POST /users': { sent: objectOf(['name']), shown: user, status: [201] },
      'GET /users/{id}': { shown: user },
      [`${method} /users/{id}/status`]: { sent: objectOf({ enabled: FLAG }), status: [204] },
    })
    const { body: made } = await ask('POST /users', { name: 'Ann' })

    await ask(`${method} /users/${made.id}/status`, { enabled: !made.enabled })
    const { body } = await ask(`GET /users/${made.id}`)
    expect(body.enabled !== made.enabled).toBe(isSet)
  })

  test('adds an item to a list and removes it', async () => {
    const { ask } = await openApi(servers)
    const { body: made } = await ask('POST /servers', { name: 'web' })
    const path = `/servers/${made.id}`
    const rulesNow = async (): Promise<unknown> => (await ask(`GET ${path}`)).body.rules
    const [http, ssh] = [
      { port: 80, source: 'any' },
      { port: 22, source: 'home' },
    ]

    await ask(`POST ${path}/actions/add_rule`, http)
    await ask(`POST ${path}/actions/add_rule`, ssh)
    expect(await rulesNow()).toEqual([http, ssh])
    await ask(`POST ${path}/actions/delete_rule`, { port: 80 })
    expect(await rulesNow()).toEqual([ssh])
  })

  test('refers to a record by its name, and may say more of the change', async () => {
    const { ask } = await openApi(servers)
    const { body: small } = await ask('POST /sizes', { name: 'small-1' })
    const { body: made } = await ask('POST /servers', { name: 'web' })

    await ask(`POST /servers/${made.id}/actions/change_size`, {
      size: 'small-1',
      upgrade_disk: true,
    })

    expect((await ask(`GET /servers/${made.id}`)).body).toEqual({ ...made, size: small })
  })
})

test('an action below a word for a kind of request is one on the record', async () => {
  const { ask, path, read } = await openOrder({
    'POST /simulations/orders/{id}/close': { shown: ORDER, status: [200, 404] },
  })

  const { body } = await ask(`POST /simulations${path}/close`)

  expect(body.status).toBe('closed')
  expect(await read()).toEqual(body)
})

test('a GET at the path of an action says by its status whether it was done', async () => {
  const pull = objectOf({ id: ID, title: { type: 'string' }, merged: FLAG, merged_at: TIME })
  const { ask } = await openApi({
    'POST /pulls': { sent: objectOf(['title']), shown: pull, status: [201] },
    'GET /pulls/{id}': { shown: pull, status: [200, 404] },
    'GET /pulls/{id}/merge': { status: [204, 404] },
    'POST /pulls/{id}/merge': { sent: objectOf(['method']), status: [204, 404] },
  })
  const { body: open } = await ask('POST /pulls', { title: 'Tap' })
  const before = await ask(`GET /pulls/${open.id}/merge`)

  await ask(`POST /pulls/${open.id}/merge`, { method: 'squash' })

  expect(open).not.toHaveProperty('merged_at')
  expect((await ask(`GET /pulls/${open.id}`)).body).toMatchObject({ merged: true })
  expect([before.status, (await ask(`GET /pulls/${open.id}/merge`)).status]).toEqual([404, 204])
})

test('a DELETE that cancels shows the record in that state, and leaves it so', async () => {
  const booking = {
    ...objectOf({ id: ID, name: { type: 'string' }, status: { enum: ['confirmed', 'cancelled'] } }),
    required: ['id', 'name', 'status'],
  }
  const { ask } = await openApi({
    'POST /bookings': { sent: objectOf(['name']), shown: booking, status: [201] },
    'GET /bookings/{id}': { shown: booking, status: [200, 404] },
    'DELETE /bookings/{id}': { shown: booking, status: [200, 404], summary: 'Cancel a booking' },
    'POST /rooms': { sent: objectOf(['name']), shown: booking, status: [201] },
    'GET /rooms/{id}': { shown: booking, status: [200, 404] },
    'DELETE /rooms/{id}': { shown: booking, status: [200, 404], summary: 'Delete a room' },
  })
  const { body: made } = await ask('POST /bookings', { name: 'Ann' })
  const { body: room } = await ask('POST /rooms', { name: 'North' })

  const { body: cancelled } = await ask(`DELETE /bookings/${made.id}`)
  await ask(`DELETE /rooms/${room.id}`)

  expect(cancelled).toEqual({ ...made, status: 'cancelled' })
  expect((await ask(`GET /bookings/${made.id}`)).body).toEqual(cancelled)
  expect((await ask(`GET /rooms/${room.id}`)).status).toBe(404)
})

test('what is made the default is the only one beside others', async () => {
  const address = objectOf({ id: ID, line: { type: 'string' }, is_default: FLAG })
  const { ask } = await openApi({
    'GET /people/{person}/addresses': { shown: listOf(address) },
    'POST /people/{person}/addresses': { sent: objectOf(['line']), shown: address, status: [201] },
    'GET /people/{person}/addresses/{id}': { shown: address, status: [200, 404] },
    'PUT /people/{person}/addresses/{id}/default': { shown: address, status: [200, 404] },
  })
  const { body: one } = await ask('POST /people/new/addresses', { line: 'One' })
  const { body: two } = await ask('POST /people/new/addresses', { line: 'Two' })
  const choose = async (id: unknown) =>
    (await ask(`PUT /people/new/addresses/${id}/default`)).body.is_default
  const read = async (id: unknown) => (await ask(`GET /people/new/addresses/${id}`)).body.is_default

  const chosen = [await choose(two.id), await choose(one.id)]

  expect(chosen).toEqual([true, true])
  expect([await read(one.id), await read(two.id)]).toEqual([true, false])
})
