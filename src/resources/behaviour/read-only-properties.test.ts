import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const TIME = { type: 'string', format: 'date-time', readOnly: true }
const BOOK = {
  ...objectOf({ id: { type: 'integer', readOnly: true }, title: TEXT, printedAt: TIME }),
  required: ['id', 'title', 'printedAt'],
}
const OLD = '1815-12-23T00:00:00Z'

describe('a read-only property that a client sends', () => {
  test.each<[what: string, book: Schema]>([
    ['additionalProperties: false', { ...BOOK, additionalProperties: false }],
    ['unevaluatedProperties: false', { ...BOOK, unevaluatedProperties: false }],
    ['any other properties', BOOK],
  ])('is accepted and ignored by a schema with %s', async (_what, book) => {
    const status = [200, 400, 404]
    const { ask } = await openApi({
      'GET /books': { shown: listOf(book) },
      'POST /books': { sent: book, shown: book, status: [201, 400] },
      'GET /books/{id}': { shown: book, status },
      'PUT /books/{id}': { sent: book, shown: book, status },
    })

    const made = await ask('POST /books', { id: 4711, title: 'Emma', printedAt: OLD })
    const path = `/books/${made.body.id}`
    const changed = await ask(`PUT ${path}`, { id: 'x', title: 'Persuasion', printedAt: OLD })

    expect([made.status, changed.status]).toEqual([201, 200])
    expect(made.body).toMatchObject({ title: 'Emma' })
    expect(made.body.id).not.toBe(4711)
    expect(made.body.printedAt).not.toBe(OLD)
    expect(changed.body).toEqual({ ...made.body, title: 'Persuasion' })
    expect((await ask(`GET ${path}`)).body).toEqual(changed.body)
  })

  test('is kept as the id of an object in the record, which says what it is', async () => {
    const author = objectOf({ id: { ...TEXT, readOnly: true }, since: TIME })
    const book = { ...objectOf({ id: TEXT, author }), required: ['id', 'author'] }
    const { ask } = await openApi({
      'GET /books': { shown: listOf(book) },
      'POST /books': { sent: objectOf({ author }), shown: book, status: [201] },
      'GET /books/{id}': { shown: book, status: [200, 404] },
    })

    const made = await ask('POST /books', { author: { id: 'a7', since: OLD } })

    expect(made.body.author).toMatchObject({ id: 'a7' })
    expect(made.body.author).not.toMatchObject({ since: OLD })
  })

  test('does not let a closed schema accept other properties', async () => {
    const book = { ...BOOK, additionalProperties: false }
    const { ask } = await openApi({
      'POST /books': { sent: book, shown: book, status: [201, 400] },
      'GET /books/{id}': { shown: book, status: [200, 404] },
    })

    const { status } = await ask('POST /books', { title: 'Emma', printedOn: OLD })

    expect(status).toBe(400)
  })
})

const BY = { type: 'string', readOnly: true }
const PLACE = { ...objectOf({ street: TEXT, code: BY }), required: ['street', 'code'] }
const REST = {
  ...objectOf({ id: { type: 'integer', readOnly: true }, title: TEXT }),
  required: ['id', 'title'],
}
const OWN = { type: 'object', required: ['by'], properties: { by: BY } }

describe('a read-only property', () => {
  test.each<[where: string, book: Schema]>([
    ['of a part in allOf', { allOf: [REST, OWN] }],
    [
      'that another part declares again',
      { allOf: [OWN, { ...REST, properties: { ...REST.properties, by: TEXT } }] },
    ],
    [
      'of an alternative',
      { ...REST, oneOf: [OWN, { required: ['kind'], properties: { kind: { const: 'b' } } }] },
    ],
    [
      'by its own allOf',
      { ...REST, required: ['by'], properties: { ...REST.properties, by: { allOf: [BY] } } },
    ],
    [
      'that may be null',
      {
        ...REST,
        required: ['by'],
        properties: { ...REST.properties, by: { oneOf: [BY, { type: 'null' }] } },
      },
    ],
  ])('%s is that of the service', async (_where, book) => {
    const { ask } = await openApi({
      'GET /books': { shown: listOf(book) },
      'POST /books': { sent: book, shown: book, status: [201, 400] },
      'GET /books/{id}': { shown: book, status: [200, 404] },
      'PUT /books/{id}': { sent: book, shown: book, status: [200, 404] },
      'PATCH /books/{id}': { sent: book, shown: book, status: [200, 404] },
    })

    const { body: made } = await ask('POST /books', { title: 'Emma', by: 'me' })
    const path = `/books/${made.id}`

    expect(made.by).not.toBe('me')
    for (const method of ['PUT', 'PATCH'])
      for (const more of [{}, { by: 'me' }])
        expect((await ask(`${method} ${path}`, { title: 'Emma', ...more })).body).toEqual(made)
  })

  test('in objects and lists of a record is that of the service, and stays with its item', async () => {
    const item = { ...PLACE, properties: { id: TEXT, ...PLACE.properties } }
    interface Book {
      readonly id: number
      readonly place: { readonly code: string }
      readonly places: readonly { readonly code: string }[]
    }
    const book = {
      ...REST,
      properties: { ...REST.properties, place: PLACE, places: { ...listOf(item), minItems: 1 } },
      required: ['id', 'title', 'place', 'places'],
    }
    const { ask } = await openApi({
      'GET /books': { shown: listOf(book) },
      'POST /books': { sent: book, shown: book, status: [201, 400] },
      'GET /books/{id}': { shown: book, status: [200, 404] },
      'PUT /books/{id}': { sent: book, shown: book, status: [200, 404] },
      'PATCH /books/{id}': { sent: book, shown: book, status: [200, 404] },
    })
    const [first] = (await ask<Book[]>('GET /books')).body
    const [one] = first?.places ?? []
    const sent = {
      title: 'Emma',
      place: { street: 'New', code: 'mine' },
      places: [
        { id: 'other', street: 'Added', code: 'mine' },
        { ...one, street: 'New', code: 'mine' },
      ],
    }

    for (const method of ['PUT', 'PATCH']) {
      const { body } = await ask<Book>(`${method} /books/${first?.id}`, sent)
      expect(body.place).toEqual({ street: 'New', code: first?.place.code })
      expect(body.places[0]?.code).not.toBe('mine')
      expect(body.places[1]).toEqual({ ...one, street: 'New' })
    }
    const { body: made } = await ask('POST /books', sent)
    expect(JSON.stringify(made)).not.toContain('mine')
  })
})
