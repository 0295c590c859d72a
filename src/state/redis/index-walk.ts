import type { VersionedRecord } from '../stored-records.ts'
import type { Index, IndexPart, RedisCollection } from './collection.ts'
import type { LexRange } from './index-ranges.ts'
import { makeOrder } from './make-order.ts'

/** How many records are read at once when not all of them match. */
const BATCH = 200

/** Calls `visit` with the records of an index until it returns `false`. */
export async function walkIndex(
  collection: RedisCollection,
  index: Index,
  start: LexRange,
  visit: (record: VersionedRecord) => boolean,
): Promise<void> {
  let range: LexRange | undefined = start
  while (range) {
    const part: IndexPart = await readPart(collection, index, range, 0, BATCH)
    for (const record of part.records) if (!visit(record)) return
    range = part.rest
  }
}

/** A part of an index. Makes an order that is not made. */
export async function readPart(
  collection: RedisCollection,
  index: Index,
  range: LexRange,
  skip: number,
  limit: number,
): Promise<IndexPart> {
  for (;;) {
    const part = await collection.part(index, range, skip, limit)
    if (part) return part
    await makeOrder(collection, index.by ?? '')
  }
}
