import type { Schema } from '../../contract/contract.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { areEqual, isObject } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'
import { shownOf, type ViewContext } from '../views/record-view.ts'
import { valueAt, withValue } from '../views/service-values.ts'
import type { Change } from './record-request.ts'

// Lists in records of what is below them, such as the `tracks` of an album, which `/albums/{id}/tracks` has.

/** Makes of a record the same with other lists. */
export type Listing = (record: StoredRecord, resource: Resource) => StoredRecord

/** What a change does to such lists, which are properties with these names or places; `undefined` when it does nothing. */
export async function listing(
  records: readonly StoredRecord[],
  { before, added = 0 }: Partial<Pick<Change, 'before' | 'added'>>,
  lists: readonly string[],
  view: Omit<ViewContext, 'hints'>,
): Promise<Listing | undefined> {
  const shown: StoredRecord[] = []
  if (added > 0 || before) for (const one of records) shown.push(await shownOf(one, view))
  const moved = { shown, removed: added < 0 ? records : [], id: view.resource.id }
  if (shown.length + moved.removed.length === 0) return undefined

  return (above, { schema }) => {
    let changed = above
    for (const name of lists) {
      const place = name.startsWith('/') ? parsePointer(name) : [name]
      const items = itemsOf(schemaAt(schema, `/${place.join('/')}`) ?? {})
      const list = valueAt(changed, place) ?? []
      if (items && Array.isArray(list))
        changed = withValue(changed, place, movedList(list, items, moved))
    }
    return changed
  }
}

interface MovedItems {
  /** What was added or changed, as responses show it. */
  readonly shown: readonly StoredRecord[]
  readonly removed: readonly StoredRecord[]
  /** The property with the id of a record. */
  readonly id: string
}

function movedList(
  list: readonly unknown[],
  items: Schema,
  { shown, removed, id }: MovedItems,
): readonly unknown[] {
  const left = list.filter((item) => !removed.some((one) => isItemOf(item, one, id)))
  for (const record of shown) {
    const item = itemFor(record, items)
    if (item === undefined) continue
    const at = left.findIndex((one) => isItemOf(one, record, id))
    left.splice(at === -1 ? left.length : at, 1, item)
  }
  return left
}

/** What a list shows of a record: what its items have, or all of it; `undefined` when they cannot show it. */
function itemFor(record: StoredRecord, items: Schema): StoredRecord | undefined {
  const names = propertiesOf(items)
  const own = Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)))
  return [own, record].find((one) => matches(items, one))
}

/** Whether an item of a list shows a record: it has its id, or has none yet and says nothing else, as a request sent it. */
function isItemOf(item: unknown, record: StoredRecord, id: string): boolean {
  if (!isObject(item)) return false
  if (Object.hasOwn(item, id)) return String(item[id]) === String(record[id])
  return Object.entries(item).every(([name, value]) => areEqual(value, record[name]))
}
