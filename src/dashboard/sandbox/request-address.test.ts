import { describe, expect, test } from 'vitest'
import { isAltered, requireApiAddress } from './request-address.ts'

const SITE = 'http://127.0.0.1:4010/prefix'

describe('a request of the page', () => {
  test.each([
    '/v1/books',
    '/v1/books/a%20b?next=/../__sandbox',
    '/v1/books/%2F..%2F',
    '/v1/{a}|"[b]^`\u00e9\ud800',
    '/v1/__sandbox/reset',
    '/__sandboxes',
    '//__sandbox/reset',
    '',
  ])('may be sent to %j', (path) => {
    expect(() => requireApiAddress(SITE + path, SITE)).not.toThrow()
  })

  test.each([
    '/v1/../__sandbox/reset',
    '/v1/%2e%2E/__sandbox/reset',
    '/v1/.%2e/__sandbox/reset',
    '/v1/\\..\\..\\__sandbox/reset',
    '/v1/.\t./__sandbox/reset',
    '/v1/./books',
    '/__sandbox/reset#/v1',
    '/v1/..',
  ])('is not sent to %j, which browsers alter', (path) => {
    expect(() => requireApiAddress(SITE + path, SITE)).toThrow('Browsers alter the path')
  })

  test.each(['/__sandbox', '/__sandbox/reset', '/__sandbox?x=1'])(
    'is not sent to %j, an address of the control interface',
    (path) => {
      expect(() => requireApiAddress(SITE + path, SITE)).toThrow('control interface')
    },
  )
})

test('a text that is no URL cannot be sent as it is', () => {
  expect(isAltered('http://127.0.0.1:4010*')).toBe(true)
})
