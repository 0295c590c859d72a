import { expect, test } from 'vitest'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const REPO = objectOf(['id', 'name'])

test('collections at any depth are resources with the paths of their parents', () => {
  const operations = [
    operationOn('GET /orgs/{org}/repos', { shown: listOf(REPO) }),
    operationOn('GET /orgs/{org}/repos/{repo}/issues/{number}', { shown: objectOf(['number']) }),
  ]
  const { names, resource } = inferHints(operations)

  expect(names.map((name) => resource(name)?.path)).toEqual([
    '/orgs/{org}/repos',
    '/orgs/{org}/repos/{repo}/issues',
  ])
})

test('a path can be a record of one collection and a collection of its own', () => {
  const operations = [
    operationOn('GET /repos/{owner}', { shown: listOf(REPO) }),
    operationOn('GET /repos/{owner}/{repo}', { shown: REPO }),
  ]
  const inference = inferHints(operations)

  expect(operations.map((operation) => inference.of(operation).action)).toEqual(['list', 'read'])
  expect(inference.resource('repos/{owner}')).toMatchObject({ item: '/repos/{owner}/{repo}' })
})

test('a word in a collection does not hide the records beside it', () => {
  const operations = [
    operationOn('GET /books', { shown: listOf(REPO) }),
    operationOn('GET /books/latest', { shown: REPO }),
    operationOn('GET /books/{id}', { shown: REPO }),
  ]
  const inference = inferHints(operations)

  expect(operations.map((operation) => inference.of(operation).action)).toEqual([
    'list',
    'stateless',
    'read',
  ])
})

test('two paths that end with the same word are two resources', () => {
  const operations = [
    operationOn('GET /shop/books', { shown: listOf(REPO) }),
    operationOn('GET /library/books', { shown: listOf(REPO) }),
  ]
  const inference = inferHints(operations)

  expect(operations.map((operation) => inference.of(operation).resource)).toEqual([
    'shop/books',
    'library/books',
  ])
})

test('an unknown name has no resource', () => {
  expect(inferHints([]).resource('books')).toBeUndefined()
})

test('schemas are read when a hint is first needed', () => {
  const operation = operationOn('GET /books', { shown: listOf(REPO) })
  let reads = 0
  const lazy = Object.defineProperty({ ...operation }, 'responses', {
    get: () => {
      reads += 1
      return operation.responses
    },
  })
  const inference = inferHints([lazy])
  const before = reads

  inference.of(lazy)

  expect(before).toBe(0)
  expect(reads).toBeGreaterThan(0)
})

test.each([10, 4000])('the paths of %i operations are read a few times each', (size) => {
  let reads = 0
  const operations = Array.from({ length: size }, (_, index) => {
    const operation = operationOn(`GET /shelf-${index}/books`, { shown: listOf(REPO) })
    return Object.defineProperty({ ...operation }, 'path', {
      get: () => {
        reads += 1
        return operation.path
      },
    })
  })
  const inference = inferHints(operations)

  for (const operation of operations) inference.of(operation)

  expect(reads / size).toBeLessThanOrEqual(8)
})
