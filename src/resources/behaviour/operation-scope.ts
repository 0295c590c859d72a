import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import {
  type OperationHints,
  type RefusalAnswer,
  type RefusalHints,
  SERVICE_VALUES,
} from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { casesOf, withCases } from '../../contract/operation-cases.ts'
import { parsePointer, propertiesOf } from '../../contract/schema.ts'
import {
  filled,
  filledForComparison,
  filledPath,
  type LookUp,
  placeholdersIn,
  valueIn,
} from '../../contract/templates.ts'
import { matches } from '../../generate/matches.ts'
import { uuid } from '../../generate/named-values.ts'
import { RandomSource } from '../../generate/random.ts'
import { Problem, problems } from '../../http/problem.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import type { Note } from '../../journal/exchange.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import {
  type Comparison,
  matcherOf,
  type RecordSelection,
  type RecordTest,
} from '../../records/selection.ts'
import { milliseconds } from '../../time/duration.ts'
import { isObject } from '../../validation/objects.ts'
import { bindingOf, collectionIn, type ResourceBinding } from '../bind.ts'
import { collectionName, hasParents } from '../collection-name.ts'
import { withoutHidden } from '../hidden-properties.ts'
import { typedId } from '../id-generator.ts'
import type { Records } from '../store/records.ts'
import { settleDue } from '../store/settle.ts'
import { aliasOf } from '../views/aliases.ts'
import { callerId, userPlace } from '../views/caller-record.ts'
import { findRecord } from './find-record.ts'
import type { AdmittedRequest, RecordRequest, RequestScope } from './record-request.ts'

// What hints say about one request: the values of its placeholders, the records that it refers to, and why it is refused.

/** The operation as it is in the first of its cases that a request asks for; the operation itself when it asks for none. */
export function caseFor(operation: Operation, { body, query, path, header }: Input): Operation {
  const values = { body, query, path, header }
  const lookUp: LookUp = (names) => valueIn(values, names)
  const cases = operation.hints?.cases ?? []
  const at = cases.findIndex(({ when }) => unmetIn(when, lookUp) === undefined)

  return casesOf(operation)[at] ?? operation
}

/** A request with what the placeholders in the hints of its operation stand for. Rejects with the refusal of an unknown reference. */
export async function withScope(request: RecordRequest): Promise<RecordRequest> {
  const { input } = request.admitted
  const { binding } = request
  const { body, query, path, header } = input
  const values: Record<string, unknown> = { body, query, path, header, now: timeText(request) }
  if (isNamed('parent', binding.hints)) values.parent = await parentOf(request)
  if (isNamed('caller', binding.hints)) values.caller = await callerIn(request)
  for (const [name, reference] of Object.entries(binding.hints.refers ?? {})) {
    const lookUp: LookUp = (names) => valueIn(values, names)
    const path = filledPath(reference.in, lookUp)
    const id = filled(reference.id, lookUp)
    if (reference.where)
      values[name] = await recordLike(path, filledForComparison(reference.where, lookUp), request)
    if (id === undefined || id === null || id === '') continue
    const record = await recordAt(path, String(id), request)
    if (!record) throw unknownReference(path, String(id), reference, binding, lookUp)
    values[name] = record
  }
  return { ...request, scope: scopeOf(request, values) }
}

/** The scope of a request in which placeholders stand for these values. */
function scopeOf(request: RecordRequest, values: RequestScope['values']): RequestScope {
  const { where } = request.binding.hints
  const scope: RequestScope = {
    values,
    ...(where && { selection: selectionOf(where, values) }),
    effectsOn: (record) => effectHints({ ...request, scope }, record),
    refuse: (record) => refuseConditions({ ...request, scope }, record),
  }
  return scope
}

/** The records with the values of a hint. A placeholder without a value selects none. */
function selectionOf(
  where: NonNullable<OperationHints['where']>,
  values: RequestScope['values'],
): RecordSelection {
  const tests = Object.entries(where).map(([name, hint]): RecordTest => {
    const wanted = filledForComparison(hint, (names) => valueIn(values, names))
    const place = name.startsWith('/') ? parsePointer(name) : [name]
    return { places: [place], is: 'equal', wanted: wanted === undefined ? [] : [wanted].flat() }
  })
  return { tests }
}

const isNamed = (name: string, hints: OperationHints): boolean =>
  placeholdersIn(hints).some(([first]) => first === name) ||
  (hints.refuse ?? []).some(({ unless }) =>
    Object.keys(unless).some((names) => names.startsWith(`${name}.`)),
  )

/** The record above the collection of a request; `undefined` when there is none. */
async function parentOf({
  part,
  binding,
  parameters,
  ...request
}: RecordRequest): Promise<StoredRecord | undefined> {
  const at = part?.alias.at ?? binding.resource
  if (!hasParents(at)) return undefined
  const segments = at.path.slice(1).split('/')
  const last = segments.findLastIndex((one) => one.includes('{'))
  const own = collectionName(at, part?.parameters ?? parameters).split('/')
  const id = decodeURIComponent(own[last] ?? '')

  return recordAt(own.slice(0, last).join('/'), id, request)
}

/** The record of the caller; `undefined` when the document has no such records. */
async function callerIn({ admitted, store }: RecordRequest): Promise<StoredRecord | undefined> {
  const { contract } = admitted.service.settings
  const { collection, id: named } = userPlace(admitted.caller?.user ?? '')
  const own = collection === '' ? undefined : await recordAt(collection, named, { admitted, store })
  if (own) return own
  const all = contract.operations.flatMap(withCases).map((one) => bindingOf(contract, one))
  const bound = all.flatMap((one) => ('resource' in one ? one : []))
  const callers =
    bound.find(({ hints }) => hints.caller)?.resource ??
    bound.map(({ resource }) => resource.callers?.()).find(Boolean)
  if (!callers) return undefined
  const id = await callerId(callers, store, admitted.caller)
  const records = await store.open(callers)
  if (id === undefined) return undefined
  const record = await records.get(id)

  // Who a key names need not exist.
  return record ? withoutHidden(record, callers) : { [callers.id]: id }
}

/** The record of another collection; `undefined` when there is none. */
async function recordAt(
  path: string,
  id: string,
  request: Pick<RecordRequest, 'admitted' | 'store'>,
): Promise<StoredRecord | undefined> {
  const records = await recordsAt(path, request)
  if (!records) return undefined
  const { resource } = records
  const named = await records.idNamed(id)
  const record =
    (await records.get(typedId(String(named), resource))) ??
    (await records.get(named)) ??
    (await madeRecord(String(named), { ...request, path, records }))
  return record && withoutHidden(record, resource)
}

/** The record that is read for an id that nobody created, where the document has no 404 for it; else `undefined`. */
async function madeRecord(
  id: string,
  {
    path,
    records,
    admitted,
    store,
  }: Pick<RecordRequest, 'admitted' | 'store' | 'records'> & { readonly path: string },
): Promise<StoredRecord | undefined> {
  const { service, input, request } = admitted
  const { resource } = records
  const { contract } = service.settings
  const { parameters = {} } = collectionIn(contract, path) ?? {}
  const bindings = (resource.operations ?? []).map(({ operation }) =>
    bindingOf(contract, operation),
  )
  const binding = bindings.find(
    (one): one is ResourceBinding =>
      one.action === 'read' && !one.hints.caller && !one.hints.ids && !aliasOf(one),
  )
  if (!binding) return undefined
  const { parameter = '' } = shapeOf(binding.operation.path)
  const { hints } = binding
  const reading = {
    admitted: { ...admitted, binding, input: { ...input, path: { [parameter]: id } } },
    ...{ binding, store, records, id },
    parameters: await store.locate(resource, parameters),
    view: { resource, collection: records.name, hints, service, base: request.base },
  }
  try {
    return (await findRecord(reading)).record
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return undefined
  }
}

/** The first record of another collection that has these values; `undefined` when there is none. */
async function recordLike(
  path: string,
  where: unknown,
  request: Pick<RecordRequest, 'admitted' | 'store'>,
): Promise<StoredRecord | undefined> {
  const records = await recordsAt(path, request)
  if (!(records && isObject(where))) return undefined
  const [record] = (await records.page({ where, limit: 1 })).records
  return record && withoutHidden(record, records.resource)
}

async function recordsAt(
  path: string,
  { admitted, store }: Pick<RecordRequest, 'admitted' | 'store'>,
): Promise<Records | undefined> {
  const found = collectionIn(admitted.service.settings.contract, path)
  if (!found) return undefined
  const records = await store.open(
    found.resource,
    await store.locate(found.resource, found.parameters),
  )
  await settleDue(records, store, admitted.now, admitted.tell)
  return records
}

/** The time of a request in a text, such as `2026-05-01T12:00:00.000Z`. */
function timeText({ admitted: { now } }: Pick<RecordRequest, 'admitted'>, delay = 0): string {
  return new Date(now + delay).toISOString()
}

/** What the placeholders of a request stand for when its record is this one, by default at its time. */
export function valuesFor(
  request: RecordRequest,
  record: StoredRecord,
  now: string = timeText(request),
): LookUp {
  const { scope, records, admitted } = request
  const all = { ...scope?.values, record: withoutHidden(record, records.resource), now }
  return (names, place) => {
    if (names[0] !== 'uuid') return valueIn(all, names)
    const { seed } = admitted.service.settings
    const id = String(record[records.resource.id])
    // Another one when the record has one already.
    const present = String(valueIn(record, place))
    return uuid(RandomSource.from([seed, records.name, id, present, ...place]))
  }
}

/** The hints with which an operation changes a record. */
function effectHints(
  request: RecordRequest,
  record: StoredRecord,
): Pick<OperationHints, 'set' | 'after'> {
  const { hints } = request.binding
  const lookUp = valuesFor(request, record)
  const { set, after } = hints
  const own = filled(set, lookUp)
  return {
    ...(isObject(own) && { set: own }),
    ...(after && {
      after: after.map((one) => {
        const then = timeText(request, milliseconds(one.delay))
        const later = filled(one.set, valuesFor(request, record, then))
        return { ...one, set: isObject(later) ? later : {} }
      }),
    }),
  }
}

/** A request that a response is about, and the record that it shows. */
interface AnsweredInput extends Pick<AdmittedRequest, 'input' | 'now'> {
  readonly seed: number
  /** What placeholders stand for, besides the record; default: the parts of the request. */
  readonly values: RequestScope['values'] | undefined
  readonly record: unknown
}

/** What hints say that a response has (`answer`), with the values of its placeholders. */
export function filledAnswer(
  answer: unknown,
  { input, now, values, record, seed }: AnsweredInput,
): unknown {
  const { body, query, path, header } = input
  const shown = isObject(record) && { record }
  const all = { body, query, path, header, now: new Date(now).toISOString(), ...values, ...shown }
  return filled(answer, (names, place) =>
    names[0] === 'uuid'
      ? uuid(RandomSource.from([seed, now, JSON.stringify([input, record]), ...place]))
      : valueIn(all, names),
  )
}

/** The values of a request that its operation sets in a record and that the schema of the record does not allow. */
export function invalidSetIn(
  request: RecordRequest,
  { shown, values = {} }: { readonly shown: unknown; readonly values?: RequestScope['values'] },
): readonly Note[] | undefined {
  if (!isObject(shown)) return undefined
  const scope = scopeOf(request, values)
  const set = effectHints({ ...request, scope }, shown).set ?? {}
  const properties = propertiesOf(request.binding.resource.schema)
  const notes = Object.entries(set).flatMap(([name, value]) => {
    const schema = properties.get(name)
    const isText = typeof value === 'string' && SERVICE_TEXTS.has(value)
    if (!schema || isText || matches(schema, value)) return []
    const place = `x-sandbox sets ${name} to ${JSON.stringify(value).slice(0, MAX_SHOWN)}`
    return [{ kind: 'invalid-answer', place } as const]
  })
  return notes.length > 0 ? notes : undefined
}

const SERVICE_TEXTS: ReadonlySet<string> = new Set(Object.values(SERVICE_VALUES))

/** So many characters of a value are shown. */
const MAX_SHOWN = 80

/** Throws the first refusal whose condition does not hold. */
function refuseConditions(request: RecordRequest, record: StoredRecord): void {
  const { refuse = [] } = request.binding.hints
  if (refuse.length === 0) return
  const lookUp = valuesFor(request, record)
  for (const refusal of refuse) {
    const unmet = unmetIn(refusal.unless, lookUp)
    if (unmet) throw refusalOf(unmet, refusal, lookUp)
  }
}

/** A condition that does not hold. */
interface UnmetCondition {
  readonly name: string
  readonly value: unknown
  readonly wanted: unknown
}

/** The first condition that does not hold; `undefined` when all do. */
function unmetIn(
  conditions: Readonly<Record<string, unknown>>,
  lookUp: LookUp,
): UnmetCondition | undefined {
  for (const [name, condition] of Object.entries(conditions)) {
    const value = lookUp(name.split('.'), [])
    const wanted = filledForComparison(condition, lookUp)
    if (!isMet(value, wanted)) return { name, value, wanted }
  }
  return undefined
}

const ABSENT = '{absent}'

function isMet(value: unknown, wanted: unknown): boolean {
  if (hasComparisons(wanted)) return wanted.some((one) => isMet(value, one))
  return comparisonsIn(wanted).every(([is, one]) => {
    const list: readonly unknown[] = Array.isArray(one) ? one : [one]
    const isAbsent = (value === undefined || value === null) && list.some(isNothing)
    if (is === 'equal' && isAbsent) return true
    if (is === 'not' && isAbsent) return false
    return matcherOf({ tests: [{ places: [['value']], is, wanted: list }] }).matches({ value })
  })
}

/** Whether a list of alternatives has some that compare, such as `['{absent}', { from: 1 }]`. */
function hasComparisons(wanted: unknown): wanted is readonly unknown[] {
  return Array.isArray(wanted) && wanted.some(isObject)
}

function isNothing(value: unknown): boolean {
  return value === ABSENT || value === null || value === undefined
}

/** The words for comparisons. */
const WORDS: Readonly<Record<Comparison, string>> = {
  equal: '',
  not: 'other than ',
  exists: 'with a value: ',
  on: 'on ',
  after: 'more than ',
  from: 'at least ',
  before: 'less than ',
  to: 'at most ',
  contains: 'a text with ',
  starts: 'a text that starts with ',
  ends: 'a text that ends with ',
}

function comparisonsIn(wanted: unknown): readonly (readonly [is: Comparison, wanted: unknown])[] {
  if (!isObject(wanted)) return [['equal', wanted]]
  return Object.entries(wanted).flatMap(([name, value]) =>
    isComparison(name) ? [[name, value] as const] : [],
  )
}

function isComparison(name: string): name is Comparison {
  return Object.hasOwn(WORDS, name)
}

function refusalOf(
  { name, value, wanted }: UnmetCondition,
  { status, code, message }: RefusalHints,
  lookUp: LookUp,
): Problem {
  const known = isObject(value) ? 'present' : JSON.stringify(value)
  const found = isNothing(value) ? 'absent' : known
  const conflict = problems.conflict(`${name} is ${found}, and must be ${describeWanted(wanted)}.`)
  const sentence = message === undefined ? conflict.message : String(filled(message, lookUp))

  return new Problem(
    status ?? conflict.status,
    code ?? conflict.code,
    sentence,
    {},
    // Other values are those of records.
    { conflict: /^(body|header|path|query)\./.test(name) ? name : undefined },
  )
}

/** What must hold, such as `absent or at least 1`. */
function describeWanted(wanted: unknown): string {
  if (hasComparisons(wanted)) return wanted.map(describeWanted).join(' or ')
  const needed = comparisonsIn(wanted).map(([is, one]) => {
    const list: readonly unknown[] = Array.isArray(one) ? one : [one]
    return (
      WORDS[is] +
      list.map((each) => (isNothing(each) ? 'absent' : JSON.stringify(each))).join(' or ')
    )
  })
  return needed.join(' and ')
}

/** The statuses that documents have for an unknown reference, and for a value that is taken, the most precise first. */
const UNKNOWN = [404, 422, 400]

function unknownReference(
  path: string,
  id: string,
  { status, code, message }: RefusalAnswer,
  { operation }: ResourceBinding,
  lookUp: LookUp,
): Problem {
  const usual = problems.notFound(`${path} has no record with the id ${id}.`)
  const documented = UNKNOWN.find((one) => documentedResponse(operation, one) !== undefined)

  return new Problem(
    status ?? documented ?? usual.status,
    code ?? usual.code,
    message === undefined ? usual.message : String(filled(message, lookUp)),
  )
}
