import type { Schema } from '../../contract/contract.ts'
import { propertiesOf, withBranches } from '../../contract/schema.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/known-values.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import { isValid } from './is-valid.ts'
import type { KnownCollections } from './known-collections.ts'
import { parentValues } from './parent-values.ts'
import type { ConcreteCollection } from './planned-ids.ts'
import { referenceName, singular } from './property-words.ts'

/** A record's place among the first records of its collection. */
interface RecordPlace extends ConcreteCollection {
  readonly at: number
  readonly collections: KnownCollections
}

/**
 * A generated record whose references are ids of records that exist: `customer_id`, `customers`, and the ids in objects. Those that
 * refer to each other are consistent: the customer of an order has this order in its `orders`. A reference that its schema refuses
 * stays as it is.
 */
export function withReferences(record: StoredRecord, place: RecordPlace): StoredRecord {
  const { resource } = place
  const parents = parentValues(resource, place.parameters)
  let referring = record
  for (const [name, schema] of propertiesOf(resource.schema)) {
    const value = getOwn(record, name)
    if (value === undefined || value === null || name === resource.id || name in parents) continue
    const target = targetOf(name, schema, value, place, record)
    if (!target) continue
    const referred = referredValue(value, schema, target, place)
    if (referred === undefined) continue
    const changed = { ...referring, [name]: referred }
    if (isValid(resource, changed)) referring = changed
  }
  return referring
}

/** The collection that a property refers to. */
function targetOf(
  name: string,
  schema: Schema,
  value: unknown,
  { resource, parameters, collections }: RecordPlace,
  record: StoredRecord,
): ConcreteCollection | undefined {
  const { of, hasIdSuffix } = referenceName(name)
  const own = idOf(record, resource.id)
  const below = { ...parameters, ...(resource.idParameter && { [resource.idParameter]: own }) }
  // `billing_address_id` refers to an address.
  const names = hasIdSuffix && of.includes('_') ? [of, of.slice(of.lastIndexOf('_') + 1)] : [of]
  const found = names.flatMap((one) => collections.find(one, below) ?? [])
  const target = found.find((one) => one.resource !== resource)
  if (!target) return undefined
  const isText = typeof value === 'string'
  // A text such as `category: garden` is rather a name than an id.
  const isPlain = isText && !hasIdSuffix && !schemaOfIds(schema)

  return isPlain && !isIdText(collections.firstIds(target).ids[0]) ? undefined : target
}

function schemaOfIds(schema: Schema): boolean {
  return withBranches(schema).some(({ format }) => format === 'uuid')
}

/** Whether an id cannot be a name, such as `cus_NffrFeUfNV2Hib`. */
function isIdText(id: Id | undefined): boolean {
  return typeof id === 'string' && /^[a-z]+_.*\d/i.test(id)
}

/** A value that refers to records: an id, an object with an id, or a list of them. */
function referredValue(
  value: unknown,
  schema: Schema,
  target: ConcreteCollection,
  place: RecordPlace,
): unknown {
  const { ids } = place.collections.firstIds(target)
  if (ids.length === 0) return undefined
  if (!Array.isArray(value)) return referTo(value, ids[place.at % ids.length], schema, target)
  const items = withBranches(schema).find((one) => one.items)?.items ?? {}
  const own = ownIds(target, place)
  const list = own.map((id, at) => referTo(value[at % value.length] ?? '', id, items, target))

  return list.includes(undefined) ? undefined : list
}

/** The value with an id of the target. An object gets it as its id. */
function referTo(
  value: unknown,
  id: Id | undefined,
  schema: Schema,
  { resource }: ConcreteCollection,
): unknown {
  if (!isObject(value)) return asType(id, schema)
  const own = propertiesOf(schema).get(resource.id)
  const typed = own && asType(id, own)

  return typed === undefined ? undefined : { ...value, [resource.id]: typed }
}

/** The ids of the records that refer back to this one; those of some records when none refers back. */
function ownIds(target: ConcreteCollection, place: RecordPlace): readonly Id[] {
  const { at, resource, collections } = place
  const { ids, examples } = collections.firstIds(target)
  if (target.resource.path.startsWith(`${resource.path}/{`)) return ids
  if (!refersTo(target.resource, resource)) {
    const first = at % ids.length
    return [...ids.slice(first), ...ids.slice(0, first)].slice(0, 2)
  }
  const count = collections.firstIds(place).ids.length

  return ids.filter((_, other) => other >= examples && other % count === at)
}

/** Whether a record of one resource refers to one of another, such as an order to its customer. */
function refersTo({ schema }: Resource, { path }: Resource): boolean {
  const name = singular(path.slice(path.lastIndexOf('/') + 1))
  return [...propertiesOf(schema)].some(
    ([property, own]) =>
      referenceName(property).of === name && !withBranches(own).some((one) => one.items),
  )
}
