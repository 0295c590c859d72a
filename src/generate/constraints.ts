import type { Schema } from '../contract/contract.ts'
import { once } from '../validation/objects.ts'
import {
  listOf,
  numberOf,
  propertyOf,
  schemaMapOf,
  schemaOf,
  schemasOf,
  sharedList,
  textOf,
  textsOf,
  typesOf,
} from './keywords.ts'
import { hasFormat, matches, surelyMatches } from './matches.ts'
import { matchesPattern } from './pattern.ts'

/** What several schemas that apply to the same value ask for together. */
interface Constraints {
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
  const others = schemas.filter((one) => one !== listing)
  const joint: unknown[] = []
  for (const value of ownValues(listing)) {
    if (joint.length >= MAX_JOINT_VALUES) break
    const isAllowed =
      others.every((schema) => isShallowMatch(schema, value)) &&
      excluded.every((one) => !matches(one, value))
    if (isAllowed) joint.push(value)
  }
  return joint
}

/** The values that a schema lists, as far as its other keywords allow them. */
const ownValues = once((listing: Schema): readonly unknown[] => {
  const { enum: _enum, ...unlisted } = listing
  const values: readonly unknown[] = listing.enum ?? [listing.const]
  return values.filter((value) => isShallowMatch(listing.enum ? unlisted : listing, value))
})

/** Of a long list, the first values are enough to choose from. */
const MAX_JOINT_VALUES = 1000

/** Whether a value matches a schema, its branches left out: they may not be the ones that are chosen. */
function isShallowMatch(schema: Schema, value: unknown): boolean {
  return matches(withoutBranches(schema), value)
}

const withoutBranches = once((schema: Schema): Schema => {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, ...own } = schema
  return own
})

/** Whether no value can match the schemas together, as far as can be seen without generating one. */
export function isImpossible(schemas: readonly Schema[], depth = 0): boolean {
  const { types, values, required, excluded } = constraintsOf(schemas)
  if (types.length === 0 || values?.length === 0) return true
  if (excluded.some((one) => Object.keys(one).length === 0)) return true
  if (types.some((type) => type !== 'object') && values === undefined) return false
  if (depth > 1) return false

  return [...required].some((name) => {
    const inner = sharedList(schemas.flatMap((schema) => listOf(propertyOf(schema, name))))
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

/** What was computed for the properties of the objects to which schemas apply. */
const cacheOf = once((_: readonly Schema[]) => new Map<string, readonly Schema[]>())

/** The schemas that describe a property of an object to which several schemas apply. */
export function propertySchemas(applied: readonly Schema[], name: string): readonly Schema[] {
  const cache = cacheOf(applied)
  const schemas = cache.get(name) ?? sharedList(computePropertySchemas(applied, name))
  cache.set(name, schemas)

  return schemas
}

function computePropertySchemas(applied: readonly Schema[], name: string): readonly Schema[] {
  let isEvaluated = false
  const found = applied.flatMap((schema) => {
    const own = [
      ...listOf(propertyOf(schema, name)),
      ...schemaMapOf(schema, 'patternProperties').flatMap(([pattern, inner]) =>
        matchesPattern(pattern, name) ? [inner] : [],
      ),
    ]
    const additional = own.length > 0 ? undefined : schemaOf(schema, 'additionalProperties')
    if (own.length > 0 || additional) isEvaluated = true
    return additional ? [additional] : own
  })
  return isEvaluated ? found : unevaluated(applied, 'unevaluatedProperties')
}

/** The schemas that describe an item of a list to which several schemas apply. */
export function itemSchemas(applied: readonly Schema[], at: number): readonly Schema[] {
  return sharedList(computeItemSchemas(applied, at))
}

function computeItemSchemas(applied: readonly Schema[], at: number): readonly Schema[] {
  let isEvaluated = false
  const found = applied.flatMap((schema) => {
    const item = schemasOf(schema, 'prefixItems')[at] ?? schemaOf(schema, 'items')
    if (item) isEvaluated = true
    return listOf(item)
  })
  if (isEvaluated) return found
  const contained = applied.flatMap((schema) => listOf(schemaOf(schema, 'contains')))
  const others = unevaluated(applied, 'unevaluatedItems')

  // Items that match `contains` are evaluated.
  return contained.length > 0 && isForbidden(others) ? contained : others
}

function unevaluated(applied: readonly Schema[], keyword: string): readonly Schema[] {
  return applied.flatMap((schema) => listOf(schemaOf(schema, keyword)))
}

/** The names in the `properties` of schemas, each once. */
export const namesOf: (applied: readonly Schema[]) => readonly string[] = once((applied) => [
  ...new Set(applied.flatMap(({ properties = {} }) => Object.keys(properties))),
])

/** Whether a list of schemas has one that no value matches. */
export function isForbidden(schemas: readonly Schema[]): boolean {
  return schemas.some(({ not }) => {
    return typeof not === 'object' && not !== null && Object.keys(not).length === 0
  })
}

const known = new WeakMap<Schema, number>()

/** No value is made that is nested more deeply. */
const MAX_DEPTH = 100

/** How many values a value of a schema has at least, itself included. Only lists and objects with a `type` are counted. */
export function demandedValues(schema: Schema, depth = 0): number {
  const count = known.get(schema)
  if (count !== undefined) return count
  if (depth > MAX_DEPTH) return 1
  // A schema may demand itself.
  known.set(schema, 1)
  const demanded = 1 + innerValues(schema, depth + 1)
  known.set(schema, demanded)

  return demanded
}

function innerValues(schema: Schema, depth: number): number {
  const [type, ...others] = typesOf(schema) ?? []
  if (others.length > 0) return 0
  if (type === 'array') {
    const items = schemaOf(schema, 'items')
    const min = numberOf(schema, 'minItems') ?? 0
    return min === 0 ? 0 : min * (items ? demandedValues(items, depth) : 1)
  }
  if (type !== 'object') return 0
  return textsOf(schema, 'required').reduce((sum, name) => {
    const property = propertyOf(schema, name)
    return sum + (property ? demandedValues(property, depth) : 1)
  }, 0)
}

/** Whether a value of the schemas contains a value of a schema that is being made already. */
export function isRecursive(schemas: readonly Schema[], open: ReadonlySet<Schema>): boolean {
  return open.size > 0 && schemas.some((schema) => leadsBack(schema, open, 0))
}

/** Chains of `allOf` are followed up to this length. */
const MAX_CHAIN = 20

function leadsBack(schema: Schema, open: ReadonlySet<Schema>, depth: number): boolean {
  if (open.has(schema)) return true
  if (depth > MAX_CHAIN) return false
  const follow = (inner: Schema): boolean => leadsBack(inner, open, depth + 1)
  const branches = [schemasOf(schema, 'oneOf'), schemasOf(schema, 'anyOf')]

  return (
    schemasOf(schema, 'allOf').some(follow) ||
    branches.some((list) => list.length > 0 && list.every(follow))
  )
}

/** Longer examples are not looked at. */
const MAX_CHARACTERS = 4000

/** The examples and defaults of the schemas that all of them allow, the most specific first. */
export const validExamples: (applied: readonly Schema[]) => readonly unknown[] = once((applied) => {
  // The schemas of an `allOf` precede the one that contains it, whose example is more specific.
  const examples = [...applied].reverse().flatMap(examplesOf)
  return examples.filter(
    (example) =>
      example !== undefined &&
      JSON.stringify(example).length <= MAX_CHARACTERS &&
      applied.every((schema) => surelyMatches(schema, example)),
  )
})

/** The examples of a schema, its default last. */
export function examplesOf({ example, examples, default: fallback }: Schema): readonly unknown[] {
  return [example, ...(Array.isArray(examples) ? examples : []), fallback]
}
