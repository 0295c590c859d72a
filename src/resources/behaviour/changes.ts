import { nestedSchema } from '../../contract/bracket-names.ts'
import type { Operation, Schema } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { normalize } from '../../contract/normalize.ts'
import { propertiesOf, recordSchemaAt, requiredNames, withBranches } from '../../contract/schema.ts'
import { areEqual } from '../../generate/matches.ts'
import { Problem, problems } from '../../http/problem.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import { type Awaitable, bothKnown, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { type AnsweringService, generationTime } from '../../responses/answering-service.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import { aliasAt, inPart, isInPart, parametersFor, removeBelow } from '../aliases.ts'
import { hasMissing } from '../below-removed.ts'
import type { ResourceBinding } from '../bind.ts'
import {
  applyEffect,
  describeTransition,
  hasEffect,
  refusedTransition,
} from '../effects/effects.ts'
import { ADDED } from '../effects/hidden-properties.ts'
import { idOf, typedId } from '../id-generator.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { keyNumbers } from '../keys.ts'
import { isMade } from '../record-origin.ts'
import type { Records } from '../records.ts'
import { parentValues, withParentObjects } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import type { Store } from '../store.ts'
import { callerValues } from './caller-record.ts'
import {
  type AdmittedRequest,
  type Change,
  isBelowRemoved,
  notFound,
  type RecordRequest,
} from './record-request.ts'
import { firstViewOf, shownOf } from './record-view.ts'
import { chosenId, sentRecord } from './sent-record.ts'
import {
  keptByService,
  serviceNames,
  serviceValues,
  withServiceValuesInside,
} from './service-values.ts'

/**
 * Adds a record with what the client sent. What the record shows besides is generated. A record that the collection started with
 * gives way to it: it may come from the example of the very request.
 */
export async function createRecord(request: RecordRequest): Promise<Change> {
  const { admitted, binding, records } = request
  const { id } = binding.resource
  const chosen = usableId(chosenId(admitted, binding), request)
  const present = chosen === undefined ? undefined : await records.get(chosen)
  if (present && isMade(present)) throw takenId(present, binding)
  const sent = {
    ...(chosen !== undefined && { [id]: present?.[id] ?? chosen }),
    ...sentRecord(admitted, binding),
  }
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

/** Changes the record that a creation names, or adds one with this id. */
export async function createOrChangeRecord(request: RecordRequest): Promise<Change> {
  const { admitted, binding } = request
  const { resource, operation } = binding
  if (await presentRecord(request))
    return changeRecord(request, operation.method === 'PUT' ? replaced : merged)
  const id = usableId(requestedId(request), request)
  if (id === undefined) return createRecord(request)
  const values = newValues({ ...sentRecord(admitted, binding), [resource.id]: id }, request)

  return added(request, await addRecord(request, values, admitted.now))
}

/** The statuses that documents have for an id that is taken, the most precise first. */
const TAKEN = [409, 422, 400]

/** The refusal of an id that somebody has set before: a conflict, as far as the document has one. */
function takenId(present: StoredRecord, { operation, resource }: ResourceBinding): Problem {
  const conflict = problems.conflict(
    `The collection "${resource.name}" already has a record with the id ${idIn(present, resource)}.`,
  )
  const status = TAKEN.find((one) => documentedResponse(operation, one) !== undefined)

  return status === undefined || status === conflict.status
    ? conflict
    : new Problem(status, conflict.code, conflict.message)
}

/**
 * The id that a client chose, unless no path can contain it, or it is the empty value that typed clients send for what they need not set:
 * then the service chooses another one.
 */
function usableId(
  chosen: Id | undefined,
  { binding, records: { resource } }: RecordRequest,
): Id | undefined {
  if ((chosen === 0 || chosen === '') && !isRequired(binding)) return undefined
  if (chosen === undefined || /\p{Surrogate}/u.test(String(chosen))) return undefined
  if (!resource.ids) return chosen
  return resource.ids.accepts(typedId(String(chosen), resource)) ? chosen : undefined
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
    if (merging === shown && isDone(shown, request)) return present
    if (saysNothingNew(shown, merging, request)) return present
    const changed = { ...next, ...serviceValues(resource, service), ...sentParents(sent, request) }
    const whole = withServiceValuesInside(changed, sent, resource, service)
    const effected = withEffect(request.part ? inPart(whole, request.part) : whole, request)
    if (resource.unique) await refuseTaken(effected, request)
    return effected
  })
  if (!record) throw notFound(admitted)

  const undo = (): Promise<void> => records.undo(id, before, record)

  return { ...found, record, ...(before && { before }), undo }
}

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
  const hasCreated = operation.responses.some(({ status }) => status === CREATED)
  const isAdded =
    (hasCreated || resource.hasClientIds || resource.isSingle) && !(await presentRecord(request))
  if (!isAdded) return changeRecord(request, merge)
  const values = { ...sentRecord(admitted, binding), [resource.id]: id }
  const change = added(request, await addRecord(request, newValues(values, request), admitted.now))

  return hasCreated ? { ...change, status: CREATED } : change
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
      await undoBelow?.()
    },
  }
}

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

/** A record with what the hints of the operation set, now and later. */
function withEffect(record: StoredRecord, request: RecordRequest): StoredRecord {
  const { admitted, binding } = request
  return applyEffect(record, effectHints(record, request), admitted.now, binding.resource.schema)
}

function effectHints(
  record: StoredRecord,
  { scope, binding }: RecordRequest,
): Pick<OperationHints, 'set' | 'after'> {
  return scope ? scope.effectsOn(record) : binding.hints
}

/** Rejects with the refusal of a value that no two records may have. */
async function refuseTaken(record: StoredRecord, place: RecordPlace): Promise<void> {
  const { refuseTaken: refuse } = await import('./operation-scope.ts')
  await refuse(record, place)
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
function refuseTransition(record: StoredRecord, request: RecordRequest): void {
  const refused = refusedTransition(record, request.binding.hints.from)
  if (refused) throw problems.conflict(describeTransition(refused))
  request.scope?.refuse(record)
}

/** The id of a stored record. */
function idIn(record: StoredRecord, { id }: Resource): Id {
  return idOf(record, id) ?? ''
}

/**
 * The record of a request. For an id that no record has, a record is made when the document has no 404 for the operation, or names
 * the id in an example; else it is a 404. It is the same one each time, so a record that is only read is not stored. What was removed is always a 404. What is below a removed record is one where the document
 * has a response for that.
 */
export function findRecord(request: RecordRequest): Awaitable<FoundRecord> {
  return whenKnown(presentRecord(request), (record) => (record ? { record } : madeRecord(request)))
}

/** The record of a request, and what it is made of. */
type FoundRecord = Pick<Change, 'record' | 'source'>

async function madeRecord(request: RecordRequest): Promise<FoundRecord> {
  await refuseUnknown(request)
  const now = generationTime(request.admitted.service)

  return { record: await makeRecord(request, valuesOf(request), now), source: 'invented' }
}

/** The same record, which is stored if it was made: a request is about to change it. */
async function storedRecord(request: RecordRequest): Promise<FoundRecord> {
  const present = await presentRecord(request)
  if (present) return { record: present }
  await refuseUnknown(request)
  const now = generationTime(request.admitted.service)

  return { record: await addRecord(request, valuesOf(request), now), source: 'invented' }
}

function valuesOf(request: RecordRequest): StoredRecord {
  return { [request.binding.resource.id]: requestedId(request) }
}

/** Throws the 404 of a record that does not exist, unless one is made. */
async function refuseUnknown(request: RecordRequest): Promise<void> {
  const { admitted, binding, records, part } = request
  const id = requestedId(request)
  const isGone =
    (await records.isRemoved(id)) ||
    (hasMissing(binding.operation) && (await isBelowRemoved(request))) ||
    (part && (await records.get(id)) !== undefined)
  if (isGone || !makesUnknown(request)) throw notFound(admitted)
}

/** The record with the id of a request, if there is one. Ids in paths are texts, and a document may have no type for them. */
function presentRecord(request: RecordRequest): Awaitable<StoredRecord | undefined> {
  const { records, part, id: text = '' } = request
  const isShown = (record: StoredRecord | undefined): boolean =>
    record !== undefined && (!part || isInPart(record, part))
  const id = requestedId(request)
  const other = typeof id === 'number' ? text : Number(text)
  const found = String(other) === text ? records.get(other) : undefined

  return bothKnown(records.get(id), found, (one, likeIt) => [one, likeIt].find(isShown))
}

/** The id in the path of a request. */
function requestedId({ id = '', binding }: RecordRequest): Id {
  return typedId(id, binding.resource)
}

/**
 * Whether a record is made for an unknown id: by the operation, or by the one that reads it at the same path, whether that was called or
 * not.
 */
function makesUnknown({ admitted, binding, part }: RecordRequest): boolean {
  const { status } = problems.notFound('')
  const { unknownIds = 'auto' } = admitted.service.settings
  if (unknownIds !== 'auto') return unknownIds === 'create'
  const { operations = [] } = binding.resource
  // Those that name the record otherwise have no such id.
  const reads = operations.filter(
    ({ operation, hints: { action, caller, ids } }) =>
      action === 'read' &&
      !caller &&
      ids === undefined &&
      aliasAt(operation.path, binding.resource) === part?.alias,
  )

  return [binding, ...reads].some(
    ({ operation }) =>
      !(operation.hints?.failures || documentedResponse(operation, status)) ||
      hasNamedId(operation, admitted),
  )
}

/** Whether the document names the id of a request, as an example for instance. */
function hasNamedId(operation: Operation, { input }: AdmittedRequest): boolean {
  const { parameter: last } = shapeOf(operation.path)
  const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === last)
  if (!parameter) return false
  const { example, schema } = parameter
  const named = [example, schema.default, schema.const, ...(schema.enum ?? [])]

  const id = input.path[parameter.name]

  return id !== undefined && named.includes(id)
}

/** Adds a record that has these values, and whatever its main view shows besides, in the place of `before`. */
async function addRecord(
  request: RecordPlace,
  values: StoredRecord,
  now: number,
  before?: StoredRecord,
): Promise<StoredRecord> {
  const { resource } = request.records
  const service = { now, isNew: true }
  const complete = (record: StoredRecord): Awaitable<StoredRecord> =>
    whenKnown(completed(request, record), (whole) => {
      const complete = withServiceValuesInside(whole, values, resource, service)
      const own = request.part ? inPart(complete, request.part) : complete
      const effected = isScoped(request) ? withEffect(own, request) : own
      if (!resource.unique) return effected
      return refuseTaken(effected, request).then(() => effected)
    })
  const owned = resource.callers ? { ...(await ownerOf(request)), ...values } : values
  const known = knownValues(request, owned, now)
  const whole = resource.references
    ? await referring(known, request, { sent: owned, isChange: false })
    : known

  return request.records.create(whole, complete, before)
}

/** The values in which objects show the records that they refer to. */
async function referring(
  values: StoredRecord,
  { records, parameters, view, store }: RecordPlace,
  { sent = values, isChange }: { readonly sent?: StoredRecord; readonly isChange: boolean },
): Promise<StoredRecord> {
  const { resource } = records
  if (!(resource.references && store)) return values
  // Few documents have such objects, and a page should not load what it does not need.
  const { withReferred } = await import('./referred-records.ts')

  return withReferred(values, { resource, parameters, view, store, sent, isChange })
}

/** What a record has of the caller that creates it. */
function ownerOf({ records, view, store, admitted }: RecordPlace): Awaitable<StoredRecord> {
  const { resource } = records
  if (!store || !admitted) return {}

  return callerValues({ resource, store, view, caller: admitted.caller })
}

/** The record that `addRecord` adds, without adding it. The values have its id. */
function makeRecord(
  request: RecordPlace,
  values: StoredRecord,
  now: number,
): Awaitable<StoredRecord> {
  const { id } = request.records.resource
  return completed(request, { [id]: values[id], ...knownValues(request, values, now) })
}

/** Where a record is, or may be. */
type RecordPlace = Pick<RecordRequest, 'records' | 'parameters' | 'part' | 'view'> &
  Partial<Pick<RecordRequest, 'store' | 'admitted' | 'scope' | 'binding'>>

/** Whether the hints of the operation that adds a record depend on more than it. */
function isScoped(place: RecordPlace): place is RecordRequest {
  return place.scope !== undefined
}

function knownValues(
  { records: { resource }, parameters, part, view }: RecordPlace,
  values: StoredRecord,
  now: number,
): StoredRecord {
  const service = serviceValues(resource, { now, isNew: true })
  // Those who say what a collection starts with know how many records there are, and find new ones by their ids.
  const isNoted = resource.hidden.has(ADDED) && view.service.settings.records === 'default'
  const added = isNoted ? { [ADDED]: -now } : {}
  const own = withParentObjects(values, resource, parameters)
  const known = { ...service, ...own, ...parentValues(resource, parameters), ...added }
  if (!part) return known
  const { at } = part.alias
  return { ...withParentObjects(known, at, part.parameters), ...parentValues(at, part.parameters) }
}

function completed(
  { records: { resource }, view }: RecordPlace,
  values: StoredRecord,
): Awaitable<StoredRecord> {
  const keys = keyNumbers(resource, view.collection, values[resource.id])
  const record = resource.keys ? { ...values, ...keys, ...values } : values
  const hints = resource.viewHints ?? view.hints

  return whenKnown(firstViewOf(record, resource.schema, { ...view, hints }), (main) =>
    isObject(main) ? { ...main, ...record } : record,
  )
}

/** Where a test adds records. */
export interface AddressedRecords {
  readonly records: Records
  /** The ids of the parents, by the names of the path parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly service: AnsweringService
}

/** Adds the record that the API makes of these values. They may include an id and read-only properties. */
export function addGivenRecord(
  { records, parameters, service }: AddressedRecords,
  values: StoredRecord,
  now: number,
): Promise<StoredRecord> {
  const { resource, name: collection } = records
  const schema = resource.creation?.schema ?? resource.schema
  const normalized = normalize(schema, values, '', { useDefaults: true })
  const hints = resource.viewHints ?? { action: 'read' }
  const view = { resource, collection, hints, service }

  return addRecord({ records, parameters, view }, isObject(normalized) ? normalized : values, now)
}

/** A record after a change: of the present one, and of what the client sent. */
export type Merge = (before: StoredRecord, sent: StoredRecord, resource: Resource) => StoredRecord

/** What the client sent instead of the record (PUT). What only the service sets stays. */
export function replaced(
  before: StoredRecord,
  sent: StoredRecord,
  resource: Resource,
): StoredRecord {
  const { sent: schemas = [] } = resource
  const writable = new Set(schemas.flatMap((schema) => [...propertiesOf(schema).keys()]))
  const own = serviceNames(resource)
  const kept = Object.entries(before).filter(([name]) => own.has(name) || !writable.has(name))

  return { ...Object.fromEntries(kept), ...sent }
}

/**
 * What the client sent merged into the record, also in nested objects (RFC 7396). `null` removes a property, unless its schema
 * allows null.
 */
export function merged(
  before: StoredRecord,
  sent: StoredRecord,
  { schema }: Pick<Resource, 'schema'>,
): StoredRecord {
  const next: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(sent)) {
    const old = getOwn(before, name)
    const property = propertiesOf(schema).get(name) ?? {}
    if (isObject(value) && isObject(old))
      setOwn(next, name, merged(old, value, { schema: property }))
    else if (value === null && !allowsNull(property)) delete next[name]
    else setOwn(next, name, value)
  }
  return next
}

/**
 * What the client sent with an action merged into the record, as far as records have it: the rest is about the action. The record itself
 * when there is nothing of it.
 */
export function mergedKnown(
  before: StoredRecord,
  sent: StoredRecord,
  resource: Resource,
): StoredRecord {
  const known = propertiesOf(resource.schema)
  const own = Object.entries(sent).filter(([name]) => known.has(name))

  return own.length === 0 ? before : merged(before, Object.fromEntries(own), resource)
}

function allowsNull(schema: Schema): boolean {
  return withBranches(schema).some(
    ({ type, nullable, enum: values }) =>
      nullable === true || [type].flat().includes('null') || values?.includes(null),
  )
}
