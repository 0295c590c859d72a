import type { Contract, Schema, ValidationError } from '../contract/contract.ts'
import { normalize } from '../contract/normalize.ts'
import { parsePointer, propertiesOf } from '../contract/schema.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import { suggest } from '../validation/usage-error.ts'
import { spell, type ValueMistake, type ValuePath } from '../validation/value-check.ts'
import { resourcesIn } from './bind.ts'
import { type FirstRecords, isCollectionOf } from './first-records/start-of.ts'
import { createIdGenerator } from './id-generator.ts'
import { completeRecord } from './record-values.ts'
import type { Resource } from './resource.ts'

/** The mistakes in the records that a scenario or the option `records` gives, by the contract. `place` is where they are. */
export function checkFirstRecords(
  { records }: { readonly records?: FirstRecords | undefined },
  contract: Contract,
  place: ValuePath = ['records'],
): readonly ValueMistake[] {
  if (!isObject(records)) return []
  const resources = resourcesIn(contract)

  return Object.entries(records).flatMap(([name, given]) => {
    const resource = resources.find((one) => isCollectionOf(one, name))
    return resource && Array.isArray(given)
      ? checkCollection(resource, given, [...place, name])
      : []
  })
}

/** Checks the records in their order, as the store adds them: a record without an id gets the next one. */
function checkCollection(
  resource: Resource,
  records: readonly StoredRecord[],
  path: ValuePath,
): ValueMistake[] {
  const { id: idName, idSchema } = resource
  const ids = resource.ids?.create(1, resource.name) ?? createIdGenerator(idSchema, 1)
  const taken = new Set<Id>()
  let made = ids?.start ?? 0

  return records.flatMap((record, at) => {
    const given = getOwn(record, idName)
    const isGiven = typeof given === 'number' || typeof given === 'string'
    const next = isGiven ? { id: given, state: ids?.stateAfter(made, given) } : ids?.next(made)
    const id = next?.id
    const mistakes = checkRecord(
      resource,
      { ...(id !== undefined && { [idName]: id }), ...record },
      [...path, at],
    )
    if (id === undefined) return mistakes
    if (Number.isInteger(id) && !Number.isSafeInteger(id)) {
      mistakes.push(inexactId([...path, at, idName], id))
    }
    if (taken.has(id)) mistakes.push(takenId([...path, at, idName], id))
    taken.add(id)
    made = next?.state ?? made
    return mistakes
  })
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

function checkRecord(resource: Resource, record: StoredRecord, path: ValuePath): ValueMistake[] {
  const { validate, schema, creation } = resource
  // Write-only properties are in the schema of requests, not of responses.
  const unsent =
    creation && unknownProperties(creation.schema, record, path).map((one) => spell(one.path))
  const isUnknown = (one: ValueMistake): boolean => unsent?.includes(spell(one.path)) ?? true
  const faults = validate(completeRecord(resource, record, 0)) ? [] : (validate.errors ?? [])
  return [
    ...unknownProperties(schema, record, path).filter(isUnknown),
    ...faults.flatMap((fault) => toMistake(fault, record, path) ?? []),
  ]
}

/** Properties that the schema does not have. The service does not store them. */
function unknownProperties(schema: Schema, value: unknown, path: ValuePath): ValueMistake[] {
  if (Array.isArray(value)) {
    const { items } = schema
    return items ? value.flatMap((item, at) => unknownProperties(items, item, [...path, at])) : []
  }
  if (!isObject(value)) return []
  const known = propertiesOf(schema)

  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name]
    const property = known.get(name)
    if (property) return unknownProperties(property, inner, at)
    if (!isDropped(schema, name)) return []
    const reason = `unknown property "${spell(at)}"`
    return [{ path: at, part: 'key', reason, ...suggest(name, [...known.keys()]) }]
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
  path: ValuePath,
): ValueMistake | undefined {
  const steps = stepsOf(fault.instancePath)
  const at = [...path, ...steps]
  const { missingProperty, allowedValues } = fault.params
  const mistake = (reason: string): ValueMistake => ({
    path: at,
    part: 'value',
    reason: `${spell(at)}${reason}`,
  })
  if (fault.keyword === 'additionalProperties') return undefined
  if (fault.keyword === 'required') return mistake(`.${missingProperty} is required`)
  const value = valueAt(record, steps)
  if (Array.isArray(allowedValues) && typeof value === 'string') {
    const allowed = allowedValues.map(String)
    const reason = ` must be one of ${allowed.join(', ')} (got ${JSON.stringify(value)})`
    return { ...mistake(reason), ...suggest(value, allowed) }
  }
  return mistake(` ${describeErrors('', [{ ...fault, instancePath: '' }])}`)
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
