import type { Schema } from '../contract/contract.ts'
import { numberOf, propertyOf, schemaOf, textsOf, typesOf } from './keywords.ts'

const known = new WeakMap<Schema, number>()

/** No value is made that is nested more deeply. */
const MAX_DEPTH = 100

/** How many values a value of a schema has at least, itself included. Only lists and objects with a `type` are counted. */
export function demandedValues(schema: Schema, depth = 0): number {
  const count = known.get(schema)
  if (count !== undefined) return count
  if (depth > MAX_DEPTH) return 1
  // A schema may demand itself.
  known.set(schema, 1)
  const demanded = 1 + innerValues(schema, depth + 1)
  known.set(schema, demanded)

  return demanded
}

function innerValues(schema: Schema, depth: number): number {
  const [type, ...others] = typesOf(schema) ?? []
  if (others.length > 0) return 0
  if (type === 'array') {
    const items = schemaOf(schema, 'items')
    const min = numberOf(schema, 'minItems') ?? 0
    return min === 0 ? 0 : min * (items ? demandedValues(items, depth) : 1)
  }
  if (type !== 'object') return 0
  return textsOf(schema, 'required').reduce((sum, name) => {
    const property = propertyOf(schema, name)
    return sum + (property ? demandedValues(property, depth) : 1)
  }, 0)
}
