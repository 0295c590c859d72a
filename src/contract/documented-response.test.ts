import { expect, test } from 'vitest'
import { contentOf, documentedResponse } from './documented-response.ts'
import { isJson } from './json.ts'

const operation = {
  responses: [{ status: 200 }, { status: 404, example: 'own' }],
  otherResponses: [
    { range: '4XX', example: 'range' },
    { range: 'default', example: 'default' },
  ],
} as const

test.each([
  [404, 'own'],
  [409, 'range'],
  [500, 'default'],
])('the response of %i is its own, else that of its range, else the default', (status, example) => {
  expect(documentedResponse(operation, status)?.example).toBe(example)
})

test('a status without any documented response has none', () => {
  expect(documentedResponse({ responses: [{ status: 200 }] }, 404)).toBeUndefined()
})

test('a response with a schema and no content is JSON', () => {
  expect(contentOf({ schema: { type: 'string' }, example: 'a' })).toEqual([
    { mediaType: 'application/json', schema: { type: 'string' }, examples: [{ value: 'a' }] },
  ])
})

test.each([
  ['application/json', true],
  ['application/problem+json', true],
  ['text/json', true],
  ['application/jsonl', false],
  ['application/json-seq', false],
  ['text/plain', false],
])('%s is JSON: %s', (mediaType, expected) => {
  expect(isJson(mediaType)).toBe(expected)
})
