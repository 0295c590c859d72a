import SwaggerParser from '@apidevtools/swagger-parser'
import { describe, expect, test } from 'vitest'
import { convertSwagger } from './convert-swagger.ts'

const OK = { 200: { description: 'Done.' } }

/** A valid document with these paths. */
function swagger(paths: object, rest: object = {}): Record<string, unknown> {
  return { swagger: '2.0', info: { title: 'Orders', version: '1' }, paths, ...rest }
}

/** The converted document, which a validator has accepted. */
async function converted(document: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await convertSwagger(document)
  const copy = structuredClone(result.document)
  await SwaggerParser.validate(copy as unknown as Parameters<typeof SwaggerParser.validate>[0])

  return result.document
}

/** The converted operation `POST /orders`. */
async function post(operation: object, rest?: object): Promise<unknown> {
  const paths = { '/orders': { post: { responses: OK, ...operation } } }
  const document = await converted(swagger(paths, rest))

  return document.paths as object & { '/orders': { post: unknown } }['/orders']
}

describe('the address of a Swagger document', () => {
  test('schemes, host and basePath become one server for each scheme', async () => {
    const rest = { schemes: ['https', 'http'], host: 'api.example.com', basePath: '/v2/' }

    const { servers } = await converted(swagger({}, rest))

    expect(servers).toEqual([
      { url: 'https://api.example.com/v2' },
      { url: 'http://api.example.com/v2' },
    ])
  })

  test('a host without schemes is served by https', async () => {
    const { servers } = await converted(swagger({}, { host: 'http://api.example.com/' }))

    expect(servers).toEqual([{ url: 'https://api.example.com' }])
  })

  test('a basePath without a host and without a slash becomes a path', async () => {
    const { servers } = await converted(swagger({}, { basePath: 'v2' }))

    expect(servers).toEqual([{ url: '/v2' }])
  })
})

describe('the body of a Swagger operation', () => {
  const body = { in: 'body', name: 'order', required: true, schema: { type: 'object' } }
  const json = { 'application/json': { schema: { type: 'object' } } }

  test('a body parameter becomes a request body', async () => {
    expect(await post({ parameters: [body] })).toMatchObject({
      '/orders': { post: { requestBody: { required: true, content: json } } },
    })
  })

  test('a $ref to a shared body parameter becomes a request body', async () => {
    const parameters = [{ $ref: '#/parameters/order' }]
    const document = await post({ parameters }, { parameters: { order: body } })

    expect(document).toMatchObject({
      '/orders': { post: { requestBody: { required: true, content: json } } },
    })
  })

  test('a body parameter of a path belongs to its operations with a body', async () => {
    const paths = {
      '/orders': { parameters: [body], get: { responses: OK }, post: { responses: OK } },
    }

    const document = await converted(swagger(paths))

    expect(document).toMatchObject({
      paths: { '/orders': { post: { requestBody: { content: json } } } },
    })
    expect(document).not.toHaveProperty('paths./orders.get.requestBody')
  })

  test('form fields become a form, and lists keep their format', async () => {
    const parameters = [
      { in: 'formData', name: 'name', type: 'string', required: true },
      { in: 'formData', name: 'tags', type: 'array', items: { type: 'string' } },
      {
        in: 'formData',
        name: 'ids',
        type: 'array',
        items: { type: 'integer' },
        collectionFormat: 'multi',
      },
    ]
    const form = {
      schema: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          ids: { type: 'array', items: { type: 'integer' } },
        },
      },
      encoding: { tags: { style: 'form', explode: false } },
    }

    expect(await post({ parameters })).toEqual({
      '/orders': {
        post: {
          responses: OK,
          requestBody: { required: true, content: { 'application/x-www-form-urlencoded': form } },
        },
      },
    })
  })

  test('a form that can be sent in both forms keeps both', async () => {
    const parameters = [{ in: 'formData', name: 'name', type: 'string' }]
    const consumes = ['application/x-www-form-urlencoded', 'multipart/form-data']
    const media = { schema: { properties: { name: { type: 'string' } } } }

    expect(await post({ parameters, consumes })).toMatchObject({
      '/orders': {
        post: {
          requestBody: {
            content: { 'application/x-www-form-urlencoded': media, 'multipart/form-data': media },
          },
        },
      },
    })
  })

  test('a form with a file becomes a multipart form, whatever the document consumes', async () => {
    const parameters = [{ in: 'formData', name: 'photo', type: 'file' }]

    expect(await post({ parameters }, { consumes: ['application/json'] })).toMatchObject({
      '/orders': {
        post: {
          requestBody: {
            content: {
              'multipart/form-data': {
                schema: { properties: { photo: { type: 'string', format: 'binary' } } },
              },
            },
          },
        },
      },
    })
  })
})

describe('parameters, responses and schemas of a Swagger document', () => {
  test.each([
    [{ collectionFormat: 'csv' }, { style: 'form', explode: false }],
    [{}, { style: 'form', explode: false }],
    [{ collectionFormat: 'multi' }, { explode: true }],
    [{ collectionFormat: 'ssv' }, { style: 'spaceDelimited' }],
    [{ collectionFormat: 'pipes' }, { style: 'pipeDelimited' }],
  ])('a list with %j becomes a list with %j', async (written, expected) => {
    const list = { in: 'query', name: 'ids', type: 'array', items: { type: 'integer' } }

    const document = await post({ parameters: [{ ...list, ...written }] })

    const schema = { type: 'array', items: { type: 'integer' } }
    expect(document).toMatchObject({
      '/orders': { post: { parameters: [{ in: 'query', name: 'ids', schema, ...expected }] } },
    })
  })

  test('a response is JSON when the document does not say what it produces, and a file is binary', async () => {
    const responses = {
      200: { description: 'One', schema: { type: 'string' } },
      201: { description: 'File', schema: { type: 'file' } },
    }

    expect(await post({ responses })).toMatchObject({
      '/orders': {
        post: {
          responses: {
            200: { content: { 'application/json': { schema: { type: 'string' } } } },
            201: { content: { 'application/octet-stream': { schema: { format: 'binary' } } } },
          },
        },
      },
    })
  })

  test('x-nullable becomes nullable, beside a $ref too, and a discriminator becomes an object', async () => {
    const definitions = {
      Pet: {
        type: 'object',
        required: ['kind'],
        discriminator: 'kind',
        properties: {
          kind: { type: 'string' },
          name: { type: 'string', 'x-nullable': true },
          owner: { $ref: '#/definitions/Owner', 'x-nullable': true },
        },
      },
      Owner: { type: 'object' },
    }

    const { components } = await converted(swagger({}, { definitions }))

    expect(components).toMatchObject({
      schemas: {
        Pet: {
          discriminator: { propertyName: 'kind' },
          properties: {
            name: { type: 'string', nullable: true },
            owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] },
          },
        },
      },
    })
  })

  test('security definitions become security schemes', async () => {
    const securityDefinitions = {
      password: { type: 'basic' },
      key: { type: 'apiKey', in: 'query', name: 'key' },
      app: { type: 'oauth2', flow: 'application', tokenUrl: 'https://example.com/t', scopes: {} },
    }

    const { components } = await converted(swagger({}, { securityDefinitions }))

    expect(components).toEqual({
      securitySchemes: {
        password: { type: 'http', scheme: 'basic' },
        key: { type: 'apiKey', in: 'query', name: 'key' },
        app: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: 'https://example.com/t', scopes: {} } },
        },
      },
    })
  })
})

describe('a Swagger document with mistakes', () => {
  test('a part that cannot be converted is left out with its reason, and the others are served', async () => {
    const examples = { one: { responses: { 404: { headers: { 'X-Id': 1 } } } } }
    const broken = { get: { responses: OK, 'x-ms-examples': examples } }
    const paths = { '/orders': { get: { responses: OK } }, '/broken': broken, '/pets': {} }

    const { document, notes } = await convertSwagger(swagger(paths))

    expect(document.paths).toEqual({ '/orders': { get: { responses: OK } }, '/pets': {} })
    expect(notes).toEqual([
      { reason: expect.stringContaining('cannot be converted'), pointer: ['paths', '/broken'] },
    ])
  })

  test('a header without a type is text', async () => {
    const responses = { 200: { description: 'One', headers: { 'X-Id': { enum: ['a'] } } } }

    expect(await post({ responses })).toMatchObject({
      '/orders': {
        post: { responses: { 200: { headers: { 'X-Id': { schema: { type: 'string' } } } } } },
      },
    })
  })

  test('a $ref without a target allows anything, and is noted with its place', async () => {
    const schema = { $ref: '#/definitions/Missing' }
    const paths = { '/orders': { get: { responses: { 200: { description: 'One', schema } } } } }

    const { document, notes } = await convertSwagger(swagger(paths))

    expect(document).toMatchObject({
      paths: {
        '/orders': { get: { responses: { 200: { content: { 'application/json': {} } } } } },
      },
    })
    expect(notes).toEqual([
      {
        reason: 'the $ref "#/definitions/Missing" points to a value that does not exist',
        pointer: ['paths', '/orders', 'get', 'responses', '200', 'schema'],
      },
    ])
  })

  test.each(['#/__proto__/toString', '#/constructor/prototype/toString', '#/definitions/toString'])(
    'a $ref to %s changes no prototype',
    async (ref) => {
      const before = Object.prototype.toString
      const document = JSON.parse(
        JSON.stringify(swagger({}, { definitions: { One: { properties: { a: { $ref: ref } } } } })),
      )

      const { notes } = await convertSwagger(document)

      expect(notes).toHaveLength(1)
      expect(Object.prototype.toString).toBe(before)
      expect(Object.keys(Object.prototype)).toEqual([])
    },
  )

  test('a list in the items of what is no list has the schemas of which one must match', async () => {
    const either = { items: [{ type: 'object' }, { type: 'null' }] }

    const { components } = await converted(swagger({}, { definitions: { A: either } }))

    expect(components).toMatchObject({ schemas: { A: { anyOf: [{ type: 'object' }, {}] } } })
  })

  test('YAML aliases, which are one object in several places, are converted', async () => {
    const shared = { type: 'string' }

    const { components } = await converted(swagger({}, { definitions: { A: shared, B: shared } }))

    expect(components).toEqual({ schemas: { A: shared, B: shared } })
  })

  test('the given document stays as it is', async () => {
    const document = swagger(
      { '/orders': { post: { responses: OK, parameters: [] } } },
      { host: 'a.b' },
    )
    const before = structuredClone(document)

    await convertSwagger(document)

    expect(document).toEqual(before)
  })
})
