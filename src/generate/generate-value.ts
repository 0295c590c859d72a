import type { Schema, SchemaValidator, ValidationTime } from '../contract/contract.ts'
import { isValidIn } from '../contract/schema.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import { once } from '../validation/objects.ts'
import { createHintedValues, HintError, type HintedValues, withoutHints } from './hinted-values.ts'
import type { Locale } from './locale.ts'
import { matches } from './matches.ts'
import { Budget, type Place } from './place.ts'
import { RandomSource } from './random.ts'
import { isPlain, Walk } from './walk.ts'

/** What a value is generated for. */
export interface ValueRequest {
  /** A schema of the schema graph. It may contain itself. */
  readonly schema: Schema
  /** Validates the value. */
  readonly validate?: SchemaValidator
  /** What the validations of the values took that are generated together; default: of this value only. */
  readonly time?: ValidationTime
  /** The same seed, schema and place give the same value on every machine. */
  readonly seed: readonly number[] | string
  /** When the sandbox started, in epoch milliseconds. Dates count from it. */
  readonly now: number
  /** The language of names and places; default: English. */
  readonly locale?: Locale | undefined
  /** Names the value, such as the collection or the property. */
  readonly place?: string
  /** Values of top-level properties, which are kept if the schema allows them. */
  readonly preset?: Readonly<Record<string, unknown>>
  /** An example of such values, which others are like. */
  readonly sample?: unknown
  /** The position among values of the same seed that must differ, such as the records of a collection. */
  readonly at?: number
}

/** A generated value. */
export interface GeneratedValue {
  /** `undefined` when no value could be made. */
  readonly value: unknown
  /** Whether the value matches the schema. */
  readonly isValid: boolean
  /** Why the value does not match the schema, or which hint failed. */
  readonly reason?: string
  /** The property names that lead to the value that could not be made. */
  readonly property?: readonly string[]
  /** Which attempt made the value, for `firstAttempt` of the next one. */
  readonly attempt?: number
}

/** How a value is generated. */
export interface ValueOptions {
  /** Makes the values of `x-faker` hints; default: hints are left out. */
  readonly makeHinted?: HintedValues
  /** Whether examples of the document are used as they are; default: yes. */
  readonly hasExamples?: boolean
  /** Whether only required parts are made; default: no. */
  readonly isSmall?: boolean
  /** The first attempt to make, when earlier ones failed for values of the same schema; default: 0. */
  readonly firstAttempt?: number
}

/** What is tried one after another until a value is valid. */
const ATTEMPTS: readonly { readonly isSmall: boolean; readonly hasExamples: boolean }[] = [
  { isSmall: false, hasExamples: true },
  { isSmall: false, hasExamples: false },
  { isSmall: true, hasExamples: true },
  { isSmall: false, hasExamples: false },
  { isSmall: true, hasExamples: false },
]

/** Generates a plausible value that matches a schema. Throws a `HintError` for an `x-faker` hint that fails. */
export function generateValue(request: ValueRequest, options: ValueOptions = {}): GeneratedValue {
  const { time = { used: 0 } } = request
  const random = randomFor(request)
  let invalid: GeneratedValue | undefined
  const { firstAttempt = 0 } = options
  for (const [attempt, { isSmall, hasExamples }] of ATTEMPTS.entries()) {
    if (attempt < firstAttempt) continue
    const root = rootPlace(
      request,
      attempt === 0 ? random : random.part(attempt),
      hasExamples && options.hasExamples !== false,
    )
    const generated = attemptValue({ ...request, time }, root, {
      ...options,
      isSmall: isSmall || options.isSmall === true,
    })
    if (generated.isValid) return { ...generated, attempt }
    if (invalid?.value === undefined) invalid = generated
    // Other values would take too long, too.
    if (generated.value !== undefined && request.validate?.errors?.[0]?.keyword === 'time') break
  }
  return invalid ?? { value: undefined, isValid: false }
}

function randomFor({ seed, at, place = 'value', locale }: ValueRequest): RandomSource {
  const random = randomOf(seed, locale)
  return (at === undefined ? random : random.part(at)).part(place)
}

/** The numbers that all values of a seed have in common: only their parts are used. */
function randomOf(seed: ValueRequest['seed'], locale: Locale | undefined): RandomSource {
  if (typeof seed === 'string') return RandomSource.from([seed], locale)
  const known = randomsOf(seed)
  const random = known.get(locale) ?? RandomSource.from(seed, locale)
  known.set(locale, random)
  return random
}

const randomsOf = once((_: readonly number[]) => new Map<Locale | undefined, RandomSource>())

function attemptValue(request: ValueRequest, root: Place, options: ValueOptions): GeneratedValue {
  const { schema, now, preset = NONE } = request
  const { makeHinted = withoutHints, isSmall = false } = options
  const makeWith = (
    schemas: readonly Schema[],
    values?: ValueRequest['preset'],
  ): GeneratedValue => {
    const walk = new Walk({ now, isSmall, budget: new Budget(), makeHinted, preset: values })
    return judge(walk.make(schemas, root), request, walk)
  }
  const names = Object.keys(preset)
  const named = names.length > 0 && isPlain(schema) ? namedSchemas(schema, names) : undefined
  const generated = named
    ? makeWith(named, preset)
    : makeWith(rootSchemas(schema, presetOf(preset)))
  if (generated.value !== undefined || names.length === 0) return generated

  return makeWith(rootSchemas(schema, allowedPreset(request, root)))
}

/** The schemas of preset properties by their names. */
type Preset = Readonly<Record<string, Schema>>

const presetOf = once(
  (values: Readonly<Record<string, unknown>>): Preset =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { const: value }])),
)

/**
 * The preset properties that the schema allows together. Each is added to those before it, if that is possible: as it is, else with
 * what the schema requires in addition, else with those of its parts that the schema allows.
 */
function allowedPreset({ schema, now, preset = NONE }: ValueRequest, root: Place): Preset {
  let allowed: Preset = {}
  const isAllowed = (name: string, part: Schema): boolean => {
    const walk = new Walk({ now, isSmall: true, budget: new Budget(), makeHinted: withoutHints })
    const more = { ...allowed, [name]: part }
    if (walk.make(rootSchemas(schema, more), root) === undefined) return false
    allowed = more
    return true
  }
  for (const [name, value] of Object.entries(preset)) {
    if (isAllowed(name, { const: value }) || typeof value !== 'object' || value === null) continue
    if (isAllowed(name, partSchema(value)) || Array.isArray(value)) continue
    let parts: Readonly<Record<string, unknown>> = {}
    for (const [inner, part] of Object.entries(value).slice(0, MAX_PARTS)) {
      const more = { ...parts, [inner]: part }
      if (isAllowed(name, partSchema(more))) parts = more
    }
  }
  return allowed
}

/** Of an object that a schema does not allow as it is, so many properties are tried one after another. */
const MAX_PARTS = 20

/** A schema of values that have at least the parts of a value. */
function partSchema(value: unknown): Schema {
  if (Array.isArray(value)) {
    const { length } = value
    return { type: 'array', prefixItems: value.map(partSchema), minItems: length, maxItems: length }
  }
  if (typeof value !== 'object' || value === null) return { const: value }
  const properties = Object.entries(value).map(([name, part]) => [name, partSchema(part)] as const)

  return {
    type: 'object',
    required: Object.keys(value),
    properties: Object.fromEntries(properties),
  }
}

/** The schemas of the whole value. The list is the same for the same schema and preset, so what is known about it is kept. */
function rootSchemas(schema: Schema, preset: Preset): readonly Schema[] {
  const lists = rootLists(schema)
  const required = Object.keys(preset)
  const list = lists.get(preset) ?? [
    schema,
    ...(required.length > 0 ? [{ type: 'object', required, properties: preset }] : []),
  ]
  lists.set(preset, list)

  return list
}

const rootLists = once((_: Schema) => new WeakMap<Preset, readonly Schema[]>())

/** The schemas of a value that has these properties, whatever their values are: what is known about the list serves all records. */
function namedSchemas(schema: Schema, names: readonly string[]): readonly Schema[] | undefined {
  const lists = namedLists(schema)
  const key = JSON.stringify(names)
  const known = lists.get(key)
  if (known) return known
  // Clients may send any names.
  if (lists.size >= MAX_NAMED || key.length > MAX_KEY) return undefined
  const properties = Object.fromEntries(names.map((name) => [name, {}]))
  const list: readonly Schema[] = [schema, { type: 'object', required: names, properties }]
  lists.set(key, list)
  return list
}

const namedLists = once((_: Schema) => new Map<string, readonly Schema[]>())
const MAX_NAMED = 50
const MAX_KEY = 2000

const NONE: Readonly<Record<string, unknown>> = {}

function rootPlace(
  { seed, at, place: name = 'value', locale, sample }: ValueRequest,
  random: RandomSource,
  hasExamples: boolean,
): Place {
  const series = at === undefined ? undefined : { random: randomOf(seed, locale), at }
  return {
    ...{ name, parent: '', path: [], depth: 0, random, hasExamples, sample, siblings: [] },
    subject: random.part('subject').inSeries(series),
    open: new Set(),
  }
}

function judge(
  value: unknown,
  { schema, validate, time = { used: 0 }, place = 'value' }: ValueRequest,
  { failure }: Walk,
): GeneratedValue {
  if (value === undefined) {
    const { path: property = [], reason = 'no value was found' } = failure ?? {}
    return {
      value,
      isValid: false,
      reason: `${[place, ...property].join('.')}: ${reason}`,
      property,
    }
  }
  const isValid = validate ? isValidIn(time, validate, value) : matches(schema, value)
  if (isValid) return { value, isValid: true }
  const reason = validate && describeErrors(place, validate.errors ?? [])

  return { value, isValid: false, reason: reason ?? `${place}: it does not match its schema` }
}

/**
 * Generates a plausible value that matches a schema. Faker is loaded only for schemas with `x-faker` hints. When these fail, or
 * make an invalid value, the value is made without them, and `reason` says so.
 */
export async function generateDocumentedValue(
  request: ValueRequest,
  options: Pick<ValueOptions, 'isSmall'> = {},
): Promise<GeneratedValue> {
  const makeHinted = await createHintedValues(request.schema, {
    now: request.now,
    locale: request.locale,
  })
  const hinted = generateHinted(request, { ...options, makeHinted })
  if (hinted.isValid || makeHinted === withoutHints) return hinted
  const plain = generateValue(request, { ...options, makeHinted: withoutHints })
  const { reason = 'it makes an invalid value' } = hinted

  return plain.isValid ? { ...plain, reason: `an x-faker hint is not used: ${reason}` } : hinted
}

function generateHinted(request: ValueRequest, options: ValueOptions): GeneratedValue {
  try {
    return generateValue(request, options)
  } catch (error) {
    if (!(error instanceof HintError)) throw error
    return { value: undefined, isValid: false, reason: error.message, property: error.property }
  }
}
