import type { Id, StoredRecord } from '../../records/record-table.ts'
import { getOwn } from '../../validation/objects.ts'
import { collectionName, type PathValues } from '../collection-name.ts'
import { idOf } from '../id-generator.ts'
import type { Alias, Resource } from '../resource.ts'
import { withBound } from '../views/aliases.ts'
import { valueAt } from '../views/service-values.ts'

/** The records above those that a collection starts with, where other paths show these below them. */
export interface BoundParents {
  /** How many records there must be at least, so that each of the others has one; `undefined` when these say how many there are. */
  readonly least: number
  /** How many records there are, as the others say; `undefined` when they do not. */
  readonly count: number | undefined
  /** A record as one below others, by its place among the first ones. */
  readonly bind: (record: StoredRecord, at: number) => StoredRecord
}

/** A record above others, by the number of the place that it has among these. */
type RecordsAbove = readonly (readonly [alias: Alias, ids: readonly unknown[]])[]

/** The most first records of a collection that are below others. Those below further ones are created when they are needed. */
const MOST = 50

/** A record above others: its id, and the numbers in it, which may say how many are below it. */
export interface ParentRecord {
  readonly id: Id
  readonly numbers: Readonly<Record<string, number>>
}

/** What is needed of the first records of a collection above others. */
export function parentRecords(
  rows: readonly StoredRecord[],
  { id: property }: Resource,
): readonly ParentRecord[] {
  return rows.flatMap((row) => {
    const id = idOf(row, property)
    const numbers = Object.entries(row).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    )
    return id === undefined ? [] : [{ id, numbers: Object.fromEntries(numbers) }]
  })
}

/** Finds the records above the first ones of a collection. `firstOf` finds those with which a collection starts. */
export async function boundParents(
  { aliases = [], path }: Resource,
  own: PathValues,
  firstOf: (
    resource: Resource,
    name: string,
    parameters: PathValues,
  ) => Promise<readonly ParentRecord[]>,
): Promise<BoundParents | undefined> {
  const turns: (readonly [Alias, readonly unknown[]])[] = []
  let count: number | undefined
  let least = 0
  for (const alias of aliases) {
    const above = alias.above()
    // Of records deeper below others, it is not known which of these exist.
    if (!above || alias.by.length > 1 || above.path === path) continue
    const shared = Object.fromEntries(
      (above.parents ?? []).map((name, at) => {
        const [ownName = ''] = alias.own[at] ?? []
        return [name, own[ownName]] as const
      }),
    )
    const parents = await firstOf(above, collectionName(above, shared), shared)
    const counter = alias.at.counted?.by[0]
    const counts = parents.map(({ numbers }) =>
      counter === undefined ? undefined : getOwn(numbers, counter),
    )
    const isCounted = count === undefined && counts.some((one) => one !== undefined)
    const ids = parents.map(({ id }) => id)
    if (ids.length === 0) continue
    const turn = isCounted ? countedTurn(ids, counts) : ids
    if (isCounted) count = turn.length
    else least = Math.max(least, Math.min(ids.length, MOST))
    turns.push([alias, turn])
  }

  return turns.length === 0 ? undefined : { least, count, bind: bindTo(turns) }
}

/** Each id as often as its record says that there are others below it. */
function countedTurn(ids: readonly unknown[], counts: readonly unknown[]): readonly unknown[] {
  const turn: unknown[] = []
  for (const [at, id] of ids.entries()) {
    const count = counts[at]
    if (typeof count !== 'number' || turn.length + count > MOST) break
    turn.push(...Array<unknown>(count).fill(id))
  }
  return turn
}

function bindTo(turns: RecordsAbove): BoundParents['bind'] {
  return (record, at) =>
    turns.reduce(
      (
        bound,
        [
          {
            by: [binding],
          },
          ids,
        ],
      ) => {
        const id = ids[at % ids.length]
        const [name, ...inner] = binding?.place ?? ['']
        // An object that a record does not have says nothing of the record above.
        const list = name !== undefined && binding?.isListed ? bound[name] : undefined
        const isOpen =
          inner.length === 0 ||
          Array.isArray(list) ||
          valueAt(bound, [name, ...inner]) !== undefined
        return binding && id !== undefined && isOpen
          ? withBound(bound, binding, id, { isFirst: true })
          : bound
      },
      record,
    )
}
