import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' } as const
const POOL = objectOf({ name: TEXT, size: { type: 'integer' } })

test('an object with the id in the place of a name lists records by their ids', async () => {
  const { ask } = await openApi({
    'GET /pools': { shown: objectOf({ 'pool-id': POOL }) },
    'POST /pools': { sent: POOL, status: [201] },
    'GET /pools/{poolId}': { shown: POOL, status: [200, 404] },
  })

  const { headers } = await ask('POST /pools', { name: 'East', size: 3 })
  const id = headers.get('location')?.split('/').at(-1) ?? ''
  const { body } = await ask<Readonly<Record<string, object>>>('GET /pools')

  expect(body[id]).toMatchObject({ name: 'East', size: 3 })
  expect(Object.keys(body)).not.toContain('pool-id')
})

test('a list of lists shows a record in each', async () => {
  const trace = { ...objectOf(['id', 'name']), required: ['id', 'name'] }
  const { ask } = await openApi({
    'GET /traces': { shown: listOf(listOf(trace)) },
    'POST /traces': { sent: objectOf(['name']), shown: listOf(trace), status: [201] },
    'GET /traces/{traceId}': { shown: listOf(trace), status: [200, 404] },
  })

  const { body: created } = await ask<readonly { id: string }[]>('POST /traces', { name: 'first' })
  const { body: read } = await ask(`GET /traces/${created[0]?.id}`)
  const { body: listed } = await ask<readonly object[]>('GET /traces')

  expect(read).toEqual([{ id: created[0]?.id, name: 'first' }])
  expect(listed).toContainEqual(read)
})

test('a list of which the document shows one record only shows the record that was added last', async () => {
  const member = { ...objectOf(['name', 'email', 'role']), required: ['name', 'email'] }
  const { ask } = await openApi({
    'GET /teams/{team}/members': { shown: member },
    'POST /teams/{team}/members': { sent: objectOf(['email']), shown: member, status: [201] },
    'DELETE /teams/{team}/members/{name}': { status: [204, 404] },
  })

  const first = await ask('GET /teams/red/members')
  const created = await ask('POST /teams/red/members', { email: 'a@example.com' })
  const shown = await ask('GET /teams/red/members')
  await ask(`DELETE /teams/red/members/${created.body.name}`)
  const last = await ask('GET /teams/red/members')

  expect(shown.body).toEqual(created.body)
  expect(last.body).toEqual(first.body)
})

test('lines of which the document shows one list all records', async () => {
  const order = { ...objectOf({ id: { type: 'integer' }, item: TEXT }), required: ['id', 'item'] }
  const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
  const lines = { 'application/jsonl': { itemSchema: order } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  const contract = await loadDocumentOf({
    '/orders': {
      get: { responses: { 200: { description: 'OK', content: lines } } },
      post: {
        requestBody: json(objectOf(['item'])),
        responses: { 201: { description: 'OK', ...json(order) } },
      },
    },
    '/orders/{id}': {
      parameters: [id],
      get: { responses: { 200: { description: 'OK', ...json(order) } } },
    },
  })
  const sandbox = createSandbox({ contract, records: 2 })
  const created = await sandbox.collection('orders').create({ item: 'book' })

  const response = await sandbox.fetch(new Request('http://localhost/orders'))
  const shown = (await response.text()).trimEnd().split('\n')

  expect(response.headers.get('content-type')).toBe('application/jsonl')
  expect(shown.map((line) => JSON.parse(line))).toEqual(await sandbox.collection('orders').list())
  expect(shown.map((line) => JSON.parse(line))).toContainEqual(created)
  expect(shown).toHaveLength(3)
})

test('links to records list them by their addresses', async () => {
  const link = objectOf(['href'])
  const hook = {
    ...objectOf({ id: TEXT, callback: TEXT, _links: objectOf({ self: link }) }),
    required: ['id', 'callback', '_links'],
  }
  const { ask } = await openApi({
    'GET /hooks': { shown: objectOf({ _links: objectOf({ self: link, hooks: listOf(link) }) }) },
    'POST /hooks': { sent: objectOf(['callback']), shown: hook, status: [201] },
    'GET /hooks/{hookId}': { shown: hook, status: [200, 404] },
  })

  const { body: created } = await ask<{ id: string; _links: { self: object } }>('POST /hooks', {
    callback: 'a',
  })
  const { body } = await ask<{ _links: { hooks: readonly object[] } }>('GET /hooks')

  expect(body._links.hooks).toContainEqual({ id: created.id, ...created._links.self })
})

test('a path with a parameter at its end lists the records that it selects', async () => {
  const order = { ...objectOf(['id', 'user_id', 'total']), required: ['id', 'user_id'] }
  const { ask } = await openApi({
    'GET /orders': { shown: listOf(order) },
    'POST /orders': { sent: objectOf(['user_id', 'total']), shown: order, status: [201] },
    'GET /orders/{id}': { shown: order, status: [200, 404] },
    'GET /orders/user/{userId}': { shown: listOf(order), status: [200, 404] },
  })

  const { body: created } = await ask('POST /orders', { user_id: 'ada', total: '7' })
  await ask('POST /orders', { user_id: 'bob', total: '8' })
  const listed = await ask('GET /orders/user/ada')

  expect(listed.body).toEqual([created])
})

describe('a successful response', () => {
  const NOTE = objectOf(['id', 'text'])
  const BESIDE = {
    data: NOTE,
    errors: listOf(objectOf(['code'])),
    included: listOf(objectOf(['id', 'name'])),
    success: { type: 'boolean' },
    error: { type: ['boolean', 'null'] },
    warnings: listOf(TEXT),
  } as const

  test.each([
    { required: ['data', 'success'], rest: {} },
    { required: Object.keys(BESIDE), rest: { errors: [], included: [], warnings: [] } },
  ])('has no errors and no other records beside $required', async ({ required, rest }) => {
    const { ask } = await openApi({
      'GET /notes': { shown: { ...objectOf({ ...BESIDE, data: listOf(NOTE) }), required } },
      'POST /notes': { sent: objectOf(['text']), shown: { ...objectOf(BESIDE), required } },
      'GET /notes/{id}': { shown: { ...objectOf(BESIDE), required }, status: [200, 404] },
    })

    const { body: created } = await ask('POST /notes', { text: 'One' })
    const { body: listed } = await ask('GET /notes')

    const [{ error, ...one }, { data: _, error: _error, ...all }] = [created, listed]
    expect(one).toEqual({ data: { id: expect.any(String), text: 'One' }, success: true, ...rest })
    expect(all).toEqual({ success: true, ...rest })
    expect(error ?? false).toBe(false)
  })
})
