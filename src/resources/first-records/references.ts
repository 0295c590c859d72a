import type { Schema } from '../../contract/contract.ts'
import { callersIn } from '../../contract/hints.ts'
import { isExpandable, propertiesOf, withBranches } from '../../contract/schema.ts'
import { encodePart } from '../../http/paths.ts'
import { ROLE } from '../../inference/path-shape.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/documented-value.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'
import { sharedParents } from '../collection-name.ts'
import { idOf } from '../id-generator.ts'
import { withIdsOf } from '../id-places.ts'
import { parentValues, referenceName, singular, withParentObjects } from '../reference-names.ts'
import { type IdReference, type Resource, shownBy } from '../resource.ts'
import type { Start } from '../start-of.ts'
import { withIds } from '../with-ids.ts'
import { isValid } from './is-valid.ts'
import { type ConcreteCollection, FEWEST_RECORDS, type PlannedIds, planIds } from './planned-ids.ts'

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
export function withReferences(
  record: StoredRecord,
  place: RecordPlace,
): Awaitable<StoredRecord | undefined> {
  const { resource } = place
  return whenKnown(referencesOf(record, place), (references) => {
    // Validating a large record for each reference takes long, and usually all of them are valid.
    const all = references.length > 0 ? { ...record, ...Object.fromEntries(references) } : record
    if (isValid(resource, all)) return all
    let referring: StoredRecord | undefined
    for (const [name, reference] of references) {
      const changed = { ...(referring ?? record), [name]: reference }
      if (isValid(resource, changed)) referring = changed
    }
    return referring ?? (isValid(resource, record) ? record : undefined)
  })
}

type Reference = readonly [name: string, reference: unknown]

/** The properties of a record that refer to others, with ids of records that exist. */
function referencesOf(record: StoredRecord, place: RecordPlace): Awaitable<readonly Reference[]> {
  const { resource } = place
  const named = knownCollections(place.collections).referringIn(resource.schema)
  const objects = (resource.references ?? []).filter(({ shows }) => shows === undefined)
  const shown = [...objects, ...callersOf(resource)]
  const referring = named.filter(({ name }) => !shown.some((one) => one.name === name))
  const { idReferences = [] } = resource
  const isNamed = ({ place: [name, inner] }: IdReference): boolean =>
    inner === undefined && [...referring, ...shown].some((one) => one.name === name)
  const others = idReferences.filter((one) => !isNamed(one))
  if (referring.length + shown.length + others.length === 0) return NO_REFERENCES
  const parents = parentValues(resource, place.parameters)
  const isFree = (name: string): boolean => name !== resource.id && !(name in parents)
  const isSaid = (name: string): boolean =>
    idReferences.some(({ place: [first, inner] }) => first === name && inner === undefined)
  const found = referring.map((one): Awaitable<readonly Reference[]> => {
    const { name, schema } = one
    const property = isSaid(name) ? { ...one, hasIdSuffix: true } : one
    const value = getOwn(record, name)
    if (value === undefined || value === null || !isFree(name)) return NO_REFERENCES
    return whenKnown(targetOf(property, value, place, record), (target) => {
      const reference = target && referredValue(value, schema, target, place)
      return reference === undefined ? NO_REFERENCES : [[name, reference] as const]
    })
  })
  const referred = shown.map((one) =>
    isFree(one.name) ? shownReferences(record, one, { ...place, parents }) : NO_REFERENCES,
  )
  const inside = idsInside(
    record,
    others.filter(({ place: [name] }) => isFree(name)),
    place,
  )

  return whenKnown(allKnown([...referred, ...found, inside]), (references) => references.flat())
}

/** The properties with ids of records that exist at places in them. */
function idsInside(
  record: StoredRecord,
  references: readonly IdReference[],
  { resource, parameters, collections, at }: RecordPlace,
): Awaitable<readonly Reference[]> {
  const known = knownCollections(collections)
  const present = references.filter(({ place: [name] }) => isPresent(getOwn(record, name)))
  const targets = present.map(({ of }): Awaitable<readonly Id[]> => {
    const target = of()
    const concrete =
      target && concreteCollection(target, sharedParents(target, resource, parameters))
    // A record is not below itself.
    if (!concrete || target.path === resource.path) return []
    return whenKnown(
      known.withIds(target),
      (own) => known.firstIds({ ...concrete, resource: own }).ids,
    )
  })
  return whenKnown(allKnown(targets), (all) => {
    const { schema } = resource
    const values = withIdsOf(record, { references: present, ids: all, first: at, schema })
    return [...new Set(present.map(({ place: [name] }) => name))].map((name) => [
      name,
      values[name],
    ])
  })
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** The properties that are the caller in a new record, such as `owner_id`: in a first record, one of those who may call. */
function callersOf({ values = {}, references = [], callers }: Resource): readonly Shown[] {
  if (!callers) return []
  return Object.keys(values).flatMap((name) => {
    const isCaller = callersIn(values[name]) !== undefined
    return isCaller && !references.some((one) => one.name === name) ? [{ name, of: callers }] : []
  })
}

type Shown = NonNullable<Resource['references']>[number]

interface PlaceBelow extends RecordPlace {
  /** The values of the record that its path names. */
  readonly parents: StoredRecord
}

/** The objects of a record that show others, with the ids of records that exist, and the ids in the property beside each. */
function shownReferences(
  record: StoredRecord,
  shown: Shown,
  place: PlaceBelow,
): Awaitable<readonly Reference[]> {
  const value = getOwn(record, shown.name)
  const target = value === undefined || value === null ? undefined : shown.of()
  const concrete = target && concreteCollection(target, place.parameters)
  if (!concrete) return NO_REFERENCES
  return whenKnown(knownCollections(place.collections).withIds(concrete.resource), (resource) =>
    referencesTo({ ...concrete, resource }, value, shown, place),
  )
}

function referencesTo(
  concrete: ConcreteCollection,
  value: unknown,
  { name, by }: Shown,
  { parents, ...place }: PlaceBelow,
): readonly Reference[] {
  const properties = propertiesOf(place.resource.schema)
  const schema = properties.get(name) ?? {}
  const { [name]: above } = withParentObjects({}, place.resource, place.parameters)
  const parent = idOf(isObject(above) ? above : {}, concrete.resource.id) ?? idOf(parents, by ?? '')
  const reference =
    parent === undefined
      ? referredValue(value, schema, concrete, place)
      : referTo(value, parent, schema, concrete)
  if (reference === undefined) return NO_REFERENCES
  if (parent !== undefined) return [[name, reference]]
  const beside = by === undefined ? undefined : properties.get(by)
  const id = isObject(reference) ? reference[concrete.resource.id] : undefined
  const key = beside && id !== undefined && asType(id, beside)

  return [[name, reference], ...(by !== undefined && key ? [[by, key] as const] : [])]
}

/** The first ids of the collection that records show themselves, such as of the users that are members; `undefined` when they show none. */
export async function idsShownBy({
  resource,
  parameters,
  collections,
}: Omit<RecordPlace, 'at'>): Promise<readonly Id[] | undefined> {
  const path = shownBy(resource)?.path
  if (path === undefined) return undefined
  const named = collections.resources().find((one) => one.path === path)
  const target = await named?.get()
  const concrete = target && concreteCollection(target, parameters)

  return concrete && knownCollections(collections).firstIds(concrete).ids
}

/** A collection whose path has the values of these parameters; `undefined` when one of them is not known. */
function concreteCollection(
  resource: Resource,
  parameters: ConcreteCollection['parameters'],
): ConcreteCollection | undefined {
  const concrete = concretePath(resource.path, parameters)
  if (concrete === undefined) return undefined
  const name = resource.path.includes('{') ? concrete.replace(/^\//, '') : resource.name

  return { resource, name, parameters }
}

const NO_REFERENCES: readonly Reference[] = []

/** A property whose name is that of a collection. */
interface ReferringProperty {
  readonly name: string
  readonly schema: Schema
  /** What it may refer to, such as `billing_address` and `address`: the name of one record. */
  readonly names: readonly string[]
  readonly hasIdSuffix: boolean
}

/** The collection that a property refers to. */
function targetOf(
  { schema, names, hasIdSuffix }: ReferringProperty,
  value: unknown,
  { resource, parameters, collections }: RecordPlace,
  record: StoredRecord,
): Awaitable<ConcreteCollection | undefined> {
  const known = knownCollections(collections)
  const own = idOf(record, resource.id)
  const below = { ...parameters, ...(resource.idParameter && { [resource.idParameter]: own }) }
  return whenKnown(allKnown(names.map((one) => known.find(one, below))), (found) => {
    const target = found.find((one) => one && one.resource !== resource)
    if (!target) return undefined
    // A text such as `category: garden` is rather a name than an id.
    const isPlain = typeof value === 'string' && !hasIdSuffix && !schemaOfIds(schema)

    return isPlain && !isIdText(known.firstIds(target).ids[0]) ? undefined : target
  })
}

function schemaOfIds(schema: Schema): boolean {
  const branches = withBranches(schema)
  return branches.some(({ format }) => format === 'uuid') || isExpandable(branches)
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
  ): Awaitable<ConcreteCollection | undefined>
  /** The properties of a record that may refer to others. */
  readonly referringIn: (schema: Schema) => readonly ReferringProperty[]
  /** A resource that knows how its ids are generated. */
  readonly withIds: (resource: Resource) => Awaitable<Resource>
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
  const open = openOnce()
  const found = new Map<Resource, Resource>()

  return {
    withIds: (resource) =>
      found.get(resource) ??
      whenKnown(withIds(resource), (ready) => {
        found.set(resource, ready)
        return ready
      }),
    find: (reference, parameters) =>
      firstConcrete(bySingular.get(reference) ?? [], parameters, open),
    referringIn: once((schema) =>
      referringProperties(schema).filter(({ names }) => names.some((one) => bySingular.has(one))),
    ),
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

/** All properties of a record, with what their names may refer to. */
function referringProperties(schema: Schema): readonly ReferringProperty[] {
  return [...propertiesOf(schema)].map(([name, own]) => {
    const { of, hasIdSuffix } = referenceName(name)
    // `billing_address_id` refers to an address.
    const isLong = hasIdSuffix && of.includes('_')
    const names = isLong ? [of, of.slice(of.lastIndexOf('_') + 1)] : [of]
    if (hasIdSuffix && ROLE.test(of)) names.push(...PEOPLE)
    return { name, schema: own, names, hasIdSuffix }
  })
}

/** What the collections are called of whose records an `author_id` is one. */
const PEOPLE = ['user', 'account', 'person', 'profile']

type OpenResource = (resource: NamedResource) => Awaitable<Resource | undefined>

/** Reads the schemas of each resource once. What was read is known without waiting. */
function openOnce(): OpenResource {
  const opened = new Map<string, Resource | undefined>()
  return ({ name, get }) => {
    if (opened.has(name)) return opened.get(name)
    return whenKnown(get(), (resource) => {
      opened.set(name, resource)
      return resource
    })
  }
}

/** The collection of the first of some resources at a path whose parameters are known: of the longest path. */
function firstConcrete(
  resources: readonly NamedResource[],
  parameters: ConcreteCollection['parameters'],
  open: OpenResource,
): Awaitable<ConcreteCollection | undefined> {
  const found = resources
    .flatMap((resource) => {
      const concrete = concretePath(resource.path, parameters)
      return concrete === undefined ? [] : [{ resource, concrete }]
    })
    // The order of resources may differ when hints name them, and must not matter.
    .sort(({ concrete: one }, { concrete: two }) => two.length - one.length || (one < two ? -1 : 1))
  const firstFrom = (at: number): Awaitable<ConcreteCollection | undefined> => {
    const one = found[at]
    if (!one) return undefined
    return whenKnown(open(one.resource), (resource) => {
      if (!resource) return firstFrom(at + 1)
      return concreteCollection(resource, parameters) ?? firstFrom(at + 1)
    })
  }
  return firstFrom(0)
}

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
    return encodePart(String(value))
  })
  return isKnown ? path : undefined
}
