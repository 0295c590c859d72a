import type { Schema } from '../../contract/contract.ts'
import { ITSELF } from '../../contract/hints.ts'
import {
  isNumeric,
  itemsOf,
  propertiesOf,
  requiredNames,
  typesIn,
  withBranches,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { sharedParents } from '../collection-name.ts'
import { givenName } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import type { Reference, Resource } from '../resource.ts'
import type { Records } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { type ViewContext, viewOf } from './record-view.ts'

// Objects in records show other records. They are stored as they were when a request named these, and a response shows them as they are now.

/** Where a record is that refers to others. */
export interface Referring {
  readonly resource: Resource
  /** The ids of its parents. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly store: Store
  readonly view: Pick<ViewContext, 'service' | 'base'>
}

/** What a value names: a record, or one that was removed. */
interface Found {
  readonly target: Resource
  readonly collection: string
  /** The values of the parameters in the path of the collection. */
  readonly parameters: Referring['parameters']
  readonly record: StoredRecord | undefined
  readonly isRemoved: boolean
  /** What the record refers to itself. */
  readonly followed?: FollowedRecords | undefined
}

/** The records that others refer to. */
export interface FollowedRecords {
  /** What responses depend on besides the records themselves. */
  readonly made: readonly unknown[]
  /** A view of a record, with the objects in it as the records are that they refer to. */
  readonly show: (view: unknown, schema: Schema, record: StoredRecord) => Awaitable<unknown>
}

/** So many references are followed, one in the record of the other. */
const MAX_DEPTH = 2

/** Finds the records that others refer to; `undefined` when these refer to none. */
export function followReferences(
  shown: StoredRecord | readonly StoredRecord[],
  referring: Referring,
  depth = 1,
): Awaitable<FollowedRecords | undefined> {
  const named = namedIn([shown].flat(), referring.resource)
  if (named.size === 0) return undefined
  const names = [...named.keys()]
  const lookups = [...named.values()].map(({ key, target }) =>
    findFollowed(key, target, referring, depth),
  )

  return whenKnown(allKnown(lookups), (all) => {
    const found = new Map(names.map((name, at) => [name, all[at]]))
    return {
      made: all.flatMap(({ record, isRemoved, followed }) => [
        ...[record, isRemoved],
        ...(followed?.made ?? []),
      ]),
      show: (view, schema, record) => showFollowed(view, schema, record, { found, referring }),
    }
  })
}

interface NamedRecord {
  readonly key: string | number
  readonly target: Resource
}

/** The records that the references of others name, each once. */
function namedIn(
  records: readonly StoredRecord[],
  { references = [] }: Resource,
): ReadonlyMap<string, NamedRecord> {
  const named = references.flatMap((reference) => {
    const target = reference.of()
    if (!target) return []
    const values = records.flatMap((record) =>
      isGiven(record, reference) ? [] : [namedBy(record, reference)].flat(),
    )
    return values.flatMap((value) => {
      const key = keyIn(value, target)
      return key === undefined ? [] : [[lookupName(reference, key), { key, target }] as const]
    })
  })
  return new Map(named)
}

function findFollowed(
  key: string | number,
  target: Resource,
  referring: Referring,
  depth: number,
): Awaitable<Found> {
  return whenKnown(find(key, target, referring), (found) => {
    const { record, parameters } = found
    if (!record || depth >= MAX_DEPTH) return found
    const below = { ...referring, resource: target, parameters }
    return whenKnown(followReferences(record, below, depth + 1), (followed) =>
      followed ? { ...found, followed } : found,
    )
  })
}

/** Whether a client said itself what the object shows, beside the key. */
function isGiven(record: StoredRecord, { name }: Reference): boolean {
  return name !== ITSELF && record[givenName(name)] === true
}

/** What names the records of a reference: the id beside the object, which a path may have set, else what the record has of the object. */
function namedBy(record: StoredRecord, { name, by, shows }: Reference): unknown {
  if (name === ITSELF) return record
  if (shows !== undefined) return getOwn(record, by ?? name)
  const value = getOwn(record, name)
  const beside = by === undefined || Array.isArray(value) ? undefined : getOwn(record, by)

  return isObject(value) && isId(beside) ? beside : value
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function lookupName({ name }: Reference, key: string | number): string {
  return `${name} ${key}`
}

/** What names a record in a value: a text or a number, or the first of its keys that an object has. */
export function keyIn(value: unknown, target: Resource): string | number | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (!isObject(value)) return undefined
  const keys = [target.id, ...(target.keys ?? [])]
  return keys.map((key) => idOf(value, key)).find((key) => key !== undefined)
}

/** The record that a key names, and whether it was removed. */
export function find(
  key: string | number,
  target: Resource,
  { resource, parameters, store }: Omit<Referring, 'view'>,
): Awaitable<Found> {
  const located = store.locate(target, sharedParents(target, resource, parameters))
  return whenKnown(located, (values) =>
    whenKnown(store.open(target, values), (records) =>
      whenKnown(records.idNamed(String(key)), (id) =>
        whenKnown(records.ancestor(String(id)), ({ record, generation }) =>
          whenKnown(record ?? calledAs(key, records), (found) => ({
            ...{ target, collection: records.name, parameters: values, record: found },
            isRemoved: generation % 2 === 1,
          })),
        ),
      ),
    ),
  )
}

/** What people write instead of an id that is a number. */
const NAMES = ['name', 'slug', 'code', 'key', 'username', 'login']

/** The record that a text names which is no id, as these are numbers: the first one with this name. */
function calledAs(key: string | number, records: Records): Awaitable<StoredRecord | undefined> {
  const { id, schema } = records.resource
  const properties = propertiesOf(schema)
  const name = NAMES.find((one) => typesIn(properties.get(one) ?? {}).has('string'))
  const isName = typeof key === 'string' && !/^\d+$/.test(key)
  if (!isName || name === undefined || !isNumeric(properties.get(id) ?? {})) return undefined

  return whenKnown(records.page({ where: { [name]: [key] }, limit: 1 }), (page) => page.records[0])
}

const READ = { action: 'read' } as const

/** What a schema shows of a record; `undefined` when the schema shows no object. */
export function viewIn(
  schema: Schema,
  { target, collection, record, followed }: Found,
  view: Referring['view'],
): Awaitable<StoredRecord | undefined> {
  const shown = withBranches(schema).find((one) => propertiesOf(one).size > 0)
  if (!(shown && record)) return undefined
  const hints = target.viewHints ?? READ
  const context = { ...view, resource: target, collection, hints }
  const own = viewOf(record, shown, context)
  const present = followed ? whenKnown(own, (one) => followed.show(one, shown, record)) : own

  return whenKnown(present, (one) => (isObject(one) ? one : undefined))
}

interface Following {
  readonly found: ReadonlyMap<string, Found | undefined>
  readonly referring: Referring
}

function showFollowed(
  view: unknown,
  schema: Schema,
  record: StoredRecord,
  following: Following,
): Awaitable<unknown> {
  if (!isObject(view)) return view
  const { references = [] } = following.referring.resource
  const itself = references.find(({ name }) => name === ITSELF)
  if (itself) {
    const others = references.filter((one) => one !== itself)
    return whenKnown(shownItself(view, schema, record, { itself, ...following }), (shown) =>
      others.length === 0 ? shown : showReferences(shown, schema, record, others, following),
    )
  }
  return showReferences(view, schema, record, references, following)
}

/** The view of a record that shows another one: what that has is its own, but for what requests say of the first. */
function shownItself(
  view: StoredRecord,
  schema: Schema,
  record: StoredRecord,
  { itself, found, referring }: Following & { readonly itself: Reference },
): Awaitable<StoredRecord> {
  const target = itself.of()
  const key = target && keyIn(record, target)
  const one = key === undefined ? undefined : found.get(lookupName(itself, key))
  if (!(target && one?.record)) return view
  const known = propertiesOf(target.schema)
  const { sent = [] } = referring.resource
  const isOwn = (name: string): boolean => sent.some((two) => propertiesOf(two).has(name))

  return whenKnown(viewIn(schema, one, referring.view), (present) => {
    const shown = Object.entries(present ?? {}).filter(([name]) => known.has(name) && !isOwn(name))
    const next = { ...view, ...Object.fromEntries(shown) }
    return matches(schema, next) ? next : view
  })
}

/** The view of a record with other objects in it as the records are that they show. */
function showReferences(
  view: StoredRecord,
  schema: Schema,
  record: StoredRecord,
  references: readonly Reference[],
  following: Following,
): Awaitable<StoredRecord> {
  const properties = propertiesOf(schema)
  const followed = references.flatMap((reference) => {
    const property = properties.get(reference.name)
    const value = getOwn(view, reference.name)
    if (!property || value === undefined || isGiven(record, reference)) return []
    if (reference.shows !== undefined)
      return { reference, shown: valueNow(value, record, reference, following) }
    const id = namedBy(record, reference)
    const place = { schema: property, reference, ...(isId(id) && isObject(value) && { id }) }
    return { reference, shown: shownNow(value, place, following) }
  })
  if (followed.length === 0) return view

  return whenKnown(allKnown(followed.map(({ shown }) => shown)), (values) => {
    const changed = new Map(followed.map(({ reference }, at) => [reference, values[at]]))
    return withFollowed(view, schema, changed)
  })
}

/** The value of a reference to a removed record. */
const REMOVED = Symbol('removed')

/** The view with other values of its references, as far as the schema allows them. */
function withFollowed(
  view: StoredRecord,
  schema: Schema,
  changed: ReadonlyMap<Reference, unknown>,
): StoredRecord {
  const next: Record<string, unknown> = { ...view }
  for (const [{ name, by }, value] of changed) {
    if (value !== REMOVED) next[name] = value
    else for (const one of by === undefined ? [name] : [name, by]) removeFrom(next, one, schema)
  }
  return matches(schema, next) ? next : view
}

/** Makes a property null, or removes it, as the schema allows it. */
function removeFrom(view: Record<string, unknown>, name: string, schema: Schema): void {
  if (!Object.hasOwn(view, name)) return
  if (matches(propertiesOf(schema).get(name) ?? {}, null)) view[name] = null
  else if (!requiredNames(schema).has(name)) delete view[name]
}

/** Where an object is that refers to a record. */
interface ReferencePlace {
  readonly reference: Reference
  readonly schema: Schema
  /** The id beside the object. */
  readonly id?: string | number
}

function shownNow(value: unknown, place: ReferencePlace, following: Following): Awaitable<unknown> {
  if (!Array.isArray(value)) return itemNow(value, place, following)
  const schema = itemsOf(place.schema) ?? {}
  const all = value.map((one) => itemNow(one, { ...place, schema }, following))

  return whenKnown(allKnown(all), (shown) => shown.filter((one) => one !== REMOVED))
}

/** One value of the record that another property names, as the record has it now. */
function valueNow(
  value: unknown,
  record: StoredRecord,
  reference: Reference,
  { found, referring }: Following,
): Awaitable<unknown> {
  const { name, of, shows = name } = reference
  const target = of()
  const key = target && keyIn(namedBy(record, reference), target)
  const one = key === undefined ? undefined : found.get(lookupName(reference, key))
  if (!(target && one?.record)) return value

  return whenKnown(
    viewIn(target.schema, one, referring.view),
    (present) => getOwn(present ?? {}, shows) ?? value,
  )
}

/** An object as the record is that it shows: what the record has is its own, and the rest is of the object. */
function itemNow(
  value: unknown,
  { schema, reference, id }: ReferencePlace,
  { found, referring }: Following,
): Awaitable<unknown> {
  const target = reference.of()
  const own = target && keyIn(value, target)
  const key = id ?? own
  const one = key === undefined ? undefined : found.get(lookupName(reference, key))
  if (!(target && one && isObject(value))) return value
  if (!one.record) return one.isRemoved ? REMOVED : value
  const known = propertiesOf(target.schema)

  return whenKnown(viewIn(schema, one, referring.view), (present) => {
    if (!present) return value
    if (String(key) !== String(own)) return present
    const shown = Object.entries(present).filter(([name]) => known.has(name))
    return { ...value, ...Object.fromEntries(shown) }
  })
}
