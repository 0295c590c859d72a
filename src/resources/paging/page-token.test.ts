import { describe, expect, it } from 'vitest'
import type { Id } from '../../records/record-table.ts'
import { fromToken, toToken } from './read-page.ts'

function toCursor(collection: string, id: Id): string {
  return toToken(collection, 'after', { id })
}

function fromCursor(collection: string, cursor: string): unknown {
  return fromToken(collection, cursor)?.after
}

describe('a cursor', () => {
  it.each<Id>([
    1,
    0,
    -5,
    Number.MAX_SAFE_INTEGER,
    '1',
    '',
    'a b/c?d=e&f',
    'Zoë 🐶',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
  ])('holds the id %j', (id) => {
    expect(fromCursor('books', toCursor('books', id))).toBe(id)
  })

  it('distinguishes the number 1 from the string "1"', () => {
    expect(toCursor('books', 1)).not.toBe(toCursor('books', '1'))
  })

  it.each<Id>([7, 'Zoë 🐶?>'])('of %j needs no encoding in a query', (id) => {
    const cursor = toCursor('books', id)

    expect(encodeURIComponent(cursor)).toBe(cursor)
    expect(cursor).not.toContain(String(id))
  })

  it.each([
    ['empty', ''],
    ['an id as it is', '7'],
    ['no base64', '%%%'],
    ['base64 of an id', btoa('7')],
    ['base64 of an id with a wrong checksum', btoa('1abc 7')],
    ['base64 of what is no id', btoa('x null')],
    ['base64 of broken percent-encoding', btoa('x %')],
    ['a true one with something behind it', `${toCursor('books', 7)}A`],
    ['a true one with its padding', `${toCursor('books', 7)}=`],
    ['a true one, cut', toCursor('books', 7).slice(0, -1)],
    ['another collection’s', toCursor('authors', 7)],
  ])('that is %s is refused', (_name, cursor) => {
    expect(fromCursor('books', cursor)).toBeUndefined()
  })
})
