import { describe, expect, test } from 'vitest'

/** The scripts run without types, so TypeScript does not read them. */
async function script(path: string): Promise<Record<string, CallableFunction>> {
  return await import(new URL(path, import.meta.url).href)
}

const { operationsOf } = await script('./openapi/operations.mjs')
const { swaggerOperationsOf } = await script('./openapi/swagger-operations.mjs')
const { SchemaValidator } = await script('./openapi/schema-validator.mjs')
const { faultIn } = await script('./judge.mjs')
const { compare, sharesOf } = await script('./subscriptions/compare-with-labels.mjs')
const { FAULTS } = await script('./verification/faults.mjs')
const { writePathParameter, writeQueryParameter } = await script('./requests/write-parameter.mjs')

const Item = {
  type: 'object',
  required: ['id', 'secret'],
  properties: {
    id: { type: 'integer' },
    secret: { type: 'string', writeOnly: true },
    note: { type: 'string', nullable: true },
    parent: { $ref: '#/components/schemas/Item' },
  },
}
const document = {
  openapi: '3.0.3',
  components: { schemas: { Item } },
  paths: {
    '/items': {
      get: {
        responses: {
          200: {
            headers: { 'X-Total': { required: true, schema: { type: 'integer' } } },
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
              },
            },
          },
          '4XX': { content: { 'application/problem+json': { schema: { type: 'object' } } } },
        },
      },
    },
  },
}
const [operation] = operationsOf?.(document) ?? []
const validator = Reflect.construct(SchemaValidator ?? Object, [document, 'response'])

const json = { 'content-type': 'application/json; charset=utf-8', 'x-total': '1' }
const right = { status: 200, headers: json, body: '[{"id":1,"note":null,"parent":{"id":2}}]' }

describe('the validator of the corpus finds', () => {
  test.each([
    ['nothing in a documented response', right, undefined],
    ['an undocumented status', { ...right, status: 202 }, 'undocumented status'],
    ['an undocumented error of the server', { ...right, status: 500 }, 'server error'],
    ['a request without a response', { failure: 'broken off' }, 'no response'],
    [
      'another content type',
      { ...right, headers: { ...json, 'content-type': 'text/csv' } },
      'content type',
    ],
    [
      'a missing required header',
      { ...right, headers: { ...json, 'x-total': undefined } },
      'header',
    ],
    ['a header of the wrong type', { ...right, headers: { ...json, 'x-total': 'many' } }, 'header'],
    ['a body that is no JSON', { ...right, body: '[' }, 'broken JSON'],
    ['no body', { status: 200, headers: { 'x-total': '0' }, body: '' }, 'empty body'],
    [
      'a wrong type below a reference',
      { ...right, body: '[{"id":1,"parent":{"id":"2"}}]' },
      'body',
    ],
    ['a missing property', { ...right, body: '[{"note":"none"}]' }, 'body'],
    ['an error in the wrong media type', { ...right, status: 404, body: '{}' }, 'content type'],
  ])('%s', (_, response, kind) => {
    expect(faultIn?.(operation, response, validator)?.kind).toBe(kind)
  })
})

test('a Swagger 2.0 document has the same operations', () => {
  const operations: unknown = swaggerOperationsOf?.({
    swagger: '2.0',
    basePath: '/v1',
    produces: ['application/json'],
    paths: {
      '/items/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, type: 'integer' }],
        post: {
          consumes: ['multipart/form-data'],
          parameters: [{ name: 'file', in: 'formData', type: 'file', required: true }],
          responses: { 200: { schema: { type: 'string' } } },
        },
      },
    },
  })

  expect(operations).toMatchObject([
    {
      name: 'POST /items/{id}',
      servers: [{ url: '/v1' }],
      parameters: [{ name: 'id', in: 'path', style: 'simple' }],
      body: { required: true, content: [{ type: 'multipart/form-data' }] },
      responses: new Map([['200', { content: [{ type: 'application/json' }] }]]),
    },
  ])
})

describe('schemas mean what their version of OpenAPI says:', () => {
  test.each([
    ['3.0.3', { type: 'integer', minimum: 1, exclusiveMinimum: true }, 1, false],
    ['3.1.0', { type: 'integer', exclusiveMinimum: 1 }, 1, false],
    ['3.0.3', { type: 'string', nullable: true, enum: ['a'] }, null, true],
    ['3.1.0', { type: 'string', nullable: true }, null, false],
    ['3.1.0', { type: ['string', 'null'] }, null, true],
    ['3.0.3', { $ref: '#/none' }, 'anything', true],
    [
      '3.0.3',
      { type: 'object', required: ['a'], properties: { a: { readOnly: true } } },
      {},
      false,
    ],
    ['3.0.3', { type: 'string', format: 'date' }, 'yesterday', false],
    ['3.0.3', { type: 'string', pattern: '^[^/a-]{1,3}$' }, 'b{', true],
    ['3.1.0', { prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    ['3.0.3', { type: 'any', required: 'yes' }, 1, true],
  ])('%s %j, value %j', (version, schema, value, isValid) => {
    const checker = Reflect.construct(SchemaValidator ?? Object, [{ openapi: version }, 'response'])

    expect(checker.isValid(schema, value)).toBe(isValid)
  })
})

describe('parameters are written by their style:', () => {
  test.each([
    [{ in: 'path', style: 'simple' }, ['a', 'b'], 'a,b'],
    [{ in: 'path', style: 'label', explode: true }, ['a', 'b'], '.a.b'],
    [{ in: 'path', style: 'matrix', explode: true }, { x: 1 }, ';x=1'],
    [{ in: 'path', style: 'matrix' }, 'a/b', ';p=a%2Fb'],
    [{ in: 'query', style: 'form', explode: true }, ['a', 'b'], 'p=a&p=b'],
    [{ in: 'query', style: 'pipeDelimited' }, ['a', 'b'], 'p=a|b'],
    [{ in: 'query', style: 'deepObject' }, { x: 1 }, 'p[x]=1'],
  ])('%j', (parameter, value, text) => {
    const named = { name: 'p', explode: false, isJson: false, ...parameter }
    const pairs = (): string[] =>
      writeQueryParameter?.(named, value).map((pair: string[]) => pair.join('='))

    const written = named.in === 'path' ? writePathParameter?.(named, value) : pairs().join('&')

    expect(written).toBe(text)
  })
})

describe('a fault breaks the document:', () => {
  test.each([
    'wrong status',
    'missing property',
    'wrong type',
    'wrong content type',
    'missing or wrong header',
    'broken item of a list',
  ])('%s', async (name) => {
    const changed = await FAULTS?.[name as keyof typeof FAULTS]({
      operation,
      response: right,
      validator,
    })

    expect(faultIn?.(operation, changed, validator)).toBeDefined()
  })
})

test('found subscriptions are compared with the labels whatever their parameters are called', () => {
  const labelled = ['/hooks', '/repos/{owner}/hooks', '/channels']

  const result = compare?.(labelled, ['/repos/{name}/hooks/', '/hooks', '/orders'])

  expect(result).toEqual({ missing: ['/channels'], wrong: ['/orders'], found: 2 })
  expect(sharesOf?.([result])).toEqual({
    documents: 1,
    labelled: 3,
    ...{ found: 2 / 3, right: 2 / 3 },
  })
})
