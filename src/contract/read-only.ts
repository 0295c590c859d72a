import type { Schema } from './contract.ts'
import { withBranches } from './schema-properties.ts'

const cache = new WeakMap<Schema, ReadonlySet<string>>()

/** The properties of a schema that only the service sets, including those of its branches. They are computed once. */
export function readOnlyNames(schema: Schema): ReadonlySet<string> {
  const known = cache.get(schema)
  if (known) return known
  const names = new Set(
    withBranches(schema).flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([name, property]) =>
        isReadOnly(property) ? [name] : [],
      ),
    ),
  )
  cache.set(schema, names)

  return names
}

/** Whether a schema is read-only: itself, by a part in `allOf`, or by all alternatives besides null. */
function isReadOnly({ readOnly, allOf = [], oneOf = [], anyOf = [] }: Schema): boolean {
  if (readOnly !== undefined) return readOnly
  const alternatives = [...oneOf, ...anyOf].filter(({ type }) => type !== 'null')

  return allOf.some(isReadOnly) || (alternatives.length > 0 && alternatives.every(isReadOnly))
}
