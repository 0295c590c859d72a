import { describe, expect, it } from 'vitest'
import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { resolveResource } from '../../inference/resolve-resource.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import type { RecordCollection } from './record-collection.ts'

/** What the compiler would refuse, too. */
function pets(): RecordCollection {
  return createSandbox({ records: 2 }).collection('pets')
}

const REX = { name: 'Rex', categoryId: 1 }

function spiked(text: string): StoredRecord {
  return JSON.parse(text)
}

describe('a collection', () => {
  it.each([null, undefined, 5, 'text', [REX]])('takes no %j for a record', async (values) => {
    const collection = pets()

    for (const method of [collection.create, (given: never) => collection.update(1, given)]) {
      await expect(Reflect.apply(method, undefined, [values])).rejects.toThrow(
        expect.objectContaining({
          code: 'invalid_record',
          message: expect.stringContaining('change pets'),
        }),
      )
    }
    expect(await collection.count()).toBe(2)
  })

  it.each<[given: object, message: string]>([
    [{ stat: 'sold' }, 'unknown property "stat"'],
    [{ color: 'red' }, 'unknown property "color". Known: name, categoryId, status, id.'],
    [spiked('{"__proto__":{"name":"Ash"}}'), 'unknown property "__proto__".'],
  ])('refuses %j, which the service itself would drop', async (given, message) => {
    const collection = pets()
    const before = await collection.list()

    await expect(collection.update(1, given)).rejects.toThrow(`Cannot change pets: ${message}`)
    await expect(collection.create({ ...REX, ...given })).rejects.toThrow(message)
    expect(await collection.list()).toEqual(before)
  })

  it('refuses another id for a record, and takes its own', async () => {
    const collection = pets()

    await expect(collection.update(1, { id: 99 })).rejects.toThrow(
      'Cannot change pets 1: the id of a record cannot be changed (got 99). Leave the id out, or create a record.',
    )
    expect(await collection.update(1, { id: 1, name: 'Ash' })).toMatchObject({ name: 'Ash' })
    expect(await collection.get(99)).toBeUndefined()
  })

  it('lists all mistakes at once, with the nearest names', async () => {
    const collection = pets()
    const given: object = { nme: 'Ash', status: 'solt' }
    const mistakes = [
      '  unknown property "nme". Did you mean "name"?',
      '  status must be one of available, pending, sold. Did you mean "sold"?',
    ]

    await expect(collection.create({ ...REX, ...given })).rejects.toThrow(
      ['Cannot change pets: 2 mistakes.', ...mistakes].join('\n'),
    )
    await expect(collection.update(1, { id: 99, ...given })).rejects.toThrow(
      [
        'Cannot change pets 1: 3 mistakes.',
        '  the id of a record cannot be changed (got 99). Leave the id out, or create a record.',
        ...mistakes,
      ].join('\n'),
    )
  })

  it.each<[query: object, message: string]>([
    [{ were: {} }, 'Cannot read the list options: unknown option "were"'],
    [{ where: { stat: 'x' } }, 'unknown property "stat"'],
    [
      { where: 'sold' },
      'Cannot list pets: the value must be an object of properties (got string).',
    ],
    [{ limit: -1 }, 'Cannot use the option limit: the value must be an integer ≥ 0 (got -1).'],
    [{ limit: 'x' }, 'Cannot use the option limit: the value must be an integer ≥ 0 (got string).'],
  ])('refuses to list by %j', async (query, message) => {
    await expect(pets().list(query)).rejects.toThrow(message)
  })

  it('lists none for a limit of 0', async () => {
    expect(await pets().list({ limit: 0 })).toEqual([])
  })
})

const OWNER: Schema = { type: 'object', properties: { first: { type: 'string' } } }

/** Books, which answers show as `shown`, and requests bring as `sent`. */
function books(shown: Schema, sent: Schema): RecordCollection {
  const validate = (): boolean => true
  const operation: Operation = {
    id: 'createBook',
    method: 'POST',
    path: '/books',
    secured: false,
    parameters: [],
    body: { required: true, mediaTypes: ['application/json'], schema: sent, validate },
    responses: [{ status: 201, schema: shown, validate }],
    hints: { action: 'create', resource: 'books', record: '' },
  }
  const contract: Contract = {
    title: 'Library',
    version: '1',
    basePath: '',
    operations: [operation],
    resources: {
      books: resolveResource({ name: 'books', path: '/books', id: 'id', view: 'createBook' }, [
        operation,
      ]),
    },
  }
  return createSandbox({ contract, records: 0 }).collection('books')
}

describe('a record', () => {
  it('may have write-only properties', async () => {
    const shown: Schema = { type: 'object', properties: { id: { type: 'integer' } } }
    const sent: Schema = {
      type: 'object',
      properties: { pin: { type: 'string', writeOnly: true } },
    }
    const collection = books(shown, sent)

    expect(await collection.create({ pin: '1234' })).toEqual({ id: 1, pin: '1234' })
    await expect(collection.create({ pim: '1234' })).rejects.toThrow('Did you mean "pin"?')
  })

  it('has no value that no response can show, also of a property that no request has', async () => {
    const status = { type: 'string', enum: ['open', 'closed'], readOnly: true } as const
    const shown: Schema = {
      type: 'object',
      properties: { id: { type: 'integer' }, title: { type: 'string' }, status },
    }
    const sent: Schema = { type: 'object', properties: { title: { type: 'string' } } }
    const collection = books(shown, sent)

    await expect(collection.create({ status: 'closd' })).rejects.toThrow(
      'Cannot change books: status must be one of open, closed',
    )
    expect(await collection.create({ status: 'closed' })).toMatchObject({ status: 'closed' })
  })

  it('needs nothing that only requests have when it has what only responses have', async () => {
    const integer = { type: 'integer' }
    const shown = { type: 'object', properties: { id: integer, size: integer } }
    const sent = { type: 'object', required: ['file'], properties: { file: { type: 'string' } } }
    const content = (schema: object) => ({ content: { 'application/json': { schema } } })
    const contract = await loadDocumentOf({
      '/books': {
        get: {
          responses: { 200: { description: '', ...content({ type: 'array', items: shown }) } },
        },
        post: {
          requestBody: content(sent),
          responses: { 201: { description: '', ...content(shown) } },
        },
      },
    })
    const collection = createSandbox({ contract, records: 0 }).collection('books')

    expect(await collection.create({ size: 3 })).toMatchObject({ id: 1, size: 3 })
    await expect(collection.create({})).rejects.toThrow('file is required')
  })

  it('may have any property where its schema allows it', async () => {
    const open: Schema = {
      type: 'object',
      properties: { id: { type: 'integer' } },
      additionalProperties: true,
    }
    const collection = books(open, open)

    expect(await collection.create({ color: 'red' })).toEqual({ id: 1, color: 'red' })
    await expect(collection.create(spiked('{"__proto__":1}'))).rejects.toThrow(
      'unknown property "__proto__"',
    )
  })

  it('has no nested property that its schema does not have', async () => {
    const schema: Schema = { type: 'object', properties: { id: { type: 'integer' }, owner: OWNER } }
    const collection = books(schema, schema)

    await expect(collection.create({ owner: { fist: 'Ann' } })).rejects.toThrow(
      'Cannot change books: unknown property "owner.fist". Did you mean "first"?',
    )
    expect(await collection.create({ owner: { first: 'Ann' } })).toMatchObject({ id: 1 })
  })
})
