import { expect, test } from 'vitest'
import { createExpand } from './expand-schema.ts'
import type { Node } from './node.ts'

const SCHEMAS: Node = {
  Id: { type: 'integer', readOnly: true },
  Named: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  Aliased: { $ref: '#/components/schemas/Named', nullable: true },
  Stored: { properties: { id: { $ref: '#/components/schemas/Id' } } },
  One: { properties: { other: { $ref: '#/components/schemas/Other' } } },
  Other: { properties: { one: { $ref: '#/components/schemas/One' } } },
}

const expand = createExpand({ root: { components: { schemas: SCHEMAS } }, sources: [] })

function ref(name: string): Node {
  return { $ref: `#/components/schemas/${name}` }
}

test('what stands beside a $ref adds to what it points to, and replaces nothing that is demanded', () => {
  const schema = { ...ref('Named'), required: ['id'], properties: { id: { type: 'integer' } } }

  const expanded = expand(schema, 'response')

  expect(expanded).toEqual({
    required: ['id'],
    properties: { id: { type: 'integer' } },
    allOf: [SCHEMAS.Named],
  })
})

test('null is taken by a nullable $ref, at the end of a chain too', () => {
  expect(expand({ ...ref('Named'), nullable: true }, 'request').type).toEqual(['object', 'null'])
  expect(expand(ref('Aliased'), 'request').type).toEqual(['object', 'null'])
})

test('null is taken by nullable branches', () => {
  const schema = { nullable: true, oneOf: [ref('Id'), { type: 'string' }] }

  const expanded = expand(schema, 'response')

  expect(expanded).toEqual({
    anyOf: [{ oneOf: [{ type: 'integer', readOnly: true }, { type: 'string' }] }, { type: 'null' }],
  })
})

test('a read-only property is not required of a request by any branch', () => {
  const schema = { allOf: [ref('Stored'), ref('Named'), { required: ['id', 'name'] }] }

  const expanded = expand(schema, 'request')

  expect(expanded.allOf).toEqual([{ properties: {} }, SCHEMAS.Named, { required: ['name'] }])
})

test('a read-only property of a list item is left out', () => {
  const expanded = expand({ type: 'array', items: ref('Stored') }, 'request')

  expect(expanded).toEqual({ type: 'array', items: { properties: {} } })
})

test('schemas that contain one another refer to the $defs at the top', () => {
  const expanded = expand(ref('One'), 'response')

  const One = { properties: { other: { $ref: '#/$defs/Other' } } }
  const Other = { properties: { one: { $ref: '#/$defs/One' } } }
  expect(expanded).toEqual({ ...One, $defs: { One, Other } })
})

test('properties may have the names of keywords', () => {
  const properties = {
    description: { type: 'string' },
    id: { type: 'integer' },
    nullable: { type: 'boolean' },
  }

  expect(expand({ properties }, 'request')).toEqual({ properties })
})
