import { parsePointer } from '../../contract/schema.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { ResourceBinding } from '../bind.ts'
import type { Resource } from '../resource.ts'
import type { Store } from '../store/store.ts'
import { parametersFor } from '../views/aliases.ts'
import type { ViewContext } from '../views/record-view.ts'
import { valueAt, withValue } from '../views/service-values.ts'
import { type Listing, listing } from './listed-below.ts'
import type { Change, RecordRequest } from './record-request.ts'
import { isInState } from './state-values.ts'

type Counting = Pick<Change, 'added' | 'undo'> &
  Partial<Pick<Change, 'record' | 'before'>> & {
    /** The records, of a change of several. */
    readonly records?: readonly StoredRecord[]
  }

/** Where a record is added, changed or removed. */
type CountedPlace = Pick<RecordRequest, 'store' | 'parameters'> & {
  readonly binding: Pick<ResourceBinding, 'resource'>
  readonly view: Pick<ViewContext, 'collection' | 'service' | 'base'>
}

/** The change, with what follows from it in the record above the collection: counts of its records, and lists of them. */
export async function counted<Changed extends Counting>(
  change: Changed,
  place: CountedPlace,
): Promise<Changed> {
  const { store, parameters, binding } = place
  const moved = await movedAbove(change, binding.resource, place)
  const above = isMoved(moved) ? await store.above(binding.resource, parameters) : undefined

  return above ? countedAbove(change, above, moved) : change
}

/** What a change moves in the record above. */
interface Moved {
  readonly counts: readonly MovedCount[]
  /** Changes the lists of the records; absent where none changes. */
  readonly list?: Listing | undefined
}

function isMoved({ counts, list }: Moved): boolean {
  return counts.length > 0 || list !== undefined
}

async function movedAbove(
  change: Counting,
  { counted }: Pick<Resource, 'counted'>,
  place: CountedPlace,
): Promise<Moved> {
  const counts = movedCounts(change, counted)
  if (!counted?.listed) return { counts }
  const { record, records = record ? [record] : [] } = change
  const { resource } = place.binding

  return {
    counts,
    list: await listing(records, change, counted.listed, { ...place.view, resource }),
  }
}

/** A count of the record above, and how many more it has after a change. */
type MovedCount = readonly [name: string, added: number]

/** The counts of the record above that a change moves. `added` is how many records the collection has more. */
function movedCounts(
  { record, before, added = 0 }: Counting,
  { by = [], inState = [] }: Partial<Pick<NonNullable<Resource['counted']>, 'by' | 'inState'>> = {},
): readonly MovedCount[] {
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

/** The change, with what follows from it in the records above that other paths name. */
export async function countedByAliases(change: Change, request: CountedPlace): Promise<Change> {
  const { store, parameters, binding } = request
  const { added = 0, record, before } = change
  let whole = change
  for (const alias of binding.resource.aliases ?? []) {
    const { at } = alias
    const [from = {}, to = {}] = [before ?? record, record].map((one) =>
      parametersFor(alias, one, parameters),
    )
    const isElsewhere = before !== undefined && JSON.stringify(from) !== JSON.stringify(to)
    const moves = isElsewhere
      ? ([
          [from, { record: before, added: -1 }],
          [to, { record, added: 1 }],
        ] as const)
      : ([[to, { ...change, added }]] as const)
    for (const [values, move] of moves) {
      const moved = await movedAbove(move, at, request)
      const above = isMoved(moved) ? await store.above(at, values) : undefined
      if (above) whole = await countedAbove(whole, above, moved)
    }
  }
  return whole
}

async function countedAbove<Changed extends Counting>(
  change: Changed,
  { records, id }: NonNullable<Awaited<ReturnType<Store['above']>>>,
  moved: Moved,
): Promise<Changed> {
  let before: StoredRecord | undefined
  const after = await records.update(id, (present) => {
    before = present
    const counting = withCounts(present, moved.counts)
    return moved.list?.(counting, records.resource) ?? counting
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
