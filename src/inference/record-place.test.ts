import { describe, expect, test } from 'vitest'
import type { MediaType, Schema } from '../contract/contract.ts'
import { listOf, objectOf } from '../testing/operation-on.ts'
import {
  findListed,
  findRecord,
  findRecords,
  findSent,
  isFree,
  type RecordContext,
  schemaOrExample,
} from './record-place.ts'

const BOOK = objectOf(['id', 'title'])
const BOOKS = listOf(BOOK)
const TEXT: Schema = { type: 'string' }
const COUNT: Schema = { type: 'integer' }
const CONTEXT: RecordContext = { word: 'books', parameter: 'bookId' }

describe('a list of records is', () => {
  test.each<[string, Schema, string]>([
    ['the body', BOOKS, ''],
    ['a body that may be anything', {}, ''],
    ['in the data of an object that may have any properties', { type: 'object' }, '/data'],
    ['under the name of the collection', objectOf({ books: BOOKS, total: COUNT }), '/books'],
    ['under a usual name', objectOf({ data: BOOKS, has_more: TEXT }), '/data'],
    ['called after the page', objectOf({ page: BOOKS, total: COUNT }), '/page'],
    ['in an object of the envelope', objectOf({ data: objectOf({ items: BOOKS }) }), '/data/items'],
    ['under `_embedded`', objectOf({ _embedded: objectOf({ books: BOOKS }) }), '/_embedded/books'],
    ['the only list, whatever it is called', objectOf({ page: COUNT, found: BOOKS }), '/found'],
    [
      'under the name of the collection rather than under another one',
      objectOf({ data: listOf(objectOf(['id'])), books: BOOKS }),
      '/books',
    ],
    [
      'beside the records that it refers to',
      objectOf({ included: listOf(objectOf(['id'])), data: BOOKS }),
      '/data',
    ],
    ['a list under a name that numbers have, too', objectOf({ page: BOOKS, total: TEXT }), '/page'],
    [
      'a list of texts under the name of the collection',
      objectOf({ books: listOf(TEXT) }),
      '/books',
    ],
    ['a list of the ids of the records', objectOf({ book_ids: listOf(TEXT) }), '/book_ids'],
  ])('%s', (_case, body, place) => {
    expect(findRecords(body, CONTEXT)?.place).toBe(place)
  })

  test.each([
    ['ids of others', objectOf({ errorCodes: listOf(TEXT) })],
    ['numbers of others', objectOf({ counts: listOf(COUNT) })],
  ])('no list with %s', (_case, body) => {
    expect(findRecords(body, CONTEXT)).toBeUndefined()
  })

  test('that with the schema of the records, whatever it is called', () => {
    const body = objectOf({ books: listOf(objectOf(['id'])), x: BOOKS })

    expect(findRecords(body, { ...CONTEXT, known: BOOK })?.place).toBe('/x')
  })

  test('described by the schema of its items', () => {
    expect(findRecords(objectOf({ data: BOOKS }), CONTEXT)?.schema).toBe(BOOK)
  })
})

describe('no list of records is', () => {
  test.each<[string, Schema]>([
    ['a record', BOOK],
    ['the list of errors', objectOf({ errors: listOf(objectOf(['id'])) })],
    ['a list in an object about the list', objectOf({ meta: objectOf({ books: BOOKS }) })],
    ['an object', objectOf({ data: BOOK })],
  ])('%s', (_case, body) => {
    expect(findRecords(body, CONTEXT)).toBeUndefined()
  })
})

describe('one record is', () => {
  test.each<[string, Schema, string]>([
    ['the body', BOOK, ''],
    [
      'a kind of it, with nothing of its own beside it',
      objectOf({ rare_book: BOOK, errors: listOf(TEXT) }),
      '/rare_book',
    ],
    ['the body, with values beside a kind of it', objectOf({ rare_book: BOOK, id: TEXT }), ''],
    [
      'the body, when it has values of its own beside an item',
      objectOf({ item: BOOK, speed: TEXT, isOn: TEXT, mode: TEXT }),
      '',
    ],
    ['the body, also when it has an object with an id', objectOf({ id: TEXT, author: BOOK }), ''],
    [
      'the body, when it has the id and a wrapper has one too',
      objectOf({ id: TEXT, data: BOOK }),
      '',
    ],
    ['a body that may have any property', { type: 'object' }, ''],
    ['under the name of the record', objectOf({ book: BOOK }), '/book'],
    ['under a usual name', objectOf({ data: BOOK, meta: objectOf(['took']) }), '/data'],
    [
      'beside a status and a link of the response',
      objectOf({ _selfUrl: TEXT, http_code: TEXT, response_msg: TEXT, data: objectOf(['title']) }),
      '/data',
    ],
    ['the only property, whatever it is called', objectOf({ found: BOOK }), '/found'],
    ['in a list that has one record', objectOf({ data: BOOKS }), '/data'],
    ['in a list that is the body', BOOKS, ''],
    ['two objects deep', objectOf({ data: objectOf({ book: BOOK }) }), '/data/book'],
  ])('%s', (_case, body, place) => {
    expect(findRecord(body, CONTEXT)?.place).toBe(place)
  })

  test('what has the schema of the records, wherever it is', () => {
    const body = objectOf({ id: TEXT, result: objectOf({ x: BOOK }) })

    expect(findRecord(body, { ...CONTEXT, known: BOOK })?.place).toBe('/result/x')
  })
})

describe('a request contains', () => {
  const known = objectOf({ id: TEXT, contact: objectOf(['email']), data: objectOf(['colour']) })

  test.each<[string, Schema, string]>([
    ['one property of the record', objectOf({ contact: objectOf(['email']) }), ''],
    ['one property of the record, with a usual name', objectOf({ data: objectOf(['colour']) }), ''],
    ['the record in an envelope, which the record also has', objectOf({ data: BOOK }), '/data'],
  ])('%s', (_case, body, place) => {
    expect(findRecord(body, { ...CONTEXT, known })?.place).toBe(place)
  })
})

describe('no record is', () => {
  test.each<[string, Schema]>([
    ['a text', TEXT],
    ['a number', COUNT],
  ])('%s', (_case, body) => {
    expect(findRecord(body, CONTEXT)).toBeUndefined()
  })
})

const BOOK_SCHEMA: Schema = { type: 'object', properties: { id: {} } }

function json(parts: Partial<MediaType>): MediaType {
  return { mediaType: 'application/json', ...parts }
}

test.each<Schema>([
  {},
  { type: 'object' },
  { type: 'array' },
  { type: 'array', items: { type: 'object' } },
])('the schema %j tells nothing about the content', (schema) => {
  expect(isFree(schema)).toBe(true)
})

test.each<Schema>([
  BOOK_SCHEMA,
  { type: 'string' },
  { type: 'array', items: BOOK_SCHEMA },
  { allOf: [BOOK_SCHEMA] },
  { type: 'object', additionalProperties: { type: 'string' } },
])('the schema %j tells something about the content', (schema) => {
  expect(isFree(schema)).toBe(false)
})

test('a body is described by its schema, when that tells something', () => {
  expect(schemaOrExample(json({ schema: BOOK_SCHEMA, examples: [{ value: { other: 1 } }] }))).toBe(
    BOOK_SCHEMA,
  )
})

test.each<[string, unknown, Schema]>([
  [
    'an object',
    { id: 7, title: 'Emma', pages: null },
    {
      type: 'object',
      properties: { id: { type: 'number' }, title: { type: 'string' }, pages: {} },
    },
  ],
  [
    'a list',
    [{ id: 'a' }],
    { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
  ],
  ['a text with JSON', '{"id":"a"}', { type: 'object', properties: { id: { type: 'string' } } }],
])('a free body is described by the example of the document: %s', (_case, value, schema) => {
  expect(schemaOrExample(json({ schema: {}, examples: [{ value }] }))).toEqual(schema)
})

test.each([
  ['no example', undefined],
  ['a text', 'Hello'],
  ['an empty list', []],
])('a free body with %s stays free', (_case, value) => {
  const examples = value === undefined ? [] : [{ value }]

  expect(schemaOrExample(json({ schema: {}, examples }))).toEqual({})
})

test('the description of an example is the same object each time', () => {
  const media = json({ examples: [{ value: { id: 1 } }] })

  expect(schemaOrExample(media)).toBe(schemaOrExample(media))
})

const NEW_ISSUE = objectOf(['title', 'text'])

function bodyOf(properties: Readonly<Record<string, Schema>>): Schema {
  return objectOf({ dryRun: {}, ...properties })
}

describe('the record in a request', () => {
  const ISSUE = objectOf(['id', 'title', 'text', 'state'])
  const context = { word: 'issues', known: ISSUE }

  test.each<[what: string, body: Schema, place: string]>([
    ['is an object beside other things', bodyOf({ issue: NEW_ISSUE, notify: {} }), '/issue'],
    ['may be a list beside other things', bodyOf({ add: listOf(NEW_ISSUE), delete: {} }), '/add'],
    [
      'is one before it is a list',
      bodyOf({ issues: listOf(NEW_ISSUE), issue: NEW_ISSUE }),
      '/issue',
    ],
    ['is the body that has a property of records', bodyOf({ title: {}, issue: NEW_ISSUE }), ''],
    [
      'is no object with other properties',
      bodyOf({ owner: objectOf(['id', 'login', 'city']) }),
      '',
    ],
  ])('%s', (_what, body, place) => {
    expect(findSent(body, context)?.place).toBe(place)
  })

  test('may be below what records have as a text', () => {
    const known = objectOf({ id: {}, label: {}, url: TEXT })
    const body = bodyOf({ url: objectOf({ label: {}, url: TEXT }) })

    expect(findSent(body, { word: 'urls', known })?.place).toBe('/url')
  })

  test('is no list that it has itself', () => {
    const values = listOf(objectOf(['key', 'value']))
    const body = bodyOf({ environment: objectOf({ name: {}, values }) })
    const known = objectOf({ id: {}, name: {}, values })

    expect(findSent(body, { word: 'environments', known })?.place).toBe('/environment')
  })
})

test('an object whose only property is called like the id has records by their ids', () => {
  const pool = objectOf(['name', 'size'])

  const found = findListed(objectOf({ 'pool-id': pool }), { word: 'pools', parameter: 'poolId' })
  const wrapped = findListed(objectOf({ pool }), { word: 'pools', parameter: 'pool' })

  expect(found).toEqual({ place: '', schema: pool })
  expect(wrapped).toBeUndefined()
})

test('a list of lists has a record in each', () => {
  const trace = objectOf(['id', 'name'])

  const found = findListed(listOf(listOf(trace)), { word: 'traces', parameter: 'traceId' })

  expect(found).toEqual({ place: '', schema: trace, item: '/0' })
})
