import type { Schema } from '../contract/contract.ts'
import { getOwn, isObject } from '../validation/objects.ts'

/** The schemas of a document by the texts of the `$ref`s that name them. */
export type NamedSchemas = Readonly<Record<string, Schema>>

/** A schema whose `$ref` is followed, and whose `allOf` is merged into it. */
export interface SchemaView {
  /** The name in the document, such as `Pet`; empty without one. */
  readonly name: string
  readonly schema: Schema
  /** The schemas of `oneOf` and `anyOf` without null; empty without a choice. */
  readonly alternatives: readonly Schema[]
  /** The types without null; empty when any is allowed. */
  readonly types: readonly string[]
  readonly isNullable: boolean
  /** Whether the schema is in a part of the document that is too large to be shown. */
  readonly isMissing: boolean
}

/** Ends a cycle of `$ref`s and of `allOf`s. */
const MAX_HOPS = 40

/** What a schema means, with the schemas that it refers to. */
export function viewOf(given: Schema, schemas: NamedSchemas): SchemaView {
  const { name, schema, isMissing } = merged(given, schemas, MAX_HOPS)
  const { oneOf = [], anyOf = [], nullable } = schema
  const choices = [...oneOf, ...anyOf]
  const alternatives = choices.filter((one) => !isNull(one))
  const own = [schema.type ?? []].flat()
  const isListed = own.length === 0 && schema.enum?.includes(null) === true
  const isNullable = nullable === true || own.includes('null') || isListed || choices.some(isNull)
  const types = own.filter((type) => type !== 'null')
  const [only] = alternatives
  // `anyOf: [{ $ref }, { type: null }]` is no choice.
  if (only && alternatives.length === 1) {
    const { oneOf: _one, anyOf: _any, ...rest } = schema
    const view = viewOf({ ...rest, allOf: [only] }, schemas)
    return { ...view, isNullable: isNullable || view.isNullable }
  }
  return {
    name,
    schema,
    alternatives,
    types: types.length > 0 ? types : impliedTypes(schema),
    isNullable,
    isMissing,
  }
}

function isNull({ type, enum: values, const: value }: Schema): boolean {
  return type === 'null' || value === null || (values?.length === 1 && values[0] === null)
}

/** Many documents leave out the type of objects and lists. */
function impliedTypes({ properties, items, enum: values = [] }: Schema): readonly string[] {
  if (properties) return ['object']
  if (items) return ['array']
  const listed = values.filter((value) => value !== null)
  return listed.length > 0 && listed.every((value) => typeof value === 'string') ? ['string'] : []
}

interface Merged {
  readonly name: string
  readonly schema: Schema
  readonly isMissing: boolean
}

function merged(given: Schema, schemas: NamedSchemas, hops: number): Merged {
  const { $ref: ref, ...siblings } = given
  if (hops === 0) return { name: '', schema: {}, isMissing: false }
  if (typeof ref === 'string') {
    const target = getOwn(schemas, ref)
    if (!target) return { name: nameOf(ref), schema: siblings, isMissing: true }
    const { schema, isMissing } = merged(target, schemas, hops - 1)
    return { name: nameOf(ref), schema: { ...schema, ...siblings }, isMissing }
  }
  const { allOf = [], ...rest } = given
  if (allOf.length === 0) return { name: '', schema: given, isMissing: false }
  const parts = allOf.map((part) => merged(part, schemas, hops - 1))
  const all = [...parts.map(({ schema }) => schema), rest]
  const required = all.flatMap((one) => one.required ?? [])
  const properties = all.map((one) => one.properties ?? {})

  return {
    // A single part with a description beside it is the part.
    name: parts.length === 1 ? (parts[0]?.name ?? '') : '',
    schema: {
      ...Object.assign({}, ...all),
      ...(required.length > 0 && { required: [...new Set(required)] }),
      ...(properties.some((one) => Object.keys(one).length > 0) && {
        properties: Object.assign({}, ...properties),
      }),
    },
    isMissing: parts.some(({ isMissing }) => isMissing),
  }
}

/** The last segment of a `$ref`. */
function nameOf(ref: string): string {
  const last = ref.split('/').at(-1) ?? ''
  return decode(last.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The type in words, such as `array of Pet` or `string (date-time) or null`. */
export function typeText(view: SchemaView, schemas: NamedSchemas, depth = 0): string {
  const { name, schema, alternatives, types, isNullable } = view
  const { format, contentMediaType } = schema
  const single = (type: string): string => {
    if (type === 'object' && name !== '') return name
    if (type === 'array' && schema.items && depth < 3) {
      return `array of ${typeText(viewOf(schema.items, schemas), schemas, depth + 1)}`
    }
    const detail = format ?? contentMediaType
    return typeof detail === 'string' ? `${type} (${detail})` : type
  }
  const choice =
    alternatives.length > 0 ? `${name && `${name}: `}one of ${alternatives.length}` : ''
  const known = choice || types.map(single).join(' or ') || name || 'any'

  return isNullable ? `${known} or null` : known
}

/** The name of an alternative: that in the document, its title, a constant that tells it apart, or its type. */
export function alternativeName(schema: Schema, at: number, schemas: NamedSchemas): string {
  const view = viewOf(schema, schemas)
  const { title, properties = {} } = view.schema
  if (view.name !== '') return view.name
  if (typeof title === 'string' && title !== '') return title
  const [constant] = Object.values(properties).flatMap((one) => {
    const [value] = [
      ...(one.enum?.length === 1 ? one.enum : []),
      ...('const' in one ? [one.const] : []),
    ]
    return typeof value === 'string' ? [value] : []
  })
  return constant ?? `${at + 1}: ${typeText(view, schemas)}`
}

type Limit = readonly [
  keyword: string,
  text: string,
  exclusive?: { readonly keyword: string; readonly text: string },
]

const LIMITS: readonly Limit[] = [
  ['minimum', '≥', { keyword: 'exclusiveMinimum', text: '>' }],
  ['exclusiveMinimum', '>'],
  ['maximum', '≤', { keyword: 'exclusiveMaximum', text: '<' }],
  ['exclusiveMaximum', '<'],
  ['multipleOf', 'multiple of'],
  ['minLength', 'characters ≥'],
  ['maxLength', 'characters ≤'],
  ['minItems', 'items ≥'],
  ['maxItems', 'items ≤'],
  ['minProperties', 'properties ≥'],
  ['maxProperties', 'properties ≤'],
  ['pattern', 'pattern'],
]

/** The limits of a value in words, such as `≥ 1`. */
export function limitsOf(schema: Schema): readonly string[] {
  const limits = LIMITS.flatMap(([keyword, text, exclusive]) => {
    const value = schema[keyword]
    if (typeof value !== 'number' && typeof value !== 'string') return []
    // In OpenAPI 3.0, `exclusiveMinimum: true` changes the meaning of `minimum`.
    const isExclusive = exclusive !== undefined && schema[exclusive.keyword] === true
    return [`${isExclusive ? exclusive.text : text} ${value}`]
  })

  return [...limits, ...(schema.uniqueItems === true ? ['unique items'] : [])]
}

/** A value as a short text. */
export function shortText(value: unknown, most = 80): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** How deep an example value is. */
const MAX_DEPTH = 5

/** A value for a schema to begin with: an example or a default, else one of its type with what is required. */
export function firstValue(given: Schema, schemas: NamedSchemas, depth = 0): unknown {
  const { schema, alternatives, types } = viewOf(given, schemas)
  const known = [schema.example, [schema.examples].flat()[0], schema.default, schema.const]
  const value = [...known, schema.enum?.[0]].find((one) => one !== undefined)
  if (value !== undefined) return value
  if (depth > MAX_DEPTH) return null
  const [alternative] = alternatives
  if (alternative) return firstValue(alternative, schemas, depth + 1)
  switch (types[0]) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          firstValue(schema.properties?.[name] ?? {}, schemas, depth + 1),
        ]),
      )
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [firstValue(schema.items ?? {}, schemas, depth + 1)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'string':
      return ''
    default:
      return schema.properties ? {} : ''
  }
}

/** Whether a value may be one of a schema: its type is right, and an object has what is required. */
export function fits(value: unknown, given: Schema, schemas: NamedSchemas): boolean {
  const { schema, types } = viewOf(given, schemas)
  const { required = [], properties = {} } = schema
  const own = Array.isArray(value) ? 'array' : typeof value
  const isType =
    types.length === 0 || types.includes(own) || (own === 'number' && types.includes('integer'))
  if (!isType || !isObject(value)) return isType
  const isConstant = Object.entries(properties).every(
    ([name, { const: constant, enum: values }]) => {
      const inner = getOwn(value, name)
      if (inner === undefined) return true
      if (constant !== undefined) return inner === constant
      return values === undefined || values.includes(inner)
    },
  )

  return isConstant && required.every((name) => getOwn(value, name) !== undefined)
}

/** Whether the content of a value is bytes. */
export function isBinary({ schema }: SchemaView): boolean {
  const { format, contentMediaType, contentEncoding, type } = schema
  if (format === 'binary') return true
  return contentMediaType !== undefined && contentEncoding === undefined && type !== 'object'
}
