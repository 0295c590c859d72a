import type { Schema } from './contract.ts'
import { withBranches } from './schema-properties.ts'

/** The types that a schema and its branches name; empty when any is allowed. */
export function typesIn(schema: Schema): ReadonlySet<string> {
  const branches = withBranches(schema)
  const types = branches.flatMap(({ type = [] }) => type)
  const values = branches.flatMap((branch) => branch.enum ?? [])
  const isNullable = branches.some(({ nullable }) => nullable === true) || values.includes(null)

  return new Set(isNullable && types.length > 0 ? [...types, 'null'] : types)
}

/** Whether a schema allows numbers. */
export function isNumeric(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.has('integer') || types.has('number')
}

/** The values of the `enum`s and `const`s of a schema and its branches; empty when it lists none. */
export function listedValues(schema: Schema): readonly unknown[] {
  return withBranches(schema).flatMap((branch) => [
    ...(branch.enum ?? []),
    ...('const' in branch ? [branch.const] : []),
  ])
}
