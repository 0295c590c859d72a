import type { Schema } from '../../contract/contract.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { areEqual, matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject } from '../../validation/objects.ts'
import { parametersFor } from '../aliases.ts'
import type { ResourceBinding } from '../bind.ts'
import type { Resource } from '../resource.ts'
import type { Store } from '../store.ts'
import type { Change, RecordRequest } from './record-request.ts'
import { shownOf, type ViewContext } from './record-view.ts'
import { valueAt, withValue } from './service-values.ts'
import { isInState } from './state-values.ts'

type Counting = Pick<Change, 'added' | 'undo'> &
  Partial<Pick<Change, 'record' | 'before'>> & {
    /** The records, of a change of several. */
    readonly records?: readonly StoredRecord[]
  }

/** Where a record is added, changed or removed. */
type CountedPlace = Pick<RecordRequest, 'store' | 'parameters'> & {
  readonly binding: Pick<ResourceBinding, 'resource'>
  readonly view: Pick<ViewContext, 'collection' | 'service' | 'base'>
}

/** The change, with what follows from it in the record above the collection: counts of its records, and lists of them. */
export async function counted<Changed extends Counting>(
  change: Changed,
  place: CountedPlace,
): Promise<Changed> {
  const { store, parameters, binding } = place
  const moved = await movedAbove(change, binding.resource, place)
  const above = isMoved(moved) ? await store.above(binding.resource, parameters) : undefined

  return above ? countedAbove(change, above, moved) : change
}

/** What a change moves in the record above. */
interface Moved {
  readonly counts: readonly MovedCount[]
  /** The properties that list the records. */
  readonly lists: readonly string[]
  /** What these show of the records that were added or changed. */
  readonly shown: readonly StoredRecord[]
  readonly removed: readonly StoredRecord[]
  /** The property with the id of a record. */
  readonly id: string
}

function isMoved({ counts, lists, shown, removed }: Moved): boolean {
  return counts.length > 0 || (lists.length > 0 && shown.length + removed.length > 0)
}

async function movedAbove(
  change: Counting,
  { counted }: Pick<Resource, 'counted'>,
  { binding: { resource }, view }: Pick<CountedPlace, 'binding' | 'view'>,
): Promise<Moved> {
  const { record, records = record ? [record] : [], before, added = 0 } = change
  const { listed: lists = [] } = counted ?? {}
  const isChange = added > 0 || before !== undefined
  const shown: StoredRecord[] = []
  if (lists.length > 0 && isChange)
    for (const one of records) shown.push(await shownOf(one, { ...view, resource }))

  return {
    ...{ counts: movedCounts(change, counted), lists, shown, id: resource.id },
    removed: added < 0 ? records : [],
  }
}

/** A count of the record above, and how many more it has after a change. */
type MovedCount = readonly [name: string, added: number]

/** The counts of the record above that a change moves. `added` is how many records the collection has more. */
function movedCounts(
  { record, before, added = 0 }: Counting,
  { by = [], inState = [] }: Partial<Pick<NonNullable<Resource['counted']>, 'by' | 'inState'>> = {},
): readonly MovedCount[] {
  const [past, present] = [
    added > 0 ? undefined : (before ?? record),
    added < 0 ? undefined : record,
  ]
  const states = inState.map(({ by: name, ...state }): MovedCount => {
    const [was, is] = [past, present].map((one) =>
      Number(one !== undefined && isInState(one, state)),
    )
    return [name, (is ?? 0) - (was ?? 0)]
  })
  const all = [...by.map((name): MovedCount => [name, added]), ...states]

  return all.filter(([, moved]) => moved !== 0)
}

/** The change, with what follows from it in the records above that other paths name. */
export async function countedByAliases(change: Change, request: CountedPlace): Promise<Change> {
  const { store, parameters, binding } = request
  const { added = 0, record, before } = change
  let whole = change
  for (const alias of binding.resource.aliases ?? []) {
    const { at } = alias
    const [from = {}, to = {}] = [before ?? record, record].map((one) =>
      parametersFor(alias, one, parameters),
    )
    const isElsewhere = before !== undefined && JSON.stringify(from) !== JSON.stringify(to)
    const moves = isElsewhere
      ? ([
          [from, { record: before, added: -1 }],
          [to, { record, added: 1 }],
        ] as const)
      : ([[to, { ...change, added }]] as const)
    for (const [values, move] of moves) {
      const moved = await movedAbove(move, at, request)
      const above = isMoved(moved) ? await store.above(at, values) : undefined
      if (above) whole = await countedAbove(whole, above, moved)
    }
  }
  return whole
}

async function countedAbove<Changed extends Counting>(
  change: Changed,
  { records, id }: NonNullable<Awaited<ReturnType<Store['above']>>>,
  moved: Moved,
): Promise<Changed> {
  let before: StoredRecord | undefined
  const after = await records.update(id, (present) => {
    before = present
    return withLists(withCounts(present, moved.counts), moved, records.resource)
  })
  if (!after) return change
  return {
    ...change,
    undo: async () => {
      await records.undo(id, before, after)
      await change.undo?.()
    },
  }
}

function withCounts(record: StoredRecord, by: readonly MovedCount[]): StoredRecord {
  let changed = record
  for (const [name, added] of by) {
    const place = name.startsWith('/') ? parsePointer(name) : [name]
    const count = valueAt(changed, place)
    if (typeof count === 'number') changed = withValue(changed, place, Math.max(0, count + added))
  }
  return changed
}

/** The record above with lists that show what was added, changed and removed. */
function withLists(record: StoredRecord, moved: Moved, { schema }: Resource): StoredRecord {
  let changed = record
  for (const name of moved.lists) {
    const place = name.startsWith('/') ? parsePointer(name) : [name]
    const items = itemsOf(schemaAt(schema, `/${place.join('/')}`) ?? {})
    const list = valueAt(changed, place) ?? []
    if (items && Array.isArray(list))
      changed = withValue(changed, place, movedList(list, items, moved))
  }
  return changed
}

function movedList(
  list: readonly unknown[],
  items: Schema,
  { shown, removed, id }: Moved,
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
