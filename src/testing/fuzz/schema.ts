import { integerOf, type Json, JsonNumber } from './json.ts'

/** The subset of JSON Schema that the documents of the fuzz tests use. Other keywords throw an error. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer'
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly format?: string
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minProperties?: number
  readonly maxItems?: number
  readonly readOnly?: boolean
}

const KEYWORDS =
  /^(?:type|enum|default|format|properties|required|items|(?:min|max)(?:imum|Length|Properties|Items)|readOnly|allOf|description|examples?|x-.*)$/

const UUID = /^(?:urn:uuid:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Merges the branches of `allOf` into one schema. Throws a `TypeError` for an unsupported keyword. */
export function flattenSchema(value: unknown): Schema {
  const node: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {}
  const unsupported = Object.keys(node).find((keyword) => !KEYWORDS.test(keyword))
  if (unsupported !== undefined)
    throw new TypeError(`The model does not support the keyword ${unsupported}`)
  const { type, allOf = [], properties = {}, required = [], items, ...rest } = node
  // A default that only the service applies.
  const preset: unknown = Object(node['x-sandbox']).default
  const branches = [allOf].flat().map(flattenSchema)
  const own = Object.entries(Object(properties)).map(([name, one]) => [name, flattenSchema(one)])

  return {
    ...rest,
    ...(preset !== undefined && { default: preset }),
    type: typeIn(type ?? branches[0]?.type),
    properties: Object.assign(
      {},
      ...branches.map((one) => one.properties),
      Object.fromEntries(own),
    ),
    required: [...branches.flatMap((one) => one.required), ...[required].flat().map(String)],
    ...(items !== undefined && { items: flattenSchema(items) }),
  }
}

function typeIn(type: unknown): Schema['type'] {
  if (type === 'object' || type === 'array' || type === 'string' || type === 'integer') return type
  throw new TypeError(`The model does not support the type ${type}`)
}

/** Validates a value and removes unknown and read-only properties. Returns `undefined` for an invalid value. */
export function acceptValue(schema: Schema, value: Json): unknown {
  if (value instanceof Map)
    return schema.type === 'object' ? acceptObject(schema, value) : undefined
  if (Array.isArray(value)) return schema.type === 'array' ? acceptArray(schema, value) : undefined
  if (value instanceof JsonNumber)
    return schema.type === 'integer' ? acceptInteger(schema, value) : undefined
  if (typeof value === 'string' && schema.type === 'string' && isValidString(schema, value))
    return value

  return undefined
}

function acceptObject(schema: Schema, value: ReadonlyMap<string, Json>): unknown {
  const known = [...value].filter(([name]) => isWritable(schema, name))
  const { minProperties = 0, required } = schema
  const isMissing = (name: string): boolean => isWritable(schema, name) && !value.has(name)
  if (known.length < minProperties || required.some(isMissing)) return undefined
  const entries = known.map(
    ([name, one]) => [name, acceptValue(propertyOf(schema, name), one)] as const,
  )

  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries)
}

function acceptArray(
  { items, maxItems = Number.POSITIVE_INFINITY }: Schema,
  value: Json[],
): unknown {
  const list = value.map((item) => items && acceptValue(items, item))
  return list.length > maxItems || list.includes(undefined) ? undefined : list
}

function acceptInteger({ minimum, maximum }: Schema, { text }: JsonNumber): unknown {
  const value = integerOf(text)
  if (value === undefined || value < (minimum ?? value) || value > (maximum ?? value))
    return undefined
  return value
}

function isValidString(
  { enum: members, format, minLength = 0, maxLength }: Schema,
  text: string,
): boolean {
  const length = [...text].length
  if (members && !members.includes(text)) return false
  if (format === 'uuid' && !UUID.test(text)) return false

  return length >= minLength && length <= (maxLength ?? length)
}

function isWritable({ properties }: Schema, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name]?.readOnly !== true
}

function propertyOf({ properties }: Schema, name: string): Schema {
  const property = properties[name]
  if (property) return property
  throw new TypeError(`There is no property ${name}`)
}

/** Adds the defaults of missing properties, at every depth. */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(schema.properties).flatMap(([name, property]) => {
    const sent: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : property.default
    return sent === undefined ? [] : [[name, withDefaults(property, sent)]]
  })
  return Object.fromEntries(entries)
}
