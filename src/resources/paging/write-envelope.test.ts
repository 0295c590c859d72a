import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import type { EnvelopeFigure } from '../../contract/hints.ts'
import { writeEnvelope } from './write-envelope.ts'

const compiler = new Ajv2020({ strict: false, formats: { uri: /^https?:/ } })

/** The body after a figure is written to a place. */
function written(body: unknown, schema: Schema, place: string, value: unknown): unknown {
  return writeEnvelope(body, {
    envelope: { [place]: 'total' },
    figure: () => value,
    schema,
    validate: compiler.compile(schema),
  })
}

function withProperty(name: string, schema: Schema, isRequired = true): Schema {
  return { type: 'object', properties: { [name]: schema }, required: isRequired ? [name] : [] }
}

test.each<[unknown, Schema, unknown]>([
  [7, { type: 'integer' }, 7],
  [7, { type: 'string' }, '7'],
  ['7', { type: 'integer' }, 7],
  [7, {}, 7],
  ['x', { type: 'string' }, 'x'],
  [true, { type: 'boolean' }, true],
])('the value %j for the schema %j is written as %j', (value, schema, expected) => {
  const body = written(
    { total: schema.type === 'string' ? '' : 0 },
    withProperty('total', schema, false),
    '/total',
    value,
  )

  expect(body).toEqual({ total: expected })
})

test('an address is written as a path where the schema allows nothing else', () => {
  const schema = withProperty('url', { type: 'string', pattern: '^/v1/' })

  const body = written(
    { url: '/v1/generated' },
    schema,
    '/url',
    'https://example.com/v1/books?limit=2',
  )

  expect(body).toEqual({ url: '/v1/books?limit=2' })
})

test.each<[string, Schema, boolean, unknown]>([
  ['is null where the schema allows it', { type: ['string', 'null'] }, true, { next: null }],
  [
    'is null where the schema is nullable',
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    true,
    { next: null },
  ],
  ['is left out where it is optional', { type: 'string' }, false, {}],
  ['is empty where it is a required text', { type: 'string' }, true, { next: '' }],
  ['is 0 where it is a required number', { type: 'integer' }, true, { next: 0 }],
])('a figure that there is not %s', (_case, schema, isRequired, expected) => {
  const before = { next: schema.type === 'integer' ? 9 : 'generated' }

  expect(written(before, withProperty('next', schema, isRequired), '/next', null)).toEqual(expected)
})

test('a figure that there is not is left out with its object when that has no other', () => {
  const next = withProperty('href', { type: 'string', format: 'uri' })
  const schema = withProperty('links', withProperty('next', next, false))
  const before = { links: { next: { href: 'https://example.com' } } }

  expect(written(before, schema, '/links/next/href', null)).toEqual({ links: {} })
})

test('a figure that there is not leaves its object when that has others', () => {
  const page = {
    type: 'object',
    properties: { total: {}, next: { type: 'string' } },
    required: ['next'],
  }
  const schema = withProperty('page', page, false)
  const figures: Partial<Record<EnvelopeFigure, unknown>> = { total: 5, nextCursor: null }

  const body = writeEnvelope(
    { page: { total: 1, next: 'generated' } },
    {
      envelope: { '/page/total': 'total', '/page/next': 'nextCursor' },
      figure: (name) => figures[name],
      schema,
      validate: compiler.compile(schema),
    },
  )

  expect(body).toEqual({ page: { total: 5, next: '' } })
})

test('a missing object is added for a figure', () => {
  const schema = withProperty('meta', withProperty('total', { type: 'integer' }), false)

  expect(written({}, schema, '/meta/total', 5)).toEqual({ meta: { total: 5 } })
})

test('a figure that makes the body invalid is not written, and the others are', () => {
  const properties = { page: { type: 'integer', maximum: 3 }, total: { type: 'integer' } }
  const schema: Schema = { type: 'object', properties, required: ['page', 'total'] }

  const body = writeEnvelope(
    { page: 1, total: 1 },
    {
      envelope: { '/page': 'page', '/total': 'total' },
      figure: (name) => (name === 'page' ? 4 : 40),
      schema,
      validate: compiler.compile(schema),
    },
  )

  expect(body).toEqual({ page: 1, total: 40 })
})

test('the body itself is not changed', () => {
  const before = { meta: { total: 1 } }

  written(before, withProperty('meta', withProperty('total', {})), '/meta/total', 2)

  expect(before).toEqual({ meta: { total: 1 } })
})
