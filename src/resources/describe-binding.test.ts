import { describe, expect, it } from 'vitest'
import type { Contract, Operation } from '../contract/contract.ts'
import { contract as shipped } from '../generated/contract.ts'
import type { Binding, StatelessCause } from './bind.ts'
import { bind } from './bind.ts'
import { describeBinding } from './describe-binding.ts'

function statelessBinding(target: string, cause: StatelessCause): [Binding, Contract] {
  const [method = '', path = ''] = target.split(' ')
  const operation: Operation = {
    id: target,
    method,
    path,
    secured: false,
    parameters: [],
    responses: [{ status: 200, schema: {}, validate: () => true }],
  }
  const contract = { title: 'Books', version: '1', basePath: '', operations: [operation] }
  return [{ operation, action: 'stateless', cause }, contract]
}

describe('the description of a binding', () => {
  it('names what an operation on records does', () => {
    expect(bind(shipped).map((binding) => describeBinding(binding, shipped))).toEqual([
      'GET on the collection /pets',
      'POST on the collection /pets',
      'GET on a record of pets, found by its id',
    ])
  })

  it.each<[target: string, cause: StatelessCause, reason: string]>([
    [
      'GET /shelves/{shelfId}/books',
      'nested',
      '/shelves/{shelfId}/books is below a path parameter, and nested collections are not inferred',
    ],
    ['GET /health', 'no-record', 'no response of /health has the schema of a record'],
    ['GET /books/{isbn}', 'no-id', 'records of /books have no property isbn or id'],
    ['GET /books', 'no-id', 'records of /books have no property id'],
    [
      'GET /books/{isbn}',
      'no-id-generator',
      'ids of /books cannot be generated: they are not integers, UUIDs, email addresses or strings without a format',
    ],
    [
      'GET /books/{isbn}',
      'refused-ids',
      'the path parameter of GET /books/{isbn} does not accept the ids that can be generated',
    ],
    [
      'POST /books/{id}',
      'no-action',
      'no action on /books can be inferred from the schemas of POST /books/{id}',
    ],
  ])('of %s without records says why: %s', (target, cause, reason) => {
    const [binding, contract] = statelessBinding(target, cause)

    expect(describeBinding(binding, contract)).toBe(
      `200 application/json with a generated value, because ${reason}`,
    )
  })
})
