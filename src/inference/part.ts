import type { Schema } from '../contract/contract.ts'
import { isObjectSchema } from '../contract/schema-places.ts'
import { propertiesOf } from '../contract/schema-properties.ts'

/** Fewer shared names may be a coincidence, such as `name`. */
const MIN_SHARED = 2

/**
 * The property of a record whose value a request contains: the record has none of the names in the request, and an object in it
 * has most of them. `undefined` when the request contains the record.
 */
export function partOf(sent: Schema, record: Schema | undefined): string | undefined {
  if (!record) return undefined
  const names = [...propertiesOf(sent).keys()]
  const own = propertiesOf(record)
  if (names.length === 0 || names.some((name) => own.has(name))) return undefined
  const parts = [...own].flatMap(([name, property]) => {
    if (!isObjectSchema(property)) return []
    const shared = names.filter((one) => propertiesOf(property).has(one)).length
    const isLikely = property === sent || (shared >= MIN_SHARED && shared * 2 >= names.length)
    return isLikely ? [{ name, shared }] : []
  })
  const [best] = parts.sort((one, other) => other.shared - one.shared)

  return best?.name
}
