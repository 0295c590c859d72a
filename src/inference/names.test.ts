import { expect, test } from 'vitest'
import { isSameWord, wordsOf } from './names.ts'

test.each([
  ['books', 'book'],
  ['categories', 'category'],
  ['boxes', 'box'],
  ['sales-orders', 'salesOrder'],
  ['address', 'addresses'],
  ['book', 'books'],
])('%s and %s are the same word', (one, other) => {
  expect(isSameWord(one, other)).toBe(true)
  expect(isSameWord(other, one)).toBe(true)
})

test.each([
  ['books', 'bookings'],
  ['orders', 'borders'],
  ['data', 'date'],
])('%s and %s are different words', (one, other) => {
  expect(isSameWord(one, other)).toBe(false)
})

test.each([
  ['stateProvinceId', ['state', 'province', 'id']],
  ['XMLFile', ['xml', 'file']],
  ['sales-order_2', ['sales', 'order', '2']],
  ['', []],
])('%s has the words %j', (name, words) => {
  expect(wordsOf(name)).toEqual(words)
})
