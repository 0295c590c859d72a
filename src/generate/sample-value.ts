import type { Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import type { Faker } from './create-faker.ts'
import { generateValue } from './generate-value.ts'

/** How deep a sample is nested at most. A schema may require itself. */
const MAX_DEPTH = 8

/**
 * A small value for a schema: defaults, the first values of enums, and objects with the required properties only. Whether it is
 * valid must be checked: `undefined` where no value can be generated.
 */
export function sampleValue(schema: Schema, faker: Faker, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const sample = (inner: Schema): unknown => sampleValue(inner, faker, depth + 1)
  const [type] = [schema.type].flat()
  const [branch] = schema.oneOf ?? schema.anyOf ?? []
  const properties = propertiesOf(schema)
  if (type === 'object' || properties.size > 0) {
    const required = [...new Set(requiredNames(schema))]
    return Object.fromEntries(required.map((name) => [name, sample(properties.get(name) ?? {})]))
  }
  if (branch && type === undefined) return sample(branch)
  if (type === 'array') {
    const { items = {}, minItems = 0 } = schema
    return Array.from({ length: Math.max(1, minItems) }, () => sample(items))
  }
  return generateValue('value', type === undefined ? { ...schema, type: 'string' } : schema, faker)
}

/** The names that a schema requires, with those of `allOf` and of its first branch. */
function requiredNames({ required = [], allOf = [], oneOf = [], anyOf = [] }: Schema): string[] {
  const branches = [...allOf, ...oneOf.slice(0, 1), ...anyOf.slice(0, 1)]
  return [...required, ...branches.flatMap(requiredNames)]
}
