import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { matches } from '../../generate/matches.ts'
import { openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string', nullable: true }
const ALIAS = { $ref: '#/components/schemas/Text', nullable: true }
const BRANCH = { allOf: [{ type: 'string' }], nullable: true }

/** An operation that receives and returns an object with this property. */
async function operationWith(openapi: string, property: Schema): Promise<Operation> {
  const content = { 'application/json': { schema: objectOf({ title: property }) } }
  const { operations } = await loadDocumentOf(
    {
      '/books': {
        post: {
          requestBody: { required: true, content },
          responses: { 201: { description: 'Added.', content } },
        },
      },
    },
    { openapi, components: { schemas: { Text: { type: 'string' } } } },
  )
  const [operation] = operations
  if (!operation) throw new Error('The document has no operation.')

  return operation
}

describe('a property with nullable: true', () => {
  test.each<[version: string, property: Schema, inRequest: boolean, inResponse: boolean]>([
    ['3.0.3', TEXT, true, true],
    ['3.0.3', BRANCH, true, true],
    ['3.1.0', TEXT, true, false],
    ['3.1.0', ALIAS, true, false],
    ['3.1.0', BRANCH, true, false],
    ['3.1.0', { type: 'string', nullable: false }, false, false],
    ['3.1.0', { type: ['string', 'null'], nullable: true }, true, true],
  ])('in OpenAPI %s: %j may be null in a request: %s, in a response: %s', async (...row) => {
    const [version, property, inRequest, inResponse] = row
    const operation = await operationWith(version, property)
    const shown = chooseResponse(operation).documented?.schema ?? {}

    expect(operation.body?.validate({ title: null })).toBe(inRequest)
    expect(matches(shown, { title: null })).toBe(inResponse)
    expect(operation.body?.validate({ title: 'Emma' })).toBe(true)
    expect(matches(shown, { title: 'Emma' })).toBe(true)
  })

  test('has a value in the responses of OpenAPI 3.1 after a request sent null', async () => {
    const sent = objectOf({ title: TEXT })
    const shown = objectOf({ id: { type: 'integer' }, title: TEXT })
    const { ask } = await openApi({
      'POST /books': { sent, shown: { ...shown, required: ['id', 'title'] }, status: [201] },
      'GET /books/{id}': { shown: { ...shown, required: ['id', 'title'] }, status: [200, 404] },
    })

    const { status, body } = await ask('POST /books', { title: null })

    expect(status).toBe(201)
    expect(body.title).toEqual(expect.any(String))
    expect((await ask(`GET /books/${body.id}`)).body).toEqual(body)
  })
})
