import { expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'

const error = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }
const book = { type: 'object', properties: { genre: { type: 'string' } }, required: ['genre'] }
const json = (schema: object): object => ({ 'application/json': { schema } })
const answer = (status: number, content?: object): object => ({
  [status]: { description: 'An answer.', ...(content && { content }) },
})
const stores = {
  '/stores': {
    post: { requestBody: { required: true, content: json(book) }, responses: answer(200) },
  },
}

test('an error without a description has the form of another error, in JSON where the document has some', async () => {
  const pages = { 'application/xml': {} }
  const contract = await loadDocumentOf({
    '/books': { get: { responses: { ...answer(200), ...answer(400, pages) } } },
    '/covers': { get: { responses: { ...answer(200), ...answer(400, pages) } } },
    '/loans': {
      get: { responses: { ...answer(200), default: { description: 'No.', content: json(error) } } },
    },
    ...stores,
  })

  const response = await sendInvalidStore(contract)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ message: 'body.genre is required' })
})

test('an error without a description has the form of the only one in a large document', async () => {
  const others = Array.from({ length: 99 }, (_, at) => [
    `/others/${at}`,
    { get: { responses: answer(200) } },
  ])
  const contract = await loadDocumentOf({
    '/first': { get: { responses: answer(200) } },
    '/loans': { get: { responses: { ...answer(200), ...answer(404, json(error)) } } },
    ...Object.fromEntries(others),
    ...stores,
  })

  const response = await sendInvalidStore(contract)

  expect(await response.json()).toEqual({ message: 'body.genre is required' })
})

test('an error is the alternative whose status and type fit what has happened', async () => {
  const form = (status: number, type: string): object => ({
    type: 'object',
    required: ['status', 'type'],
    properties: { status: { enum: [status] }, type: { enum: [type] }, detail: { type: 'string' } },
  })
  const forms = [
    form(404, 'not_found'),
    form(400, 'malformed_request'),
    form(400, 'invalid_parameters'),
  ]
  const contract = await loadDocumentOf({
    '/stores': {
      post: {
        requestBody: { required: true, content: json(book) },
        responses: {
          ...answer(200),
          default: { description: 'No.', content: json({ anyOf: forms }) },
        },
      },
    },
  })

  expect(await (await sendInvalidStore(contract)).json()).toEqual({
    status: 400,
    type: 'invalid_parameters',
    detail: 'body.genre is required',
  })
})

/** Sends a store without its required property. */
function sendInvalidStore(contract: Contract): Promise<Response> {
  const init = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }
  return createSandbox({ contract }).fetch(new Request('http://target.test/stores', init))
}
