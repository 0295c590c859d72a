import type { StoredRecord } from '../../records/record-table.ts'
import { parametersFor } from '../aliases.ts'
import type { ResourceBinding } from '../bind.ts'
import type { Store } from '../store.ts'
import type { Change, RecordRequest } from './record-request.ts'

type Counting = Pick<Change, 'added' | 'undo'>

/** Where a record is added or removed. */
type CountedPlace = Pick<RecordRequest, 'store' | 'parameters'> & {
  readonly binding: Pick<ResourceBinding, 'resource'>
}

/** The change, with the counts of the record above the collection that follow from it. */
export async function counted<Changed extends Counting>(
  change: Changed,
  { store, parameters, binding: { resource } }: CountedPlace,
): Promise<Changed> {
  const { added = 0 } = change
  const above = added === 0 ? undefined : await store.above(resource, parameters)

  return above ? countedAbove(change, above, { by: resource.counted?.by ?? [], added }) : change
}

/** The change, with the counts of the records above that other paths name. */
export async function countedByAliases(change: Change, request: CountedPlace): Promise<Change> {
  const { store, parameters, binding } = request
  const { added = 0, record, before } = change
  let whole = change
  for (const alias of binding.resource.aliases ?? []) {
    const { at } = alias
    const [from = {}, to = {}] = [before ?? record, record].map((one) =>
      parametersFor(alias, one, parameters),
    )
    const isMoved = before !== undefined && JSON.stringify(from) !== JSON.stringify(to)
    const moves = isMoved
      ? ([
          [from, -1],
          [to, 1],
        ] as const)
      : ([[to, added]] as const)
    for (const [values, count] of moves) {
      const above = count === 0 ? undefined : await store.above(at, values)
      if (above)
        whole = await countedAbove(whole, above, { by: at.counted?.by ?? [], added: count })
    }
  }
  return whole
}

async function countedAbove<Changed extends Counting>(
  change: Changed,
  { records, id }: NonNullable<Awaited<ReturnType<Store['above']>>>,
  { by, added }: { readonly by: readonly string[]; readonly added: number },
): Promise<Changed> {
  let before: StoredRecord | undefined
  const after = await records.update(id, (present) => {
    before = present
    return withCounts(present, by, added)
  })
  if (!after) return change
  return {
    ...change,
    undo: async () => {
      await records.undo(id, before, after)
      await change.undo?.()
    },
  }
}

function withCounts(record: StoredRecord, by: readonly string[], added: number): StoredRecord {
  const counts = by.flatMap((name) => {
    const count = record[name]
    return typeof count === 'number' ? [[name, Math.max(0, count + added)] as const] : []
  })
  return { ...record, ...Object.fromEntries(counts) }
}
