import type { Schema } from '../../contract/contract.ts'
import type { ListHints } from '../../contract/hints.ts'
import { itemsOf, parsePointer, propertiesOf } from '../../contract/schema.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/documented-value.ts'
import { areEqual, isObject } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import { type Resource, shownSchemas } from '../resource.ts'
import { find, keyIn, viewIn } from '../views/followed-records.ts'
import { shownOf } from '../views/record-view.ts'
import { shownAs } from '../views/referred-records.ts'
import { countsItems, valueAt } from '../views/service-values.ts'
import { changeRecord } from './changes.ts'
import { findRecord } from './find-record.ts'
import type { Change, RecordRequest } from './record-request.ts'
import { showsList } from './several-records.ts'

/** The list, or the record that has it. */
interface PerformedOnList extends Pick<Change, 'source' | 'status' | 'undo'> {
  readonly shown: StoredRecord | readonly StoredRecord[]
  /** The resource of what is shown; absent for that of the operation. */
  readonly of?: Resource
  /** What happened to the record that has the list; absent when it was only read. */
  readonly changed?: Change
}

/** Reads or changes a list in a record, such as that of `/issues/7/labels`. It shows the list where the response has one, else the record. */
export async function performOnList(
  request: RecordRequest,
  list: ListHints,
): Promise<PerformedOnList> {
  const { change, property } = list
  const { view } = request
  if (change === undefined) {
    const found = await findRecord(request)
    const whole = { ...(await shownOf(found.record, view)), ...found.record }
    return shownList(await itemsNow(itemsIn(whole, property), request, property), request, {
      ...(found.source && { source: found.source }),
    })
  }
  const named = await namedItems(request, list)
  const removed = list.removed === undefined ? [] : await namedItems(request, removals(list))
  const keys = keysOf(request)
  const changed = await changeRecord(request, (before) => {
    const left = CHANGES.remove(itemsIn(before, property), removed, keys)
    const after = CHANGES[change](left, named, keys)
    return {
      ...before,
      [property]: after,
      ...countsOf(property, after.length, request.binding.resource),
    }
  })
  const { record, before: _, added: _added, others: _others, ...own } = changed
  if (!showsList(request)) return { shown: record, ...own, changed }

  const items = await itemsNow(itemsIn(record, property), request, property)

  return { ...shownList(items, request, own), changed }
}

/** The items of a list as the records are that they show. */
async function itemsNow(
  items: readonly unknown[],
  request: RecordRequest,
  property: string,
): Promise<readonly unknown[]> {
  const { binding, parameters, store, view } = request
  const { resource, listed } = binding
  const target = listed?.()
  const schema = itemSchema(resource, property)
  if (!target) return items
  const found = items.map((item) => {
    const key = isObject(item) ? keyIn(item, target) : undefined
    return key === undefined ? undefined : find(key, target, { resource, parameters, store })
  })
  const views = (await Promise.all(found)).map(async (one, at) => {
    if (one && !one.record && one.isRemoved) return undefined
    const shown = one && (await viewIn(schema, one, view))
    // The list of a path may show more of a record than the record above does.
    const whole = shown && (await viewIn(target.schema, one, view))
    return shown ? { ...whole, ...Object(items[at]), ...shown } : items[at]
  })
  return (await Promise.all(views)).filter((one) => one !== undefined)
}

function itemSchema(resource: Resource, property: string): Schema {
  const schemas = [resource.schema, ...shownSchemas(resource).map(({ schema }) => schema)]
  const list = schemas
    .map((one) => propertiesOf(one).get(property))
    .find((one) => one && itemsOf(one))

  return (list && itemsOf(list)) ?? {}
}

/** The properties of a record that count the items of a list in it, such as `members_count` beside `members`. */
function countsOf(property: string, count: number, { values = {} }: Resource): StoredRecord {
  const counting = Object.entries(values).filter(([, rule]) => countsItems(rule, property))
  return Object.fromEntries(counting.map(([name]) => [name, count]))
}

function itemsIn(record: StoredRecord, property: string): readonly unknown[] {
  const items = record[property]
  return Array.isArray(items) ? items : []
}

function shownList(
  items: readonly unknown[],
  { binding }: RecordRequest,
  others: Pick<Change, 'source' | 'status' | 'undo'>,
): PerformedOnList {
  const of = binding.listed?.()
  const shown = items.map((item): StoredRecord => (isObject(item) ? item : { id: item }))

  return { ...others, shown, ...(of && { of }) }
}

type Keys = (item: unknown) => readonly string[]

/** What each change makes of the present items and of those that a request names. `keys` are the texts that name an item. */
const CHANGES: Readonly<
  Record<
    NonNullable<ListHints['change']>,
    (present: readonly unknown[], named: readonly unknown[], keys: Keys) => readonly unknown[]
  >
> = {
  add: (present, named, keys) => [
    ...present,
    ...named.filter((one) => !isAmong(one, present, keys)),
  ],
  remove: (present, named, keys) => present.filter((one) => !isAmong(one, named, keys)),
  replace: (_present, named) => named,
  clear: () => [],
}

function isAmong(item: unknown, items: readonly unknown[], keys: Keys): boolean {
  const own = keys(item)
  return items.some((one) => {
    const named = keys(one)
    return named.length > 0 ? named.some((key) => own.includes(key)) : hasValuesOf(item, one)
  })
}

/** Whether an item has all that another one says, which has no name. */
function hasValuesOf(item: unknown, one: unknown): boolean {
  return (
    isObject(item) &&
    isObject(one) &&
    Object.entries(one).every(([name, value]) => areEqual(value, item[name]))
  )
}

/** Finds what an item is named by: itself, or the id and the further keys that it has. */
function keysOf({ binding }: RecordRequest): Keys {
  const { id = 'id', keys = [] } = binding.listed?.() ?? {}
  return (item) =>
    isObject(item)
      ? [id, ...keys, 'name'].flatMap((key) => idOf(item, key) ?? []).map(String)
      : [String(item)]
}

/** The same for the items that a request removes beside those that it adds. */
function removals({ removed = '', ...list }: ListHints): ListHints {
  return { ...list, removed, sent: removed }
}

/** The items that a request names, as the record shows them. */
async function namedItems(
  request: RecordRequest,
  { property, sent, removed }: ListHints,
): Promise<readonly unknown[]> {
  const { admitted, binding, parameters, store, view } = request
  const { resource, operation, listed } = binding
  const schema = itemSchema(resource, property)
  const { body, path } = admitted.input
  // The body may be the items itself, unless it has two lists of them.
  const all = removed === undefined ? body : undefined
  const inBody = sent === undefined ? undefined : (valueAt(body, parsePointer(sent)) ?? all)
  // A path may name several: `/tickets/7/labels/a,b`.
  const inPath = path[shapeOf(operation.path).parameter ?? '']
  const values = [sent === undefined ? inPath : inBody].flat()
  const items: unknown[] = []
  for (const value of values) {
    if (value === undefined || value === null) continue
    const shown = listed
      ? await shownAs(value, schema, { of: listed }, { resource, parameters, store, view })
      : (asType(value, schema) ?? value)
    items.push(shown)
  }
  return items
}
