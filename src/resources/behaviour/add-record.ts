import type { OperationHints } from '../../contract/hints.ts'
import { normalize } from '../../contract/normalize.ts'

import { matches } from '../../generate/matches.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { AnsweringService } from '../../responses/answering-service.ts'
import { roundedValue } from '../../validation/large-integers.ts'
import { isObject } from '../../validation/objects.ts'
import { sharedParents } from '../collection-name.ts'
import { applyEffect } from '../effects.ts'
import { ADDED, asUnchecked } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import { withIdsOf } from '../id-places.ts'
import { serviceKeys } from '../keys.ts'
import { parentValues, withParentObjects } from '../reference-names.ts'
import type { Records } from '../store/records.ts'
import { inPart } from '../views/aliases.ts'
import { callerIn, callerValues } from '../views/caller-record.ts'
import { firstViewOf } from '../views/record-view.ts'
import { withReferred } from '../views/referred-records.ts'
import { hasSlugs, serviceValues, withServiceValuesInside } from '../views/service-values.ts'
import { hasItems, withRecordsInItems } from './expand.ts'
import type { RecordRequest } from './record-request.ts'
import { sentSecrets } from './sent-record.ts'
import { freeSlugs } from './slugs.ts'
import { withStateValues } from './state-values.ts'
import { refuseTaken } from './unique-values.ts'

/** Adds a record that has these values, and whatever its main view shows besides, in the place of `before`. */
export async function addRecord(
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
      return whenKnown(withOwnStates(effected, { sent: values, now }, request), (known) =>
        resource.unique ? refuseTaken(known, request).then(() => known) : known,
      )
    })
  const owned = resource.callers ? { ...(await ownerOf(request)), ...values } : values
  const named = knownValues(request, owned, now)
  const known = hasSlugs(resource)
    ? { ...named, ...(await freeSlugs(owned, request.records)) }
    : named
  // Who owns a record is said by its path, and only else by the caller.
  const sent = Object.fromEntries(Object.keys(owned).map((name) => [name, named[name]]))
  const referred = resource.references
    ? await referring(known, request, { sent, isChange: false })
    : known
  const whole = await withItems(referred, request)

  return request.records.create(whole, complete, before)
}

/** The values in which objects show the records that they refer to. */
export async function referring(
  values: StoredRecord,
  { records, parameters, view, store, admitted }: RecordPlace,
  { sent = values, isChange }: { readonly sent?: StoredRecord; readonly isChange: boolean },
): Promise<StoredRecord> {
  const { resource } = records
  if (!(resource.references && store)) return values
  const caller = admitted?.caller
  return withReferred(values, { resource, parameters, view, store, sent, isChange, caller })
}

/** The values in which the items of lists show the records that they name. */
function withItems(
  values: StoredRecord,
  { records: { resource }, view, store }: RecordPlace,
): Awaitable<StoredRecord> {
  if (!store || !Object.values(values).some(hasItems)) return values
  return withRecordsInItems(values, resource.schema, { store, view })
}

/** What a record has of the caller that creates it. */
function ownerOf({ records, view, store, admitted }: RecordPlace): Awaitable<StoredRecord> {
  const { resource } = records
  if (!store || !admitted) return {}

  return callerValues({ resource, store, view, caller: admitted.caller })
}

/** A record after its creation or another change, with what its states say. */
export function withOwnStates(
  record: StoredRecord,
  change: { readonly before?: StoredRecord; readonly sent: StoredRecord; readonly now: number },
  place: RecordPlace,
): Awaitable<StoredRecord> {
  const { records, view, store, admitted } = place
  const { resource } = records
  return withStateValues(record, {
    ...change,
    resource,
    callerIn: async (names) => {
      if (!store || !admitted) return {}
      const own = await callerIn(names, { resource, store, view, caller: admitted.caller })
      return referring(own, place, { isChange: true })
    },
  })
}

/** The record that `addRecord` adds, without adding it. The values have its id. */
export function makeRecord(
  request: RecordPlace,
  values: StoredRecord,
  now: number,
): Awaitable<StoredRecord> {
  const { id } = request.records.resource
  return completed(request, { [id]: values[id], ...knownValues(request, values, now) })
}

/** Where a record is, or may be. */
export type RecordPlace = Pick<RecordRequest, 'records' | 'parameters' | 'part' | 'view'> &
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

function completed(place: RecordPlace, values: StoredRecord): Awaitable<StoredRecord> {
  const { records, view } = place
  const { resource } = records
  const keys = serviceKeys(resource, view.collection, values[resource.id])
  const record = resource.keys ? { ...values, ...keys, ...values } : values
  const hints = resource.viewHints ?? view.hints

  return whenKnown(firstViewOf(record, resource.schema, { ...view, hints }), (main) =>
    isObject(main) ? withKnownIds({ ...main, ...record }, record, place) : record,
  )
}

/** A new record in which the ids that nobody has said are those of records that exist. */
function withKnownIds(
  whole: StoredRecord,
  said: StoredRecord,
  { records, parameters, store }: RecordPlace,
): Awaitable<StoredRecord> {
  const { resource } = records
  const free = (resource.idReferences ?? []).filter(
    ({ place: [name] }) => Object.hasOwn(whole, name) && !Object.hasOwn(said, name),
  )
  if (!store || free.length === 0) return whole
  const found = free.map(({ of }) => {
    const target = of()
    if (!target || target === resource) return []
    const opened = store.open(target, sharedParents(target, resource, parameters))
    return whenKnown(opened, (others) =>
      whenKnown(others.page({ limit: MOST_REFERRED }), (page) =>
        page.records.flatMap((record) => idOf(record, target.id) ?? []),
      ),
    )
  })
  return whenKnown(allKnown(found), (all) => {
    const changed = withIdsOf(whole, { references: free, ids: all, schema: resource.schema })
    return matches(resource.schema, changed) ? changed : whole
  })
}

/** So many records are those to which a new one refers. */
const MOST_REFERRED = 5

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

  const given = isObject(normalized) ? normalized : values
  const record = roundedValue(given) === given ? given : asUnchecked(given, resource)

  return addRecord({ records, parameters, view }, record, now)
}

/** A record with what the hints of the operation set, now and later. `before` is the record before the request. */
export function withEffect(
  record: StoredRecord,
  request: RecordRequest,
  before: StoredRecord = {},
): StoredRecord {
  const { admitted, binding } = request
  const { set, ...hints } = effectHints(record, request)
  const own = set && { set: { ...set, ...sentSecrets(set, request, before) } }
  return applyEffect(record, { ...hints, ...own }, admitted.now, binding.resource.schema)
}

export function effectHints(
  record: StoredRecord,
  { scope, binding }: RecordRequest,
): Pick<OperationHints, 'set' | 'after'> {
  return scope ? scope.effectsOn(record) : binding.hints
}
