import type { Schema } from '../../contract/contract.ts'
import { propertiesOf, withBranches } from '../../contract/schema.ts'
import type { Awaitable } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/documented-value.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import { parentValues, referenceName, singular } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import { isValid } from './is-valid.ts'
import { type ConcreteCollection, FEWEST_RECORDS, type PlannedIds, planIds } from './planned-ids.ts'
import type { Start } from './start-of.ts'

/** A record's place among the first records of its collection. */
interface RecordPlace extends ConcreteCollection {
  readonly at: number
  readonly collections: Collections
}

/**
 * A generated record whose references are ids of records that exist: `customer_id`, `customers`, and the ids in objects. Those that
 * refer to each other are consistent: the customer of an order has this order in its `orders`. A reference that its schema refuses
 * stays as it is. `undefined` when the record does not match its schema.
 */
export async function withReferences(
  record: StoredRecord,
  place: RecordPlace,
): Promise<StoredRecord | undefined> {
  const { resource } = place
  const references = await referencesOf(record, place)
  // Validating a large record for each reference takes long, and usually all of them are valid.
  const all = { ...record, ...Object.fromEntries(references) }
  if (isValid(resource, all)) return all
  let referring: StoredRecord | undefined
  for (const [name, reference] of references) {
    const changed = { ...(referring ?? record), [name]: reference }
    if (isValid(resource, changed)) referring = changed
  }
  return referring ?? (isValid(resource, record) ? record : undefined)
}

/** The properties of a record that refer to others, with ids of records that exist. */
async function referencesOf(
  record: StoredRecord,
  place: RecordPlace,
): Promise<readonly (readonly [name: string, reference: unknown])[]> {
  const { resource } = place
  const parents = parentValues(resource, place.parameters)
  const references: [name: string, reference: unknown][] = []
  for (const [name, schema] of propertiesOf(resource.schema)) {
    const value = getOwn(record, name)
    if (value === undefined || value === null || name === resource.id || name in parents) continue
    const target = await targetOf(name, schema, value, place, record)
    const reference = target && referredValue(value, schema, target, place)
    if (reference !== undefined) references.push([name, reference])
  }
  return references
}

/** The collection that a property refers to. */
async function targetOf(
  name: string,
  schema: Schema,
  value: unknown,
  { resource, parameters, collections }: RecordPlace,
  record: StoredRecord,
): Promise<ConcreteCollection | undefined> {
  const { of, hasIdSuffix } = referenceName(name)
  const own = idOf(record, resource.id)
  const below = { ...parameters, ...(resource.idParameter && { [resource.idParameter]: own }) }
  // `billing_address_id` refers to an address.
  const names = hasIdSuffix && of.includes('_') ? [of, of.slice(of.lastIndexOf('_') + 1)] : [of]
  const found = await Promise.all(
    names.map((one) => knownCollections(collections).find(one, below)),
  )
  const target = found.find((one) => one && one.resource !== resource)
  if (!target) return undefined
  const isText = typeof value === 'string'
  // A text such as `category: garden` is rather a name than an id.
  const isPlain = isText && !hasIdSuffix && !schemaOfIds(schema)

  return isPlain && !isIdText(knownCollections(collections).firstIds(target).ids[0])
    ? undefined
    : target
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
  const { ids } = knownCollections(place.collections).firstIds(target)
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
  const { at, resource } = place
  const collections = knownCollections(place.collections)
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

/** A resource by its name, without what is needed to read its schemas. */
export interface NamedResource {
  readonly name: string
  readonly path: string
  readonly get: () => Awaitable<Resource | undefined>
}

/** The ids that other collections start with, without opening these collections. */
interface KnownCollections {
  /** The collection that a property refers to, for a record with these path parameters. */
  find(
    reference: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<ConcreteCollection | undefined>
  /** Its first ids, and how many of them are those of examples. */
  firstIds(collection: ConcreteCollection): {
    readonly ids: readonly Id[]
    readonly examples: number
  }
}

/** What a collection starts with, by its concrete name. */
export type StartOf = (resource: Resource, name: string) => Start

/** All collections of a contract. */
export interface Collections {
  readonly resources: () => readonly NamedResource[]
  /** Tells what each of them starts with. */
  readonly startOf: StartOf
  readonly seed: number
}

const knownCollections = once(({ resources, startOf, seed }: Collections): KnownCollections => {
  const bySingular = new Map<string, NamedResource[]>()
  for (const resource of resources()) {
    const segments = resource.path.split('/').filter((one) => one !== '' && !one.startsWith('{'))
    const name = singular(segments.at(-1) ?? resource.name)
    bySingular.set(name, [...(bySingular.get(name) ?? []), resource])
  }
  const plans = new Map<string, PlannedIds>()
  const planOf = (collection: ConcreteCollection): PlannedIds => {
    const plan = plans.get(collection.name) ?? planIds(collection, seed)
    if (plans.size > MAX_PLANS) plans.clear()
    plans.set(collection.name, plan)
    return plan
  }

  return {
    find: async (reference, parameters) => {
      const found = (bySingular.get(reference) ?? [])
        .flatMap(({ name, path: template, get }) => {
          const path = concretePath(template, parameters)
          return path === undefined ? [] : [{ name, path, get }]
        })
        // The order of resources may differ when hints name them, and must not matter.
        .sort((one, two) => two.path.length - one.path.length || (one.path < two.path ? -1 : 1))
      for (const { name, path, get } of found) {
        const resource = await get()
        if (!resource) continue
        const isNested = resource.path.includes('{')
        return { resource, name: isNested ? path.replace(/^\//, '') : name, parameters }
      }
      return undefined
    },
    firstIds: (collection) => {
      const { resource, name } = collection
      const start = startOf(resource, name)
      if (typeof start === 'object') {
        return { ids: start.flatMap((row) => idOf(row, resource.id) ?? []), examples: start.length }
      }
      const plan = planOf(collection)
      const count = typeof start === 'number' ? Math.min(start, FEWEST_RECORDS) : FEWEST_RECORDS
      return { ids: plan.take(count).ids, examples: plan.examples.length }
    },
  }
})

/** Plans of more collections are made again. */
const MAX_PLANS = 1000

/** A path with the values of its parameters; `undefined` when one of them is not known. */
function concretePath(
  template: string,
  parameters: Readonly<Record<string, unknown>>,
): string | undefined {
  let isKnown = true
  const path = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = getOwn(parameters, name)
    isKnown &&= value !== undefined
    return encodeURIComponent(String(value))
  })
  return isKnown ? path : undefined
}
