import { nestedSchema } from '../../contract/bracket-names.ts'
import type { Operation } from '../../contract/contract.ts'
import { chooseResponse, documentedResponse } from '../../contract/documented-response.ts'
import {
  parsePointer,
  propertiesOf,
  readOnlyNames,
  recordSchemaAt,
  requiredNames,
} from '../../contract/schema.ts'
import { Problem, problems } from '../../http/problem.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { digitsOf } from '../../validation/large-integers.ts'
import { areEqual } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { describeTransition, hasEffect, refusedTransition } from '../effects.ts'
import { withoutHidden } from '../hidden-properties.ts'
import { idOf, typedId } from '../id-generator.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { keyTexts, shownId } from '../keys.ts'
import { hasMarks, isMade } from '../record-origin.ts'
import { parentValues } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import { hasMissing } from '../store/below-removed.ts'
import { inPart, removeBelow } from '../views/aliases.ts'
import { shownOf } from '../views/record-view.ts'
import {
  hasSlugs,
  keptByService,
  serviceValues,
  withServiceValuesInside,
} from '../views/service-values.ts'
import { addRecord, effectHints, referring, withEffect, withOwnStates } from './add-record.ts'
import { fileValues, keptContent } from './file-content.ts'
import { findRecord, presentRecord, requestedId, storedRecord } from './find-record.ts'
import { type Merge, merged, replaced } from './merge.ts'
import { type Change, notFound, type RecordRequest } from './record-request.ts'
import { recordNamed, renamed } from './rename.ts'
import { presentTwin, requestKey } from './repeated-request.ts'
import { chosenId, sentPlace, sentRecord } from './sent-record.ts'
import { slugId } from './slugs.ts'
import { refuseTaken } from './unique-values.ts'

/**
 * Adds a record with what the client sent. What the record shows besides is generated, or that of the record which its path names. A
 * record that the collection started with gives way to it: it may come from the example of the very request.
 */
export async function createRecord(request: RecordRequest): Promise<Change> {
  const { admitted, binding } = request
  const said = sentRecord(admitted, binding)
  const own = { ...(await valuesBeside(request)), ...said, ...requestKey(request) }
  const twin = presentTwin(request, own)

  return (twin && (await twin)) ?? createWith(own, request)
}

/** Adds a record with these values of the client and of what the request copies. */
async function createWith(own: StoredRecord, request: RecordRequest): Promise<Change> {
  const { admitted, binding, records } = request
  const { id } = binding.resource
  const chosen = usableId(chosenId(admitted, binding), request)
  const named = chosen ?? (hasSlugs(binding.resource) ? slugId(own, binding.resource) : undefined)
  const found =
    named === undefined ? await recordWithKey(own, request) : await recordNamed(named, records)
  const isNew = !found || isMade(found)
  if (found && isNew && chosen !== undefined) throw takenId(found, binding)
  const present = isNew ? undefined : found
  const known = present?.[id] ?? chosen
  const sent = { ...(known !== undefined && { [id]: known }), ...own }
  try {
    const values = newValues(sent, request)
    return added(request, await addRecord(request, values, admitted.now, present), present)
  } catch (error) {
    // Another request may have taken the id since.
    const isTaken = chosen !== undefined && (await records.get(chosen)) !== present
    if (!(error instanceof InvalidRecordError && isTaken)) throw error
    return createRecord(request)
  }
}

/** What a new record has besides what the body of its request says: of the record that it copies, and of a file. */
async function valuesBeside(request: RecordRequest): Promise<StoredRecord> {
  const { id, admitted, binding } = request
  const { files } = admitted.input
  const copied = id === undefined ? {} : await copiedValues(request)
  if (!files) return copied
  const values = { ...copied, ...fileValues(files, binding.resource) }
  return binding.hints.content ? { ...values, ...keptContent(files) } : values
}

/** What a copy has of the record that its path names: what clients may send, and what no rule says of new records; no keys. */
async function copiedValues(request: RecordRequest): Promise<StoredRecord> {
  const { resource } = request.binding
  const { id, keys = [], values = {}, schema, sent = [] } = resource
  const { record } = await findRecord(request)
  const isSent = (name: string): boolean => sent.some((one) => propertiesOf(one).has(name))
  const isService = new Set([...Object.keys(values), ...readOnlyNames(schema)])
  const copied = Object.entries(withoutHidden(record, resource)).filter(
    ([name]) => ![id, ...keys].includes(name) && (isSent(name) || !isService.has(name)),
  )
  return Object.fromEntries(copied)
}

/**
 * The first record that has a further key of a new one, such as its `slug`: it gives way, as it may come from the example of the very
 * request. Further keys that requests have given are unique by a hint only.
 */
async function recordWithKey(
  own: StoredRecord,
  { binding, records }: RecordRequest,
): Promise<StoredRecord | undefined> {
  // Elsewhere, nobody knows which records the collection started with.
  if (!hasMarks(binding.resource)) return undefined
  for (const text of keyTexts(own, binding.resource)) {
    const id = await records.idNamed(text)
    const found = id === text ? undefined : await records.get(id)
    if (found && !isMade(found)) return found
  }
  return undefined
}

/** Changes the record that a creation names, or adds one with this id. */
export async function createOrChangeRecord(request: RecordRequest): Promise<Change> {
  const { admitted, binding } = request
  const { resource, operation } = binding
  if (await presentRecord(request))
    return changePresent(request, operation.method === 'PUT' ? replaced : merged)
  const id = isNamedById(binding) ? usableId(requestedId(request), request) : undefined
  if (id === undefined) return asCreated(await createRecord(withoutId(request)), operation)
  const values = newValues({ ...sentRecord(admitted, binding), [resource.id]: id }, request)

  return asCreated(added(request, await addRecord(request, values, admitted.now)), operation)
}

/** Whether a request names its record by the id, and not by another property that tells records apart, such as `email`. */
function isNamedById({ hints: { ids = '' }, resource: { keys = [] } }: ResourceBinding): boolean {
  return !keys.includes(parsePointer(ids).at(-1) ?? '')
}

/** A request that names no record. */
function withoutId({ id: _, ...request }: RecordRequest): RecordRequest {
  return request
}

/** The statuses that documents have for an id that is taken, the most precise first. */
const TAKEN = [409, 422, 400]

/** The refusal of an id that somebody has set before: a conflict, as far as the document has one. */
function takenId(present: StoredRecord, binding: ResourceBinding): Problem {
  const { operation, resource } = binding
  const conflict = problems.conflict(
    `The collection "${resource.name}" already has a record with the id ${digitsOf(String(shownId(present, resource)))}.`,
  )
  const status = TAKEN.find((one) => documentedResponse(operation, one) !== undefined)

  return new Problem(
    status ?? conflict.status,
    conflict.code,
    conflict.message,
    {},
    { conflict: sentPlace(resource.id, binding) },
  )
}

/**
 * The id that a client chose, unless no path can contain it, or it is the empty value that typed clients send for what they need not set:
 * then the service chooses another one.
 */
function usableId(
  chosen: Id | undefined,
  { binding, records: { resource } }: RecordRequest,
): Id | undefined {
  const isUnset = chosen === '' ? !isRequired(binding) : chosen === 0 && mayBeUnset(binding)
  if (isUnset) return undefined
  if (chosen === undefined || /\p{Surrogate}/u.test(digitsOf(String(chosen)))) return undefined
  if (!resource.ids) return chosen
  return resource.ids.accepts(typedId(String(chosen), resource)) ? chosen : undefined
}

/** Whether a 0 may stand for no id: a required `id` counts from 1, but the `number` of a floor may be 0. */
function mayBeUnset(binding: ResourceBinding): boolean {
  const name = binding.hints.sentId ?? binding.resource.id
  return !isRequired(binding) || /^id$|_id$/i.test(name) || /[a-z]I[dD]$/.test(name)
}

/** Whether clients must choose the ids of new records. */
function isRequired({ operation: { body }, resource, hints }: ResourceBinding): boolean {
  const schema = body && recordSchemaAt(nestedSchema(body.schema), hints.body)
  return schema !== undefined && requiredNames(schema).has(hints.sentId ?? resource.id)
}

function added(
  { binding, records }: RecordRequest,
  record: StoredRecord,
  before?: StoredRecord,
): Change {
  const id = idIn(record, binding.resource)
  const undo = async (): Promise<void> => {
    await records.undo(id, undefined, record)
    if (before) await records.undo(id, before, undefined)
  }
  return { record, ...(!before && { added: 1 }), undo }
}

/** Makes another record of the present one and of what the client sent. The id stays. */
export async function changeRecord(request: RecordRequest, merge: Merge): Promise<Change> {
  const { admitted, binding, records, view } = request
  const { resource } = binding
  const found = await storedRecord(request)
  const id = idIn(found.record, resource)
  let before: StoredRecord | undefined
  let isSame: boolean | undefined
  const record = await records.update(id, async (present) => {
    before = present
    refuseTransition(present, request)
    const shown = { ...(await shownOf(present, view)), ...present }
    const sent = await referring(sentRecord(admitted, binding, shown), request, {
      isChange: true,
    })
    const service = { now: admitted.now, isNew: false, before: shown }
    const merging = merge(shown, sent, resource)
    const next = keptByService(shown, merging, binding)
    isSame = merging === shown && isDone(shown, request)
    if (isSame) return present
    if (saysNothingNew(shown, merging, request)) return present
    const changed = { ...next, ...serviceValues(resource, service), ...sentParents(sent, request) }
    const whole = withServiceValuesInside(changed, sent, resource, service)
    const own = await renamed(request.part ? inPart(whole, request.part) : whole, request)
    const change = { before: shown, sent, now: admitted.now }
    const effected = await withOwnStates(withEffect(own, request, shown), change, request)
    if (resource.unique) await refuseTaken(effected, request)
    return effected
  })
  if (!record) throw notFound(admitted)

  const undo = (): Promise<void> => records.undo(id, before, record)

  const isUnmodified =
    isSame === true && binding.operation.responses.some(({ status }) => status === NOT_MODIFIED)

  return {
    ...{ ...found, record, undo },
    ...(before && { before }),
    ...(isUnmodified && { status: NOT_MODIFIED }),
  }
}

/** What some documents have for an action that was done before, such as a start of what is running. */
const NOT_MODIFIED = 304

/** The values of the parents in the path, for those that a change names. */
function sentParents(
  sent: StoredRecord,
  { records: { resource }, parameters }: RecordRequest,
): StoredRecord {
  if (!resource.parents) return {}
  const own = Object.entries(parentValues(resource, parameters))
  return Object.fromEntries(own.filter(([name]) => Object.hasOwn(sent, name)))
}

const CREATED = 201

/** Changes a record, or adds it when the client chooses ids or the document has a 201. */
export async function changeOrAddRecord(request: RecordRequest, merge: Merge): Promise<Change> {
  const { admitted, binding } = request
  const { operation, resource } = binding
  const id = requestedId(request)
  const isAdded =
    (hasCreated(operation) || resource.hasClientIds || resource.isSingle) &&
    !(await presentRecord(request))
  if (!isAdded) return changePresent(request, merge)
  const values = { ...sentRecord(admitted, binding), [resource.id]: id }
  const record = await addRecord(request, newValues(values, request), admitted.now)

  return asCreated(added(request, record), operation)
}

/** An addition by an operation that can also change a record: its status is 201 where the document has one. */
function asCreated(change: Change, operation: Operation): Change {
  return hasCreated(operation) ? { ...change, status: CREATED } : change
}

function hasCreated({ responses }: Operation): boolean {
  return responses.some(({ status }) => status === CREATED)
}

/** Whether an operation on a record adds it where there is none: a PUT may, and a POST by which clients choose its id. */
export function mayAdd({ operation, resource }: ResourceBinding): boolean {
  const isPosted = operation.method === 'POST' && resource.hasClientIds === true
  const isAlways = hasCreated(operation) || !hasMissing(operation)
  return operation.method === 'PUT' || (isPosted && isAlways)
}

/** Changes a record by an operation that could have added it: its response is not a 201 where the document has another one. */
async function changePresent(request: RecordRequest, merge: Merge): Promise<Change> {
  const change = await changeRecord(request, merge)
  const { operation } = request.binding
  if (chooseResponse(operation).status !== CREATED) return change
  const status = operation.responses
    .map((one) => one.status)
    .find((one) => one !== CREATED && one >= 200 && one < 300)

  return status === undefined ? change : { status, ...change }
}

/** Removes a record. */
export async function removeRecord(request: RecordRequest): Promise<Change> {
  const { binding, records, admitted, parameters, store } = request
  const found = await storedRecord(request)
  const { record } = found
  refuseTransition(record, request)
  const id = idIn(record, binding.resource)
  if (!(await records.remove(id))) throw notFound(admitted)
  const undoBelow = await removeBelow(binding.resource, { parameters, record, store })

  return {
    ...found,
    record: withEffect(record, request),
    // A record that was made for this request was not counted.
    ...(found.source !== 'invented' && { added: -1 }),
    undo: async () => {
      await records.undo(id, record, undefined)
      await undoBelow()
    },
  }
}

/** The values of a new record. What depends on the record, such as its id, is set when it is complete. */
function newValues(values: StoredRecord, request: RecordRequest): StoredRecord {
  request.scope?.refuse(values)
  return request.scope ? values : withEffect(values, request)
}

/** Whether an action changes nothing, because the record has been through it. */
function isDone(record: StoredRecord, request: RecordRequest): boolean {
  const { action, hints } = request.binding
  if (action !== 'act' || hints.set === undefined || hints.after) return false
  return hasEffect(record, effectHints(record, request).set ?? {})
}

/** Whether the body of an action has what the record has already, and nothing else happens. */
function saysNothingNew(
  before: StoredRecord,
  merging: StoredRecord,
  { binding: { action, hints } }: RecordRequest,
): boolean {
  const isPlain = action === 'act' && !(hints.set || hints.after || hints.list)
  return isPlain && merging !== before && areEqual(merging, before)
}

/** Throws a 409 when the record does not have the values that the operation needs, or the refusal of another condition. */
export function refuseTransition(record: StoredRecord, request: RecordRequest): void {
  const refused = refusedTransition(record, request.binding.hints.from)
  if (refused) throw problems.conflict(describeTransition(refused))
  request.scope?.refuse(record)
}

/** The id of a stored record. */
function idIn(record: StoredRecord, { id }: Resource): Id {
  return idOf(record, id) ?? ''
}
