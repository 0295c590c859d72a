import { expect, test } from 'vitest'
import { operationOn } from '../testing/operation-on.ts'
import { groupByTemplate, operationsWith } from './id-operations.ts'

const groups = groupByTemplate(
  [
    'GET /shops',
    'GET /shops/{id}/books/{bookId}/pages',
    'GET /shops/{shopId}/books',
    'GET /shops/{id}.json',
    'GET /shops/{id}/books/{bookId}',
    'GET /shops/search',
  ].map((target) => operationOn(target)),
)

test.each<[path: string, operations: readonly string[]]>([
  [
    '/shops/{id}',
    [
      'GET /shops/{id}.json',
      'GET /shops/{shopId}/books',
      'GET /shops/{id}/books/{bookId}',
      'GET /shops/{id}/books/{bookId}/pages',
    ],
  ],
  [
    '/shops/{shop}/books/{book}',
    ['GET /shops/{id}/books/{bookId}', 'GET /shops/{id}/books/{bookId}/pages'],
  ],
  ['/orders/{id}', []],
])('the id of %s is in the paths of the operations on the record and below it', (path, found) => {
  expect(operationsWith(path, groups).map(({ id }) => id)).toEqual(found)
})
