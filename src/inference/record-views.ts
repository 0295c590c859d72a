import type { Schema } from '../contract/contract.ts'
import { isObjectSchema, plainName, propertiesOf } from '../contract/schema.ts'

// How requests and responses show a record otherwise than it is stored.

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

/**
 * The properties of a response that requests spell otherwise, such as `DueDate` and `due_date`: the name in requests, which the record
 * has, by the name in the response. `undefined` when there are none. `ids` are the names of the id.
 */
export function inferViews(
  shown: Schema,
  sent: ReadonlySet<string>,
  ids: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const properties = propertiesOf(shown)
  const spellings = new Map([...sent].map((name) => [plainName(name), name]))
  const views = [...properties.keys()].flatMap((name) => {
    const own = spellings.get(plainName(name))
    const isOther = own !== undefined && !sent.has(name) && !properties.has(own)
    return isOther && !ids.includes(name) && !ids.includes(own) ? [[name, own] as const] : []
  })

  return views.length > 0 ? Object.fromEntries(views) : undefined
}
