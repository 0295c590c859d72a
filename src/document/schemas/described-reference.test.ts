import { expect, test } from 'vitest'
import { loadDocumentOf } from '../../testing/load-document-of.ts'

const USER = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } }

async function idReferenceOf(property: object): Promise<string | undefined> {
  const properties = { id: { type: 'string' }, value: property }
  const answer = (schema: object): object => ({
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  })
  const user = { $ref: '#/components/schemas/User' }
  const contract = await loadDocumentOf(
    {
      '/users': { get: answer({ type: 'array', items: user }) },
      '/users/{id}': { get: answer(user) },
      '/carts/{id}': { get: answer({ type: 'object', properties }) },
    },
    { components: { schemas: { User: USER, UserId: { type: 'string' } } } },
  )
  return contract.resources?.carts?.idReferences?.value
}

test.each<[how: string, property: object]>([
  ['the id of a schema', { $ref: '#/components/schemas/User/properties/id' }],
  ['a schema that is called as an id', { $ref: '#/components/schemas/UserId' }],
  ['a branch', { allOf: [{ $ref: '#/components/schemas/UserId' }], description: 'Who pays.' }],
  [
    'what it may be expanded to',
    { oneOf: [{ type: 'string' }, { $ref: '#/components/schemas/User' }] },
  ],
  ...[
    ...['ID of the user', 'The unique identifier of the user who pays.'],
    ...["The user's identifier", 'UUID for a user', 'Parent user identifier.'],
  ].map((description): [string, object] => [description, { type: 'string', description }]),
])('a value refers to a user by %s', async (_, property) => {
  expect(await idReferenceOf(property)).toBe('users')
})

test.each<[description: string]>([
  ['Identifies the user'],
  ['The name of the user'],
  ["ID of the user's cart"],
  ['ID of the cart owning the user'],
  ['The user whose ID is shown'],
])('"%s" is said of no id', async (description) => {
  expect(await idReferenceOf({ type: 'string', description })).toBeUndefined()
})
