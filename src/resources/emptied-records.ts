import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import type { Id } from '../records/record-table.ts'
import { idOf } from './id-generator.ts'
import type { Records } from './records.ts'

/** The records of a collection, and which of its first records were removed before it was used. */
export interface EmptiedRecords {
  readonly records: Records
  /** The ids of the removed first records; absent when the collection started with them. */
  readonly emptied?: readonly Id[]
}

/** Removes all records, so that their ids count as removed. */
export async function emptied(records: Records): Promise<EmptiedRecords> {
  const { id } = records.resource
  const ids = (await records.page({})).records.map((record) => idOf(record, id) ?? '')
  for (const one of ids) await records.remove(one)

  return { records, emptied: ids }
}

/** Whether a collection has records, or had some that were removed since it was emptied. */
export function wasUsed({ records, emptied: ids = [] }: EmptiedRecords): Awaitable<boolean> {
  return whenKnown(records.count(), (count) => {
    if (count > 0) return true
    return whenKnown(records.snapshot(), ({ removed = [] }) => {
      if (removed.length > ids.length) return true
      const generations = allKnown(ids.map((id) => records.generation(id)))
      return whenKnown(generations, (all) => all.some((generation) => generation > 1))
    })
  })
}
