import { expect, test } from 'vitest'
import type { OtherResponse } from './contract.ts'
import { chooseResponse } from './documented-response.ts'

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
