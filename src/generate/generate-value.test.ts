// biome-ignore-all lint/suspicious/noThenProperty: It is a keyword of JSON Schema.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import {
  type GeneratedValue,
  generateDocumentedValue,
  generateValue,
  type ValueRequest,
} from './generate-value.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

const ajv = new Ajv2020({ strict: false, logger: false })
formats.default(ajv)

function generate(schema: Schema, request: Partial<ValueRequest> = {}): GeneratedValue {
  return generateValue({ schema, seed: [1], now: NOW, ...request })
}

/** Values of five seeds. */
function valuesOf(schema: Schema): unknown[] {
  return [1, 2, 3, 4, 5].map((seed) => generate(schema, { seed: [seed] }).value)
}

const text = { type: 'string' }
const cat: Schema = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
}
const dog: Schema = {
  type: 'object',
  required: ['kind'],
  properties: { kind: { const: 'dog' }, tail: text },
}

describe('a value', () => {
  it('is one of a hundred thousand that an enum lists', () => {
    const listed = Array.from({ length: 100_000 }, (_, at) => `value-${at}`)

    const { value } = generate({ enum: listed })

    expect(listed).toContain(value)
  })

  it.each<[name: string, schema: Schema]>([
    [
      'all of several limits',
      { allOf: [{ type: 'integer', minimum: 5 }, { maximum: 6 }, { multipleOf: 3 }] },
    ],
    ['all of several enums', { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }],
    ['all of several patterns', { allOf: [{ ...text, pattern: '^a' }, { pattern: 'z$' }] }],
    [
      'all of several objects',
      {
        allOf: [
          { required: ['a'], properties: { a: text } },
          { required: ['b'], properties: { a: { minLength: 30 } } },
        ],
      },
    ],
    ['all of integer and number', { allOf: [{ type: 'number' }, { type: 'integer' }] }],
    ['one of', { oneOf: [cat, dog] }],
    ['one of integers and numbers', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
    ['one of texts and dates', { oneOf: [{ ...text, format: 'date' }, { ...text }] }],
    [
      'one of objects that look alike',
      {
        oneOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
        ],
      },
    ],
    [
      'one of, beside properties',
      { properties: { kind: { enum: ['dog'] } }, required: ['kind'], oneOf: [cat, dog] },
    ],
    ['any of', { anyOf: [{ type: 'integer', minimum: 3, maximum: 1 }, { type: 'boolean' }] }],
    ['not a type', { type: ['string', 'integer'], not: text }],
    ['not a value', { enum: ['a', 'b'], not: { const: 'a' } }],
    [
      'not with a property',
      { type: 'object', properties: { a: text, b: text }, not: { required: ['b'] } },
    ],
    [
      'not any of',
      {
        type: 'object',
        properties: { a: text, b: text, c: text },
        not: { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      },
    ],
    [
      'if, then',
      {
        required: ['a'],
        properties: { a: { enum: ['x', 'y'] } },
        if: { properties: { a: { const: 'x' } } },
        then: { required: ['b'] },
        else: { required: ['c'] },
      },
    ],
    [
      'dependent properties',
      { type: 'object', properties: { a: text }, dependentRequired: { a: ['b'] } },
    ],
    [
      'dependent schemas',
      {
        type: 'object',
        properties: { a: text },
        dependentSchemas: { a: { required: ['b'], properties: { b: { type: 'integer' } } } },
      },
    ],
    ['const', { const: { deep: [1] } }],
    ['enum', { enum: [{ a: 1 }, null, 'x'] }],
    ['pattern', { ...text, pattern: '^[A-Z]{2}\\d{4}(-[a-z]+)*$' }],
    ['pattern with a length', { ...text, pattern: '^[a-z0-9-]+$', minLength: 40, maxLength: 45 }],
    ['pattern with a lookahead', { ...text, pattern: '^(?=.*\\d)(?=.*[a-z])[a-z\\d]{8,}$' }],
    ['pattern with Unicode', { ...text, pattern: '^\\p{Lu}\\p{L}+$' }],
    ['pattern with a reference', { ...text, pattern: '^(["\'])[a-z]+\\1$' }],
    ['pattern with alternatives', { ...text, pattern: '^(GET|POST)$' }],
    [
      'pattern for a length of code points',
      { ...text, minLength: 3, maxLength: 3, pattern: '^.+$' },
    ],
    ['int32', { type: 'integer', format: 'int32', minimum: 2 ** 31 - 2 }],
    ['int64', { type: 'integer', format: 'int64', maximum: 2 ** 63 }],
    ['exclusive limits', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.001 }],
    ['decimal steps', { type: 'number', multipleOf: 0.05, minimum: 0.1, maximum: 0.2 }],
    [
      'steps of two schemas',
      { allOf: [{ type: 'integer', multipleOf: 4 }, { multipleOf: 6 }], minimum: 1, maximum: 13 },
    ],
    ['a huge number', { type: 'number', minimum: 1e300 }],
    ['a negative range', { type: 'number', maximum: -1e6 }],
    ['lengths', { ...text, minLength: 300, maxLength: 301 }],
    [
      'a list without repeats',
      { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'boolean' } },
    ],
    [
      'a list that contains',
      {
        type: 'array',
        items: { type: 'integer' },
        contains: { minimum: 1000 },
        minContains: 2,
        maxContains: 2,
      },
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [text, { type: 'integer' }], items: { not: {} }, minItems: 2 },
    ],
    ['unevaluated items', { type: 'array', prefixItems: [text], unevaluatedItems: false }],
    [
      'a number of properties',
      {
        type: 'object',
        minProperties: 4,
        maxProperties: 4,
        properties: { a: text },
        additionalProperties: { type: 'integer' },
      },
    ],
    [
      'at most some properties',
      {
        type: 'object',
        maxProperties: 2,
        required: ['c'],
        properties: { a: text, b: text, c: text },
      },
    ],
    [
      'property patterns',
      {
        type: 'object',
        minProperties: 2,
        patternProperties: { '^x-[a-z]{3}$': { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    ['property names', { type: 'object', minProperties: 2, propertyNames: { pattern: '^k\\d$' } }],
    [
      'property names of an enum',
      {
        type: 'object',
        propertyNames: { enum: ['en', 'de'] },
        additionalProperties: text,
        minProperties: 2,
      },
    ],
    [
      'unevaluated properties',
      {
        allOf: [{ properties: { a: text } }],
        properties: { b: text },
        unevaluatedProperties: false,
        type: 'object',
      },
    ],
    ['types', { type: ['null', 'integer'] }],
    ['no type', { minLength: 3 }],
    ['nothing', {}],
  ])('meets %s', (_name, schema) => {
    const values = valuesOf(schema)

    for (const value of values) {
      expect([value, ajv.validate(schema, value), ajv.errors]).toEqual([value, true, null])
    }
  })

  it.each([
    ...[
      'date',
      'time',
      'date-time',
      'iso-time',
      'iso-date-time',
      'duration',
      'uri',
      'uri-reference',
      'uri-template',
    ],
    ...[
      'url',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'regex',
      'uuid',
      'json-pointer',
      'json-pointer-uri-fragment',
    ],
    ...['relative-json-pointer', 'byte', 'password', 'binary'],
  ])('has the format %s, whatever its length', (format) => {
    const lengths: Schema[] = [{}, { minLength: 40 }, { maxLength: 60 }]
    const isOfAnyLength = !/date|time|duration|uuid|ip|regex/.test(format)

    for (const limits of isOfAnyLength ? lengths : lengths.slice(0, 1)) {
      const schema = { type: 'string', format, ...limits }
      const { value } = generate(schema)
      expect([value, ajv.validate(schema, value)]).toEqual([value, true])
    }
  })

  it.each<[name: string, schema: Schema, reason: string]>([
    [
      'limits that exclude each other',
      { type: 'integer', minimum: 2, maximum: 1 },
      'no number was found',
    ],
    [
      'a pattern that no text matches',
      { ...text, pattern: '^a$', minLength: 2 },
      'matches its pattern ^a$',
    ],
    ['a pattern without an end', { ...text, pattern: '^a{1000000000}$' }, 'matches its pattern'],
    [
      'nested repeats',
      { ...text, pattern: '^((((a{99}){99}){99}){99}){99}$' },
      'matches its pattern',
    ],
    [
      'too many items',
      { type: 'array', minItems: 1_000_000_000 },
      'lists of 1000000000 items are not generated',
    ],
    ['too many properties', { type: 'object', minProperties: 1e9 }, 'are not generated'],
    ['too long a text', { ...text, minLength: 1e9 }, 'texts of 1000000000 characters'],
    [
      'types that exclude each other',
      { allOf: [text, { type: 'integer' }] },
      'its types exclude each other',
    ],
    [
      'a required property without a value',
      { type: 'object', required: ['a'], properties: { a: { not: {} } } },
      'value.a: it is required',
    ],
    [
      'too few different items',
      { type: 'array', uniqueItems: true, minItems: 3, items: { type: 'boolean' } },
      'only 2 can be made',
    ],
  ])('is missing for %s, with the reason', (_name, schema, reason) => {
    const generated = generate(schema)

    expect(generated).toMatchObject({ isValid: false, reason: expect.stringContaining(reason) })
  })

  it('ends where a schema contains itself', () => {
    const node: Record<string, unknown> = { type: 'object', required: ['id', 'next'] }
    node.properties = {
      id: { type: 'integer' },
      parent: node,
      children: { type: 'array', items: node },
      next: { anyOf: [node, { type: 'null' }] },
      others: { type: 'object', additionalProperties: node },
    }

    expect(generate(node).value).toEqual({
      id: expect.any(Number),
      children: [],
      next: null,
      others: {},
    })
  })

  it('is missing where a schema requires itself without an end', () => {
    const node: Record<string, unknown> = { type: 'object', required: ['next'] }
    node.properties = { next: node }

    expect(generate(node)).toMatchObject({
      isValid: false,
      reason: expect.stringContaining('it contains itself without an end'),
    })
  })

  it('stays small, however large its schema is', () => {
    const level = (inner: Schema): Schema => ({
      type: 'object',
      required: ['p0'],
      properties: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, inner])),
    })
    const schema = level(level(level(level(text))))

    const { value, isValid } = generate(schema)

    expect(isValid).toBe(true)
    expect(JSON.stringify(value).length).toBeLessThan(100_000)
  })

  it('is the same for the same seed, and a property does not depend on the others', () => {
    const one = { type: 'object', properties: { a: text, b: { type: 'integer' } } }
    const other = { type: 'object', properties: { c: text, b: { type: 'integer' }, a: text } }

    expect(generate(one)).toEqual(generate(one))
    expect(generate(other).value).toMatchObject(Object(generate(one).value))
    expect(generate(one, { place: 'books' })).not.toEqual(generate(one))
  })
})

it('the type of a record in JSON:API is the word of its collection, and that of a related one is the name of the relationship', () => {
  const one = { type: 'object', required: ['type'], properties: { type: text, id: text } }
  const inner = (properties: Schema['properties']): Schema => ({
    type: 'object',
    ...(properties && { properties }),
  })
  const author = inner({ author: inner({ data: one }) })
  const schema = inner({ type: text, attributes: inner({ title: text }), relationships: author })

  expect(generate(schema, { place: 'shops/{shop}/articles' }).value).toMatchObject({
    type: 'articles',
    relationships: { author: { data: { type: 'authors' } } },
  })
})

describe('a value that would be too large', () => {
  it('is not begun when nested lists demand too many items', () => {
    const list = (items: Schema): Schema => ({ type: 'array', minItems: 1000, items })

    const { isValid, reason } = generate(list(list(list({ type: 'integer' }))))

    expect(isValid).toBe(false)
    expect(reason).toMatch(/values with more than 20000 values are not generated/)
  })
})

const book: Schema = {
  type: 'object',
  required: ['title'],
  properties: { id: { type: 'integer' }, title: { type: 'string' }, pages: { type: 'integer' } },
}

describe('a generated value', () => {
  it('has all documented properties and is valid', async () => {
    const validate = createSchemaCompiler()(book)

    const generated = await generateDocumentedValue({ schema: book, validate, seed: 'a', now: NOW })

    expect(generated).toMatchObject({ isValid: true })
    expect(Object.keys(Object(generated.value))).toEqual(['id', 'title', 'pages'])
  })

  it('is the same for the same seed and place', async () => {
    const request = { schema: book, seed: [1, 2], now: NOW, place: 'books' }

    const first = await generateDocumentedValue(request)

    expect(await generateDocumentedValue(request)).toEqual(first)
    expect(await generateDocumentedValue({ ...request, seed: [1, 3] })).not.toEqual(first)
  })

  it('keeps preset properties', async () => {
    const { value } = await generateDocumentedValue({
      schema: book,
      seed: 'a',
      now: NOW,
      preset: { title: 'Emma' },
    })

    expect(value).toMatchObject({ title: 'Emma' })
  })
})
