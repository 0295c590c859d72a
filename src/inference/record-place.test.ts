import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOf, objectOf } from '../testing/operation-on.ts'
import { findRecord, findRecords, type RecordContext } from './record-place.ts'

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
  ])('%s', (_case, body, place) => {
    expect(findRecords(body, CONTEXT)?.place).toBe(place)
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
