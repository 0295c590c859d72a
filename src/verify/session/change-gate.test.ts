import { expect, test } from 'vitest'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { ChangeGate } from './change-gate.ts'

const inPath = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'integer' },
})
const responses = { 200: { description: 'OK' }, 201: { description: 'Created' } }
const requestBody = {
  content: {
    'application/json': { schema: { type: 'object', properties: { role: { type: 'string' } } } },
  },
}
const collection = { get: { responses }, post: { requestBody, responses } }

const contract = await loadDocumentOf({
  '/users': collection,
  '/teams': collection,
  '/teams/{id}': { parameters: [inPath('id')], get: { responses } },
  '/teams/{id}/members': { parameters: [inPath('id')], get: { responses } },
  '/teams/{id}/members/{userId}': {
    parameters: [inPath('id'), inPath('userId')],
    put: { requestBody, responses },
    delete: { responses },
  },
})

test.each([
  ['/teams/7/members/9', undefined],
  ['/teams/7/members/1', 'it changes a record that this run did not create'],
  ['/teams/1/members/9', 'it changes a record that this run did not create'],
  ['/teams/1/members/1', 'it changes a record that this run did not create'],
])(
  'an entry is changed only if the team 7 and the user 9 of the run are in its path: %s',
  (target, reason) => {
    const gate = new ChangeGate(contract)
    gate.own.add(['', 'teams', '7'])
    gate.own.add(['', 'users', '9'])
    const reasons = contract.operations
      .filter(({ method }) => /^(PUT|DELETE)$/.test(method))
      .map((operation) =>
        gate.reasonToRefuse({
          ...{ operation, method: operation.method, target, credentials: 'key' },
          ...(operation.body && { body: '{"role":"owner"}', type: 'application/json' }),
        }),
      )

    expect(reasons).toEqual([reason, reason])
  },
)
