import type { FirstState } from '../stored-records.ts'
import { recordText } from './commit-arguments.ts'
import { indexChanges } from './index-members.ts'
import { idText } from './keys.ts'

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
