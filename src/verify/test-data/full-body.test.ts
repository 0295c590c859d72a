import { expect, test } from 'vitest'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { boundTo } from '../record-address.ts'
import { oneValueOf } from './full-body.ts'

test('a change of one property is one of a list where the document has no text and no number', async () => {
  const labels = { type: 'array', items: { type: 'string', maxLength: 20 } }
  const box = {
    type: 'object',
    properties: { id: { type: 'string' }, labels, open: { type: 'boolean' } },
  }
  const content = { 'application/json': { schema: box } }
  const sent = {
    'application/json': {
      schema: { type: 'object', properties: { labels, open: { type: 'boolean' } } },
    },
  }
  const responses = { 200: { description: 'The box.', content } }
  const contract = await loadDocumentOf({
    '/boxes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { responses },
      patch: { requestBody: { content: sent }, responses },
    },
  })
  const change = contract.operations.find(({ method }) => method === 'PATCH')
  const binding = change && boundTo(contract, change)
  const all = {
    method: 'PATCH',
    target: '/boxes/1',
    credentials: 'key',
    body: '{"labels":[],"open":true}',
  } as const

  const request = binding && oneValueOf(all, binding)

  expect(Object.keys(JSON.parse(request?.body ?? '{}'))).toHaveLength(1)
})
