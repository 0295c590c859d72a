import { expect, test } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { streamedPaths } from './streams.ts'

test.each([
  ['/orders', ['/orders']],
  ['/orders/events', ['/orders/events', '/orders']],
  ['/stream/orders/{id}', ['/stream/orders/{id}', '/orders/{id}']],
  [
    '/orders/{id}/events/stream',
    ['/orders/{id}/events/stream', '/orders/{id}/events', '/orders/{id}'],
  ],
  ['/events', ['/events']],
])('the changes of %s may be those at %j', (path, paths) => {
  expect(streamedPaths(path)).toEqual(paths)
})

const ORDER = {
  type: 'object',
  required: ['id', 'item'],
  properties: { id: { type: 'integer' }, item: { type: 'string' } },
}
const json = (schema: object) => ({ 'application/json': { schema } })
const ok = (content: object) => ({ responses: { 200: { description: 'ok', content } } })

/** What an operation that answers with server-sent events of a schema streams, beside orders. */
async function streamsAt(path: string, schema: object, media = 'text/event-stream') {
  const own = { get: { operationId: 'watch', ...ok({ [media]: { schema } }) } }
  const contract = await loadDocumentOf({
    '/orders': {
      get: ok(json({ type: 'array', items: ORDER })),
      post: { requestBody: { content: json(ORDER) }, ...ok(json(ORDER)) },
    },
    '/reports': {
      get: ok(
        json({
          type: 'array',
          items: { properties: { id: { type: 'integer' }, sum: { type: 'number' } } },
        }),
      ),
    },
    [path]: own,
  })
  const { hints } = contract.operations.find(({ id }) => id === 'watch') ?? {}
  return { streams: hints?.streams, streamsChanges: contract.streamsChanges }
}

const NAMED = { properties: { type: { enum: ['order.created', 'order.deleted'] }, count: {} } }
const BY_ID = { properties: { event: { type: 'string' }, orderId: { type: 'integer' } } }
const TOKEN = { properties: { type: { type: 'string' }, token: { type: 'string' } } }

test.each([
  ['the record', '/orders/events', ORDER],
  ['the record in an envelope', '/orders/live', { properties: { kind: {}, order: ORDER } }],
  ['a text, at the path of the collection', '/orders/stream', { type: 'string' }],
  ['anything, at the path of the collection', '/events/orders', {}],
  ['names of events', '/notifications', NAMED],
  ['the id of a record beside a name', '/orders/updates', BY_ID],
  ['the event with the record as its data', '/stream', { properties: { data: ORDER, event: {} } }],
])('an operation streams the changes of records when it shows %s', async (_what, path, schema) => {
  expect(await streamsAt(path, schema)).toEqual({ streams: 'orders', streamsChanges: true })
})

test.each([
  ['something else at the path of the collection', '/orders/chat', TOKEN],
  ['something else, whatever its path is', '/orders/stream', TOKEN],
  ['a text at the top', '/events', { type: 'string' }],
  ['records that requests cannot change', '/reports/events', { type: 'string' }],
])('an operation streams nothing when it shows %s', async (_what, path, schema) => {
  expect(await streamsAt(path, schema)).toEqual({ streams: undefined, streamsChanges: false })
})

test('an operation streams nothing in another media type', async () => {
  const { streams } = await streamsAt('/orders/events', ORDER, 'application/json')

  expect(streams).toBeUndefined()
})
