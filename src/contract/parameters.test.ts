import { describe, expect, it } from 'vitest'
import { operationOf, parameterOf, readRequest, type SentRequest } from '../testing/read-request.ts'
import type { Parameter, Schema } from './contract.ts'

const TEXT: Schema = { type: 'string' }
const LIST: Schema = { type: 'array', items: { type: 'string' } }
const OBJECT: Schema = {
  type: 'object',
  properties: { R: { type: 'integer' }, G: { type: 'integer' }, B: { type: 'integer' } },
}
const COLORS = ['blue', 'black', 'brown']
const COLOR = { R: 100, G: 200, B: 150 }

/** What is sent of the parameter `color` at its place. */
function sentAt(place: Parameter['in'], text: string): SentRequest {
  switch (place) {
    case 'path':
      return { path: { color: text } }
    case 'header':
      return { headers: { color: text } }
    case 'cookie':
      return { headers: { cookie: text } }
    default:
      return { query: text }
  }
}

/** The value that is read of a parameter, or the message of the refusal. */
async function readingAt(
  parameter: Parameter,
  text: string,
): Promise<{ value?: unknown; problem?: string; status?: number; notes: string[] }> {
  const operation = operationOf({ method: 'GET', parameters: [parameter] })
  const { input, problem, notes } = await readRequest(operation, sentAt(parameter.in, text))
  const at = parameter.in === 'querystring' ? 'query' : parameter.in
  const values = input?.[at] ?? {}
  return {
    value: parameter.in === 'querystring' ? values : values[parameter.name],
    ...(problem && { problem: problem.message, status: problem.status }),
    notes: notes.map(({ place }) => place),
  }
}

const NOTE: Schema = {
  type: 'object',
  properties: { name: { type: 'string' }, note: { type: 'string' } },
}

type Row = [
  style: NonNullable<Parameter['style']>,
  explode: boolean,
  place: Parameter['in'],
  schema: Schema,
  text: string,
  value: unknown,
]

describe('the table of styles in the OpenAPI specification', () => {
  it.each<Row>([
    ['matrix', false, 'path', TEXT, ';color', ''],
    ['matrix', false, 'path', TEXT, ';color=blue', 'blue'],
    ['matrix', false, 'path', LIST, ';color=blue,black,brown', COLORS],
    ['matrix', false, 'path', OBJECT, ';color=R,100,G,200,B,150', COLOR],
    ['matrix', true, 'path', TEXT, ';color', ''],
    ['matrix', true, 'path', TEXT, ';color=blue', 'blue'],
    ['matrix', true, 'path', LIST, ';color=blue;color=black;color=brown', COLORS],
    ['matrix', true, 'path', OBJECT, ';R=100;G=200;B=150', COLOR],
    ['label', false, 'path', TEXT, '.', ''],
    ['label', false, 'path', TEXT, '.blue', 'blue'],
    ['label', false, 'path', LIST, '.blue,black,brown', COLORS],
    ['label', false, 'path', OBJECT, '.R,100,G,200,B,150', COLOR],
    ['label', true, 'path', TEXT, '.blue', 'blue'],
    ['label', true, 'path', LIST, '.blue.black.brown', COLORS],
    ['label', true, 'path', OBJECT, '.R=100.G=200.B=150', COLOR],
    [
      'label',
      true,
      'path',
      NOTE,
      '.name=Ink.note=A%20note.%20v1.5.',
      { name: 'Ink', note: 'A note. v1.5.' },
    ],
    ['simple', false, 'path', TEXT, 'blue', 'blue'],
    ['simple', false, 'path', LIST, 'blue,black,brown', COLORS],
    ['simple', false, 'path', OBJECT, 'R,100,G,200,B,150', COLOR],
    ['simple', true, 'path', LIST, 'blue,black,brown', COLORS],
    ['simple', true, 'path', OBJECT, 'R=100,G=200,B=150', COLOR],
    ['simple', false, 'header', TEXT, 'blue', 'blue'],
    ['simple', false, 'header', LIST, 'blue,black,brown', COLORS],
    ['simple', false, 'header', OBJECT, 'R,100,G,200,B,150', COLOR],
    ['simple', true, 'header', OBJECT, 'R=100,G=200,B=150', COLOR],
    ['form', false, 'query', TEXT, 'color=', ''],
    ['form', false, 'query', TEXT, 'color=blue', 'blue'],
    ['form', false, 'query', LIST, 'color=blue,black,brown', COLORS],
    ['form', false, 'query', OBJECT, 'color=R,100,G,200,B,150', COLOR],
    ['form', true, 'query', TEXT, 'color=', ''],
    ['form', true, 'query', TEXT, 'color=blue', 'blue'],
    ['form', true, 'query', LIST, 'color=blue&color=black&color=brown', COLORS],
    ['form', true, 'query', OBJECT, 'R=100&G=200&B=150', COLOR],
    ['form', false, 'cookie', LIST, 'color=blue,black,brown', COLORS],
    ['form', true, 'cookie', LIST, 'color=blue&color=black&color=brown', COLORS],
    ['form', true, 'cookie', OBJECT, 'R=100&G=200&B=150', COLOR],
    ['cookie', true, 'cookie', TEXT, 'a=1; color=blue%20', 'blue%20'],
    ['cookie', true, 'cookie', LIST, 'color=blue; color=black; color=brown', COLORS],
    ['cookie', true, 'cookie', OBJECT, 'R=100; G=200; B=150', COLOR],
    ['spaceDelimited', false, 'query', LIST, 'color=blue%20black%20brown', COLORS],
    ['spaceDelimited', false, 'query', OBJECT, 'color=R%20100%20G%20200%20B%20150', COLOR],
    ['pipeDelimited', false, 'query', LIST, 'color=blue%7Cblack%7Cbrown', COLORS],
    ['pipeDelimited', false, 'query', LIST, 'color=blue|black|brown', COLORS],
    ['pipeDelimited', false, 'query', OBJECT, 'color=R%7C100%7CG%7C200%7CB%7C150', COLOR],
    [
      'deepObject',
      true,
      'query',
      OBJECT,
      'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
      COLOR,
    ],
    ['deepObject', true, 'query', OBJECT, 'color[R]=100&color[G]=200&color[B]=150', COLOR],
  ])('%s, explode %s, in a %s', async (...[style, explode, place, schema, text, value]) => {
    const read = await readingAt(parameterOf(place, 'color', schema, { style, explode }), text)

    expect(read).toEqual({ value, notes: [] })
  })
})

describe('a list in a query', () => {
  const INTEGERS: Schema = { type: 'array', items: { type: 'integer' } }
  const explode = false

  it.each<[name: string, text: string, schema: Schema, more: Partial<Parameter>, value: unknown]>([
    ['repeated although it is not exploded', 'color=1&color=2', INTEGERS, { explode }, [1, 2]],
    ['in one text although it is exploded', 'color=1,2', INTEGERS, {}, [1, 2]],
    ['in one text whose delimiters are encoded', 'color=1%2C2', INTEGERS, { explode }, [1, 2]],
    ['by empty brackets', 'color[]=1&color%5B%5D=2', INTEGERS, {}, [1, 2]],
    ['by indexes', 'color[1]=2&color[0]=1', INTEGERS, {}, [1, 2]],
    ['as JSON', 'color=%5B1,2%5D', INTEGERS, {}, [1, 2]],
    ['with an encoded comma in an item', 'color=a%2Cb,c', LIST, { explode }, ['a,b', 'c']],
    ['with a comma in its item, if the schema allows that', 'color=a,b', LIST, {}, ['a,b']],
    ['without items', 'color=', INTEGERS, { explode }, []],
    [
      'of one item or a text',
      'color=a',
      { oneOf: [{ enum: ['b'], type: 'string' }, LIST] },
      {},
      ['a'],
    ],
  ])('may be sent %s', async (_name, text, schema, more, value) => {
    const read = await readingAt(parameterOf('query', 'color', schema, more), text)

    expect(read).toEqual({ value, notes: [] })
  })
})

describe('a value', () => {
  const NESTED: Schema = {
    type: 'object',
    properties: {
      a: { type: 'object', properties: { b: { type: 'array', items: { type: 'integer' } } } },
      list: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
    },
  }
  const style = 'deepObject'

  it.each<[name: string, text: string, schema: Schema, more: Partial<Parameter>, value: unknown]>([
    [
      'nested in brackets',
      'color[a][b][]=1&color[a][b][]=2',
      NESTED,
      { style },
      { a: { b: [1, 2] } },
    ],
    [
      'of objects in a list',
      'color[list][0][x]=1&color[list][1][x]=2',
      NESTED,
      { style },
      { list: [{ x: 1 }, { x: 2 }] },
    ],
    [
      'of objects in a list without indexes',
      'color[list][][x]=1&color[list][][x]=2',
      NESTED,
      { style },
      { list: [{ x: 1 }, { x: 2 }] },
    ],
    ['that is an object as JSON', 'color=%7B%22R%22:1%7D', OBJECT, { style }, { R: 1 }],
    [
      'with names of its own',
      'x=1&y=2',
      { type: 'object', additionalProperties: { type: 'integer' } },
      {},
      { x: 1, y: 2 },
    ],
    [
      'with JSON as its content',
      'color=%7B%22R%22:1%7D',
      OBJECT,
      { mediaType: 'application/json' },
      { R: 1 },
    ],
    ['that is null', 'color=null', { type: ['integer', 'null'] }, {}, null],
    ['that is null because it is empty', 'color=', { type: ['integer', 'null'] }, {}, null],
    ['that is empty', 'color=', { type: ['string', 'null'] }, {}, ''],
    ['of a number or text', 'color=5', { type: ['string', 'integer'] }, {}, 5],
    [
      'of a text that looks like a number',
      'color=5',
      { anyOf: [{ type: 'integer', minimum: 9 }, TEXT] },
      {},
      '5',
    ],
    ['of an enum without a type', 'color=2', { enum: [1, 2] }, {}, 2],
    ['with an exponent', 'color=1e-7', { type: 'number' }, {}, 1e-7],
    ['with reserved characters', 'color=http://a/?b=c;d', TEXT, {}, 'http://a/?b=c;d'],
    [
      'with a plus sign of a time zone',
      'color=2030-01-01T00:00:00+01:00',
      { type: 'string', format: 'date-time' },
      {},
      '2030-01-01T00:00:00+01:00',
    ],
    [
      'that is empty where that is allowed',
      'color',
      { type: 'integer' },
      { allowEmptyValue: true },
      '',
    ],
    [
      'that was not sent, with a valid default',
      '',
      { type: 'integer', default: 3 },
      { explode: false },
      3,
    ],
    [
      'that was not sent, with an invalid default',
      '',
      { type: 'integer', default: 'x' },
      { explode: false },
      undefined,
    ],
  ])('%s is read', async (_name, text, schema, more, value) => {
    const read = await readingAt(parameterOf('query', 'color', schema, more), text)

    expect(read).toEqual({ value, notes: [] })
  })

  it.each<
    [
      place: Parameter['in'],
      text: string,
      schema: Schema,
      more: Partial<Parameter>,
      problem: string,
    ]
  >([
    [
      'query',
      'color=1&color=x',
      { type: 'array', items: { type: 'integer' } },
      {},
      'query.color[1] must be integer',
    ],
    ['query', 'color[R]=x', OBJECT, { style }, 'query.color.R must be integer'],
    ['query', 'color=a&color=b', TEXT, { explode: false }, 'query.color must be given once'],
    ['query', '', TEXT, { explode: false, required: true }, 'query.color is required'],
    ['query', '', { default: 'a' }, { explode: false, required: true }, 'query.color is required'],
    [
      'query',
      'color=9007199254740993',
      { type: ['integer', 'null'] },
      {},
      'query.color must be an integer from -9007199254740991 to 9007199254740991',
    ],
    ['header', 'x', { type: 'integer' }, {}, 'header.color must be integer'],
    ['cookie', 'color=x', { type: 'integer' }, {}, 'cookie.color must be integer'],
    ['cookie', 'a=b', TEXT, { required: true }, 'cookie.color is required'],
    ['cookie', 'a=b', { default: 'a' }, { required: true }, 'cookie.color is required'],
  ])('in a %s that is %s is refused by %j', async (place, text, schema, more, problem) => {
    const read = await readingAt(parameterOf(place, 'color', schema, more), text)

    expect(read).toMatchObject({ status: 400, problem })
  })

  it('in a header that is required is refused when it is missing, even if it has a default', async () => {
    const parameter = parameterOf('header', 'color', { default: 'a' }, { required: true })

    const { problem } = await readRequest(operationOf({ parameters: [parameter] }), {})

    expect(problem).toMatchObject({ status: 400, message: 'header.color is required' })
  })

  it.each([
    [true, undefined],
    [false, 'header.X-Key is required'],
  ])(
    'in a header for credentials is left to their check if the operation is secured: %s',
    async (secured, message) => {
      const parameter = parameterOf('header', 'X-Key', TEXT, { required: true })
      const operation = operationOf({ method: 'GET', secured, parameters: [parameter] })

      const { problem } = await readRequest(
        operation,
        {},
        {
          credentials: { namesOf: (part) => (part === 'header' ? ['x-key'] : []) },
        },
      )

      expect(problem?.message).toBe(message)
    },
  )

  it('in a header such as `token` may be in Authorization instead', async () => {
    const parameter = parameterOf('header', 'token', TEXT, { required: true })
    const operation = operationOf({ method: 'GET', secured: true, parameters: [parameter] })

    const { problem } = await readRequest(operation, { headers: { authorization: 'Bearer x' } })
    const without = await readRequest(operation, {})

    expect(problem).toBeUndefined()
    expect(without.problem?.message).toBe('header.token is required')
  })

  it('may be the whole query', async () => {
    const form = { mediaType: 'application/x-www-form-urlencoded' }
    const json = { mediaType: 'application/json' }

    const asForm = await readingAt(parameterOf('querystring', 'q', OBJECT, form), 'R=1&G=2')
    const asJson = await readingAt(parameterOf('querystring', 'q', OBJECT, json), '%7B%22R%22:1%7D')

    expect(asForm).toEqual({ value: { R: 1, G: 2 }, notes: [] })
    expect(asJson).toEqual({ value: { R: 1 }, notes: [] })
  })

  it('of a path that is not valid is a 404, or a 400 where the document has no 404', async () => {
    const schema: Schema = { type: 'object', minProperties: 1 }
    const path = parameterOf('path', 'color', schema)
    const sent = { path: { color: 'a' } }

    const unknown = await readRequest(operationOf({ parameters: [path] }), sent)
    const invalid = await readRequest(
      operationOf({ parameters: [path], responses: [{ status: 400 }] }),
      sent,
    )

    expect(unknown.problem?.message).toBe('No resource was found at /pets/1: color must be object.')
    expect(invalid.problem).toMatchObject({ status: 400, message: 'path.color must be object' })
  })
})

describe('a header', () => {
  const required = { required: true }
  const refusal = async (parameters: readonly Parameter[], sent: SentRequest): Promise<unknown> => {
    const { problem } = await readRequest(operationOf({ parameters }), sent, {
      credentials: { namesOf: (part) => (part === 'header' ? ['x-api-key'] : ['session']) },
    })
    return problem?.message
  }

  it('that is required and missing is refused with its name', async () => {
    const id = parameterOf('header', 'X-Request-Id', TEXT, required)

    expect(await refusal([id], {})).toBe('header.X-Request-Id is required')
    expect(await refusal([id], { headers: { 'x-request-id': '7' } })).toBeUndefined()
  })

  it.each([
    'Accept',
    'Content-Type',
    'Authorization',
    'Accept-Language',
    'User-Agent',
    'X-Api-Key',
  ])('%s is never refused', async (name) => {
    const header = parameterOf('header', name, { type: 'integer' }, required)

    expect(await refusal([header], {})).toBeUndefined()
    expect(await refusal([header], { headers: { [name.toLowerCase()]: 'x' } })).toBeUndefined()
  })

  it('that is a cookie with credentials is never refused', async () => {
    const cookie = parameterOf('cookie', 'session', { type: 'integer' }, required)

    expect(await refusal([cookie], { headers: { cookie: 'session=x' } })).toBeUndefined()
  })

  it('may have an object that is not exploded although the document says so', async () => {
    const header = parameterOf('header', 'color', OBJECT, { explode: true })

    expect(await readingAt(header, 'R,1,G,2')).toMatchObject({ value: { R: 1, G: 2 } })
  })

  it('may be percent-encoded, if only that is valid', async () => {
    const header = parameterOf('header', 'color', { type: 'string', pattern: '^[^%]*$' })

    expect(await readingAt(header, 'dark%20blue')).toMatchObject({ value: 'dark blue' })
  })
})

it('unknown names in a query are noted, and those of brackets and objects are not', async () => {
  const parameters = [
    parameterOf('query', 'color', OBJECT, { style: 'deepObject' }),
    parameterOf('query', 'page', OBJECT, {}),
  ]
  const query = 'color[R]=1&G=2&x=1&y[z]=2'

  const { notes } = await readRequest(operationOf({ parameters }), { query })

  expect(notes).toEqual([
    { kind: 'unknown-parameter', place: 'query.x' },
    { kind: 'unknown-parameter', place: 'query.y[z]' },
  ])
})
