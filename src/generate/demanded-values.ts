import type { Schema } from '../contract/contract.ts'
import { numberOf, propertyOf, schemaOf, textsOf, typesOf } from './keywords.ts'

const known = new WeakMap<Schema, number>()

/** How many values a value of a schema has at least, itself included. Only lists and objects with a `type` are counted. */
export function demandedValues(schema: Schema): number {
  const count = known.get(schema)
  if (count !== undefined) return count
  // A schema may demand itself.
  known.set(schema, 1)
  const demanded = 1 + innerValues(schema)
  known.set(schema, demanded)

  return demanded
}

function innerValues(schema: Schema): number {
  const [type, ...others] = typesOf(schema) ?? []
  if (others.length > 0) return 0
  if (type === 'array') {
    const items = schemaOf(schema, 'items')
    return (numberOf(schema, 'minItems') ?? 0) * (items ? demandedValues(items) : 1)
  }
  if (type !== 'object') return 0
  return textsOf(schema, 'required').reduce((sum, name) => {
    const property = propertyOf(schema, name)
    return sum + (property ? demandedValues(property) : 1)
  }, 0)
}
