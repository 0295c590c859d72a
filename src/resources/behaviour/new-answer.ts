import type { MediaType, Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { heldStateIn, SERVICE_VALUES } from '../../contract/hints.ts'
import {
  escapeKey,
  isObjectSchema,
  parsePointer,
  plainName,
  propertiesOf,
  requiredNames,
  schemaAt,
  typesIn,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { RandomSource } from '../../generate/random.ts'
import { shownByCreation } from '../../inference/created-examples.ts'
import { type IdProperty, idPropertyOf } from '../../inference/id-property.ts'
import { actionIn, shapeOf, wordOf } from '../../inference/path-shape.ts'
import { findRecord, findSent, type RecordContext } from '../../inference/record-place.ts'
import { EXPIRES, PRESENT } from '../../inference/time-names.ts'
import { inferValues } from '../../inference/value-rules.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject, once } from '../../validation/objects.ts'
import { momentFor } from '../effects.ts'
import { ownId } from '../keys.ts'
import { withValueAt } from '../views/record-body.ts'
import { valueAt, withValue } from '../views/service-values.ts'

// The answer to a POST whose records are not kept. What it shows is new all the same: an example of the document has the times, the id and
// the state of something that somebody has used for a while.

/** A request whose response shows something new. */
interface NewRequest {
  readonly operation: Operation
  readonly sent: unknown
  /** The time in epoch milliseconds. */
  readonly now: number
}

/** What is new in the response of an operation, as far as the document tells. */
interface NewThing {
  /** Where the response has it. */
  readonly place: readonly string[]
  readonly schema: Schema
  /** The property with its id; absent where it is no record, such as the answer of an action. */
  readonly id: string | undefined
  /** What the service sets, by the places in it. */
  readonly values: readonly (readonly [place: readonly string[], rule: unknown])[]
}

/** A value of a response whose times, id and state are those of something new, as far as the schema allows it and nobody has sent others. */
export function asNew(value: unknown, media: MediaType, request: NewRequest): unknown {
  const { operation, sent, now } = request
  const thing = media.schema && newThingIn(operation)(media.schema)
  const before = thing && valueAt(value, thing.place)
  if (!thing || !isObject(before)) return value
  const own = valueAt(sent, thing.place)
  const chosen = [sent, own].flatMap((one) => (isObject(one) ? Object.keys(one) : []))
  const free = thing.values.filter(([[name = '']]) => !chosen.includes(name))
  const renewed = free.reduce<StoredRecord>((record, [place, rule]) => {
    const next = withRule(record, { place, rule, schema: thing.schema, now })
    return isValidAt(next, place, thing.schema) ? next : record
  }, before)
  const isChosen = thing.id === undefined || chosen.includes(thing.id)
  const changed = isChosen ? renewed : withNewId(renewed, thing, request)
  const whole = withValueAt(value, thing.place, changed)

  return !media.validate || media.validate(whole) ? whole : value
}

/** A record with an id of its own, which looks like that of the example. */
function withNewId(
  record: StoredRecord,
  { id: name = '', schema }: NewThing,
  { operation, sent, now }: NewRequest,
): StoredRecord {
  const property = propertiesOf(schema).get(name) ?? {}
  const random = RandomSource.from([operation.id, JSON.stringify(sent) ?? '', now])
  const id = ownId({ ...property, example: record[name] }, random)

  return id !== undefined && matches(property, id) ? { ...record, [name]: id } : record
}

function isValidAt(record: StoredRecord, place: readonly string[], schema: Schema): boolean {
  const value = valueAt(record, place)
  return value === undefined || matches(schemaAt(schema, pointerOf(place)) ?? {}, value)
}

const newThingIn = once((operation: Operation) =>
  once((schema: Schema): NewThing | undefined => {
    const context = contextOf(operation)
    const found = findRecord(schema, context)
    if (!found || !isObjectSchema(found.schema) || chooseResponse(operation).status >= 300)
      return undefined
    const id = idPropertyOf(found.schema, context)
    const isRecord = id !== undefined && isCreation(operation, id)
    const values = isRecord
      ? valuesOfNew(operation, { ...found, id: id.name })
      : timesOf(found.schema)
    const more = expiriesIn(found.schema)

    return {
      place: parsePointer(found.place),
      schema: found.schema,
      id: isRecord && !id.name.startsWith('/') ? id.name : undefined,
      values: [...values, ...more],
    }
  }),
)

/** What the records are called that the response of an operation shows: `messages` at `/messages/send`. */
function contextOf({ path: template }: Operation): RecordContext {
  const { path } = shapeOf(template)
  const words = path.split('/').filter((segment) => !segment.includes('{'))
  const word = actionIn(path) ? wordOf(path) : (words.findLast((one) => one.endsWith('s')) ?? '')

  return { path, word: word === '' ? wordOf(path) : word, parameter: undefined, schema: undefined }
}

/** The ranks of a property that is called as an id by its last word alone, and of one that is called after the records. */
const [GUESS, AFTER_RECORDS] = [3, 2]

/** Whether an operation creates what it shows: an action such as `/orders/{id}/capture` shows what was there before, unless it has an id of its own. */
function isCreation({ path, responses }: Operation, { name, rank }: IdProperty): boolean {
  if (rank >= GUESS) return false
  const action = actionIn(path)?.name
  if (action === undefined || action.endsWith('s')) return true

  return (rank === AFTER_RECORDS && name !== 'id') || responses.some(({ status }) => status === 201)
}

function valuesOfNew(
  operation: Operation,
  record: { readonly place: string; readonly schema: Schema; readonly id: string },
): NewThing['values'] {
  const { body } = operation
  const sent = body && findSent(body.schema, contextOf(operation))
  const names = new Set(propertiesOf(sent?.schema ?? {}).keys())
  const shown = shownByCreation(operation, { shown: record, sent, names })
  const values = inferValues([record.schema], {
    ...{ id: record.id, below: [], shown },
    sent: new Set([...names].map(plainName)),
  })
  const own = Object.entries(values ?? {}).map(
    ([place, rule]) => [place.startsWith('/') ? parsePointer(place) : [place], rule] as const,
  )
  return [...own, ...timesOf(record.schema)]
}

/** The times of what happens now. */
function timesOf(schema: Schema): NewThing['values'] {
  return [...propertiesOf(schema)].flatMap(([name, property]) =>
    PRESENT.test(plainName(name)) && isTime(property) ? [[[name], SERVICE_VALUES.now]] : [],
  )
}

function isTime(schema: Schema): boolean {
  const types = typesIn(schema)
  return ['string', 'integer', 'number'].some((type) => types.has(type))
}

/** What stands for a time that is still to come. */
const LATER = '{later}'

function expiriesIn(schema: Schema): NewThing['values'] {
  return [...propertiesOf(schema)].flatMap(([name, property]) =>
    EXPIRES.test(plainName(name)) && isTime(property) ? [[[name], LATER]] : [],
  )
}

/** What a rule is about. */
interface RuledPlace {
  readonly place: readonly string[]
  readonly rule: unknown
  /** The schema of the record. */
  readonly schema: Schema
  readonly now: number
}

function withRule(record: StoredRecord, ruled: RuledPlace): StoredRecord {
  const { place, rule, schema, now } = ruled
  const before = valueAt(record, place)
  if (before === undefined) return record
  const form = { ...schemaAt(schema, pointerOf(place)), example: before }
  if (rule === SERVICE_VALUES.now || rule === SERVICE_VALUES.changed)
    return withValue(record, place, momentFor(form, now))
  if (rule === LATER) return withLater(record, { place, form, now })
  if (rule === SERVICE_VALUES.absent || heldStateIn(rule) !== undefined)
    return withoutValue(record, ruled)
  const isText = typeof rule === 'string' && rule.startsWith('{')

  return isText ? record : withValue(record, place, rule)
}

function withoutValue(record: StoredRecord, { place, schema }: RuledPlace): StoredRecord {
  const property = schemaAt(schema, pointerOf(place)) ?? {}
  if (typesIn(property).has('null')) return withValue(record, place, null)
  const parent = schemaAt(schema, pointerOf(place.slice(0, -1))) ?? {}
  const isRequired = requiredNames(parent).has(place.at(-1) ?? '')

  return isRequired ? record : withValue(record, place, undefined)
}

function pointerOf(place: readonly string[]): string {
  return place.map((name) => `/${escapeKey(name)}`).join('')
}

/** How long something is valid where nothing tells. */
const DAY = 86_400_000

/** A record whose time to come is later than now: as many seconds as it says that it is valid, else a day. */
function withLater(
  record: StoredRecord,
  {
    place,
    form,
    now,
  }: { readonly place: readonly string[]; readonly form: Schema; readonly now: number },
): StoredRecord {
  const before = timeOf(valueAt(record, place))
  if (before === undefined || before > now) return record
  const seconds = Object.entries(record).find(([name]) => VALID_FOR.test(plainName(name)))?.[1]
  const duration = typeof seconds === 'number' ? seconds * 1000 : DAY

  return withValue(record, place, momentFor(form, now + duration))
}

const VALID_FOR = /^(expires?in|expiresinseconds|ttl|validfor|lifetime)$/

/** The moment of a text or a number; `undefined` when it is none. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value < SECONDS_TO ? value * 1000 : value
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** Larger numbers are milliseconds. */
const SECONDS_TO = 1e11
