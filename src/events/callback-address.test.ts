import { describe, expect, it } from 'vitest'
import type { Called } from './cause.ts'
import { callbackAddress } from './make-deliveries.ts'

const called = {
  request: {
    method: 'POST',
    base: 'http://shop.test/v1',
    path: '/orders',
    query: 'queue=a',
    header: (name: string) => (name === 'x-reply' ? 'http://127.0.0.1/header' : undefined),
  },
  input: {
    body: { url: 'http://127.0.0.1/body', nested: { id: 7 } },
    query: { queue: 'a' },
    path: { id: 3 },
  },
  response: {
    status: 201,
    headers: { Location: '/orders/1' },
    body: '{"links":{"me":"http://x.test"}}',
  },
} as unknown as Called

describe('callbackAddress', () => {
  it.each([
    ['{$request.body#/url}', 'http://127.0.0.1/body'],
    ['{$request.body#/url}/paid', 'http://127.0.0.1/body/paid'],
    ['http://127.0.0.1/{$request.query.queue}/{$request.path.id}', 'http://127.0.0.1/a/3'],
    ['{$request.body#/url}?order={$request.body#/nested/id}', 'http://127.0.0.1/body?order=7'],
    ['{$request.header.X-Reply}', 'http://127.0.0.1/header'],
    ['{$response.body#/links/me}', 'http://x.test'],
    ['http://127.0.0.1{$response.header.location}', 'http://127.0.0.1/orders/1'],
    ['$request.body#/url', 'http://127.0.0.1/body'],
    ['{$url}', 'http://shop.test/v1/orders?queue=a'],
    ['http://127.0.0.1/{$method}/{$statusCode}', 'http://127.0.0.1/POST/201'],
  ])('of %s is %s', (template, address) => {
    expect(callbackAddress(template, called)).toBe(address)
  })

  it.each(['{$request.body#/missing}', '{$request.cookie.a}', '{$response.header.none}'])(
    'is missing when %s has no value',
    (template) => {
      expect(callbackAddress(template, called)).toBeUndefined()
    },
  )
})
