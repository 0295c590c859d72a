import { UNNAMED, withoutNames } from '../../inference/path-shape.ts'
import type { RecordSelection } from '../../records/selection.ts'
import { type ResourceBinding, resourcesIn } from '../bind.ts'
import { isTrashed, TRASHED } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import { withEffect } from './add-record.ts'
import { changeRecord, refuseTransition } from './changes.ts'
import { storedRecord } from './find-record.ts'
import { mergedKnown } from './merge.ts'
import { type Change, notFound, type RecordRequest } from './record-request.ts'

// A record in the trash is kept with what is below it, and found by the operations on the trash only.

/** The records that an operation is about where some may be in the trash: those there, or the others; `undefined` where none can be. */
export function trashSelection({
  resource,
  hints,
}: Pick<ResourceBinding, 'resource' | 'hints'>): RecordSelection | undefined {
  if (!resource.hidden.has(TRASHED)) return undefined
  return { tests: [{ places: [[TRASHED]], is: 'exists', wanted: [hints.trash === 'shown'] }] }
}

/** Throws the 404 of what is below a record in the trash, until a request adds something there. */
export async function refuseBelowTrash({
  admitted,
  store,
  binding: { resource, action },
  parameters,
}: RecordRequest): Promise<void> {
  if (!(await store.isBelowTrash(resource, parameters))) return
  if (action !== 'create') throw notFound(admitted)
  const start = withoutNames(resource.path)
  const parents = resourcesIn(admitted.service.settings.contract).filter(
    ({ path, hidden }) =>
      hidden.has(TRASHED) && start.startsWith(`${withoutNames(path)}/${UNNAMED}/`),
  )
  await store.useBelowTrash(parents, resource, parameters)
}

/** Moves a record into the trash. */
export async function trashRecord(request: RecordRequest): Promise<Change> {
  const { binding, records, admitted } = request
  const found = await storedRecord(request)
  const { record: before } = found
  refuseTransition(before, request)
  const id = idOf(before, binding.resource.id) ?? ''
  const moved = { ...withEffect(before, request), [TRASHED]: true }
  const record = await records.update(id, () => moved)
  if (!record) throw notFound(admitted)

  return { ...found, record, added: -1, undo: () => records.undo(id, before, record) }
}

/** Performs an action that takes a record out of the trash, where it is there. */
export async function restoreRecord(request: RecordRequest): Promise<Change> {
  const change = await changeRecord(request, (before, sent, resource) => {
    const merging = mergedKnown(before, sent, resource)
    if (!isTrashed(merging, resource)) return merging
    const { [TRASHED]: _, ...restored } = merging
    return restored
  })
  const { before } = change
  return before && isTrashed(before, request.binding.resource) ? { ...change, added: 1 } : change
}
