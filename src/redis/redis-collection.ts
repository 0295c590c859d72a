import { sortValue } from '../records/record-index.ts'
import type { Id } from '../records/record-table.ts'
import type { VersionedRecord } from '../records/stored-records.ts'
import {
  type CountTerm,
  ID_INDEX,
  type IndexGroup,
  type LexRange,
  memberOf,
  orderIndex,
  rangeFrom,
} from './indexes.ts'
import { recordKey } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { ordersText } from './script-arguments.ts'
import { COUNT, PAGE, REPLACE_ORDERS, SEARCH } from './scripts/record-scripts.ts'
import type { StoreScript } from './scripts/store-script.ts'
import { listIn, numberIn, textIn, textsIn } from './store-errors.ts'
import { type ReadState, readId, readIds, readNames } from './stored-texts.ts'

/** An index of a collection. */
export interface Index {
  readonly suffix: string
  /** The property by which it is ordered; default: the id. */
  readonly by?: string | undefined
}

/** A part of an index. */
export interface IndexPart {
  readonly records: readonly VersionedRecord[]
  /** The range of the members after this part; absent when there are none. */
  readonly rest?: LexRange
}

/** The records that are in one index of each group, in the order of their ids or of a property. */
interface GroupSearch {
  readonly groups: readonly IndexGroup[]
  readonly by: string | undefined
  readonly range: LexRange
  readonly skip: number
  readonly limit: number
}

/** How a search ended. The script says what each kind means. */
interface SearchedPart extends IndexPart {
  readonly kind: 'found' | 'unsorted' | 'unready' | 'unknown'
  /** How many records are still to be skipped. */
  readonly skip: number
}

/** A collection in Redis. */
export class RedisCollection {
  readonly #connection: RedisConnection
  readonly #world: string
  readonly #key: string

  constructor(connection: RedisConnection, world: string, key: string) {
    this.#connection = connection
    this.#world = world
    this.#key = key
  }

  /** `undefined` when it is not opened. */
  async state(): Promise<ReadState | undefined> {
    const key = this.#key
    const fields = ['open', 'ids', 'orders', 'ready', 'emptied']
    const reply = await this.#connection.command('hmget', `${key}:s`, ...fields)
    const [open, ids, orders, ready, emptied] = listIn(reply, key)
    if (open === null) return undefined
    const removed = readIds(emptied, key)

    return {
      ids: numberIn(ids, key),
      orders: readNames(orders, key),
      ready: readNames(ready, key),
      ...(removed && { emptied: removed }),
    }
  }

  async get(id: Id): Promise<VersionedRecord | undefined> {
    const key = recordKey(this.#key, id)
    const text = await this.#connection.command('get', key)
    if (text === null) return undefined
    return this.#connection.records.read(id, textIn(text, key), this.#key)
  }

  /** A part of an index; `undefined` when it is an order that is not made. */
  async part(
    { suffix, by }: Index,
    range: LexRange,
    skip: number,
    limit: number,
  ): Promise<IndexPart | undefined> {
    const { from, to, isReverse } = range
    const [found] = await this.run(PAGE, [
      suffix,
      by ?? '',
      isReverse ? 1 : 0,
      ...[from, to, skip, limit],
    ])
    if (found === undefined) return undefined
    const records = this.#readFound(found)
    const last = records.at(-1)
    const isEnd = !last || records.length < limit

    return { records, ...(!isEnd && { rest: rangeFrom(memberIn(last, by), isReverse) }) }
  }

  /** A part of what a search finds. */
  async search({ groups, by, range, skip, limit }: GroupSearch): Promise<SearchedPart> {
    const { from, to, isReverse } = range
    const [kind, found, last, left] = await this.run(SEARCH, [
      ...(by === undefined ? [ID_INDEX, ''] : [orderIndex(by), by]),
      isReverse ? 1 : 0,
      ...[from, to, skip, limit, groups.length],
      ...groups.flatMap((group) => [group.length, ...group]),
    ])
    if (kind === 'unready' || kind === 'unknown') return { kind, records: [], skip }
    const member = textIn(last, this.#key)

    return {
      kind: kind === 'unsorted' ? kind : 'found',
      records: this.#readFound(found),
      skip: numberIn(left, this.#key),
      ...(member !== '' && { rest: rangeFrom(member, isReverse) }),
    }
  }

  /** How many records are in all indexes of each term, added and subtracted. */
  async count(terms: readonly CountTerm[]): Promise<number> {
    const [count] = await this.run(COUNT, [
      terms.length,
      ...terms.flatMap(({ sign, suffixes }) => [sign, suffixes.length, ...suffixes]),
    ])
    return numberIn(count, this.#key)
  }

  /** How many members an index has. */
  async size(suffix: string): Promise<number> {
    const key = `${this.#key}:${suffix}`
    return numberIn(await this.#connection.command('zcard', key), key)
  }

  /** Replaces the list of the orders that are kept, or of those that are made. Resolves with whether it was as expected. */
  async replaceOrders(
    field: 'orders' | 'ready',
    expected: readonly string[],
    next: readonly string[],
  ): Promise<boolean> {
    const lists = [ordersText(expected), ordersText(next)]
    const [isReplaced] = await this.run(REPLACE_ORDERS, [field, ...lists])
    return isReplaced === 1
  }

  /** Runs a script on the collection. */
  run(script: StoreScript, args: readonly (string | number)[] = []): Promise<readonly unknown[]> {
    return this.#connection.run(script, this.#world, [this.#key, ...args])
  }

  /** The records of a reply: each id is followed by the text of its record. */
  #readFound(found: unknown): readonly VersionedRecord[] {
    const texts = textsIn(found, this.#key)
    return texts.flatMap((text, at) => {
      const next = texts[at + 1] ?? ''
      if (at % 2 === 1) return []
      return this.#connection.records.read(readId(text, this.#key), next, this.#key)
    })
  }
}

/** The member of a record in an index. */
export function memberIn({ id, record }: VersionedRecord, by: string | undefined): string {
  return by === undefined ? memberOf(id) : memberOf(id, sortValue(record ?? {}, by))
}
