import { MissingCollectionError } from '../missing-collection-error.ts'
import { type IndexPart, memberIn, type RedisCollection } from './collection.ts'
import { ID_INDEX, orderIndex } from './index-members.ts'
import { type LexRange, rangeFrom } from './index-ranges.ts'
import { FILL_ORDER } from './scripts/records.ts'

/** How many records are added to an order at once. */
const BATCH = 500

/**
 * Makes the index of all records in the order of a property. From the first step on, every writer keeps the order, because a
 * commit that does not know it is refused. Then the records that were there before are added, unless they have changed since.
 * Rejects with a MissingCollectionError when the collection is not opened.
 */
export async function makeOrder(collection: RedisCollection, property: string): Promise<void> {
  await addTo(collection, 'orders', property)
  let range: LexRange | undefined = rangeFrom(undefined, false)
  while (range) {
    const part: IndexPart | undefined = await collection.part({ suffix: ID_INDEX }, range, 0, BATCH)
    const { records, rest } = part ?? { records: [], rest: undefined }
    await collection.run(FILL_ORDER, [
      orderIndex(property),
      records.length,
      ...records.flatMap((one) => [JSON.stringify(one.id), one.version, memberIn(one, property)]),
    ])
    range = rest
  }
  await addTo(collection, 'ready', property)
}

async function addTo(
  collection: RedisCollection,
  field: 'orders' | 'ready',
  property: string,
): Promise<void> {
  for (;;) {
    const state = await collection.state()
    if (!state) throw new MissingCollectionError()
    if (state[field].includes(property)) return
    if (await collection.replaceOrders(field, state[field], [...state[field], property])) return
  }
}
