import { expect, it, test } from 'vitest'
import { createSandbox } from '../../index.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import {
  membersWithoutType,
  withBranchValues,
  withIgnoredNames,
  withItemsEnum,
} from './read-keywords.ts'
import { createSchemaCompiler } from './schema-compiler.ts'

const CLOSED = { type: 'object', properties: { a: {} }, additionalProperties: false }
const AB_BODY = { a: 1, b: 2 }

test.each<[type: unknown, members: unknown, expected: unknown]>([
  ['string', ['a', 'b'], undefined],
  ['string', ['a', 1], undefined],
  ['integer', [1, 2.5], undefined],
  [['string', 'null'], [null], undefined],
  [undefined, [true], undefined],
  ['string', undefined, undefined],
  ['string', [], undefined],
  ['array', ['a', 'b'], undefined],
  ['string', [true, false], [true, false, 'true', 'false']],
  ['string', [null], [null]],
  ['integer', ['1', '2', 'many'], ['1', '2', 'many', 1, 2]],
  ['boolean', ['yes', 'no'], ['yes', 'no']],
])('of the type %j and the members %j, %j are allowed', (type, members, expected) => {
  expect(membersWithoutType(type, members)).toEqual(expected)
})

test.each([[true], ['true']])(
  'a request may send %j where the document has texts without quotes',
  async (upper) => {
    const schema = {
      type: 'object',
      properties: { upper: { type: 'string', enum: [true, false] } },
    }
    const contract = await loadDocumentOf({
      '/texts': {
        post: {
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: { 200: { description: 'An answer.' } },
        },
      },
    })
    const send = (body: object): Promise<Response> =>
      createSandbox({ contract }).fetch(
        new Request('http://target.test/texts', {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json' },
        }),
      )

    expect((await send({ upper })).status).toBe(200)
    expect((await send({ upper: 'maybe' })).status).toBe(400)
  },
)

it('the values of a discriminator are listed for each branch: those of its mapping, else the name of the schema', () => {
  const cat = { $ref: '#/components/schemas/Cat' }
  const dog = { $ref: '#/components/schemas/Dog' }
  const discriminator = {
    propertyName: 'kind',
    mapping: { kitten: '#/components/schemas/Cat', tom: 'Cat' },
  }

  const draft = withBranchValues({ discriminator }, { oneOf: [cat, dog, { type: 'object' }] })

  expect(draft).toMatchObject({
    discriminator: { propertyName: 'kind', branches: [['kitten', 'tom'], ['Dog'], []] },
  })
})

const compile = createSchemaCompiler()
const properties = { name: { type: 'string' } }

test.each<[what: string, schema: object, readOnly: string[], value: object, isValid: boolean]>([
  ['a read-only property', { additionalProperties: false }, ['id'], { id: 1 }, true],
  ['each of several', { additionalProperties: false }, ['id', 'at'], { id: [], at: null }, true],
  ['one without unevaluated properties', { unevaluatedProperties: false }, ['id'], { id: 1 }, true],
  [
    'a name with special characters',
    { additionalProperties: false },
    ['$a.b|c'],
    { '$a.b|c': 1 },
    true,
  ],
  ['another property', { additionalProperties: false }, ['id'], { ids: 1 }, false],
  [
    'a name that is a pattern for another',
    { additionalProperties: false },
    ['a.b'],
    { axb: 1 },
    false,
  ],
  ['a wrong value beside it', { additionalProperties: false }, ['id'], { id: 1, name: 2 }, false],
  ['nothing read-only', { additionalProperties: false }, [], { id: 1 }, false],
])('of a closed schema, %s: %j', (_what, schema, readOnly, value, isValid) => {
  const validate = compile(withIgnoredNames({ type: 'object', properties, ...schema }, readOnly))

  expect(validate(value)).toBe(isValid)
})

test('an open schema stays', () => {
  const schema = { type: 'object', properties }

  expect(withIgnoredNames(schema, ['id'])).toBe(schema)
})

const AB = ['a', 'b']
const ref = { $ref: '#/components/schemas/letter' }
const text = { type: 'string' }

test.each<[what: string, schema: object, expected: object]>([
  [
    'beside items',
    { type: 'array', items: text, enum: AB },
    { type: 'array', items: { ...text, enum: AB } },
  ],
  [
    'beside a reference',
    { type: 'array', items: ref, enum: AB },
    { type: 'array', items: { allOf: [ref, { enum: AB }] } },
  ],
  ['without items', { type: 'array', enum: AB }, { type: 'array', items: { enum: AB } }],
  [
    'of a list or null',
    { type: ['array', 'null'], enum: ['a', null] },
    { type: ['array', 'null'], items: { enum: ['a'] } },
  ],
  [
    'whose items have their own',
    { type: 'array', items: { enum: ['c'] }, enum: AB },
    { type: 'array', items: { enum: ['c'] } },
  ],
])('an enum %s counts for the items of a list', (_what, schema, expected) => {
  expect(withItemsEnum({ ...schema })).toEqual(expected)
})

test.each<[what: string, schema: object]>([
  ['of lists', { type: 'array', enum: [['a'], ['b']] }],
  ['of a type that is no list', { type: 'string', enum: AB }],
  ['of a list or a text', { type: ['array', 'string'], enum: AB }],
  ['without members', { type: 'array', enum: [] }],
  ['of null only', { type: 'array', enum: [null] }],
  ['without a type', { enum: AB }],
])('an enum %s stays', (_what, schema) => {
  const given = { ...schema }

  expect(withItemsEnum(given)).toBe(given)
})

test.each<[what: string, schema: object, value: object, status: number]>([
  ['beside a branch', { ...CLOSED, allOf: [{ $ref: '#/components/schemas/Named' }] }, AB_BODY, 201],
  [
    'of a branch',
    { allOf: [{ $ref: '#/components/schemas/Closed' }], properties: { b: {} } },
    AB_BODY,
    201,
  ],
  [
    'of a branch that refers to it',
    { allOf: [{ allOf: [{ $ref: '#/components/schemas/Closed' }] }, { properties: { b: {} } }] },
    AB_BODY,
    201,
  ],
  [
    'of a branch, for what no part names',
    { allOf: [{ $ref: '#/components/schemas/Closed' }], properties: { b: {} } },
    { ...AB_BODY, c: 1 },
    400,
  ],
  ['of the only part', { allOf: [{ $ref: '#/components/schemas/Closed' }] }, AB_BODY, 400],
])('"additionalProperties: false" %s is for the whole request', async (...given) => {
  const [, schema, value, status] = given
  const requestBody = { content: { 'application/json': { schema } } }
  const contract = await loadDocumentOf(
    { '/a': { post: { requestBody, responses: { 201: { description: 'Created' } } } } },
    { components: { schemas: { Named: { properties: { b: {} } }, Closed: CLOSED } } },
  )
  const request = new Request('http://localhost/a', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  })

  expect((await createSandbox({ contract }).fetch(request)).status).toBe(status)
})
