import { expect, it } from 'vitest'
import type { Schema } from './contract.ts'
import { propertiesOf } from './schema.ts'

it('the properties of a schema include those of its branches, and its own definitions override theirs', () => {
  const schema: Schema = {
    properties: { a: { type: 'integer' } },
    allOf: [{ properties: { a: { type: 'string' }, b: {} } }],
    anyOf: [{ oneOf: [{ properties: { c: {} } }] }],
  }

  const properties = propertiesOf(schema)

  expect([...properties.keys()].sort()).toEqual(['a', 'b', 'c'])
  expect(properties.get('a')).toEqual({ type: 'integer' })
})
