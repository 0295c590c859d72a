import type { Schema, SchemaValidator, ValidationError } from '../../contract/contract.ts'
import { normalize } from '../../contract/normalize.ts'
import { parsePointer, propertiesOf } from '../../contract/schema.ts'
import { toInputErrors } from '../../contract/validation-errors.ts'
import { findMistakes } from '../../generate/find-mistakes.ts'
import { matches } from '../../generate/matches.ts'
import { describeInputErrors, type InputError } from '../../http/problem.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { roundedValue } from '../../validation/large-integers.ts'
import { areEqual, getOwn, isObject } from '../../validation/objects.ts'
import {
  kindOf,
  refuseUnknown,
  requireInteger,
  UsageError,
  type UsageErrorItem,
  unknownName,
} from '../../validation/usage-error.ts'
import { toErrorItem } from '../../validation/value-check.ts'
import {
  isPartlyShown,
  nearestAllowed,
  unknownProperties,
} from '../first-records/check-first-records.ts'
import { type GivenRow, givenRecord, isAbsent, schemasOf } from '../first-records/given-records.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import type { Resource } from '../resource.ts'

/** Throws a UsageError for an unknown field, a property that no record can have, or a number of records that is not an integer ≥ 0. */
export function checkQuery(query: object, resource: Resource): void {
  refuseUnknown('list', query, ['where', 'skip', 'limit'])
  const { where = {}, skip = 0, limit = 0 }: Readonly<Record<string, unknown>> = { ...query }
  const task = `list ${resource.name}`
  requireRecord(task, where)
  refuseMistakes(task, unknownIn(where, resource))
  requireInteger('skip', skip, 0)
  requireInteger('limit', limit, 0)
}

/**
 * The values of a new record, which may be given as any response or request shows it, with an id and read-only properties. Throws a
 * UsageError that lists what is wrong: values that are not an object, unknown properties, and what the API does not accept for a new
 * record.
 */
export function checkNew(given: unknown, resource: Resource): StoredRecord {
  const task = `change ${resource.name}`
  const { values, unknown } = readRecord(task, given, resource)
  const checked = rounded(values)
  const mistakes = [...refusedByCreation(checked, resource), ...refusedAsShown(checked, resource)]
  refuseMistakes(task, [...unknown, ...mistakes.map(toItem)])
  return values
}

/** The values with numbers that can be checked. */
function rounded(values: StoredRecord): StoredRecord {
  const checked = roundedValue(values)
  return isObject(checked) ? checked : values
}

/** The values that no response can show, of properties that no request for a new record has, such as a read-only `status`. */
function refusedAsShown(values: StoredRecord, resource: Resource): readonly InputError[] {
  if (!resource.creation) return []
  const sendable = propertiesOf(resource.creation.schema)
  const others = Object.entries(values).filter(([name]) => !sendable.has(name))
  return checkProperties(resource, present(Object.fromEntries(others), resource), undefined)
}

/** The values without `null` where it says that there is none. */
function present(values: StoredRecord, resource: Resource): StoredRecord {
  const schemas = schemasOf(resource)
  const kept = Object.entries(values).filter(
    ([name, value]) => value !== null || !isAbsent(name, schemas),
  )
  return Object.fromEntries(kept)
}

/** What the API does not accept in a new record, unless a response shows it so. */
function refusedByCreation(values: StoredRecord, resource: Resource): readonly InputError[] {
  const { schema, creation } = resource
  if (!creation) return []
  const sendable = propertiesOf(creation.schema)
  const record = propertiesOf(schema)
  const schemas = schemasOf(resource)
  const isAbsentIn = ([name, value]: readonly [string, unknown]): boolean =>
    value === null && isAbsent(name, schemas)
  const sent = Object.entries(values).filter(
    (entry) => (sendable.has(entry[0]) || !record.has(entry[0])) && !isAbsentIn(entry),
  )
  const body = normalize(creation.schema, Object.fromEntries(sent), '', { useDefaults: true })
  const mistakes = creation.isPart
    ? findMistakes(creation.schema, body)
    : mistakesOf(creation.validate, body)
  if (mistakes.length === 0) return []
  const shown = sent.filter(([name, value]) => schemas.some((one) => shows(one, name, value)))
  const names = new Set(shown.map(([name]) => name))
  // What a response shows has an id, or other properties that no request has.
  const isResponse = Object.keys(values).some((name) => record.has(name) && !sendable.has(name))
  const isShown = ({ instancePath, keyword, params }: ValidationError): boolean => {
    const [name = String(params.missingProperty)] = parsePointer(instancePath)
    if (names.has(name)) return true
    const isLeftOut = isPartlyShown(resource, name) || (isResponse && !record.has(name))
    return keyword === 'required' && isLeftOut
  }

  const refused = mistakes.filter((one) => !isShown(one))

  return toInputErrors('', withNearest(refused, body))
}

function mistakesOf(validate: SchemaValidator, body: unknown): readonly ValidationError[] {
  return validate(body) ? [] : (validate.errors ?? [])
}

function shows(schema: Schema, name: string, value: unknown): boolean {
  const own = propertiesOf(schema).get(name)
  return own !== undefined && matches(own, value)
}

/**
 * Changes of a record, which may be given as any response or request shows them. Throws a UsageError that lists what is wrong: values that
 * are not an object, unknown properties, another id, and values that the properties cannot have. `before` is the present record.
 */
export function checkChanges(
  given: unknown,
  id: Id,
  resource: Resource,
  before: StoredRecord | undefined,
): StoredRecord {
  const task = `change ${resource.name}`
  const { values, unknown } = readRecord(task, given, resource)
  const { [resource.id]: other, ...others } = values
  const isOther = other !== undefined && other !== id
  const mistakes = checkProperties(resource, rounded(isOther ? others : values), before)
  refuseMistakes(isOther ? `${task} ${id}` : task, [
    ...(isOther ? [unchangeable(resource.id, other)] : []),
    ...unknown,
    ...mistakes.map(toItem),
  ])
  return values
}

function unchangeable(location: string, value: unknown): UsageErrorItem {
  return {
    reason: `the ${location} of a record cannot be changed (got ${String(value)})`,
    help: `Leave the ${location} out, or create a record.`,
    location,
  }
}

/** The values of a record, and the properties among them that none can have. Throws a UsageError for values that are not an object. */
function readRecord(
  task: string,
  given: unknown,
  resource: Resource,
): { readonly values: StoredRecord; readonly unknown: readonly UsageErrorItem[] } {
  const { value: values, at } = givenRecord(given, resource)
  requireRecord(task, values)
  return { values, unknown: unknownIn(values, resource, at) }
}

function requireRecord(task: string, given: unknown): asserts given is StoredRecord {
  if (isObject(given)) return
  throw new UsageError({
    code: 'invalid_record',
    task,
    reason: `the value must be an object of properties (got ${kindOf(given)})`,
  })
}

/** Throws a UsageError for properties and values of a later change that no record can have. */
export function checkScheduled(
  { set, from = {} }: { readonly set: StoredRecord; readonly from: StoredRecord | undefined },
  resource: Resource,
): void {
  const before = Object.entries(from).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: unknown) => ({ [name]: one })),
  )
  const mistakes = [set, ...before].flatMap((values) =>
    checkProperties(resource, plainValues(values), undefined),
  )
  const unknown = unknownIn({ ...from, ...set }, resource)
  refuseMistakes(`change ${resource.name}`, [...unknown, ...mistakes.map(toItem)])
}

/** The values that are known before the time of the change: no references, and nothing that is merged. */
function plainValues(values: StoredRecord): StoredRecord {
  const isPlain = (value: unknown): boolean =>
    typeof value === 'string' ? !value.includes('{') : value !== null && typeof value !== 'object'

  return Object.fromEntries(Object.entries(values).filter(([, value]) => isPlain(value)))
}

/** The properties that no record can have. */
function unknownIn(
  values: StoredRecord,
  resource: Resource,
  at?: GivenRow['at'],
): readonly UsageErrorItem[] {
  if (!Object.hasOwn(values, '__proto__'))
    return unknownProperties(resource, values, at).map(toErrorItem)
  return [{ location: '__proto__', ...unknownName('property', '__proto__', []) }]
}

function toItem({ suggestion, allowed, ...error }: InputError): UsageErrorItem {
  return {
    reason: describeInputErrors([error]),
    location: error.location,
    ...(suggestion !== undefined && { suggestion, allowed }),
  }
}

/** Mistakes of a value, with the nearest of the texts that a property may have. */
function withNearest(
  mistakes: readonly ValidationError[],
  value: unknown,
): readonly ValidationError[] {
  return mistakes.map((one) => ({
    ...one,
    params: { ...one.params, ...nearestAllowed(one, value) },
  }))
}

/** Throws a UsageError that lists mistakes, if there are any. */
function refuseMistakes(task: string, mistakes: readonly UsageErrorItem[]): void {
  const [first] = mistakes
  if (!first) return
  throw new UsageError({ code: 'invalid_record', task, ...first, errors: mistakes })
}

/** Throws a UsageError for what the store refuses, and other errors as they are. */
export function refuseInvalid({ name }: Resource): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof InvalidRecordError)) throw error
    throw invalidRecord(`change ${name}`, toInputErrors('', error.errors), error)
  }
}

/** A UsageError for a record that the contract does not allow. */
function invalidRecord(task: string, errors: readonly InputError[], cause?: unknown): UsageError {
  const location = errors[0]?.location
  const reason = describeInputErrors(errors)
  return new UsageError({ code: 'invalid_record', task, reason, location, cause })
}

/**
 * The mistakes in the changed properties of a record of which responses show different parts. A property may have each value that
 * responses may show and that requests may send. Values that stay the same are not checked.
 */
export function checkProperties(
  { schema, sent = [] }: Pick<Resource, 'schema' | 'sent'>,
  changes: StoredRecord,
  before: StoredRecord | undefined,
): readonly InputError[] {
  return Object.entries(changes).flatMap(([name, value]) => {
    if (before && areEqual(getOwn(before, name), value)) return []
    const schemas = [schema, ...sent].filter((one) => propertiesOf(one).has(name))
    const [first] = schemas
    if (!first || schemas.some((one) => allows(one, name, value))) return []
    const mistakes = refusing(first, name, value).flatMap((one) => findMistakes(one, value))

    return toInputErrors(name, withNearest(mistakes, value))
  })
}

/** Whether the objects of a schema can have this value in a property. */
function allows(schema: Schema, name: string, value: unknown): boolean {
  return refusing(schema, name, value).length === 0
}

/** The schemas of a property that a value must match and does not match. */
function refusing(schema: Schema, name: string, value: unknown): readonly Schema[] {
  const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema
  const own = getOwn(properties, name)
  const choices = [anyOf, oneOf].flatMap((branches) => {
    const refused = branches.map((branch) => refusing(branch, name, value))
    return refused.every((one) => one.length > 0) ? (refused[0] ?? []) : []
  })

  return [
    ...(own === undefined || matches(own, value) ? [] : [own]),
    ...allOf.flatMap((branch) => refusing(branch, name, value)),
    ...choices,
  ]
}
