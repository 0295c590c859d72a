import type { Contract, Schema } from '../contract/contract.ts'
import { normalize } from '../contract/normalize.ts'
import { propertiesOf } from '../contract/schema.ts'
import { toInputErrors } from '../contract/validation-errors.ts'
import { findMistakes } from '../generate/find-mistakes.ts'
import { areEqual, matches } from '../generate/matches.ts'
import { describeInputErrors, type InputError } from '../http/problem.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import {
  kindOf,
  refuseUnknown,
  requireInteger,
  UsageError,
  unknownName,
} from '../validation/usage-error.ts'
import { isCollectionOf } from './first-records/start-of.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { Resource } from './resource.ts'

/** The name of a resource in lists: of one with parents, its path, such as `orgs/{org}/repos`. */
export function resourceLabel({ name, path, parents }: Resource): string {
  return parents ? path.slice(1) : name
}

/** Throws a UsageError for the name of an unknown collection, and for a name without the ids of the collection's parents. */
export function checkCollection(name: string, resources: readonly Resource[]): void {
  const found = resources.find((one) => isCollectionOf(one, name))
  const lacksIds = found?.parents && (found.name === name || resourceLabel(found) === name)
  if (found && !lacksIds) return
  throw new UsageError({
    code: 'unknown_collection',
    task: 'open the collection',
    ...(found
      ? {
          reason: `"${name}" has a collection for each of its parents`,
          help: `Use the path of one, such as "${found.path.replace(/\{[^{}]+\}/g, '1')}".`,
        }
      : unknownName('collection', name, resources.map(resourceLabel))),
  })
}

/** Throws a UsageError for an unknown field, a property that no record can have, or a number of records that is not an integer ≥ 0. */
export function checkQuery(query: object, resource: Resource, contract: Contract): void {
  refuseUnknown('list', query, ['where', 'skip', 'limit'])
  const { where = {}, skip = 0, limit = 0 }: Readonly<Record<string, unknown>> = { ...query }
  refuseUnknownProperties(`list ${resource.name}`, where, resource, contract)
  requireInteger('skip', skip, 0)
  requireInteger('limit', limit, 0)
}

/**
 * Throws a UsageError for values that are not an object, for unknown properties, and for values that the API does not accept for a
 * new record. The values may include an id and read-only properties.
 */
export function checkNew(values: unknown, resource: Resource, contract: Contract): void {
  const { name, schema, creation } = resource
  refuseUnknownProperties(`change ${name}`, values, resource, contract)
  if (!creation) return
  const sendable = propertiesOf(creation.schema)
  const record = propertiesOf(schema)
  const sent = Object.entries(Object(values)).filter(
    ([key]) => sendable.has(key) || !record.has(key),
  )
  const body = normalize(creation.schema, Object.fromEntries(sent), '', { useDefaults: true })
  if (creation.validate(body)) return
  throw invalidRecord(`change ${name}`, toInputErrors('', creation.validate.errors ?? []))
}

/**
 * Throws a UsageError for changes that are not an object, for unknown properties, for another id, and for values that the
 * properties cannot have. `before` is the present record.
 */
export function checkChanges(
  changes: unknown,
  id: Id,
  resource: Resource,
  contract: Contract,
  before: StoredRecord | undefined,
): void {
  refuseUnknownProperties(`change ${resource.name}`, changes, resource, contract)
  const other: unknown = Reflect.get(Object(changes), resource.id)
  if (other !== undefined && other !== id) {
    throw new UsageError({
      code: 'invalid_record',
      task: `change ${resource.name} ${id}`,
      reason: `the ${resource.id} of a record cannot be changed (got ${String(other)})`,
      help: `Leave the ${resource.id} out, or create a record.`,
      location: resource.id,
    })
  }
  const mistakes = checkProperties(resource, Object(changes), before)
  if (mistakes.length > 0) throw invalidRecord(`change ${resource.name}`, mistakes)
}

function refuseUnknownProperties(
  task: string,
  values: unknown,
  resource: Resource,
  contract: Contract,
): void {
  if (!isObject(values)) {
    throw new UsageError({
      code: 'invalid_record',
      task,
      reason: `the value must be an object of properties (got ${kindOf(values)})`,
    })
  }
  const schemas = schemasOf(resource, contract)
  const [unknown] = Object.hasOwn(values, '__proto__')
    ? ['__proto__']
    : schemas.map((schema) => dropped(schema, values)).reduce(inBoth)
  if (unknown === undefined) return
  const known = schemas.flatMap((schema) => [...propertiesOf(schema).keys()])
  const isNested = unknown.includes('.')
  throw new UsageError({
    code: 'invalid_record',
    task,
    location: unknown,
    ...unknownName('property', unknown, [...new Set(known)]),
    ...(isNested && { help: 'Leave it out.', suggestion: undefined, allowed: undefined }),
  })
}

/** A record can have the properties of responses and those of request bodies. */
function schemasOf({ path, schema }: Resource, { operations }: Contract): readonly Schema[] {
  const own = operations.filter((one) => one.path === path || one.path.startsWith(`${path}/{`))
  return [schema, ...own.flatMap(({ body }) => (body ? [body.schema] : []))]
}

/** The paths of the properties that the service would drop from a value, such as `owner.name`. */
function dropped(schema: Schema, values: object): readonly string[] {
  const places: string[] = []
  const onRemove = (place: string): void => void places.push(place.slice(1))
  normalize(schema, values, '', { useDefaults: false, onRemove })
  return places
}

function inBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((one) => others.includes(one))
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

    return toInputErrors(name, mistakes)
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
