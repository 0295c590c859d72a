import { expect, test } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { ProbeResponse } from './messages.ts'
import { itemTarget } from './record-address.ts'

const answers = { responses: { 200: { description: 'Done.' } } }
const inPath = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]

test.each([
  ['/users/{id}', '/users/7'],
  ['/people/{id}', '/people/7'],
  ['/{id}', '/7'],
])('the record 7 that was created in /users is at %s: %s', async (path, target) => {
  const { operations } = await loadDocumentOf({
    '/users': { post: answers },
    [path]: { parameters: inPath, get: answers },
  })
  const [create, read] = ['POST', 'GET'].map((method) =>
    operations.find((one) => one.method === method),
  )
  const request = { operation: create, method: 'POST', target: '/users', credentials: 'key' }

  expect(itemTarget({ request } as ProbeResponse, read ?? { path: '' }, '7')).toBe(target)
})
