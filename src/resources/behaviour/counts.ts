import { parsePointer } from '../../contract/schema.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { parametersFor } from '../aliases.ts'
import type { ResourceBinding } from '../bind.ts'
import type { Resource } from '../resource.ts'
import type { Store } from '../store.ts'
import type { Change, RecordRequest } from './record-request.ts'
import { valueAt, withValue } from './service-values.ts'
import { isInState } from './state-values.ts'

type Counting = Pick<Change, 'added' | 'undo'> & Partial<Pick<Change, 'record' | 'before'>>

/** Where a record is added or removed. */
type CountedPlace = Pick<RecordRequest, 'store' | 'parameters'> & {
  readonly binding: Pick<ResourceBinding, 'resource'>
}

/** The change, with the counts of the record above the collection that follow from it. */
export async function counted<Changed extends Counting>(
  change: Changed,
  { store, parameters, binding: { resource } }: CountedPlace,
): Promise<Changed> {
  const by = movedCounts(change, resource)
  const above = by.length === 0 ? undefined : await store.above(resource, parameters)

  return above ? countedAbove(change, above, by) : change
}

/** A count of the record above, and how many more it has after a change. */
type MovedCount = readonly [name: string, added: number]

/** The counts of the record above that a change moves. `added` is how many records the collection has more. */
function movedCounts(
  { record, before, added = 0 }: Counting,
  { counted }: Pick<Resource, 'counted'>,
): readonly MovedCount[] {
  const { by = [], inState = [] } = counted ?? {}
  const [past, present] = [
    added > 0 ? undefined : (before ?? record),
    added < 0 ? undefined : record,
  ]
  const states = inState.map(({ by: name, ...state }): MovedCount => {
    const [was, is] = [past, present].map((one) =>
      Number(one !== undefined && isInState(one, state)),
    )
    return [name, (is ?? 0) - (was ?? 0)]
  })
  const all = [...by.map((name): MovedCount => [name, added]), ...states]

  return all.filter(([, moved]) => moved !== 0)
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
          [from, { record: before, added: -1 }],
          [to, { record, added: 1 }],
        ] as const)
      : ([[to, { ...change, added }]] as const)
    for (const [values, move] of moves) {
      const by = movedCounts(move, at)
      const above = by.length === 0 ? undefined : await store.above(at, values)
      if (above) whole = await countedAbove(whole, above, by)
    }
  }
  return whole
}

async function countedAbove<Changed extends Counting>(
  change: Changed,
  { records, id }: NonNullable<Awaited<ReturnType<Store['above']>>>,
  by: readonly MovedCount[],
): Promise<Changed> {
  let before: StoredRecord | undefined
  const after = await records.update(id, (present) => {
    before = present
    return withCounts(present, by)
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

function withCounts(record: StoredRecord, by: readonly MovedCount[]): StoredRecord {
  let changed = record
  for (const [name, added] of by) {
    const place = name.startsWith('/') ? parsePointer(name) : [name]
    const count = valueAt(changed, place)
    if (typeof count === 'number') changed = withValue(changed, place, Math.max(0, count + added))
  }
  return changed
}
