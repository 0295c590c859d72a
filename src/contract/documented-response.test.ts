import { expect, test } from 'vitest'
import type { OtherResponse } from './contract.ts'
import { chooseResponse, contentOf, documentedResponse } from './documented-response.ts'
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

function statusOf(
  target: string,
  statuses: readonly number[],
  ranges: readonly OtherResponse['range'][] = [],
): number {
  const [method = '', path = ''] = target.split(' ')
  const { status } = chooseResponse({
    id: target,
    method,
    path,
    secured: false,
    parameters: [],
    responses: statuses.map((one) => ({ status: one })),
    otherResponses: ranges.map((range) => ({ range })),
  })
  return status
}

test.each<[string, readonly number[], readonly OtherResponse['range'][], number]>([
  ['GET /books', [200, 206, 404], [], 200],
  ['POST /books', [200, 201], [], 201],
  ['POST /books/{id}', [200, 201], [], 200],
  ['PUT /books/{id}', [200, 201], [], 200],
  ['DELETE /books/{id}', [200, 204], [], 204],
  ['DELETE /books/{id}', [200, 202], [], 200],
  ['GET /books', [400], ['2XX'], 200],
  ['GET /books', [404], ['default'], 200],
  ['GET /books', [302, 404], [], 302],
  ['GET /books', [302], ['default'], 302],
  ['GET /books', [], ['3XX'], 302],
  ['GET /books', [200, 302], [], 200],
  ['GET /books', [], [], 200],
  ['GET /books', [402, 404], [], 402],
  ['GET /books', [304, 404], [], 304],
  ['GET /books', [304], ['default'], 200],
])(
  '%s with the statuses %j and the ranges %j succeeds with %i',
  (target, statuses, ranges, expected) => {
    expect(statusOf(target, statuses, ranges)).toBe(expected)
  },
)
