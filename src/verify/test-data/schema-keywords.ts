import type { Schema } from '../../contract/contract.ts'

/** The names of required properties, also of all `allOf` parts. */
export function requiredOf({ required = [], allOf = [] }: Schema): readonly string[] {
  return [...new Set([...required, ...allOf.flatMap(requiredOf)])]
}

/** The first type of a schema or of its parts, other than null. */
export function typeOf(schema: Schema): string | undefined {
  const [type] = [schema.type].flat().filter((one) => one !== 'null')
  if (type !== undefined) return type
  if (schema.properties) return 'object'
  const { allOf = [], anyOf = [], oneOf = [] } = schema

  return [...allOf, ...anyOf, ...oneOf].map(typeOf).find((one) => one !== undefined)
}

/** The value of a keyword of a schema or of its `allOf` parts. */
export function keyword<Name extends keyof Schema & string>(
  schema: Schema,
  name: Name,
): Schema[Name] | undefined {
  if (schema[name] !== undefined) return schema[name]
  return schema.allOf?.map((part) => keyword(part, name)).find((value) => value !== undefined)
}
