import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import { idOf } from '../id-generator.ts'
import { keyTexts } from '../keys.ts'
import { canGrow, type Resource } from '../resource.ts'
import type { EmptiedRecords } from './collections.ts'
import type { Records } from './records.ts'

/** Removes all records, so that their ids count as removed. */
export async function emptied(records: Records): Promise<EmptiedRecords> {
  const { id } = records.resource
  const { records: all } = await records.page({})
  const ids = all.map((record) => idOf(record, id) ?? '')
  for (const one of ids) await records.remove(one)
  const keys = new Set(all.flatMap((record) => keyTexts(record, records.resource)))

  return { records, emptied: [...ids, ...keys] }
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
 * that, and where requests can add records, so that the list is empty. Else its list is that of a collection that nobody used.
 */
export function isHiddenBelowRemoved(resource: Resource): boolean {
  const { operations = [], isSingle } = resource
  if (canGrow(resource)) return true
  const action = isSingle ? 'read' : 'list'
  const shows = operations.find(({ hints }) => hints.action === action)

  return !shows || hasMissing(shows.operation)
}

/** Whether the document has a response for what does not exist, or its hints say how it is answered. */
export function hasMissing(operation: Operation): boolean {
  if (operation.hints?.failures) return true
  return MISSING.some((status) => documentedResponse(operation, status) !== undefined)
}
