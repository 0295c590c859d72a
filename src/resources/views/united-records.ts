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
import { idOf } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { Records } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { collectionOf } from './record-view.ts'

/** Opens one of the collections. */
type OpenCollection = () => Awaitable<Records>

/** What separates the place of a collection from the id in it. */
const SEPARATOR = '\0'

/**
 * The records of several collections as one list: those of one after those of the other. A page opens only its own collections, and makes
 * only its own records. Those of different collections may have the same id.
 */
export class UnitedRecords
  implements Pick<Records, 'name' | 'resource' | 'get' | 'page' | 'count'>
{
  readonly name: string
  readonly resource: Resource
  readonly #collections: readonly OpenCollection[]
  readonly #keys = new Map<StoredRecord, Id>()

  constructor(name: string, resource: Resource, collections: readonly OpenCollection[]) {
    this.name = name
    this.resource = resource
    this.#collections = collections
  }

  async get(id: Id): Promise<StoredRecord | undefined> {
    for (const open of this.#collections) {
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
    for (const open of this.#collections) {
      const collection = await open()
      if (isAmong(collection, selection)) sum += await collection.count(selection)
    }
    return sum
  }

  async page(query: PageQuery): Promise<Page> {
    return isPlain(query) ? this.#slice(query) : pageOf(await this.#all(query), query)
  }

  /** The records from a place on. */
  async #slice({ after, skip = 0, limit = Number.POSITIVE_INFINITY }: PageQuery): Promise<Page> {
    let from = await this.#placeOf(typeof after === 'object' ? after.id : after)
    const found: StoredRecord[] = []
    for (let left = skip; found.length <= limit; from = { at: from.at + 1 }) {
      const collection = await this.#collections[from.at]?.()
      if (!collection) break
      const { records, skipped } = await slice(collection, from.id, left, limit + 1 - found.length)
      left -= skipped
      found.push(...this.#keyed(records, from.at, collection.name))
    }
    const records = found.slice(0, limit)
    const last = records.at(-1)
    const next = found.length > limit && last ? this.keyOf(last) : undefined

    return { records, ...(next !== undefined && { next }) }
  }

  /** Where a record is, by its key or its id. */
  async #placeOf(after: Id | undefined): Promise<Place> {
    if (after === undefined) return { at: 0 }
    const [place = '', text] = String(after).split(SEPARATOR)
    for (const [at, open] of this.#collections.entries()) {
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
    for (const [at, open] of this.#collections.entries()) {
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

/** Some records of a collection, and how many were left out. */
async function slice(
  collection: Records,
  after: Id | undefined,
  skip: number,
  limit: number,
): Promise<{ readonly records: readonly StoredRecord[]; readonly skipped: number }> {
  const count = skip > 0 ? await collection.count() : 0
  if (skip > 0 && count <= skip) return { records: [], skipped: count }
  const size = Number.isFinite(limit) ? { limit } : {}
  const { records } = await collection.page({ after, ...(skip > 0 && { skip }), ...size })

  return { records, skipped: skip }
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
  const names = new Set(below.map((one) => collectionName(resource, one)))
  const others = changed.filter((one) => !names.has(one.name))
  others.sort((one, other) => (one.name < other.name ? -1 : 1))

  return new UnitedRecords(name, resource, [
    ...below.map((one) => () => store.open(resource, one)),
    ...others.map((one) => () => one),
  ])
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
