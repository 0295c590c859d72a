import type { Schema } from '../contract/contract.ts'
import { hasFormat } from './formats.ts'
import {
  listOf,
  numberOf,
  propertyOf,
  schemaOf,
  schemasOf,
  textOf,
  textsOf,
  typesOf,
} from './keywords.ts'
import { matches } from './matches.ts'
import { once } from './memo.ts'

/** What several schemas that apply to the same value ask for together. */
export interface Constraints {
  /** The types that all of them allow, the preferred one first. */
  readonly types: readonly string[]
  /** The values that all of them allow; `undefined` when none of them lists values. */
  readonly values: readonly unknown[] | undefined
  /** The names that one of them requires. */
  readonly required: ReadonlySet<string>
  /** The schemas that the value must not match. */
  readonly excluded: readonly Schema[]
}

const ALL_TYPES = ['string', 'object', 'array', 'number', 'boolean', 'null']

/** Keywords that apply to one type only, from which an author's intention is read. */
const TYPE_KEYWORDS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    'object',
    [
      ...['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties'],
      ...['maxProperties', 'propertyNames', 'unevaluatedProperties', 'dependentRequired'],
    ],
  ],
  [
    'array',
    ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'unevaluatedItems'],
  ],
  ['string', ['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** The constraints of schemas that apply to the same value. They are computed once for each list. */
export const constraintsOf: (schemas: readonly Schema[]) => Constraints = once((schemas) => {
  const excluded = schemas.flatMap((schema) => exclusionsOf(schemaOf(schema, 'not')))
  return {
    types: jointTypes(schemas, excluded),
    values: jointValues(schemas, excluded),
    required: new Set(schemas.flatMap((schema) => textsOf(schema, 'required'))),
    excluded,
  }
})

/** A schema that must not match: of an `anyOf`, none of its branches. */
function exclusionsOf(excluded: Schema | undefined): readonly Schema[] {
  if (!excluded) return []
  const keywords = Object.keys(excluded)
  return keywords.length === 1 && keywords[0] === 'anyOf'
    ? schemasOf(excluded, 'anyOf').flatMap(exclusionsOf)
    : [excluded]
}

function jointTypes(schemas: readonly Schema[], excluded: readonly Schema[]): readonly string[] {
  const named = schemas.flatMap((schema) => typesOf(schema) ?? [])
  const start = named.length > 0 ? [...new Set(named)] : guessedTypes(schemas)
  const allowed = schemas.reduce<readonly string[]>((types, schema) => {
    const own = typesOf(schema)
    return own ? types.filter((type) => isAllowedType(type, own)) : types
  }, start)
  const banned = excluded.flatMap((one) =>
    Object.keys(one).every((keyword) => keyword === 'type') ? (typesOf(one) ?? ALL_TYPES) : [],
  )
  const possible = allowed.filter((type) => !isBanned(type, banned))

  return [
    ...possible.filter((type) => type !== 'null'),
    ...possible.filter((type) => type === 'null'),
  ]
}

function isAllowedType(type: string, own: readonly string[]): boolean {
  return own.includes(type) || (type === 'integer' && own.includes('number'))
}

function isBanned(type: string, banned: readonly string[]): boolean {
  return banned.includes(type) || (type === 'integer' && banned.includes('number'))
}

/** The types of a schema that names none: first the one that its keywords are about. */
function guessedTypes(schemas: readonly Schema[]): readonly string[] {
  const keywords = new Set(schemas.flatMap((schema) => Object.keys(schema)))
  const meant = TYPE_KEYWORDS.flatMap(([type, own]) =>
    own.some((keyword) => keywords.has(keyword)) ? [type] : [],
  )
  const formats = schemas.flatMap(({ format }) => format ?? [])
  const numeric = formats.some((format) => NUMERIC_FORMATS.has(format)) ? ['number'] : []

  return [...new Set([...meant, ...numeric, ...ALL_TYPES])]
}

const NUMERIC_FORMATS: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double'])

function jointValues(
  schemas: readonly Schema[],
  excluded: readonly Schema[],
): readonly unknown[] | undefined {
  const listing = schemas.find((schema) => schema.enum || schema.const !== undefined)
  if (!listing) return undefined
  const values: Iterable<unknown> = listing.enum ?? [listing.const]
  const { enum: _enum, ...unlisted } = listing
  const all = listing.enum ? [unlisted, ...schemas.filter((one) => one !== listing)] : schemas
  const joint: unknown[] = []
  for (const value of values) {
    if (joint.length >= MAX_JOINT_VALUES) break
    const isAllowed =
      all.every((schema) => isShallowMatch(schema, value)) &&
      excluded.every((one) => !matches(one, value))
    if (isAllowed) joint.push(value)
  }
  return joint
}

/** Of a long list, the first values are enough to choose from. */
const MAX_JOINT_VALUES = 1000

/** Whether a value matches a schema, its branches left out: they may not be the ones that are chosen. */
function isShallowMatch(schema: Schema, value: unknown): boolean {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, ...own } = schema
  return matches(own, value)
}

/** Whether no value can match the schemas together, as far as can be seen without generating one. */
export function isImpossible(schemas: readonly Schema[], depth = 0): boolean {
  const { types, values, required, excluded } = constraintsOf(schemas)
  if (types.length === 0 || values?.length === 0) return true
  if (excluded.some((one) => Object.keys(one).length === 0)) return true
  if (types.some((type) => type !== 'object') && values === undefined) return false
  if (depth > 1) return false

  return [...required].some((name) => {
    const inner = schemas.flatMap((schema) => listOf(propertyOf(schema, name)))
    return inner.length > 1 && isImpossible(inner, depth + 1)
  })
}

/** The greatest of the lower limits, or the least of the upper ones. */
export function limitOf(
  schemas: readonly Schema[],
  keyword: string,
  strictest: (...limits: number[]) => number,
): number | undefined {
  const limits = schemas.flatMap((schema) => numberOf(schema, keyword) ?? [])
  return limits.length > 0 ? strictest(...limits) : undefined
}

/** The texts that the schemas have for a keyword, each once. */
export function allTexts(schemas: readonly Schema[], keyword: string): readonly string[] {
  return [...new Set(schemas.flatMap((schema) => textOf(schema, keyword) ?? []))]
}

/** Whether a text matches the formats of all schemas. */
export function hasFormats(text: string, formats: readonly string[]): boolean {
  return formats.every((format) => hasFormat(text, format))
}
