import type { Schema } from '../contract/contract.ts'
import { normalize } from '../contract/normalize.ts'
import { propertiesOf } from '../contract/schema.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import type { Resource } from './resource.ts'

/**
 * The values of a record that a test or a scenario gives, completed as the API completes a body. They may include an id and
 * read-only properties. Properties that a client must send are not added, so that the check reports them.
 */
export function completeRecord(
  resource: Resource,
  values: StoredRecord,
  now: number,
): StoredRecord {
  const { schema, creation } = resource
  const normalized = normalize(creation?.schema ?? schema, values, '', { useDefaults: true })
  const own = serverPropertiesOf(resource).filter(([name, { default: preset, readOnly }]) => {
    const isSent = !creation || isRequired(creation.schema, name)
    return preset !== undefined || readOnly === true || !isSent
  })

  return withDefaults(isObject(normalized) ? normalized : values, own, now)
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

/** The properties that the service sets when a client does not send them. */
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

/** Whether the service sets a property: it has a default, is read-only, or is required. */
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

/** A simple value that a schema allows. Dates are `now`. */
function initialValue(schema: Schema, now: number): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.format === 'date-time') return new Date(now).toISOString()
  if (schema.format === 'date') return new Date(now).toISOString().slice(0, 10)
  const [type] = [schema.type].flat()
  const simplest: Readonly<Record<string, unknown>> = {
    integer: schema.minimum ?? 0,
    number: schema.minimum ?? 0,
    boolean: false,
    string: '',
    array: [],
    object: {},
  }
  return getOwn(simplest, type ?? 'null') ?? null
}
