import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { alternativeName, firstValue, fits, limitsOf, typeText, viewOf } from './schema-view.ts'

const SCHEMAS: Readonly<Record<string, Schema>> = {
  '#/components/schemas/Tree': {
    type: 'object',
    required: ['below', 'size'],
    properties: {
      below: { $ref: '#/components/schemas/Tree' },
      size: { type: 'integer', minimum: 3 },
    },
  },
  '#/components/schemas/a~1b%20c': { allOf: [{ $ref: '#/components/schemas/Tree' }], title: 'T' },
  '#/loop': { $ref: '#/loop' },
  '#/all': { allOf: [{ $ref: '#/all' }, { type: 'string' }] },
}

const TREE = { $ref: '#/components/schemas/Tree' }

function text(schema: Schema): string {
  return typeText(viewOf(schema, SCHEMAS), SCHEMAS)
}

test.each<[Schema, string]>([
  [{}, 'any'],
  [TREE, 'Tree'],
  [{ type: 'array', items: TREE }, 'array of Tree'],
  [{ type: ['string', 'null'], format: 'date' }, 'string (date) or null'],
  [{ type: 'string', nullable: true }, 'string or null'],
  [{ anyOf: [TREE, { type: 'null' }] }, 'Tree or null'],
  [{ oneOf: [TREE, { type: 'string' }] }, 'one of 2'],
  [{ properties: {} }, 'object'],
  [{ $ref: '#/components/schemas/a~1b%20c' }, 'a/b c'],
  [{ $ref: '#/absent' }, 'absent'],
  [{ $ref: '#/loop' }, 'loop'],
  [{ $ref: '#/all' }, 'string'],
])('the type of %j is %s', (schema, expected) => {
  expect(text(schema)).toBe(expected)
})

test('a part that the sandbox left out is missing, and allOf is merged', () => {
  const view = viewOf(
    { allOf: [TREE, { required: ['name'], properties: { name: { type: 'string' } } }] },
    SCHEMAS,
  )

  expect(viewOf({ $ref: '#/absent' }, SCHEMAS).isMissing).toBe(true)
  expect(view.isMissing).toBe(false)
  expect(view.schema.required).toEqual(['below', 'size', 'name'])
  expect(Object.keys(view.schema.properties ?? {})).toEqual(['below', 'size', 'name'])
})

test('limits are written with the signs of both versions of OpenAPI', () => {
  expect(limitsOf({ minimum: 1, exclusiveMaximum: 5, minLength: 2, uniqueItems: true })).toEqual([
    '≥ 1',
    '< 5',
    'characters ≥ 2',
    'unique items',
  ])
  const before: Record<string, unknown> = { minimum: 1, exclusiveMinimum: true }
  expect(limitsOf(before)).toEqual(['> 1'])
})

test('the first value of a schema that contains itself ends', () => {
  const value = firstValue(TREE, SCHEMAS)

  expect(value).toMatchObject({ size: 3, below: { size: 3 } })
  expect(JSON.stringify(value).length).toBeLessThan(500)
  expect(firstValue({ type: 'array', minItems: 1, items: { enum: ['a'] } }, SCHEMAS)).toEqual(['a'])
})

test('an alternative is known by its name, its title, its constant or its type, and by its values', () => {
  const cat = { properties: { kind: { const: 'cat' } } }
  const names = [TREE, { title: 'Title' }, cat, { type: 'string' }].map((one, at) =>
    alternativeName(one, at, SCHEMAS),
  )

  expect(names).toEqual(['Tree', 'Title', 'cat', '4: string'])
  expect(fits({ kind: 'cat' }, cat, SCHEMAS)).toBe(true)
  expect(fits({ kind: 'dog' }, cat, SCHEMAS)).toBe(false)
  expect(fits({ size: 1 }, TREE, SCHEMAS)).toBe(false)
  expect(fits(1, { type: 'integer' }, SCHEMAS)).toBe(true)
})
