import type { Schema } from '../contract/contract.ts'
import { itemsOf, propertiesOf } from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'

/**
 * A value with other texts and numbers at a place, also in lists on the way and in a list at the place. `change` gets each with its schema, and
 * how many were before it; `undefined` leaves it as it is.
 */
export function withIdsAt(
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
