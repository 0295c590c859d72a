import type { Schema } from '../contract/contract.ts'
import { itemsOf, propertiesOf } from '../contract/schema.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import { asType } from '../responses/documented-value.ts'
import { isObject } from '../validation/objects.ts'
import type { IdReference } from './resource.ts'

/**
 * A value with other texts and numbers at a place, also in lists on the way and in a list at the place. `change` gets each with its schema, and
 * how many were before it; `undefined` leaves it as it is.
 */
function withIdsAt(
  value: unknown,
  place: readonly string[],
  schema: Schema,
  change: (schema: Schema, at: number) => unknown,
): unknown {
  let count = 0
  const changed = (present: unknown, own: Schema): unknown =>
    typeof present === 'string' || typeof present === 'number'
      ? (change(own, count++) ?? present)
      : present
  const visit = (present: unknown, names: readonly string[], own: Schema): unknown => {
    const [name, ...inner] = names
    if (Array.isArray(present))
      return present.map((item) => visit(item, names, itemsOf(own) ?? NO_SCHEMA))
    if (name === undefined) return changed(present, own)
    const schema = propertiesOf(own).get(name)
    if (!(isObject(present) && schema && Object.hasOwn(present, name))) return present
    return { ...present, [name]: visit(present[name], inner, schema) }
  }
  return visit(value, place, schema)
}

const NO_SCHEMA: Schema = {}

/** A record in which the values at places are ids of other records, from one of them on. `ids` has those of each place; a place without ids stays. */
export function withIdsOf(
  record: StoredRecord,
  { references, ids, first = 0, schema }: ReferredIds,
): StoredRecord {
  let changed: unknown = record
  for (const [index, { place }] of references.entries()) {
    const known = ids[index] ?? []
    changed = withIdsAt(changed, place, schema, (own, at) =>
      known.length > 0 ? asType(known[(first + at) % known.length], own) : undefined,
    )
  }
  return isObject(changed) ? changed : record
}

/** The ids that a record may have at places. */
interface ReferredIds {
  readonly references: readonly Pick<IdReference, 'place'>[]
  readonly ids: readonly (readonly Id[])[]
  /** The position of the id that comes first. Default: 0. */
  readonly first?: number
  readonly schema: Schema
}
