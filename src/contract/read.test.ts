import { describe, expect, it } from 'vitest'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import type { Problem } from '../http/problem.ts'
import { operationOf, readRequest, type SentRequest } from '../testing/read-request.ts'
import type { Operation, Parameter, RequestBody, Schema } from './contract.ts'
import type { Input, Reading, ReadOptions } from './input.ts'
import { hasSimpleInput } from './read.ts'

const EXACT = 'from -9007199254740991 to 9007199254740991'
const JSON_TYPE = { 'content-type': 'application/json' }
const PET: Schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer' },
    status: { type: 'string', default: 'available' },
  },
}

const checkOf = createSchemaCompiler()

function parameterOf(
  place: 'path' | 'query',
  name: string,
  schema: Schema,
  required = false,
): Parameter {
  return {
    name,
    in: place,
    required,
    schema,
    validate: checkOf(schema),
  }
}

function bodyOf(schema: Schema = PET, more: Partial<RequestBody> = {}): RequestBody {
  const validate = checkOf(schema)
  return { required: true, mediaTypes: ['application/json'], schema, validate, ...more }
}

/** What is read of a request. */
async function readingOf(
  operation: Operation,
  sent: SentRequest,
  options?: ReadOptions,
): Promise<Reading> {
  const simple = { ...operation, hasSimpleInput: hasSimpleInput(operation) }
  const other = { ...operation, hasSimpleInput: false }
  const reading = await readRequest(simple, sent, options)

  // What pages load later reads simple input in the same way.
  expect(await readRequest(other, sent, options)).toEqual(reading)
  return reading
}

/** What is read of a request without a fault, with its notes. */
async function reading(
  operation: Operation,
  sent: SentRequest,
  options?: ReadOptions,
): Promise<Input & { notes: string[] }> {
  const { input, notes, problem } = await readingOf(operation, sent, options)
  if (input) return { ...input, notes: notes.map(({ kind, place }) => `${kind} ${place}`) }
  throw new Error('A problem', { cause: problem })
}

async function refusal(
  operation: Operation,
  sent: SentRequest,
  options?: ReadOptions,
): Promise<Problem> {
  const { problem, input } = await readingOf(operation, sent, options)
  if (problem) return problem
  throw new Error('No problem', { cause: input })
}

describe('a query parameter', () => {
  const NULLABLE: Schema = { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }

  it.each<[name: string, schema: Schema, query: string, value: unknown]>([
    ['an integer', { type: 'integer' }, 'a=20', 20],
    ['a negative integer', { type: 'integer' }, 'a=-3', -3],
    ['the greatest integer', { type: 'integer' }, 'a=9007199254740991', 9007199254740991],
    ['a number', { type: 'number' }, 'a=-0.25', -0.25],
    ['true', { type: 'boolean' }, 'a=true', true],
    ['false', { type: 'boolean' }, 'a=false', false],
    ['a text of digits', { type: 'string' }, 'a=007', '007'],
    ['an empty text', { type: 'string' }, 'a=', ''],
    ['a text with a plus', { type: 'string' }, 'a=x+y%2Bz%20%26', 'x y+z &'],
    ['a text beyond ASCII', { type: 'string' }, 'a=%F0%9F%90%B6', '🐶'],
    ['a nullable integer', { type: ['integer', 'null'] }, 'a=5', 5],
    ['a nullable integer by branches', NULLABLE, 'a=5', 5],
    ['an integer by allOf', { allOf: [{ type: 'integer' }], default: 1 }, 'a=5', 5],
    ['a list', { type: 'array', items: { type: 'integer' } }, 'a=1&a=2', [1, 2]],
    ['a list of one', { type: 'array', items: { type: 'string' } }, 'a=1', ['1']],
    [
      'a list by branches',
      { anyOf: [{ type: 'array', items: { type: 'integer' } }] },
      'a=1&a=2',
      [1, 2],
    ],
    ['an enum', { enum: ['a', 'b'] }, 'a=b', 'b'],
    ['a default', { type: 'integer', default: 20 }, '', 20],
    ['nothing', { type: 'integer' }, '', undefined],
  ])('is %s', async (_name, schema, query, value) => {
    const operation = operationOf({ parameters: [parameterOf('query', 'a', schema)] })

    const input = await reading(operation, { query })

    expect(input.query.a).toEqual(value)
  })

  it.each<[query: string, schema: Schema, message: string]>([
    ['a=x', { type: 'integer' }, 'query.a must be integer'],
    ['a=1.5', { type: 'integer' }, 'query.a must be integer'],
    ['a=1e2', { type: 'integer' }, 'query.a must be integer'],
    ['a=0x10', { type: 'integer' }, 'query.a must be integer'],
    ['a=05', { type: 'integer' }, 'query.a must be integer'],
    ['a=%2B5', { type: 'integer' }, 'query.a must be integer'],
    ['a=%205', { type: 'integer' }, 'query.a must be integer'],
    ['a=Infinity', { type: 'number' }, 'query.a must be number'],
    ['a=9007199254740992', { type: 'integer' }, `query.a must be an integer ${EXACT}`],
    ['a=9007199254740993', { type: 'number' }, 'query.a must be number'],
    ['a=0', { type: 'integer', minimum: 1 }, 'query.a must be >= 1'],
    ['a=TRUE', { type: 'boolean' }, 'query.a must be boolean'],
    ['a=c', { enum: ['a', 'b'] }, 'query.a must be one of a, b'],
    ['a=', { type: 'string', minLength: 1 }, 'query.a must not be empty'],
    ['a', { type: 'integer' }, 'query.a must not be empty'],
    ['a=1&a=1', { type: 'integer' }, 'query.a must be given once'],
    ['a=1&a=x', { type: 'array', items: { type: 'integer' } }, 'query.a[1] must be integer'],
    ['a=1&a=', { type: 'array', items: { type: 'integer' } }, 'query.a must not be empty'],
  ])('as %s is refused by %j', async (query, schema, message) => {
    const operation = operationOf({ parameters: [parameterOf('query', 'a', schema)] })

    expect(await refusal(operation, { query })).toMatchObject({ status: 400, message })
  })

  it('that is required causes an error when it is missing', async () => {
    const parameters = [parameterOf('query', 'a', { type: 'string' }, true)]

    expect(await refusal(operationOf({ parameters }), {})).toMatchObject({
      status: 400,
      message: 'query.a is required',
    })
  })

  it('is reported together with other invalid parameters', async () => {
    const schema: Schema = { type: 'integer' }
    const parameters = ['a', 'b', 'c'].map((name) => parameterOf('query', name, schema))

    const { message } = await refusal(operationOf({ parameters }), { query: 'a=x&b=1&c=' })

    expect(message).toBe('query.a must be integer; query.c must not be empty')
  })

  it('that is unknown is ignored and noted once', async () => {
    const parameters = [parameterOf('query', 'a', { type: 'string' })]

    const input = await reading(operationOf({ parameters }), { query: 'x=1&a=b&x=2&__proto__=3' })

    expect(input.query).toEqual({ a: 'b' })
    expect(input.notes).toEqual(['unknown-parameter query.x', 'unknown-parameter query.__proto__'])
  })
})

describe('a path parameter', () => {
  it.each<[text: string, schema: Schema, value: unknown]>([
    ['12', { type: 'integer' }, 12],
    ['12', { type: 'string' }, '12'],
    ['a%20b%2Fc', { type: 'string' }, 'a b/c'],
    ['%E2%82%AC', { type: 'string' }, '€'],
    ['100%', { type: 'string' }, '100%'],
    ['%FF', { type: 'string' }, '%FF'],
    ['%31', { type: 'integer' }, 1],
  ])('sent as %s is read as %j', async (text, schema, value) => {
    const operation = operationOf({ parameters: [parameterOf('path', 'id', schema, true)] })

    const input = await reading(operation, { path: { id: text } })

    expect(input.path).toEqual({ id: value })
  })

  it.each(['abc', '1.0', '-', '%20', '01'])(
    'of an invalid form, as %s, causes a 404',
    async (id) => {
      const operation = operationOf({
        parameters: [parameterOf('path', 'id', { type: 'integer' }, true)],
      })

      expect(await refusal(operation, { path: { id } })).toMatchObject({
        status: 404,
        message: 'No resource was found at /pets/1: id must be integer.',
      })
    },
  )

  it('beyond the exact integers causes a 404 that says so', async () => {
    const parameters = [parameterOf('path', 'id', { type: 'integer' }, true)]

    const problem = await refusal(operationOf({ parameters }), {
      path: { id: '9223372036854775808' },
    })

    expect(problem).toMatchObject({
      status: 404,
      message: `No resource was found at /pets/1: id must be an integer ${EXACT}.`,
    })
  })

  it('is checked before the query', async () => {
    const parameters = [
      parameterOf('query', 'a', { type: 'integer' }),
      parameterOf('path', 'id', { type: 'integer' }, true),
    ]

    const problem = await refusal(operationOf({ parameters }), { path: { id: 'x' }, query: 'a=x' })

    expect(problem.status).toBe(404)
  })
})

describe('a body', () => {
  const operation = operationOf({ body: bodyOf() })

  it('has the known properties and the defaults, and unknown properties are noted', async () => {
    const body = '{"name":"Rex","id":9,"color":"red"}'

    const input = await reading(operation, { headers: JSON_TYPE, body })

    expect(input.body).toEqual({ name: 'Rex', status: 'available' })
    expect(input.notes).toEqual(['dropped-property body.id', 'dropped-property body.color'])
  })

  it('of a PATCH has no defaults', async () => {
    const patch = operationOf({ method: 'PATCH', body: bodyOf() })

    const input = await reading(patch, { headers: JSON_TYPE, body: '{"name":"Rex"}' })

    expect(input.body).toEqual({ name: 'Rex' })
  })

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf8"',
    'application/json; profile=x',
  ])('may come as %s', async (type) => {
    const input = await reading(operation, {
      headers: { 'content-type': type },
      body: '{"name":"Rex"}',
    })

    expect(input.body).toMatchObject({ name: 'Rex' })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json2',
    'application/vnd.api+json',
    'application/json; charset=latin1',
    'application/json, text/plain',
    '',
  ])('with the content type "%s" causes a 415', async (type) => {
    const problem = await refusal(operation, {
      headers: { 'content-type': type },
      body: '{"name":"Rex"}',
    })

    expect(problem.status).toBe(415)
    expect(problem.message).toMatch(
      /^The Content-Type of the body must be application\/json \(got /,
    )
  })

  it('without a content type causes a 415', async () => {
    expect(await refusal(operation, { body: '{"name":"Rex"}' })).toMatchObject({ status: 415 })
  })

  it.each([
    ['gzip', 415],
    ['br', 415],
    ['identity', undefined],
    ['Identity', undefined],
  ])('encoded with %s ends with %s', async (encoding, status) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding }

    const { problem } = await readingOf(operation, { headers, body: '{"name":"Rex"}' })

    expect(problem?.status).toBe(status)
  })

  it.each([
    ['', 'body is required'],
    ['{', /^body must be valid JSON: /],
    ['[]', 'body must be object'],
    ['null', 'body must be object'],
    ['{}', 'body.name is required'],
    ['{"name":""}', 'body.name must have at least 1 character'],
    ['{"name":1,"age":"x"}', 'body.name must be string; body.age must be integer'],
    [
      '{"name":"Rex","age":9007199254740993}',
      `body.age must be a number that JavaScript holds exactly, integers ${EXACT}; 9007199254740993 would be altered`,
    ],
  ])('of %s is refused', async (body, message) => {
    const problem = await refusal(operation, { headers: JSON_TYPE, body })

    expect(problem.status).toBe(400)
    expect(problem.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
  })

  it('is accepted when only a dropped property is not exact', async () => {
    const input = await reading(operation, { headers: JSON_TYPE, body: '{"name":"Rex","x":1e999}' })

    expect(input.body).toEqual({ name: 'Rex', status: 'available' })
  })

  it('is optional unless it is required', async () => {
    const optional = operationOf({ body: bodyOf(PET, { required: false }) })

    expect((await reading(optional, {})).body).toBeUndefined()
  })

  it('of the limit is read, and a larger one causes a 413', async () => {
    const bodyLimit = 1024
    const name = 'x'.repeat(bodyLimit - '{"name":""}'.length)
    const body = JSON.stringify({ name })

    const input = await reading(operation, { headers: JSON_TYPE, body }, { bodyLimit })
    const problem = await refusal(
      operation,
      { headers: JSON_TYPE, body: `${body} ` },
      { bodyLimit },
    )

    expect(input.body).toMatchObject({ name })
    expect(problem).toMatchObject({
      status: 413,
      message: 'The body is larger than 1024 bytes.',
    })
  })

  it('keeps properties that the schema does not name, unless the schema forbids them', async () => {
    const closed = operationOf({ body: bodyOf({ ...PET, additionalProperties: false }) })
    const sent = { headers: JSON_TYPE, body: '{"name":"Rex","color":"red"}' }
    const options = { unknownProperties: 'keep' } as const

    const input = await reading(operation, sent, options)
    const problem = await refusal(closed, sent, options)

    expect(input).toMatchObject({ body: { name: 'Rex', color: 'red' }, notes: [] })
    expect(problem).toMatchObject({ status: 400, message: expect.stringContaining('color') })
  })

  it('is ignored when the operation has none', async () => {
    const input = await reading(operationOf({}), { body: 'not JSON', headers: JSON_TYPE })

    expect(input).toEqual({ path: {}, query: {}, notes: [] })
  })
})
