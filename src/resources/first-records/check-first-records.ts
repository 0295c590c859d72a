import type { Contract, Schema, ValidationError } from '../../contract/contract.ts'
import { normalize } from '../../contract/normalize.ts'
import { escapeKey, itemsOf, parsePointer, propertiesOf } from '../../contract/schema.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { findMistakes } from '../../generate/find-mistakes.ts'
import { matches } from '../../generate/matches.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import { type Suggestion, suggest } from '../../validation/usage-error.ts'
import {
  fields,
  is,
  mistakesIn,
  spell,
  type ValueCheck,
  type ValueMistake,
  type ValuePath,
} from '../../validation/value-check.ts'
import { resourcesIn } from '../bind.ts'
import { suggestCollection } from '../collection-name.ts'
import { createIdGenerator } from '../id-generator.ts'
import { completeRecord } from '../record-values.ts'
import { type Resource, shownSchemas } from '../resource.ts'
import type { FirstRecords, Start } from '../start-of.ts'
import {
  type GivenCollection,
  type GivenRow,
  givenCollection,
  givenRows,
  isAbsent,
  propertySchemas,
  schemasOf,
} from './given-records.ts'
import { recordsCheck } from './records-check.ts'

/** The first records of a sandbox or a scenario, as the store has them, and what is wrong with them. */
export interface CheckedRecords {
  readonly records: FirstRecords
  readonly mistakes: readonly ValueMistake[]
}

/** First records before they are checked. */
type GivenStart = FirstRecords | Readonly<Record<string, unknown>>

/** Reads first records as `readFirstRecords`, and checks the names of their collections, too. */
export function checkFirstRecords(given: GivenStart, contract: Contract): CheckedRecords {
  const names = mistakesIn({ records: given }, fields({ records: namesCheck(contract) }))
  const { records, mistakes } = readFirstRecords(given, contract)

  return { records, mistakes: [...names, ...mistakes] }
}

/**
 * Reads the records that a scenario or the option `records` gives: by the name of their collection, its path or the name of their schema,
 * and as any response or request shows them. The names are checked elsewhere. `place` is where they are.
 */
export function readFirstRecords(
  given: GivenStart,
  contract: Contract,
  place: ValuePath = ['records'],
): CheckedRecords {
  if (!isObject(given)) return { records: given, mistakes: [] }
  const resources = resourcesIn(contract)
  const records: Record<string, Start> = {}
  const rows = new Map<string, GivenRow[]>()
  const resourceOf = new Map<string, Resource>()
  for (const [text, value] of Object.entries(given)) {
    const found = givenCollection(text, resources, contract)
    const { name } = found ?? { name: text }
    if (found && (isObject(value) || Array.isArray(value))) {
      resourceOf.set(name, found.resource)
      rows.set(name, [...(rows.get(name) ?? []), ...rowsIn(value, found, [...place, text])])
    } else if (typeof value === 'number' || value === 'default') setOwn(records, name, value)
  }
  for (const [name, own] of rows)
    setOwn(
      records,
      name,
      own.flatMap(({ value }) => (isObject(value) ? [value] : [])),
    )
  const mistakes = [...resourceOf].flatMap(([name, one]) => checkRows(one, rows.get(name) ?? []))

  return { records, mistakes }
}

/** The records in a value that is given at a place. */
function rowsIn(
  value: unknown,
  { resource, values }: GivenCollection,
  place: ValuePath,
): GivenRow[] {
  return givenRows(value, resource, values).map((row) => ({
    value: row.value,
    at: (inner) => [...place, ...row.at(inner)],
  }))
}

/** The check of the records of a scenario: the names of their collections, and the records. */
export function givenRecordsCheck(contract: Contract): ValueCheck {
  const names = namesCheck(contract)
  return (given, path, mistakes) => {
    names(given, path, mistakes)
    if (isObject(given)) mistakes.push(...readFirstRecords(given, contract, path).mistakes)
  }
}

/**
 * The check of the names of collections, and of what each starts with. It reads the resources when it is first called, because that takes
 * long in a large document.
 */
function namesCheck(contract: Contract): ValueCheck {
  return (...given) => {
    const resources = resourcesIn(contract)
    const check = recordsCheck(
      resources,
      (name) => givenCollection(name, resources, contract),
      (name, allowed) => ({ ...suggestCollection(name, resources), allowed }),
    )
    check(...given)
  }
}

/** Checks the records in their order, as the store adds them: a record without an id gets the next one. */
export function checkRows(resource: Resource, rows: readonly GivenRow[]): ValueMistake[] {
  const { id: idName, idSchema } = resource
  const ids = resource.ids?.create(1, resource.name) ?? createIdGenerator(idSchema, 1)
  const taken = new Set<Id>()
  let made = ids?.start ?? 0

  return rows.flatMap(({ value: record, at }) => {
    if (!isObject(record)) return notAnObject(at([]), record)
    const given = getOwn(record, idName)
    const isGiven = typeof given === 'number' || typeof given === 'string'
    const next = isGiven ? { id: given, state: ids?.stateAfter(made, given) } : ids?.next(made)
    const id = next?.id
    const mistakes = checkRecord(
      resource,
      { ...(id !== undefined && { [idName]: id }), ...record },
      at,
    )
    if (id === undefined || resource.isSingle) return mistakes
    if (Number.isInteger(id) && !Number.isSafeInteger(id)) {
      mistakes.push(inexactId(at([idName]), id))
    }
    if (taken.has(id)) mistakes.push(takenId(at([idName]), id))
    taken.add(id)
    made = next?.state ?? made
    return mistakes
  })
}

function notAnObject(path: ValuePath, value: unknown): readonly ValueMistake[] {
  return mistakesIn(value, (given, _, mistakes) => is('an object', isObject)(given, path, mistakes))
}

/** JavaScript cannot distinguish such an integer from its neighbours. */
function inexactId(path: ValuePath, id: Id): ValueMistake {
  const most = Number.MAX_SAFE_INTEGER
  const reason = `${spell(path)} must be an integer from -${most} to ${most} (got ${id})`
  return { path, part: 'value', reason }
}

function takenId(path: ValuePath, id: Id): ValueMistake {
  const reason = `${spell(path)} must be unique (an earlier record has the id ${id})`
  return { path, part: 'value', reason, help: 'Give each record its own id, or none.' }
}

/** The mistakes of one record. `at` is where its parts were given. */
function checkRecord(resource: Resource, record: StoredRecord, at: GivenRow['at']): ValueMistake[] {
  const whole = completeRecord(resource, record, 0)
  const faults = resource.validate(whole) ? [] : (resource.validate.errors ?? [])
  const known = resource.isValidated ? faults : faultsIn(resource, record, faults)
  return [
    ...unknownProperties(resource, record, at),
    ...known.flatMap((fault) => toMistake(fault, record, at) ?? []),
  ]
}

/** What is wrong with a record of which responses and requests show different parts: a property may be as any of them has it. */
function faultsIn(
  resource: Resource,
  record: StoredRecord,
  whole: readonly ValidationError[],
): readonly ValidationError[] {
  const schemas = schemasOf(resource)
  const inside = Object.entries(record).flatMap(([name, value]) => {
    const own = propertySchemas(name, schemas)
    const [first] = own
    if (!first || own.some((one) => matches(one, value))) return []
    if (value === null && isAbsent(name, schemas)) return []
    return findMistakes(first, value, `/${escapeKey(name)}`)
  })
  const missing = whole.filter(({ keyword, instancePath, params }) => {
    const name = String(params.missingProperty)
    return keyword === 'required' && instancePath === '' && !isPartlyShown(resource, name)
  })
  const isWrong = inside.length > 0 || missing.length > 0
  if (isWrong || whole.length === 0) return [...missing, ...inside]
  const isOther = schemas.some((one) => matches(one, record))

  return isOther
    ? []
    : whole.filter(({ keyword, instancePath }) => instancePath === '' && keyword !== 'required')
}

/** Whether a response shows the records of a resource without a property that others have. */
export function isPartlyShown(resource: Resource, name: string): boolean {
  const isShown = ({ schema }: Pick<Resource, 'schema'>): boolean => propertiesOf(schema).has(name)
  return isShown(resource) && !shownSchemas(resource).every(isShown)
}

/** Properties that no schema has. The service does not store them. `at` is where the parts of the record were given. */
export function unknownProperties(
  resource: Resource,
  record: StoredRecord,
  at: GivenRow['at'] = (inner) => inner,
): readonly ValueMistake[] {
  const all = schemasOf(resource)
  const schemas = all.filter((one) => propertiesOf(one).size > 0)
  const unknown = (schemas.length > 0 ? schemas : all).map((one) => unknownIn(one, record, []))
  const places = unknown.flat().filter(({ path }) => {
    const isInside = (other: Unknown): boolean =>
      other.path.every((step, index) => step === path[index])
    return path[0] !== resource.id && unknown.every((own) => own.some(isInside))
  })
  const byPlace = new Map(places.map((one) => [JSON.stringify(one.path), one]))
  const names = schemas.flatMap((one) => [...propertiesOf(one).keys()])

  return [...byPlace.values()].map(({ path, known }) => {
    const place = at(path)
    const nearest = suggest(String(path.at(-1)), path.length === 1 ? [...new Set(names)] : known)
    return { path: place, part: 'key', reason: `unknown property "${spell(place)}"`, ...nearest }
  })
}

/** A property that a schema does not have. */
interface Unknown {
  readonly path: ValuePath
  /** The properties that it has there. */
  readonly known: readonly string[]
}

function unknownIn(schema: Schema, value: unknown, path: ValuePath): readonly Unknown[] {
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    return items ? value.flatMap((item, at) => unknownIn(items, item, [...path, at])) : []
  }
  if (!isObject(value)) return []
  const known = propertiesOf(schema)

  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name]
    const property = known.get(name)
    if (property) return unknownIn(property, inner, at)
    return isDropped(schema, name) ? { path: at, known: [...known.keys()] } : []
  })
}

function isDropped(schema: Schema, name: string): boolean {
  let isStrange = false
  const onRemove = (): void => {
    isStrange = true
  }
  normalize(schema, { [name]: null }, '', { useDefaults: false, onRemove })
  return isStrange
}

/** `undefined` for an unknown property: `unknownProperties` reports it with the nearest name. */
function toMistake(
  fault: ValidationError,
  record: StoredRecord,
  at: GivenRow['at'],
): ValueMistake | undefined {
  const steps = stepsOf(fault.instancePath)
  const path = at(steps)
  const { missingProperty } = fault.params
  const mistake = (reason: string): ValueMistake => ({
    path,
    part: 'value',
    reason: `${spell(path)}${reason}`,
  })
  if (fault.keyword === 'additionalProperties') return undefined
  if (fault.keyword === 'required') return mistake(`.${missingProperty} is required`)
  const nearest = nearestAllowed(fault, record)
  if (nearest) {
    const got = JSON.stringify(valueAt(record, steps))
    const reason = ` must be one of ${nearest.allowed?.join(', ')} (got ${got})`
    return { ...mistake(reason), ...nearest }
  }
  return mistake(` ${describeErrors('', [{ ...fault, instancePath: '' }])}`)
}

/** The texts that a value may be, and the nearest one to what it is; `undefined` for other mistakes. */
export function nearestAllowed(
  { instancePath, params: { allowedValues } }: ValidationError,
  whole: unknown,
): Suggestion | undefined {
  const value = valueAt(whole, stepsOf(instancePath))
  return Array.isArray(allowedValues) && typeof value === 'string'
    ? suggest(value, allowedValues.map(String))
    : undefined
}

/** The names and indexes in a JSON Pointer. */
function stepsOf(pointer: string): ValuePath {
  return parsePointer(pointer).map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

function valueAt(value: unknown, steps: ValuePath): unknown {
  return steps.reduce<unknown>(
    (inner, step) => (inner === Object(inner) ? Reflect.get(Object(inner), step) : undefined),
    value,
  )
}
