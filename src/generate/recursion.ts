import type { Schema } from '../contract/contract.ts'
import { schemasOf } from './keywords.ts'

/** Whether a value of the schemas contains a value of a schema that is being made already. */
export function isRecursive(schemas: readonly Schema[], open: ReadonlySet<Schema>): boolean {
  return open.size > 0 && schemas.some((schema) => leadsBack(schema, open, 0))
}

/** Chains of `allOf` are followed up to this length. */
const MAX_CHAIN = 20

function leadsBack(schema: Schema, open: ReadonlySet<Schema>, depth: number): boolean {
  if (open.has(schema)) return true
  if (depth > MAX_CHAIN) return false
  const follow = (inner: Schema): boolean => leadsBack(inner, open, depth + 1)
  const branches = [schemasOf(schema, 'oneOf'), schemasOf(schema, 'anyOf')]

  return (
    schemasOf(schema, 'allOf').some(follow) ||
    branches.some((list) => list.length > 0 && list.every(follow))
  )
}
