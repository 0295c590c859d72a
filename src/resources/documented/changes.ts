import { documentedResponse } from '../../contract/documented-response.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { requiredNames, schemaAt } from '../../contract/schema.ts'
import { problems } from '../../http/problem.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { notFound } from '../behaviour.ts'
import type { ResourceBinding } from '../bind.ts'
import { applyEffect } from '../effects/effects.ts'
import { describeTransition, refusedTransition } from '../effects/transition.ts'
import { idOf } from '../id-generator.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { isMade } from '../record-origin.ts'
import type { Resource } from '../resource.ts'
import { addRecord } from './add-record.ts'
import { presentRecord, requestedId, storedRecord } from './find-record.ts'
import type { Merge } from './merge-values.ts'
import type { Change, RecordRequest } from './record-request.ts'
import { shownOf } from './record-view.ts'
import { chosenId, sentRecord, timesOf, typedId } from './sent-record.ts'

/** Adds a record with what the client sent. What the record shows besides is generated. */
export async function createRecord(request: RecordRequest): Promise<Change> {
  const { admitted, binding, records } = request
  const chosen = usableId(chosenId(admitted, binding), request)
  const present = chosen === undefined ? undefined : await records.get(chosen)
  if (present && isRequired(binding)) return createAgain(request, present)
  const sent = {
    ...(chosen !== undefined && !present && { [binding.resource.id]: chosen }),
    ...sentRecord(admitted, binding),
  }
  try {
    return added(request, await addRecord(request, withEffect(sent, request), admitted.now))
  } catch (error) {
    // Another request may have taken the id since.
    const isTaken = chosen !== undefined && !present && (await records.get(chosen)) !== undefined
    if (!(error instanceof InvalidRecordError && isTaken)) throw error
    return createRecord(request)
  }
}

/** The id that a client chose, unless no path can contain it: then the service chooses another one. */
function usableId(
  chosen: Id | undefined,
  { records: { resource } }: RecordRequest,
): Id | undefined {
  if (chosen === undefined || /\p{Surrogate}/u.test(String(chosen))) return undefined
  if (!resource.ids) return chosen
  return resource.ids.accepts(typedId(String(chosen), resource)) ? chosen : undefined
}

/** Whether clients must choose the ids of new records. Else a record whose id is taken gets another one. */
function isRequired({ operation: { body }, resource, hints }: ResourceBinding): boolean {
  const schema = body && schemaAt(body.schema, hints.body ?? '')
  return schema !== undefined && requiredNames(schema).has(hints.sentId ?? resource.id)
}

function added({ binding, records }: RecordRequest, record: StoredRecord): Change {
  return { record, undo: () => records.undo(idIn(record, binding.resource), undefined, record) }
}

/**
 * A second record with an id that the client chose: a conflict where the document has one, else the record changes. A record that the
 * collection started with changes, too: it may come from the example of the very request.
 */
function createAgain(request: RecordRequest, present: StoredRecord): Promise<Change> {
  const { operation, resource } = request.binding
  const id = idIn(present, resource)
  const problem = problems.conflict(
    `The collection "${resource.name}" already has a record with the id ${id}.`,
  )
  const isConflict = documentedResponse(operation, problem.status) !== undefined

  return changeRecord({ ...request, id: String(id) }, (before, sent) => {
    if (isConflict && isMade(before)) throw problem
    return { ...before, ...sent }
  })
}

/** Makes another record of the present one and of what the client sent. The id stays. */
export async function changeRecord(request: RecordRequest, merge: Merge): Promise<Change> {
  const { admitted, binding, records, view } = request
  const { resource } = binding
  const id = idIn(await storedRecord(request), resource)
  let before: StoredRecord | undefined
  const record = await records.update(id, async (present) => {
    before = present
    refuseTransition(present, binding.hints)
    const shown = { ...(await shownOf(present, view)), ...present }
    const sent = sentRecord(admitted, binding, shown)
    const changed = { ...merge(shown, sent, resource), ...timesOf(resource, admitted.now, false) }
    return withEffect(changed, request)
  })
  if (!record) throw notFound(admitted)

  return { record, undo: () => records.undo(id, before, record) }
}

const CREATED = 201

/** Replaces a record, or adds it when the client chooses ids or the document has a 201. */
export async function replaceRecord(request: RecordRequest, merge: Merge): Promise<Change> {
  const { admitted, binding } = request
  const { operation, resource } = binding
  const id = requestedId(request)
  const hasCreated = operation.responses.some(({ status }) => status === CREATED)
  const isAdded =
    (hasCreated || resource.hasClientIds || resource.isSingle) && !(await presentRecord(request))
  if (!isAdded) return changeRecord(request, merge)
  const values = { ...sentRecord(admitted, binding), [resource.id]: id }
  const change = added(request, await addRecord(request, withEffect(values, request), admitted.now))

  return hasCreated ? { ...change, status: CREATED } : change
}

/** Removes a record. */
export async function removeRecord(request: RecordRequest): Promise<Change> {
  const { binding, records, admitted } = request
  const record = await storedRecord(request)
  refuseTransition(record, binding.hints)
  const id = idIn(record, binding.resource)
  if (!(await records.remove(id))) throw notFound(admitted)

  return { record, undo: () => records.undo(id, record, undefined) }
}

/** A record with what the hints of the operation set, now and later. */
function withEffect(record: StoredRecord, { admitted, binding }: RecordRequest): StoredRecord {
  return applyEffect(record, binding.hints, admitted.now, binding.resource.schema)
}

/** Throws a 409 when the record does not have the values that the operation needs. */
function refuseTransition(record: StoredRecord, { from }: OperationHints): void {
  const refused = refusedTransition(record, from)
  if (refused) throw problems.conflict(describeTransition(refused))
}

/** The id of a stored record. */
export function idIn(record: StoredRecord, { id }: Resource): Id {
  return idOf(record, id) ?? ''
}
