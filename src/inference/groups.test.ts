import { expect, test } from 'vitest'
import { operationOn } from '../testing/operation-on.ts'
import {
  createsByPath,
  groupByTemplate,
  groupOperations,
  namesOf,
  operationsWith,
} from './groups.ts'

function groupsOf(...targets: readonly string[]): unknown {
  const groups = groupOperations(targets.map((target) => operationOn(target)))
  return Object.fromEntries(
    [...groups].map(([path, { collection, item }]) => [
      path,
      { collection: collection.map(({ id }) => id), item: item.map(({ id }) => id) },
    ]),
  )
}

test('operations on a collection and on one of its records are in one group', () => {
  expect(groupsOf('GET /books', 'POST /books', 'GET /books/{id}')).toEqual({
    '/books': { collection: ['GET /books', 'POST /books'], item: ['GET /books/{id}'] },
  })
})

test('a slash or a format at the end of a path makes no other group', () => {
  expect(groupsOf('GET /books/', 'GET /books/{id}.json')).toEqual({
    '/books': { collection: ['GET /books/'], item: ['GET /books/{id}.json'] },
  })
})

test('a group has the path of one record, and the parameter that contains its id', () => {
  const groups = groupOperations([operationOn('GET /books'), operationOn('GET /books/{bookId}')])

  expect(groups.get('/books')).toMatchObject({
    path: '/books',
    word: 'books',
    itemPath: '/books/{bookId}',
    parameter: 'bookId',
  })
})

test('of several names of the parameter, a group has that of most operations', () => {
  const targets = ['GET /books/{isbn}', 'GET /books/{bookId}', 'PUT /books/{bookId}']
  const groups = groupOperations(targets.map((target) => operationOn(target)))

  expect(groups.get('/books')).toMatchObject({ itemPath: '/books/{bookId}', parameter: 'bookId' })
})

test('a collection below a record has a group of its own', () => {
  expect(groupsOf('GET /orgs/{org}', 'GET /orgs/{org}/repos')).toEqual({
    '/orgs': { collection: [], item: ['GET /orgs/{org}'] },
    '/orgs/{org}/repos': { collection: ['GET /orgs/{org}/repos'], item: [] },
  })
})

test('a path with a parameter at its end is a record, and a collection when a path lies one parameter below', () => {
  expect(groupsOf('GET /repos/{owner}', 'GET /repos/{owner}/{repo}')).toEqual({
    '/repos': { collection: [], item: ['GET /repos/{owner}'] },
    '/repos/{owner}': { collection: ['GET /repos/{owner}'], item: ['GET /repos/{owner}/{repo}'] },
  })
})

test.each([
  ['the last segment of its path', ['/shop/used/books'], ['books']],
  [
    'its path, when another path ends with that segment',
    ['/shop/books', '/library/books'],
    ['shop/books', 'library/books'],
  ],
  ['its path, when the last segment is a parameter', ['/repos/{owner}'], ['repos/{owner}']],
  ['the word root', [''], ['root']],
])('the name of a collection is %s', (_case, paths, names) => {
  expect([...namesOf(paths).values()]).toEqual(names)
})

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

test.each([
  ['POST', 'createTag', true],
  ['PUT', 'declareTopic', true],
  ['PUT', 'tags.create', false],
  ['POST', 'updateTag', false],
  ['PUT', 'PUT /tags/{name}', false],
])('a %s with the name %s creates the record of its path: %s', (method, id, isCreated) => {
  const read = operationOn('GET /tags/{name}')
  const item = [read, { ...operationOn(`${method} /tags/{name}`), id }]

  expect(createsByPath({ collection: [], item })).toBe(isCreated)
})
