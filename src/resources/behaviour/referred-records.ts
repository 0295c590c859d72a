import type { Schema } from '../../contract/contract.ts'
import { itemsOf, propertiesOf, withBranches } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/documented-value.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import type { Reference, Resource } from '../resource.ts'
import type { Store } from '../store.ts'
import { type ViewContext, viewOf } from './record-view.ts'

/** Where a record is that refers to others. */
export interface Referring {
  readonly resource: Resource
  /** The ids of its parents. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly store: Store
  readonly view: Pick<ViewContext, 'service' | 'base'>
}

/**
 * The values of a record in which the objects that refer to others show these, as far as they exist: `assignee: 'ann'` and `assignee: {
 * login: 'ann' }` become what the schema shows of this user. What the client sent of such an object stays.
 */
export async function withReferred(
  values: StoredRecord,
  referring: Referring,
): Promise<StoredRecord> {
  const { resource } = referring
  const properties = propertiesOf(resource.schema)
  const found: [name: string, value: unknown][] = []
  for (const reference of resource.references ?? []) {
    const { name, by = name } = reference
    const value = getOwn(values, name) ?? getOwn(values, by)
    const schema = properties.get(name)
    if (value === undefined || value === null || !schema) continue
    const shown = await shownIn(value, schema, reference, referring)
    if (shown !== value || by !== name) found.push([name, shown])
  }
  return found.length === 0 ? values : { ...values, ...Object.fromEntries(found) }
}

async function shownIn(
  value: unknown,
  schema: Schema,
  reference: Reference,
  referring: Referring,
): Promise<unknown> {
  const items = itemsOf(schema)
  if (!items) return shownAs(value, schema, reference, referring)
  if (!Array.isArray(value)) return value
  const shown: unknown[] = []
  for (const item of value) shown.push(await shownAs(item, items, reference, referring))

  return shown.every((one, at) => one === value[at]) ? value : shown
}

/** What a schema shows of the record that a value names; the value itself when it names none. */
export async function shownAs(
  value: unknown,
  schema: Schema,
  { of }: Pick<Reference, 'of'>,
  { resource, parameters, store, view }: Referring,
): Promise<unknown> {
  const target = of()
  const shown = withBranches(schema).find((one) => propertiesOf(one).size > 0)
  if (!target || !shown) return value
  const key = keyIn(value, target)
  if (key === undefined) return value
  const records = await store.open(
    target,
    await store.locate(target, above(target, resource, parameters)),
  )
  const id = await records.idNamed(String(key))
  const { record } = await records.ancestor(String(id))
  if (!record) return isObject(value) ? value : unknownAs(key, schema, shown, target)
  const hints = target.viewHints ?? READ
  const context = { ...view, resource: target, collection: records.name, hints }
  const own = await viewOf(record, shown, context)
  if (!isObject(own)) return value
  const whole = isObject(value) ? { ...own, ...value } : own

  return matches(shown, whole) ? whole : own
}

const READ = { action: 'read' } as const

/** What names a record in a value: a text or a number, or the first of its keys that an object has. */
function keyIn(value: unknown, target: Resource): string | number | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (!isObject(value)) return undefined
  const keys = [target.id, ...(target.keys ?? [])]
  return keys.map((key) => idOf(value, key)).find((key) => key !== undefined)
}

/** An object with the key of a record that does not exist, where the schema has no place for the key alone. */
function unknownAs(key: string | number, schema: Schema, shown: Schema, target: Resource): unknown {
  if (matches(schema, key)) return key
  const properties = propertiesOf(shown)
  for (const name of [target.id, ...(target.keys ?? [])]) {
    const own = properties.get(name)
    const typed = own && asType(key, own)
    if (typed !== undefined) return { [name]: typed }
  }
  return key
}

/** The values of the parameters above a collection, which are those of a record below the same parents. */
function above(
  target: Resource,
  { parents = [] }: Resource,
  parameters: Referring['parameters'],
): Referring['parameters'] {
  return Object.fromEntries(
    (target.parents ?? []).map((name, at) => [name, getOwn(parameters, parents[at] ?? name)]),
  )
}
