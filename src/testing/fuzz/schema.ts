import { integerOf, type Json, JsonNumber } from './json.ts'

/** As much of JSON Schema as the documents of the fuzz use. What is beyond it fails loudly. */
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

/** A schema of the document with the branches of `allOf` in one. Throws for a keyword that is not known here. */
export function flattenSchema(value: unknown): Schema {
  const node: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {}
  const strange = Object.keys(node).find((keyword) => !KEYWORDS.test(keyword))
  if (strange !== undefined) throw new TypeError(`The model knows no ${strange}`)
  const { type, allOf = [], properties = {}, required = [], items, ...rest } = node
  // A default that is for the service alone.
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
  throw new TypeError(`The model knows no type ${type}`)
}

/** A value without what the schema does not know or keeps to itself, numbers as numbers; `undefined` for an invalid one. */
export function acceptValue(schema: Schema, value: Json): unknown {
  if (value instanceof Map) return schema.type === 'object' ? takenObject(schema, value) : undefined
  if (Array.isArray(value)) return schema.type === 'array' ? takenList(schema, value) : undefined
  if (value instanceof JsonNumber)
    return schema.type === 'integer' ? takenInteger(schema, value) : undefined
  if (typeof value === 'string' && schema.type === 'string' && isText(schema, value)) return value

  return undefined
}

function takenObject(schema: Schema, value: ReadonlyMap<string, Json>): unknown {
  const known = [...value].filter(([name]) => isSettable(schema, name))
  const { minProperties = 0, required } = schema
  const isMissing = (name: string): boolean => isSettable(schema, name) && !value.has(name)
  if (known.length < minProperties || required.some(isMissing)) return undefined
  const entries = known.map(
    ([name, one]) => [name, acceptValue(propertyOf(schema, name), one)] as const,
  )

  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries)
}

function takenList({ items, maxItems = Number.POSITIVE_INFINITY }: Schema, value: Json[]): unknown {
  const list = value.map((item) => items && acceptValue(items, item))
  return list.length > maxItems || list.includes(undefined) ? undefined : list
}

function takenInteger({ minimum, maximum }: Schema, { text }: JsonNumber): unknown {
  const value = integerOf(text)
  if (value === undefined || value < (minimum ?? value) || value > (maximum ?? value))
    return undefined
  return value
}

function isText(
  { enum: members, format, minLength = 0, maxLength }: Schema,
  text: string,
): boolean {
  const length = [...text].length
  if (members && !members.includes(text)) return false
  if (format === 'uuid' && !UUID.test(text)) return false

  return length >= minLength && length <= (maxLength ?? length)
}

function isSettable({ properties }: Schema, name: string): boolean {
  return Object.hasOwn(properties, name) && properties[name]?.readOnly !== true
}

function propertyOf({ properties }: Schema, name: string): Schema {
  const property = properties[name]
  if (property) return property
  throw new TypeError(`There is no property ${name}`)
}

/** The defaults of properties that are not there, at every depth that is. */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(schema.properties).flatMap(([name, property]) => {
    const sent: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : property.default
    return sent === undefined ? [] : [[name, withDefaults(property, sent)]]
  })
  return Object.fromEntries(entries)
}
