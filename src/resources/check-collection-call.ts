import type { Contract, Schema } from '../contract/contract.ts'
import { normalize } from '../contract/normalize.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import { refuseUnknown, suggest, UsageError, wholeNumber } from '../validation/usage-error.ts'
import type { Resource } from './bind.ts'
import type { Id } from './id-generator.ts'

/**
 * Throws a UsageError for an unknown field, for a property that no record can have, and for a limit that is no whole number.
 */
export function checkQuery(query: object, resource: Resource, contract: Contract): void {
  refuseUnknown('list option', query, ['where', 'limit'])
  const { where = {}, limit = 0 }: { where?: unknown; limit?: unknown } = query
  refuseUnknownProperties(`list ${resource.name}`, where, resource, contract)
  wholeNumber('limit', limit, 0)
}

/**
 * Throws a UsageError for values that are no record, for properties that the service itself would drop, and for what it
 * would refuse of a request that creates one. An id and what only the service sets may be given.
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
  const why = describeErrors('body', creation.validate.errors ?? []).replaceAll('body.', '')
  throw invalidRecord(`change ${name}`, why, 'Give what the contract asks for.')
}

/** Throws a UsageError for what a record cannot be changed to: the same, and another id. */
export function checkChanges(
  changes: unknown,
  id: Id,
  resource: Resource,
  contract: Contract,
): void {
  refuseUnknownProperties(`change ${resource.name}`, changes, resource, contract)
  const other: unknown = Reflect.get(Object(changes), resource.id)
  if (other === undefined || other === id) return
  throw invalidRecord(
    `change ${resource.name} ${id}`,
    `its ${resource.id} cannot become ${String(other)}`,
    'Leave it out, or add a record of that one.',
  )
}

function refuseUnknownProperties(
  deed: string,
  values: unknown,
  resource: Resource,
  contract: Contract,
): void {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw invalidRecord(deed, `${JSON.stringify(values)} is no map of properties`, 'Give one.')
  }
  const schemas = schemasOf(resource, contract)
  const [unknown] = Object.hasOwn(values, '__proto__')
    ? ['__proto__']
    : schemas.map((schema) => dropped(schema, values)).reduce(inBoth)
  if (unknown === undefined) return
  const known = schemas.flatMap((schema) => [...propertiesOf(schema).keys()])
  const advice = unknown.includes('.') ? 'Leave it out.' : suggest(unknown, [...new Set(known)])
  throw invalidRecord(deed, `${unknown} is no property of its records`, advice)
}

/** A record can have the properties that answers show and those that requests bring. */
function schemasOf({ path, schema }: Resource, { operations }: Contract): readonly Schema[] {
  const own = operations.filter((one) => one.path === path || one.path.startsWith(`${path}/{`))
  return [schema, ...own.flatMap(({ body }) => (body ? [body.schema] : []))]
}

/** The properties that the service would drop of a value, as `owner.name`. */
function dropped(schema: Schema, values: object): readonly string[] {
  const places: string[] = []
  const onRemove = (place: string): void => void places.push(place.slice(1))
  normalize(schema, values, '', { useDefaults: false, onRemove })
  return places
}

function inBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((one) => others.includes(one))
}

function invalidRecord(deed: string, why: string, advice: string): UsageError {
  return new UsageError('invalid_record', `Cannot ${deed}: ${why}. ${advice}`)
}
