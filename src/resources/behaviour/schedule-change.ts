import type { Id } from '../../records/record-table.ts'
import { type Duration, delayOf } from '../../time/duration.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { requireCollection } from '../bind.ts'
import { pendingOf, withPending } from '../effects.ts'
import type { Resource } from '../resource.ts'
import { hasLaterChanges, settleDue } from '../store/settle.ts'
import { checkScheduled } from './check-collection.ts'
import { type CollectionOwner, unknownRecord } from './record-collection.ts'

/** A change of a record that happens some time later. It is plain data, so that it lasts through restarts and in a store. */
export interface ScheduledChange {
  /** The name or path of the collection, as in `records`. Its path needs the hint `later: true`. */
  readonly in: string
  /** The id of the record. */
  readonly id: number | string
  /** The values that the record gets, as in hints: `'{now}'` is the time then, `'{absent}'` no value. Objects are merged. */
  readonly set: Readonly<Record<string, unknown>>
  /** The values that the record must still have then, or nothing happens: one value or a list of them for each property. */
  readonly from?: Readonly<Record<string, unknown>>
}

/**
 * Notes a change in its record, which happens when the time has come. Rejects with a UsageError for an unknown collection, record or
 * property, for a value that the property cannot have, and for a collection without later changes.
 */
export async function scheduleChange(
  owner: CollectionOwner,
  delay: Duration,
  { in: path, id, set, from }: ScheduledChange,
): Promise<void> {
  const { resource, parameters } = requireCollection(path, owner.service.settings.contract)
  const now = owner.now()
  const at = now + delayOf(delay)
  if (!hasLaterChanges(resource)) throw noLaterChanges(resource)
  checkScheduled({ set, from }, resource)
  const store = await owner.openStore()
  const records = await store.open(resource, await store.locate(resource, parameters))
  await settleDue(records, store, now, owner.tell)
  const change = { at, set, ...(from && { from }) }
  const known: Id = id
  const record = await records.update(known, (before) =>
    withPending(before, [...pendingOf(before), change]),
  )
  if (!record) throw unknownRecord(known, resource)
}

function noLaterChanges({ name, path }: Resource): UsageError {
  return new UsageError({
    code: 'no_later_changes',
    task: `schedule a change of ${name}`,
    reason: 'nothing says that its records change later',
    help: `Add the hint later to ${decodeURI(path)}: x-sandbox: { later: true }.`,
  })
}
