import type { FirstState, RecordWrite } from '../records/stored-records.ts'
import { indexChanges } from './indexes.ts'
import { collectionPart, idText } from './keys.ts'
import { accountText, ruleText } from './stored-texts.ts'
import type { Commit, Replacement } from './world-store.ts'

type Arguments = (string | number)[]

/** How many entries of a journal are kept, however small it is: those that follow it read some at once. */
const MIN_ENTRIES = 200

/** The arguments of the script `commit`, in the order in which it takes them. */
export function commitArguments(commit: Commit): Arguments {
  const { clock, random, exchange } = commit
  const { ruleCounts = [], records = [], ids = [], happened = [] } = commit
  const collections = [...new Map(records.map((write) => [write.collection, write])).values()]
  const places = new Map(collections.map(({ collection }, at) => [collection, at + 1]))

  return [
    commit.epoch,
    commit.version ?? '',
    commit.text ?? '',
    clock?.offset ?? '',
    clock?.frozenAt ?? '',
    random ?? '',
    ...replacements(commit.accounts, String, accountText),
    ...replacements(commit.rules, String, ruleText),
    ruleCounts.length,
    ...ruleCounts.flatMap(({ rule, matched, forced }) => [rule, matched, forced]),
    collections.length,
    ...collections.flatMap(({ collection, orders }) => [
      collectionPart(collection),
      ordersText(orders),
    ]),
    ids.length,
    ...ids.flatMap(({ collection, from, to }) => [collectionPart(collection), from, to]),
    records.length,
    ...records.flatMap((write) => [places.get(write.collection) ?? 0, ...recordArguments(write)]),
    exchange?.text ?? '',
    Math.max(exchange?.size ?? 0, MIN_ENTRIES),
    commit.isFollowed === false ? 1 : 0,
    commit.follows ? 1 : 0,
    happened.length,
    ...happened,
  ]
}

/** The text of the properties by which a collection has a sorted list, in the state of the collection. */
export function ordersText(orders: readonly string[]): string {
  return JSON.stringify(orders)
}

/** The text of a record behind its version. */
function recordText(generation: number, record: RecordWrite['after']): string {
  return `${generation} ${record ? JSON.stringify(record) : ''}`
}

function recordArguments(write: RecordWrite): Arguments {
  const changes = indexChanges(write)
  return [
    idText(write.id),
    write.version,
    recordText(write.generation, write.after),
    changes.length,
    ...changes.flatMap(({ suffix, member, isAdded }) => [suffix, member, isAdded ? 1 : 0]),
  ]
}

function replacements<Key, Value>(
  list: readonly Replacement<Key, Value>[] = [],
  keyText: (key: Key) => string,
  valueText: (value: Value | undefined) => string,
): Arguments {
  return [
    list.length,
    ...list.flatMap(({ key, before, after }) => [
      keyText(key),
      valueText(before),
      valueText(after),
    ]),
  ]
}

/** How many first records are written at once. */
const BATCH = 200

/** The arguments of the scripts that write first records, in batches. */
export function firstArguments({
  rows,
  removed,
  filters,
  orders = [],
}: FirstState): readonly (readonly (string | number)[])[] {
  const writes = [
    ...rows.map(({ id, record, generation = 0 }) => ({ id, generation, after: record })),
    ...removed.map(({ id, generation }) => ({ id, generation, after: undefined })),
  ]
  const all = writes.map(({ id, generation, after }) => {
    const write = { collection: '', id, version: '', generation, before: undefined, after }
    const changes = indexChanges({ ...write, filters, orders })
    return [
      idText(id),
      recordText(generation, after),
      changes.length,
      ...changes.flatMap(({ suffix, member }) => [suffix, member]),
    ]
  })
  const batches: (string | number)[][] = []
  for (let at = 0; at < all.length; at += BATCH) {
    const batch = all.slice(at, at + BATCH)
    batches.push([batch.length, ...batch.flat()])
  }
  return batches
}
