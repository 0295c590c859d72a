import { ITSELF } from '../../contract/hints.ts'
import { decodeComponent } from '../../contract/parse-text.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import { parameterIn, wordOf } from '../../inference/path-shape.ts'
import { type Awaitable, allKnown, bothKnown, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import {
  collectionName,
  collectionPath,
  findCollection,
  hasParents,
  type PathValues,
  parentsFirst,
  sharedParents,
} from '../collection-name.ts'
import { TRASHED, USED } from '../hidden-properties.ts'
import { idOf, typedId } from '../id-generator.ts'
import { keyTexts } from '../keys.ts'
import { isCreated } from '../record-origin.ts'
import { type Alias, canGrow, type Resource } from '../resource.ts'
import { beginIn } from './attempted-collections.ts'
import { emptied, isHiddenBelowRemoved, wasUsed } from './below-removed.ts'
import {
  ancestryOf,
  type Collections,
  type CollectionsAttempt,
  type OpenedCollection,
} from './collections.ts'
import { MemoryCollections } from './memory-collections.ts'
import {
  createRecords,
  type OpenRecords,
  type Records,
  type RecordsSnapshot,
  restoreRecords,
} from './records.ts'
import { clearReferences, NONE_REMOVED, type RemovedIds } from './removed-references.ts'

/**
 * The records of each collection of a world, which are created when they are first needed. A resource has one collection; a
 * resource with parents has one for each combination of them, such as `orgs/acme/repos`. When a record is removed, the
 * collections below it are gone, and when it is created again, they start anew. That takes no work when a record is removed: a
 * collection is valid only in the generation of its parents in which it was opened. So undoing the removal brings it back, too.
 */
export class Store {
  readonly #collections: Collections
  readonly #first: OpenRecords
  readonly #origin: OpenRecords

  /**
   * A store in which each collection that is opened starts with records of `first`. `origin` makes those that all worlds of a sandbox
   * start with; default: `first`.
   */
  constructor(
    first: OpenRecords,
    collections: Collections = new MemoryCollections(),
    origin: OpenRecords = first,
  ) {
    this.#first = first
    this.#collections = collections
    this.#origin = origin
  }

  /** The ids of the first records of a collection at the top, at most so many: the same ones whatever happened to the records. */
  firstIds(resource: Resource, count: number): Promise<readonly Id[]> {
    return firstIdsOf(this.#origin, resource, count)
  }

  /** The collections that were needed until now; of those below records, the ones that were changed. */
  opened(isWanted?: (resource: Resource) => boolean): Awaitable<readonly Records[]> {
    return whenKnown(this.#collections.opened(isWanted), (opened) => {
      const present = allKnown(opened.map((one) => this.#isPresent(one)))
      return whenKnown(present, (isPresent) => {
        const found = opened.filter((_, at) => isPresent[at]).map(({ records }) => records)
        const isBelow = ({ resource }: Records): boolean => hasParents(resource)
        return [...found.filter((one) => !isBelow(one)), ...found.filter(isBelow)]
      })
    })
  }

  /** The records of a collection. Creates them when they are needed for the first time. */
  open(resource: Resource, parameters: PathValues = {}): Awaitable<Records> {
    const name = collectionName(resource, parameters)
    const path = collectionPath({ resource, name })
    // The records above say how many records there are at first.
    return whenKnown(resource.counted && this.above(resource, parameters), () =>
      bothKnown(
        ancestryOf(resource, path, this.#collections),
        bothKnown(
          this.#countOfOwner(resource, parameters),
          hasParents(resource) ? this.#removedFor(resource, parameters) : undefined,
          (ownerCount, removed) => ({ ownerCount, removed }),
        ),
        ({ generation, isGone, record }, { ownerCount, removed }) => {
          const isEmptied = isGone && isHiddenBelowRemoved(resource)
          const count = firstCountOf(resource, record) ?? ownerCount
          const isEmpty = isEmptied || count === 0
          const known = removed && { removed: removed.text }
          const place = { resource, name, parameters, path, generation, isEmpty, ...known }
          return this.#collections.open(place, async () => {
            const records = await this.#first(resource, name, parameters, count)
            const { references } =
              removed ?? (await this.#removedFor(resource, parameters)) ?? NONE_REMOVED
            for (const [reference, ids] of references)
              await clearReferences(records, reference, ids)
            return isEmptied ? emptied(records) : { records }
          })
        },
      ),
    )
  }

  /** The removed records to which those of a collection would refer; `undefined` where they refer to none. */
  #removedFor(resource: Resource, parameters: PathValues): Awaitable<RemovedIds | undefined> {
    const { idReferences } = resource
    if (!idReferences) return undefined
    const removed = idReferences.map((reference) => {
      const target = reference.of()
      if (!target) return []
      const path = pathBeside(target, resource, parameters)
      return whenKnown(ancestryOf(target, path, this.#collections), ({ generation }) =>
        this.#collections.removedFrom(path, generation),
      )
    })
    return whenKnown(allKnown(removed), (all) => {
      const references = idReferences.flatMap((reference, at) => {
        const ids = all[at] ?? []
        return ids.length > 0 ? [[reference, ids] as const] : []
      })
      return references.length === 0 ? NONE_REMOVED : { references, text: JSON.stringify(all) }
    })
  }

  /** Takes the id of a removed record out of the records of others. Resolves with a function that undoes it. */
  async forget(
    resource: Resource,
    parameters: PathValues,
    record: StoredRecord,
  ): Promise<() => Promise<void>> {
    const path = collectionPath({ resource, name: collectionName(resource, parameters) })
    const ids = [idOf(record, resource.id) ?? '', ...keyTexts(record, resource)]
    const undos: (() => Promise<void>)[] = []
    const mayRefer = ({ idReferences = [] }: Resource): boolean =>
      idReferences.some(({ target }) => target === resource.name)
    for (const records of await this.opened(mayRefer)) {
      const { resource: other, name } = records
      const { parameters: own = {} } = hasParents(other)
        ? (findCollection([other], name) ?? {})
        : {}
      for (const reference of other.idReferences ?? []) {
        if (reference.target !== resource.name || pathBeside(resource, other, own) !== path)
          continue
        undos.push(await clearReferences(records, reference, ids))
      }
    }
    return async () => {
      for (const undo of undos.reverse()) await undo()
    }
  }

  /** How many records a collection of an owner's starts with, as the owner's record says; `undefined` when nobody knows the owner. */
  #countOfOwner(resource: Resource, parameters: PathValues): Awaitable<number | undefined> {
    const owned = (resource.aliases ?? []).filter(({ owners }) => owners.length > 0)
    if (owned.length === 0) return undefined
    const counts = owned.map((alias) => {
      const { at, owners, above } = alias
      const values = Object.fromEntries(owners.map(([name, here]) => [here, parameters[name]]))
      const parent = above()
      const found = parent && this.#recordNamed(parent, recordAbove(parent, at, values))
      return whenKnown(found, (record) =>
        record && isCreated(record) && canGrowAt(alias) ? 0 : countIn(record, at),
      )
    })
    return whenKnown(allKnown(counts), (all) => all.find((count) => count !== undefined))
  }

  #recordNamed(
    resource: Resource,
    { parameters, id: text }: RecordAbove,
  ): Awaitable<StoredRecord | undefined> {
    return whenKnown(this.open(resource, parameters), (records) =>
      whenKnown(records.idNamed(text), (id) => records.get(typedId(String(id), resource))),
    )
  }

  /** The record that counts the records of a collection, and those beside it; `undefined` when none does. */
  above(
    resource: Resource,
    parameters: PathValues,
  ): Awaitable<{ readonly records: Records; readonly id: Id } | undefined> {
    const parent = resource.counted?.in()
    if (!parent) return undefined
    const above = recordAbove(parent, resource, parameters)
    const id = typedId(above.id, parent)
    return whenKnown(this.open(parent, above.parameters), (records) => ({ records, id }))
  }

  /**
   * The first records of what an alias shows below a record, where they are not among those of its collection: none below a removed record,
   * and below one that somebody created where requests can add some or nothing tells what the path names; else as many as the record above
   * says.
   */
  async firstBelow(alias: Alias, parameters: PathValues): Promise<readonly StoredRecord[]> {
    const { at } = alias
    const isGone = await this.isBelowRemoved(at, parameters)
    const parent = alias.above()
    const above = isGone || !parent ? undefined : recordAbove(parent, at, parameters)
    const records = above && parent && (await this.open(parent, above.parameters))
    // The path of a record may be called otherwise, as `/users/7` is by `/{kind}/{id}`.
    const record = records
      ? await records.get(typedId(above.id, parent))
      : await this.#recordAt(at, parameters)
    const count = countIn(record, at)
    const isFirst = record && !isCreated(record) && alias.by.length === 1 && count === undefined
    const isNew = record !== undefined && isCreated(record)
    if (isGone || isFirst || count === 0 || (isNew && (!parent || canGrowAt(alias)))) return []
    const first = await this.#first(at, collectionName(at, parameters), parameters, count)
    return (await first.page({})).records
  }

  /** The lowest record that exists above a collection, by its path. */
  #recordAt(resource: Resource, parameters: PathValues): Awaitable<StoredRecord | undefined> {
    const path = collectionPath({ resource, name: collectionName(resource, parameters) })
    return whenKnown(ancestryOf(resource, path, this.#collections), ({ record }) => record)
  }

  /**
   * The values of a collection's path parameters, with the ids of the records above that a path may name by further keys, or as those of the
   * caller.
   */
  locate(
    resource: Resource,
    parameters: PathValues,
    find: NamedFinder = byKeys,
  ): Awaitable<PathValues> {
    const keyed = resource.keyed?.() ?? []
    const above = keyed.map((parent) => (values: PathValues) => {
      return { parent, place: recordAbove(parent, resource, values) }
    })
    const elsewhere = (resource.within ?? []).flatMap(({ parameter, of }) => {
      const parent = of()
      const isNamed = parent && (parent.keys ?? parent.callerId ?? parent.idWords) !== undefined
      return isNamed && !hasParents(parent)
        ? (values: PathValues) => {
            return { parent, place: { parameters: {}, id: String(values[parameter]), parameter } }
          }
        : []
    })
    return [...above, ...elsewhere].reduce<Awaitable<PathValues>>(
      (located, placeIn) =>
        whenKnown(located, (values) => this.#withId(placeIn(values), values, find)),
      parameters,
    )
  }

  #withId(
    { parent, place: above }: { readonly parent: Resource; readonly place: RecordAbove },
    parameters: PathValues,
    find: NamedFinder,
  ): Awaitable<PathValues> {
    return whenKnown(this.open(parent, above.parameters), (records) =>
      whenKnown(find(above.id, records), (id) =>
        String(id) === above.id ? parameters : { ...parameters, [above.parameter]: id },
      ),
    )
  }

  /** Whether a collection is below a removed record, and has no record that was created there since. */
  isBelowRemoved(resource: Resource, parameters: PathValues = {}): Awaitable<boolean> {
    const path = collectionPath({ resource, name: collectionName(resource, parameters) })
    return whenKnown(ancestryOf(resource, path, this.#collections), ({ isGone }) => isGone)
  }

  /** Whether a collection is below a record in the trash. */
  isBelowTrash(resource: Resource, parameters: PathValues = {}): Awaitable<boolean> {
    const path = collectionPath({ resource, name: collectionName(resource, parameters) })
    const ancestry = ancestryOf(resource, path, this.#collections)
    return whenKnown(ancestry, ({ isTrashed = false }) => isTrashed)
  }

  /** Notes that something was added below a record in the trash: what is below it is found from then on, as below a removed record. */
  async useBelowTrash(
    parents: readonly Resource[],
    resource: Resource,
    parameters: PathValues,
  ): Promise<void> {
    for (const parent of parents) {
      const above = recordAbove(parent, resource, parameters)
      const records = await this.open(parent, above.parameters)
      await records.update(typedId(above.id, parent), (record) =>
        record[TRASHED] === true ? { ...record, [TRASHED]: USED } : record,
      )
    }
  }

  /** Whether a collection without parents was opened, and has or had records: others are as they start, and nothing opens them. */
  wasOpened({ path }: Resource): Awaitable<boolean> {
    return this.#collections.wasUsed(path.slice(1), 0)
  }

  /** A store with the same records. Changing one store does not change the other. */
  fork(): Store {
    return new Store(this.#first, this.#collections.fork(), this.#origin)
  }

  /** Begins changes that others see when they are committed, all at once. */
  async begin(): Promise<Pick<CollectionsAttempt, 'commit' | 'abort'> & { readonly store: Store }> {
    const attempt = beginIn(this.#collections)
    return {
      store: new Store(this.#first, attempt.collections, this.#origin),
      commit: () => attempt.commit(),
      abort: () => attempt.abort(),
    }
  }

  /** A store that starts with the records of this one, which never changes. */
  createWorldStore(): Store {
    return new Store(this.startRecords, this.#collections.fork(), this.#origin)
  }

  /** The records with which a world starts that starts with those of this store. */
  readonly startRecords: OpenRecords = async (resource, name, parameters, count) => {
    if (count === 0) return this.#first(resource, name, parameters, count)
    return (await this.open(resource, parameters)).fork()
  }

  /** Whether the parents of a collection are the same as when it was opened. One that was only emptied is not there. */
  #isPresent(opened: OpenedCollection): Awaitable<boolean> {
    const { records, generation } = opened
    const path = collectionPath(records)
    return whenKnown(ancestryOf(records.resource, path, this.#collections), (present) => {
      if (present.generation !== generation) return false
      return opened.emptied ? wasUsed(opened) : true
    })
  }
}

/** The path of a collection, as a record of another one below the same parents means it. */
function pathBeside(target: Resource, resource: Resource, parameters: PathValues): string {
  const name = collectionName(target, sharedParents(target, resource, parameters))
  return collectionPath({ resource: target, name })
}

/** Finds the id of the record that a text in a path names. A text that names none is returned as it is. */
export type NamedFinder = (text: string, records: Records) => Awaitable<Id>

const byKeys: NamedFinder = (text, records) => records.idNamed(text)

/** The ids of the first records by the name of the collection. They are found anew when they are not there. */
const firstIds = new WeakMap<OpenRecords, Map<string, Promise<readonly Id[]>>>()

function firstIdsOf(first: OpenRecords, resource: Resource, count: number): Promise<readonly Id[]> {
  const known = firstIds.get(first) ?? new Map<string, Promise<readonly Id[]>>()
  firstIds.set(first, known)
  const ids = known.get(resource.name) ?? findFirstIds(first, resource, count)
  known.set(resource.name, ids)

  return ids
}

async function findFirstIds(
  first: OpenRecords,
  resource: Resource,
  count: number,
): Promise<readonly Id[]> {
  const records = await first(resource, resource.name, {})
  const { records: rows } = await records.page({ limit: count })

  return rows.flatMap((row) => idOf(row, resource.id) ?? [])
}

/** A record above a collection. */
interface RecordAbove {
  /** The values of the path parameters of its own collection. */
  readonly parameters: PathValues
  /** The text in the path that names it. */
  readonly id: string
  /** The path parameter of the collection below that has this text. */
  readonly parameter: string
}

/** The record of another resource, above a collection. */
function recordAbove(parent: Resource, below: Resource, parameters: PathValues): RecordAbove {
  const segments = collectionName(below, parameters).split('/').map(decodeComponent)
  const names = parent.path.slice(1).split('/')
  const known = names.flatMap((part, at) => {
    const name = parameterIn(part)
    return name === undefined ? [] : [[name, segments[at]] as const]
  })
  return {
    parameters: Object.fromEntries(known),
    id: segments[names.length] ?? '',
    parameter: parameterIn(below.path.slice(1).split('/')[names.length]) ?? '',
  }
}

/** What happens to a record after somebody has created it. */
const HAPPENS =
  /^(events?|activit(y|ies)|timeline|history|histories|logs?|audits?|audit-?logs?|changes|transactions?|payments?|charges|refunds?|disputes|invoices|orders|purchases|deployments?|builds?|runs?|executions?|deliveries|notifications?|alerts?|followers|stargazers|watchers|subscribers|forks|likes|votes|visits|downloads)$/i

/**
 * How many records a collection starts with: none below a record that somebody created, where requests can add some, it shows those of
 * another collection, or has what happens to the record, else as many as the record above says.
 */
function firstCountOf(resource: Resource, above: StoredRecord | undefined): number | undefined {
  if (!above) return undefined
  const showsOthers = resource.references?.some(({ name }) => name === ITSELF)
  const isLater = HAPPENS.test(wordOf(resource.path)) && !resource.isSingle
  if ((canGrow(resource) || showsOthers || isLater) && isCreated(above)) return 0

  return countIn(above, resource)
}

/** How many records a collection has, as the record above says. */
function countIn(
  above: StoredRecord | undefined,
  { counted }: Pick<Resource, 'counted'>,
): number | undefined {
  return counted?.by.map((name) => above?.[name]).find((count) => typeof count === 'number')
}

/** Whether requests can add records to what an alias shows: at its path, or with the property of the record above. */
function canGrowAt({ at, by }: Alias): boolean {
  const { path, operations = [], references = [] } = at
  const [name] = by.at(-1)?.place ?? []
  const sentBy = references.find((one) => one.name === name)?.by
  const names = [name, sentBy].filter((one) => one !== undefined)
  return operations.some(({ operation, hints: { action, body } }) => {
    if (action !== 'create') return false
    const sent = operation.body && schemaAt(operation.body.schema, body ?? '')
    const known = sent && propertiesOf(sent)
    return operation.path === path || names.some((one) => known?.has(one))
  })
}

/**
 * Creates a store with the records of collections, by their names. Ids are generated from the seed. Rejects with an
 * InvalidRecordError.
 */
export async function createStore(
  resources: readonly Resource[],
  snapshots: ReadonlyMap<string, RecordsSnapshot>,
  seed: number,
  first: OpenRecords = async (resource, name) => createRecords(resource, seed, name),
): Promise<Store> {
  const collections = new MemoryCollections()
  for (const resource of resources) {
    if (hasParents(resource)) continue
    const saved = snapshots.get(resource.name) ?? { rows: [] }
    await collections.add(await restoreRecords(resource, saved, seed))
  }
  const named = [...snapshots].map(([name, saved]) => ({ name, saved }))
  for (const { name, saved } of parentsFirst(named)) {
    const found = findCollection(resources, name)
    if (!found || !hasParents(found.resource)) continue
    await collections.add(await restoreRecords(found.resource, saved, seed, found.name))
  }
  return new Store(first, collections)
}
