import { expect, test } from 'vitest'
import { sizeOfPages } from './page-walks.ts'

test.each([
  [12, 50, 10, 5],
  [9, undefined, 20, 4],
  [10, 50, 4, 6],
  [7, 50, 20, 3],
])('%i records have a last page that is not full', (count, maximum, usual, size) => {
  expect(sizeOfPages(count, maximum, usual)).toBe(size)
  expect(count % size).toBeGreaterThan(0)
})

test.each([
  [2, 50, 20, 1],
  [40, 10, 20, 10],
  [2, 50, 1, 1],
])('%i records with at most %s on a page get a possible size', (count, maximum, usual, size) => {
  expect(sizeOfPages(count, maximum, usual)).toBe(size)
})
