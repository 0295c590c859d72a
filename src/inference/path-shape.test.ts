import { expect, test } from 'vitest'
import { actionIn, parametersIn, recordPathAbove, shapeOf, wordOf } from './path-shape.ts'

test.each([
  ['/books', { path: '/books' }],
  ['/books/', { path: '/books' }],
  ['/books.json', { path: '/books' }],
  ['/books/{bookId}', { path: '/books/{bookId}', stem: '/books', parameter: 'bookId' }],
  ['/books/{bookId}.json', { path: '/books/{bookId}', stem: '/books', parameter: 'bookId' }],
  ['/orgs/{org}/repos', { path: '/orgs/{org}/repos' }],
  ['/{org}/{repo}', { path: '/{org}/{repo}', stem: '/{org}', parameter: 'repo' }],
  ['/{org}', { path: '/{org}', stem: '', parameter: 'org' }],
  ['/', { path: '' }],
  ['/books/id-{bookId}', { path: '/books/id-{bookId}' }],
])('the path %s has the shape %j', (template, shape) => {
  expect(shapeOf(template)).toEqual(shape)
})

test.each([
  ['/orders/{id}/cancel', '/orders/{id}'],
  ['/orgs/{org}/repos/{repo}/star', '/orgs/{org}/repos/{repo}'],
  ['/orders/{id}', undefined],
  ['/orders', undefined],
  ['/{org}/star', undefined],
])('the path %s lies below the record %s', (path, above) => {
  expect(recordPathAbove(path)).toBe(above)
})

test.each([
  ['/orders/{id}/cancel', '/orders/{id}', 'cancel'],
  ['/orders/{id}:cancel', '/orders/{id}', 'cancel'],
  ['/orders/{id}/actions/cancel', '/orders/{id}', 'cancel'],
  ['/users/{id}/lifecycle/suspend', '/users/{id}', 'suspend'],
])('the path %s is of an action on %s: %s', (path, recordPath, name) => {
  expect(actionIn(path)).toEqual({ recordPath, name })
})

test.each(['/orders/{id}', '/orders/cancel', '/{org}/star', '/orders/{id}/lines/cancel'])(
  'the path %s is of no action on a record',
  (path) => {
    expect(actionIn(path)).toBeUndefined()
  },
)

test.each([
  ['/orgs/{org}/repos', 'repos'],
  ['/repos/{owner}', 'repos'],
  ['/{org}', ''],
])('the path %s is about %j', (path, word) => {
  expect(wordOf(path)).toBe(word)
})

test('the parameters of a path are named in its order', () => {
  expect(parametersIn('/orgs/{org}/repos/{repo}')).toEqual(['org', 'repo'])
})
