import type { Schema } from '../contract/contract.ts'
import { plainName } from '../contract/plain-name.ts'
import { propertiesOf } from '../contract/schema-properties.ts'

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
