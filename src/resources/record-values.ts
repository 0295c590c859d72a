import type { Schema } from '../contract/contract.ts'
import { normalize } from '../contract/normalize.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { getOwn } from '../validation/own-property.ts'
import type { Resource } from './bind.ts'
import type { StoredRecord } from './record-index.ts'

/** What a client sent for a new record, without an id, and completed by what the service sets itself. */
export function recordFromBody(resource: Resource, body: unknown, now: number): StoredRecord {
  return withDefaults(withoutId(resource, body), serverPropertiesOf(resource), now)
}

/**
 * A record that a test or a scenario gives, completed as the API completes what a client sends, in the same order. It may
 * have an id and what only the service sets. What a client has to send is not filled in, for the check to refuse.
 */
export function completeRecord(
  resource: Resource,
  values: StoredRecord,
  now: number,
): StoredRecord {
  const { schema, creation } = resource
  const shaped = normalize(creation?.schema ?? schema, values, '', { useDefaults: true })
  const own = serverPropertiesOf(resource).filter(([name, { default: preset, readOnly }]) => {
    const isSent = !creation || isRequired(creation.schema, name)
    return preset !== undefined || readOnly === true || !isSent
  })

  return withDefaults(isObject(shaped) ? shaped : values, own, now)
}

function withDefaults(
  values: StoredRecord,
  own: ReturnType<typeof serverPropertiesOf>,
  now: number,
): StoredRecord {
  const missing = own.filter(([name]) => !Object.hasOwn(values, name))
  if (missing.length === 0) return values

  return {
    ...values,
    ...Object.fromEntries(missing.map(([name, schema]) => [name, initialValue(schema, now)])),
  }
}

const serverProperties = new WeakMap<
  Resource,
  readonly (readonly [name: string, schema: Schema])[]
>()

/** The properties that the service sets itself where a client leaves them out. */
function serverPropertiesOf(
  resource: Resource,
): readonly (readonly [name: string, schema: Schema])[] {
  const known = serverProperties.get(resource)
  if (known) return known
  const own = [...propertiesOf(resource.schema)].filter(
    ([name, schema]) => name !== resource.id && isServerProperty(resource, name, schema),
  )
  serverProperties.set(resource, own)
  return own
}

/** A record with the client's content in place of its own; what only the service may set stays. */
export function replaceValues(
  resource: Resource,
  before: StoredRecord,
  body: unknown,
): StoredRecord {
  const kept = [...propertiesOf(resource.schema)]
    .filter(([name, { readOnly }]) => readOnly && Object.hasOwn(before, name))
    .map(([name]) => [name, before[name]])

  return { ...withoutId(resource, body), ...Object.fromEntries(kept) }
}

/**
 * A record with what the client sent in place of its own, member by member, also within objects (RFC 7396, but a
 * null is kept).
 */
export function mergeValues(resource: Resource, before: StoredRecord, body: unknown): StoredRecord {
  return mergePatch(before, withoutId(resource, body))
}

/** The texts of records that were shown: records are never changed in place, so each is written once. */
const texts = new WeakMap<StoredRecord, string>()

/** A record as answers show it, in JSON and without write-only properties. */
export function cachedText(resource: Resource, row: StoredRecord): string {
  const known = texts.get(row)
  if (known !== undefined) return known

  const text = toText(resource, row)
  texts.set(row, text)
  return text
}

/** The same text, not kept: for a record that may never be shown again. */
export function toText({ hidden }: Resource, row: StoredRecord): string {
  if (hidden.size === 0) return JSON.stringify(row)
  const shown = Object.entries(row).filter(([name]) => !hidden.has(name))
  return JSON.stringify(Object.fromEntries(shown))
}

function withoutId({ id }: Resource, body: unknown): StoredRecord {
  if (!isObject(body)) return {}
  if (!Object.hasOwn(body, id)) return body
  const { [id]: _, ...rest } = body

  return rest
}

/** Whether the service sets a property itself: it has a default, is read-only, or every record must have it. */
function isServerProperty(
  { schema }: Resource,
  name: string,
  { readOnly, default: preset }: Schema,
): boolean {
  return preset !== undefined || readOnly === true || isRequired(schema, name)
}

function isRequired({ required, allOf }: Schema, name: string): boolean {
  return required?.includes(name) || (allOf?.some((branch) => isRequired(branch, name)) ?? false)
}

/** The plainest value that a schema allows; a date is that of `now`. */
function initialValue(schema: Schema, now: number): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.format === 'date-time') return new Date(now).toISOString()
  if (schema.format === 'date') return new Date(now).toISOString().slice(0, 10)
  const [type] = [schema.type].flat()
  const plainest: Readonly<Record<string, unknown>> = {
    integer: schema.minimum ?? 0,
    number: schema.minimum ?? 0,
    boolean: false,
    string: '',
    array: [],
    object: {},
  }
  return getOwn(plainest, type ?? 'null') ?? null
}

function mergePatch(before: StoredRecord, patch: StoredRecord): StoredRecord {
  const changes = Object.entries(patch).map(([name, value]) => {
    const old = getOwn(before, name)
    return [name, isObject(value) && isObject(old) ? mergePatch(old, value) : value]
  })
  return { ...before, ...Object.fromEntries(changes) }
}

function isObject(value: unknown): value is StoredRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
