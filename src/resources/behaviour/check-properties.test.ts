import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { createSandbox } from '../../index.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { checkProperties } from './check-collection.ts'

const SHOWN = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: { type: 'string', minLength: 1 },
    size: { type: 'integer', minimum: 0 },
    state: { type: 'string', enum: ['open', 'sold'] },
    at: { type: ['string', 'null'], format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' } },
    owner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    created: { type: 'string', format: 'date-time', readOnly: true },
  },
  allOf: [{ properties: { code: { type: 'string', maxLength: 3 } } }],
  oneOf: [
    { properties: { value: { type: 'integer' }, kind: { const: 'count' } } },
    { properties: { value: { type: 'string' }, kind: { const: 'text' } } },
  ],
}
/** What requests send of a record: an owner by its id, and a password that no response shows. */
const SENT = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1 },
    size: { type: 'integer', minimum: 0 },
    owner: { type: 'integer' },
    password: { type: 'string', minLength: 8 },
  },
}

async function openItems(): Promise<ReturnType<Sandbox['collection']>> {
  const content = (schema: Schema) => ({ content: { 'application/json': { schema } } })
  const itemId = { name: 'itemId', in: 'path', required: true, schema: { type: 'integer' } }
  const one = { '200': { description: 'One', ...content(SHOWN) } }
  const contract = await loadDocumentOf({
    '/items': {
      get: {
        responses: { '200': { description: 'All', ...content({ type: 'array', items: SHOWN }) } },
      },
      post: {
        requestBody: content(SENT),
        responses: { '201': { description: 'New', ...content(SHOWN) } },
      },
    },
    '/items/{itemId}': { parameters: [itemId], get: { responses: one } },
  })
  const items = createSandbox({ contract, records: 0 }).collection('items')
  await items.create({ name: 'Lamp', size: 1 })
  return items
}

describe('an edit of a record', () => {
  test.each<[changes: object, location: string, reason: string]>([
    [{ size: -5 }, 'size', 'must be >= 0'],
    [{ size: 'big' }, 'size', 'must be integer'],
    [{ size: null }, 'size', 'must be integer'],
    [{ name: '' }, 'name', 'must have at least 1 character'],
    [{ state: 'ajar' }, 'state', 'must be one of open, sold'],
    [{ at: 'today' }, 'at', 'must match format "date-time"'],
    [{ tags: ['a', 1] }, 'tags[1]', 'must be string'],
    [{ owner: { name: 5 } }, 'owner.name', 'must be string'],
    [{ owner: {} }, 'owner.name', 'is required'],
    [{ created: 5 }, 'created', 'must be string'],
    [{ code: 'long' }, 'code', 'must have at most 3 characters'],
    [{ value: true }, 'value', 'must be integer'],
    [{ password: 'short' }, 'password', 'must have at least 8 characters'],
  ])('with %j is refused at %s', async (changes, location, reason) => {
    const items = await openItems()
    const before = await items.get(1)

    await expect(items.update(1, changes)).rejects.toThrow(
      expect.objectContaining({
        code: 'invalid_record',
        location,
        message: expect.stringContaining(`Cannot change items: ${location} ${reason}`),
      }),
    )
    expect(await items.get(1)).toEqual(before)
  })

  test.each<[changes: object]>([
    [{ size: 0, name: 'Desk', state: 'sold', tags: [], at: null }],
    [{ value: 'a', kind: 'text' }],
    [{ value: 5, kind: 'count' }],
    [{ created: '2026-01-02T03:04:05Z' }],
    [{ owner: { name: 'Ada' } }],
    [{ owner: 5 }],
    [{ password: 'long enough' }],
  ])('with %j is stored', async (changes) => {
    const items = await openItems()

    expect(await items.update(1, changes)).toMatchObject(changes)
  })
})

test('a value that stays as it is is not checked', () => {
  const schema = { type: 'object', properties: SHOWN.properties }
  const changes = { name: '', size: -1 }

  const mistakes = checkProperties({ schema }, changes, { id: 1, name: 'Lamp', size: -1 })

  expect(mistakes.map(({ location }) => location)).toEqual(['name'])
})
