import { describe, expect, it } from 'vitest'
import type { Operation } from '../../contract/contract.ts'
import type { Action, OperationHints, StatelessReason } from '../../contract/hints.ts'
import { contract as shipped } from '../../generated/contract.ts'
import { exampleResource } from '../../testing/example-resource.ts'
import { bind } from '../bind.ts'
import type { Resource } from '../resource.ts'
import { describeBinding } from './explain-operations.ts'

function operationOf(target: string): Operation {
  const [method = '', path = ''] = target.split(' ')
  return {
    id: target,
    method,
    path,
    secured: false,
    parameters: [],
    responses: [{ status: 200, schema: {}, validate: () => true }],
  }
}

describe('the description of a binding', () => {
  it('names what an operation on records does', () => {
    expect(bind(shipped).map((binding) => describeBinding(binding))).toEqual([
      'GET on the collection /pets',
      'POST on the collection /pets',
      'GET on a record of pets, found by its id',
    ])
  })

  it.each<[target: string, action: Action, Partial<Resource>, Partial<OperationHints>, string]>([
    ['PUT /settings', 'replace', { isSingle: true }, {}, 'PUT on the only record of /settings'],
    [
      'GET /books/{slot}',
      'read',
      { id: '$id', idParameter: 'slot' },
      {},
      'GET on a record of books, found by {slot} in its path',
    ],
    [
      'GET /shelves/{shelf}/books',
      'list',
      { references: [{ name: '', of: () => exampleResource({}) }] },
      {},
      `GET on the collection /shelves/{shelf}/books, whose records are those of ${exampleResource({}).path}`,
    ],
    [
      'POST /books/{isbn}/lend',
      'act',
      { id: 'isbn', idParameter: 'isbn' },
      {
        set: { status: 'lent' },
        from: { status: 'free' },
        after: [{ delay: '30d', set: { isLate: true } }],
      },
      'POST on a record of books, found by its isbn; sets status; needs status; sets isLate after 30d',
    ],
  ])('of %s says how its record is found, and what happens', (target, action, own, more, text) => {
    const resource = { ...exampleResource({}), ...own }
    const hints = { action, resource: 'books', ...more }

    expect(describeBinding({ operation: operationOf(target), action, resource, hints })).toBe(text)
  })

  it('of a stream of events says what it tells of', () => {
    const operation = {
      ...operationOf('GET /books'),
      hints: { action: 'stateless', streams: 'books' },
    } as const

    expect(describeBinding({ operation, action: 'stateless', reason: 'no-action' })).toBe(
      'what happens to books, as text/event-stream',
    )
  })

  it.each<[target: string, reason: StatelessReason, text: string]>([
    ['GET /health', 'no-record', 'no response of /health has the schema of a record'],
    ['GET /books', 'no-list', 'its response contains no list of the records'],
    ['GET /books/{isbn}', 'no-item', 'its response contains no record'],
    ['DELETE /books', 'bulk', 'it changes many records at once'],
    ['POST /books/search', 'search', 'it searches, and what it finds is not known'],
    ['GET /books', 'no-id-generator', 'ids of /books cannot be generated'],
    [
      'GET /books/{isbn}',
      'refused-ids',
      'the path parameter of GET /books/{isbn} does not accept the ids that can be generated',
    ],
    ['POST /books/{id}', 'no-action', 'its path and schemas tell no action on records'],
    ['GET /books', 'hint', 'its hints say so'],
  ])('of %s without records says why: %s', (target, reason, text) => {
    const operation = operationOf(target)

    expect(describeBinding({ operation, action: 'stateless', reason })).toBe(
      `200 application/json with a generated value, because ${text}`,
    )
  })
})
