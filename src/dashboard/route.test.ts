import { describe, expect, test } from 'vitest'
import { fillPath, parametersOf, parseRoute, toHash } from './route.ts'

describe('a route', () => {
  test.each([
    ['', { view: 'traffic', path: [], query: {} }],
    ['#', { view: 'traffic', path: [], query: {} }],
    ['#/keys', { view: 'keys', path: [], query: {} }],
    ['#/traffic/42', { view: 'traffic', path: ['42'], query: {} }],
    ['#/records/orgs/acme/repos', { view: 'records', path: ['orgs', 'acme', 'repos'], query: {} }],
    ['#/traffic?world=checkout-7', { view: 'traffic', path: [], query: {}, world: 'checkout-7' }],
    ['#/traffic?world=default', { view: 'traffic', path: [], query: {} }],
    [
      '#/traffic?status=4xx&text=a%2Fb',
      { view: 'traffic', path: [], query: { status: '4xx', text: 'a/b' } },
    ],
    ['#/records/a%2Fb/100%', { view: 'records', path: ['a/b', '100%'], query: {} }],
    ['#/nothing', { path: [], query: {} }],
    ['#/constructor', { path: [], query: {} }],
    ['#/keys?world=..', { path: [], query: {} }],
    [`#/keys?world=${'a'.repeat(201)}`, { path: [], query: {} }],
  ])('is read from %j', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route)
  })

  test.each([
    { view: 'traffic', path: ['42'], query: { status: '4xx' }, world: 'a b&c' },
    { view: 'records', path: ['orgs', 'a/b', '?#%'], query: { text: 'ü=1&2' } },
    { view: 'keys', path: [], query: {} },
  ] as const)('is the same after it was written as a fragment: %j', (route) => {
    expect(parseRoute(toHash(route))).toEqual(route)
  })

  test('has no half of a character', () => {
    expect(toHash({ view: 'operations', path: ['a\uD800'] })).toBe('#/operations/a%EF%BF%BD')
  })

  test('leaves out settings without a value', () => {
    expect(toHash({ view: 'traffic', query: { status: '', key: '…free' } })).toBe(
      '#/traffic?key=%E2%80%A6free',
    )
  })
})

test('the ids of parents are encoded in the path', () => {
  expect(parametersOf('orgs/{org}/repos/{repo}/issues')).toEqual(['org', 'repo'])
  expect(fillPath('orgs/{org}/repos', { org: 'a/b' })).toBe('orgs/a%2Fb/repos')
})
