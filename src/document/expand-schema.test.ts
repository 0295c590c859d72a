import { expect, test } from 'vitest'
import { createSchemaExpander } from './expand-schema.ts'
import type { JsonObject } from './json-value.ts'

const SCHEMAS: JsonObject = {
  Id: { type: 'integer', readOnly: true },
  Named: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  Aliased: { $ref: '#/components/schemas/Named', nullable: true },
  Stored: { properties: { id: { $ref: '#/components/schemas/Id' } } },
  One: { properties: { other: { $ref: '#/components/schemas/Other' } } },
  Other: { properties: { one: { $ref: '#/components/schemas/One' } } },
}

const expand = createSchemaExpander({ root: { components: { schemas: SCHEMAS } }, sources: [] })

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

test('keywords next to a $ref restrict its target and do not override restrictions', () => {
  const schema = { ...ref('Named'), required: ['id'], properties: { id: { type: 'integer' } } }

  const expanded = expand(schema, 'response')

  expect(expanded).toEqual({
    required: ['id'],
    properties: { id: { type: 'integer' } },
    allOf: [SCHEMAS.Named],
  })
})

test('a nullable $ref accepts null, at the end of a chain too', () => {
  expect(expand({ ...ref('Named'), nullable: true }, 'request').type).toEqual(['object', 'null'])
  expect(expand(ref('Aliased'), 'request').type).toEqual(['object', 'null'])
})

test('nullable branches accept null', () => {
  const schema = { nullable: true, oneOf: [ref('Id'), { type: 'string' }] }

  const expanded = expand(schema, 'response')

  expect(expanded).toEqual({
    anyOf: [{ oneOf: [{ type: 'integer', readOnly: true }, { type: 'string' }] }, { type: 'null' }],
  })
})

test('no branch requires a read-only property in a request', () => {
  const schema = { allOf: [ref('Stored'), ref('Named'), { required: ['id', 'name'] }] }

  const expanded = expand(schema, 'request')

  expect(expanded.allOf).toEqual([{ properties: {} }, SCHEMAS.Named, { required: ['name'] }])
})

test('a read-only property of an array item is removed from a request', () => {
  const expanded = expand({ type: 'array', items: ref('Stored') }, 'request')

  expect(expanded).toEqual({ type: 'array', items: { properties: {} } })
})

test('schemas that contain each other refer to the $defs at the top', () => {
  const expanded = expand(ref('One'), 'response')

  const One = { properties: { other: { $ref: '#/$defs/Other' } } }
  const Other = { properties: { one: { $ref: '#/$defs/One' } } }
  expect(expanded).toEqual({ ...One, $defs: { One, Other } })
})

test('a property may have the name of a keyword', () => {
  const properties = {
    description: { type: 'string' },
    id: { type: 'integer' },
    nullable: { type: 'boolean' },
  }

  expect(expand({ properties }, 'request')).toEqual({ properties })
})
