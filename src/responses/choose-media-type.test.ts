import { expect, test } from 'vitest'
import { orderMediaTypes } from './choose-media-type.ts'

function chosen(types: readonly string[], accept?: string): readonly [string, boolean][] {
  const content = types.map((mediaType) => ({ mediaType }))
  return orderMediaTypes(content, accept).map(({ contentType, isAccepted }) => [
    contentType,
    isAccepted,
  ])
}

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/xml', 'application/xml'],
  ['application/json;q=0.1, application/xml', 'application/xml'],
  ['application/*', 'application/json'],
  ['application/vnd.acme.v3+json', 'application/json'],
  ['application/vnd.acme.v3+json, application/xml', 'application/xml'],
])('the header %s chooses %s', (accept, expected) => {
  expect(chosen(['application/json', 'application/xml'], accept)[0]).toEqual([expected, true])
})

test('a client that accepts none of the media types gets the first one', () => {
  expect(chosen(['application/json', 'application/xml'], 'text/csv')[0]).toEqual([
    'application/json',
    false,
  ])
})

test.each([
  ['image/*', undefined, 'image/png'],
  ['image/*', 'image/webp, image/png;q=0.5', 'image/webp'],
  ['image/*', 'image/*', 'image/png'],
  ['*/*', 'text/csv', 'text/csv; charset=utf-8'],
  ['*/*', undefined, 'application/json'],
  ['text/*', 'application/json', 'text/plain; charset=utf-8'],
])('the range %s is answered for the header %s with %s', (range, accept, expected) => {
  expect(chosen([range], accept)[0]?.[0]).toBe(expected)
})

test('a file in any media type is sent as bytes', () => {
  const media = { mediaType: '*/*', schema: { type: 'string', format: 'binary' } }

  expect(orderMediaTypes([media], undefined)[0]?.contentType).toBe('application/octet-stream')
})

test('the parameters of the document are sent', () => {
  const media = { mediaType: 'application/json', contentType: 'application/json; version=2' }

  expect(orderMediaTypes([media], undefined)[0]?.contentType).toBe('application/json; version=2')
})

test('a key that is no media type is answered as JSON', () => {
  expect(chosen(['json'])[0]?.[0]).toBe('application/json')
})
