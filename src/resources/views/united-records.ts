import { type Awaitable, allKnown } from '../../records/awaitable.ts'
import { RecordIndex } from '../../records/record-index.ts'
import { pageOf } from '../../records/record-pages.ts'
import {
  type Id,
  idsLike,
  type Page,
  type PageQuery,
  type StoredRecord,
} from '../../records/record-table.ts'
import { ABOVE, type RecordSelection } from '../../records/selection.ts'
import { collectionName, type PathValues } from '../collection-name.ts'
import { ADDED } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { Records } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { collectionOf } from './record-view.ts'

/** One of the collections. */
interface UnitedCollection {
  readonly name: string
  readonly open: () => Awaitable<Records>
  /** Whether something was changed in it. Only then it may have records that clients added. Default: no. */
  readonly isChanged?: boolean
}

/** What separates the place of a collection from the id in it. */
const SEPARATOR = '\0'

/**
 * The records of several collections as one list: those of one after those of the other. A page opens only its own collections, and makes
 * only its own records. Those of different collections may have the same id. In the order of `ADDED`, what clients added to any of them comes
 * first.
 */
export class UnitedRecords
  implements Pick<Records, 'name' | 'resource' | 'get' | 'page' | 'count'>
{
  readonly name: string
  readonly resource: Resource
  readonly #collections: readonly UnitedCollection[]
  readonly #keys = new Map<StoredRecord, Id>()

  constructor(name: string, resource: Resource, collections: readonly UnitedCollection[]) {
    this.name = name
    this.resource = resource
    this.#collections = collections
  }

  async get(id: Id): Promise<StoredRecord | undefined> {
    for (const { open } of this.#collections) {
      const found = await (await open()).get(id)
      if (found) return found
    }
    return undefined
  }

  /** What tells a listed record from those with the same id. */
  keyOf(record: StoredRecord): Id | undefined {
    return this.#keys.get(record)
  }

  async count(selection?: RecordSelection): Promise<number> {
    let sum = 0
    for (const { open } of this.#collections) {
      const collection = await open()
      if (isAmong(collection, selection)) sum += await collection.count(selection)
    }
    return sum
  }

  async page(query: PageQuery): Promise<Page> {
    if (!isPlain(query)) return pageOf(await this.#all(query), query)
    const { after, skip = 0, limit = Number.POSITIVE_INFINITY, sort } = query
    const start = typeof after === 'object' ? after.id : after
    const isLatestFirst = sort?.by === ADDED
    const added = isLatestFirst ? await this.#added() : []
    const at = added.findIndex((one) => start !== undefined && this.#isAt(one, start))
    const isAfterAdded = start !== undefined && at < 0
    const first = isAfterAdded ? [] : added.slice(at + 1)
    const shown = first.slice(skip, skip + limit + 1)
    const rest = {
      after: isAfterAdded ? start : undefined,
      skip: Math.max(0, skip - first.length),
      limit: limit + 1 - shown.length,
    }
    const found = [...shown, ...(await this.#slice(rest, isLatestFirst))]
    const records = found.slice(0, limit)
    const last = records.at(-1)
    const next = found.length > limit && last ? this.keyOf(last) : undefined

    return { records, ...(next !== undefined && { next }) }
  }

  #isAt(record: StoredRecord, start: Id): boolean {
    return this.keyOf(record) === start || idOf(record, this.resource.id) === start
  }

  /** What clients added to the collections, the latest first. */
  async #added(): Promise<readonly StoredRecord[]> {
    const found: StoredRecord[] = []
    for (const [at, { name, open, isChanged = false }] of this.#collections.entries()) {
      if (!isChanged) continue
      const { records } = await (await open()).page({})
      found.push(...this.#keyed(records.filter(isAdded), at, name))
    }
    return found.sort((one, other) => Number(one[ADDED]) - Number(other[ADDED]))
  }

  /** The records from a place on; without those that clients added where these came before. */
  async #slice(
    { after, skip, limit }: Slice,
    isLatestFirst: boolean,
  ): Promise<readonly StoredRecord[]> {
    let from = await this.#placeOf(after)
    const found: StoredRecord[] = []
    for (let left = skip; found.length < limit; from = { at: from.at + 1 }) {
      const next = this.#collections[from.at]
      if (!next) break
      const collection = await next.open()
      const asked = { after: from.id, skip: left, limit: limit - found.length }
      const { records, skipped } = await (isLatestFirst && next.isChanged
        ? sliceOfFirst(collection, asked)
        : slice(collection, asked))
      left -= skipped
      found.push(...this.#keyed(records, from.at, next.name))
    }
    return found
  }

  /** Where a record is, by its key or its id. */
  async #placeOf(after: Id | undefined): Promise<Place> {
    if (after === undefined) return { at: 0 }
    const [place = '', text] = String(after).split(SEPARATOR)
    for (const [at, { open }] of this.#collections.entries()) {
      if (text !== undefined && at !== Number(place)) continue
      const collection = await open()
      const found = await allKnown(idsLike(text ?? after).map((id) => collection.get(id)))
      const record = found.find((one) => one !== undefined)
      const id = record && idOf(record, this.resource.id)
      if (id !== undefined) return { at, id }
    }
    return text === undefined ? { at: this.#collections.length } : { at: Number(place) }
  }

  #keyed(
    records: readonly StoredRecord[],
    at: number,
    collection: string,
  ): readonly StoredRecord[] {
    for (const record of records) {
      collectionOf.set(record, collection)
      const id = idOf(record, this.resource.id) ?? ''
      this.#keys.set(record, `${at}${SEPARATOR}${id}`)
    }
    return records
  }

  async #all(selection: RecordSelection): Promise<RecordIndex<StoredRecord>> {
    const index = new RecordIndex<StoredRecord>([])
    for (const [at, { open }] of this.#collections.entries()) {
      const collection = await open()
      if (!isAmong(collection, selection)) continue
      const { records } = await collection.page({})
      for (const record of this.#keyed(records, at, collection.name))
        index.add(this.keyOf(record) ?? '', record)
    }
    return index
  }
}

/** Whether a selection is about the records of a collection, by what is above these. */
function isAmong({ name }: Records, { tests = [] }: RecordSelection = {}): boolean {
  const above = tests.flatMap((test) =>
    'places' in test && test.places[0]?.[0] === ABOVE ? [test.wanted] : [],
  )
  const path = `/${decodeURIComponent(name)}/`
  return above.every((wanted) => wanted.some((text) => path.includes(`/${text}/`)))
}

/** A collection by its number, and the id of the record after which it is read. */
interface Place {
  readonly at: number
  readonly id?: Id
}

/** Which records of a list, without its order. */
interface Slice {
  readonly after: Id | undefined
  readonly skip: number
  readonly limit: number
}

/** Some records of a collection, and how many were left out. */
interface FoundSlice {
  readonly records: readonly StoredRecord[]
  readonly skipped: number
}

async function slice(collection: Records, { after, skip, limit }: Slice): Promise<FoundSlice> {
  const count = skip > 0 ? await collection.count() : 0
  if (skip > 0 && count <= skip) return { records: [], skipped: count }
  const size = Number.isFinite(limit) ? { limit } : {}
  const { records } = await collection.page({ after, ...(skip > 0 && { skip }), ...size })

  return { records, skipped: skip }
}

/** As `slice`, without what clients added. */
async function sliceOfFirst(
  collection: Records,
  { after, skip, limit }: Slice,
): Promise<FoundSlice> {
  const { records } = await collection.page({ after })
  const first = records.filter((one) => !isAdded(one))

  return { records: first.slice(skip, skip + limit), skipped: Math.min(skip, first.length) }
}

function isAdded(record: StoredRecord): boolean {
  return typeof record[ADDED] === 'number'
}

/** Whether a page has the records as they follow each other. The time of an addition is only known in each collection. */
function isPlain({ where = {}, tests = [], sort, before }: PageQuery): boolean {
  const isSorted = sort !== undefined && !sort.by?.startsWith('x-sandbox-')
  return Object.keys(where).length === 0 && tests.length === 0 && !isSorted && before === undefined
}

/** The collections below the records of another one. */
interface BelowAll {
  /** The ids of these records. */
  readonly ids: readonly Id[]
  /** The path parameters that may have any value. The last one is theirs. */
  readonly across: readonly string[]
  readonly parameters: PathValues
}

/** Unites the collections of a resource below some records, and those below others in which something was changed. */
export async function uniteBelow(
  name: string,
  resource: Resource,
  { ids, across, parameters }: BelowAll,
  store: Store,
): Promise<UnitedRecords> {
  const parameter = across.at(-1) ?? ''
  const values = ids.length > 0 ? ids.map(String) : [parameters[parameter]]
  const below = values.map((value) => ({ ...parameters, [parameter]: value }))
  const open = Object.fromEntries(across.map((name) => [name, '']))
  const start = collectionName(resource, { ...parameters, ...open }).split('/')
  const changed = (await store.opened()).filter(
    (one) =>
      one.resource.path === resource.path &&
      one.name.split('/').every((part, index) => start[index] === '' || part === start[index]),
  )
  const first = below.map((one) => ({
    name: collectionName(resource, one),
    open: () => store.open(resource, one),
  }))
  const names = new Set(first.map((one) => one.name))
  const changedNames = new Set(changed.map((one) => one.name))
  const others = changed
    .filter((one) => !names.has(one.name))
    .map((one) => ({ name: one.name, open: () => one }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))

  return new UnitedRecords(
    name,
    resource,
    [...first, ...others].map((one) => ({ ...one, isChanged: changedNames.has(one.name) })),
  )
}

/** Which records of a collection have one of a certain id among those below them. */
interface MemberRequest {
  /** The resource below. */
  readonly below: Resource
  /** The id of the record below. */
  readonly member: unknown
  /** The ids of the first records of the collection. */
  readonly first: readonly Id[]
  /** The path parameters of the collection. */
  readonly own: PathValues
}

/** The ids of the records that have a certain one below them, among the first ones and those below which something was changed. */
export async function idsWithMember(
  { below, member, first, own }: MemberRequest,
  store: Store,
): Promise<readonly Id[]> {
  const parameter = below.parents?.at(-1) ?? ''
  const place = collectionName(below, { ...own, [parameter]: '' }).split('/')
  const changed = (await store.opened()).flatMap(({ resource, name }) =>
    resource.path === below.path
      ? idsLike(decodeURIComponent(name.split('/')[place.indexOf('')] ?? ''))
      : [],
  )
  const found: Id[] = []
  for (const id of new Set([...first, ...changed])) {
    const records = await store.open(below, { ...own, [parameter]: id })
    const members = await allKnown(idsLike(String(member)).map((one) => records.get(one)))
    if (members.some((one) => one !== undefined)) found.push(id)
  }
  return found
}
