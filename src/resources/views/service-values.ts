import { nestedSchema } from '../../contract/bracket-names.ts'
import type { Schema } from '../../contract/contract.ts'
import {
  callersIn,
  countedWord,
  heldStateIn,
  linkedIn,
  parameterIn,
  SERVICE_VALUES,
  sluggedIn,
  wordBelow,
} from '../../contract/hints.ts'
import {
  escapeKey,
  parsePointer,
  plainName,
  propertiesOf,
  recordSchemaAt,
  requiredNames,
  schemaAt,
  typesIn,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { isSameWord } from '../../inference/id-property.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { areEqual, getOwn, isObject, once, setOwn } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { momentFor, revisionAfter } from '../effects.ts'
import { type Resource, shownSchemas } from '../resource.ts'

/** What a service sets in a record that is created or changed. */
export interface ServiceValues {
  /** The time in epoch milliseconds. */
  readonly now: number
  readonly isNew: boolean
  /** The record before the change; absent for a new one. */
  readonly before?: StoredRecord
}

/** A rule for a property of the records of a resource, with the schema of the property. */
export interface PropertyRule {
  readonly place: readonly string[]
  readonly schema: Schema
  /** A value, or a text of `SERVICE_VALUES`. */
  readonly rule: unknown
  /** Whether a record must have the property. */
  readonly isRequired: boolean
}

/** The rules of a resource, for the properties of records and for those of the objects in them. */
export const rulesOf: (resource: Resource) => readonly PropertyRule[] = once((resource) => {
  const schemas = [resource.schema, ...shownSchemas(resource).map(({ schema }) => schema)]
  return Object.entries(resource.values ?? {}).flatMap(([name, rule]) => {
    const place = name.startsWith('/') ? parsePointer(name) : [name]
    const parent = pointerOf(place.slice(0, -1))
    const schema = schemas.map((one) => schemaAt(one, pointerOf(place))).find(Boolean)
    const isRequired = schemas.some((one) =>
      requiredNames(schemaAt(one, parent) ?? {}).has(place.at(-1) ?? ''),
    )
    return schema ? [{ place, schema, rule, isRequired }] : []
  })
})

function pointerOf(place: readonly string[]): string {
  return place.map((name) => `/${escapeKey(name)}`).join('')
}

/** The properties of a record that the service sets before anything else is generated. */
export function serviceValues(resource: Resource, service: ServiceValues): StoredRecord {
  const values: Record<string, unknown> = {}
  for (const { place, schema, rule } of rulesOf(resource)) {
    const [name, ...inner] = place
    if (name === undefined || inner.length > 0) continue
    const value = valueFor({ rule, schema, place }, service)
    if (value !== undefined) setOwn(values, name, value)
  }
  return values
}

/** The record with what the service sets in its objects, where the client did not send that. */
export function withServiceValuesInside(
  record: StoredRecord,
  sent: StoredRecord,
  resource: Resource,
  values: ServiceValues,
): StoredRecord {
  let changed = record
  for (const { place, schema, rule, isRequired } of rulesOf(resource)) {
    if (place.length < 2 || isChosen(valueAt(sent, place), place, values)) continue
    const value = valueFor({ rule, schema, place }, values)
    if (value !== undefined) changed = withValue(changed, place, value)
    else if (isAbsent(rule) && values.isNew && !isRequired)
      changed = withValue(changed, place, undefined)
  }
  return changed
}

/** Whether a client chose a value: a change that has the present one, as whole records that were read do, leaves it to the service. */
function isChosen(
  value: unknown,
  place: readonly string[],
  { isNew, before }: ServiceValues,
): boolean {
  return value !== undefined && (isNew || !areEqual(value, valueAt(before, place)))
}

/**
 * A changed record with what only the service sets as it was: the time of the creation, counts and its address. A request can change
 * these where its schema has them and does not describe the whole record, with its id.
 */
export function keptByService(
  before: StoredRecord,
  changed: StoredRecord,
  binding: ResourceBinding,
): StoredRecord {
  let kept = changed
  for (const place of keptPlaces(binding)) kept = withValue(kept, place, valueAt(before, place))

  return kept
}

const keptPlaces = once(
  ({ operation, resource, hints }: ResourceBinding): readonly (readonly string[])[] => {
    const sent =
      (operation.body && recordSchemaAt(nestedSchema(operation.body.schema), hints.body)) ?? {}
    const { sentId = resource.id } = hints
    const isWhole = sentId.startsWith('/')
      ? schemaAt(sent, sentId) !== undefined
      : propertiesOf(sent).has(resource.id)
    const kept = rulesOf(resource).filter(
      ({ rule, place }) =>
        (rule === SERVICE_VALUES.now ||
          isOwnPath(rule) ||
          isNamed(rule) ||
          heldStateIn(rule) !== undefined) &&
        !countsItems(rule, hints.list?.property) &&
        (isWhole || !schemaAt(sent, pointerOf(place))),
    )
    return kept.map(({ place }) => place)
  },
)

/** The properties that a record keeps when a request replaces it without them, because the service sets them. */
export const serviceNames: (resource: Resource) => ReadonlySet<string> = once(
  (resource: Resource): ReadonlySet<string> => {
    const own = rulesOf(resource).filter(({ rule }) => rule === 0 || isServiceText(rule))
    return new Set(
      own.flatMap(({ place: [name, ...inner] }) => (inner.length === 0 ? (name ?? []) : [])),
    )
  },
)

/** Whether a rule stands for a value that only the service knows. */
function isServiceText(rule: unknown): boolean {
  const texts: readonly unknown[] = Object.values(SERVICE_VALUES)
  const isList = wordBelow(rule) !== undefined
  return texts.includes(rule) || isNamed(rule) || isList || heldStateIn(rule) !== undefined
}

/** Whether a new record has no value, or has one only in a state. */
function isAbsent(rule: unknown): boolean {
  if (rule === SERVICE_VALUES.absent) return true
  return heldStateIn(rule) !== undefined && countedWord(rule) === undefined
}

/** Whether a rule names records of another collection. */
function isNamed(rule: unknown): boolean {
  return countedWord(rule) !== undefined || callersIn(rule) !== undefined
}

/** Whether a rule counts the items of a list in the record, such as `members`. */
export function countsItems(rule: unknown, property: string | undefined): boolean {
  const word = countedWord(rule)
  return word !== undefined && property !== undefined && isSameWord(word, plainName(property))
}

/** Whether a rule stands for the address of the record, or for what its path says. */
function isOwnPath(rule: unknown): boolean {
  return (
    rule === SERVICE_VALUES.self ||
    rule === SERVICE_VALUES.path ||
    (linkedIn(rule) ?? parameterIn(rule)) !== undefined
  )
}

/** A place in a record with its own address, or with what its path says. */
export interface PathPlace {
  readonly place: readonly string[]
  readonly isAddress: boolean
  /** The path of another address, relative to that of the record. Default: its own. */
  readonly relative?: string
  /** The parameter of the path that it shows. Default: its address, or all of them. */
  readonly parameter?: string
}

export const pathPlaces: (resource: Resource) => readonly PathPlace[] = once((resource) =>
  rulesOf(resource).flatMap(({ rule, place }) => {
    const parameter = parameterIn(rule)
    const relative = linkedIn(rule)
    const isAddress = rule === SERVICE_VALUES.self || relative !== undefined
    const others = {
      ...(parameter !== undefined && { parameter }),
      ...(relative !== undefined && { relative }),
    }
    return isOwnPath(rule) ? [{ place, isAddress, ...others }] : []
  }),
)

/** The properties that a new record does not have. */
export const absentNames: (resource: Resource) => ReadonlySet<string> = once(
  (resource: Resource): ReadonlySet<string> => {
    const absent = rulesOf(resource).filter(
      ({ rule, place, isRequired }) => isAbsent(rule) && place.length === 1 && !isRequired,
    )
    return new Set([...absent.flatMap(({ place }) => place), ...othersAbsentIn(resource)])
  },
)

/** The name in `values` for all properties that no other name is about and that the schema does not require. */
const OTHERS = '*'

function othersAbsentIn(resource: Resource): readonly string[] {
  const { values = {} } = resource
  if (values[OTHERS] !== SERVICE_VALUES.absent) return []
  const schemas = [resource.schema, ...shownSchemas(resource).map(({ schema }) => schema)]
  const required = new Set(schemas.flatMap((schema) => [...requiredNames(schema)]))
  const names = schemas.flatMap((schema) => [...propertiesOf(schema).keys()])
  return names.filter((name) => !required.has(name) && !Object.hasOwn(values, name))
}

/** Whether new records have texts that follow their names. */
export const hasSlugs: (resource: Resource) => boolean = once((resource) =>
  rulesOf(resource).some(({ rule }) => sluggedIn(rule) !== undefined),
)

type RuledProperty = Pick<PropertyRule, 'rule' | 'schema' | 'place'>

function valueFor(property: RuledProperty, service: ServiceValues): unknown {
  const value = candidateFor(property, service)
  return value !== undefined && matches(property.schema, value) ? value : undefined
}

function candidateFor({ rule, schema, place }: RuledProperty, service: ServiceValues): unknown {
  const { now, isNew, before } = service
  if (rule === SERVICE_VALUES.revision) return revisionAfter(valueAt(before, place), schema, now)
  if (rule === SERVICE_VALUES.changed) return momentFor(schema, now)
  if (!isNew || isOwnPath(rule)) return undefined
  if (isAbsent(rule)) return typesIn(schema).has('null') ? null : undefined
  // The caller is known to requests only, and a name that is free to the collection.
  if (callersIn(rule) !== undefined || sluggedIn(rule) !== undefined) return undefined
  if (rule === SERVICE_VALUES.now) return momentFor(schema, now)

  if (wordBelow(rule) !== undefined) return []

  return countedWord(rule) === undefined ? rule : 0
}

/** The value at a place of a record or a body; `undefined` when there is none. */
export function valueAt(body: unknown, place: readonly string[]): unknown {
  let value = body
  for (const name of place) value = isObject(value) ? getOwn(value, name) : undefined

  return value
}

/** A copy of the record with another value at a place, if its objects exist. */
export function withValue(
  record: StoredRecord,
  [name = '', ...inner]: readonly string[],
  value: unknown,
): StoredRecord {
  if (inner.length > 0) {
    const own = getOwn(record, name)
    return isObject(own) ? { ...record, [name]: withValue(own, inner, value) } : record
  }
  const { [name]: _, ...others } = record

  return value === undefined ? others : { ...record, [name]: value }
}
