import type { Operation } from '../contract/contract.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import { decodeComponent } from '../contract/parse-text.ts'
import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import type { Id } from '../records/record-table.ts'
import { idOf } from './id-generator.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'

/** What the records above a collection say about it. */
export interface Place {
  /** How often they were removed and created again. */
  readonly generation: number
  /** Whether one is removed, and nothing was created below it since. */
  readonly isGone: boolean
}

/** Tells of the collections above another one, by their paths and the generations of their parents. */
export interface Ancestors {
  /** How often a record was removed, and created again; 0 where there is no such collection. */
  generation(path: string, generation: number, id: string): Awaitable<number>
  /** Whether a collection below a removed record was used since. */
  wasUsed(path: string, generation: number): Awaitable<boolean>
}

/** The place of a collection. `ends` are the numbers of segments after which its path is that of a collection above. */
export function findPlace(
  path: string,
  ends: readonly number[],
  ancestors: Ancestors,
): Awaitable<Place> {
  const segments = path.split('/')
  /** Asks the records above one after the other. */
  const placeFrom = (at: number, { generation, isGone }: Place): Awaitable<Place> => {
    const end = ends[at] ?? segments.length
    const here = segments.slice(0, end).join('/')
    return whenKnown(isGone && ancestors.wasUsed(here, generation), (isBack) => {
      const place = { generation, isGone: isGone && !isBack }
      if (end >= segments.length) return place
      const id = decodeComponent(segments[end] ?? '')
      return whenKnown(ancestors.generation(here, generation, id), (own) =>
        placeFrom(at + 1, {
          generation: generation + own,
          isGone: place.isGone || own % 2 === 1,
        }),
      )
    })
  }
  return placeFrom(0, { generation: 0, isGone: false })
}

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

/** The statuses of what does not exist, and of what existed. */
const MISSING = [404, 410]

/**
 * Whether a collection below a removed record is hidden until something is created there: where the document has a response for
 * that. Else its list must have another answer, which is that of a collection that nobody used.
 */
export function isHiddenBelowRemoved({ operations = [], isSingle }: Resource): boolean {
  const action = isSingle ? 'read' : 'list'
  const shows = operations.find(({ hints }) => hints.action === action)

  return !shows || hasMissing(shows.operation)
}

/** Whether the document has a response for what does not exist. */
export function hasMissing(operation: Operation): boolean {
  return MISSING.some((status) => documentedResponse(operation, status) !== undefined)
}
