import type { Schema } from '../contract/contract.ts'
import { isObject, once } from '../validation/objects.ts'
import { isImpossible, namesOf, propertySchemas } from './constraints.ts'
import {
  propertyOf,
  schemaMapOf,
  schemaOf,
  schemasOf,
  sharedList,
  textsOf,
  typesOf,
} from './keywords.ts'
import { matches } from './matches.ts'

/** How the branches of a schema are chosen. */
interface BranchChoice {
  readonly choices: Choices
  /** The branches in the order of preference. */
  readonly order: (branches: readonly Schema[]) => readonly Schema[]
}

/** How many branches of a list are looked at. */
const MAX_BRANCHES = 60

/** For so many choices of one value, the options that fit are looked for. */
const MAX_CHOICES = 40

/** How many schemas one value may get. */
const MAX_SCHEMAS = 500

/**
 * The schemas that a value must match together: those that are given, their `allOf`, and one branch of each choice. `undefined` when no
 * branch of a choice fits the others.
 */
export function applySchemas(
  schemas: readonly Schema[],
  choice: BranchChoice,
): readonly Schema[] | undefined {
  const { list, hasBranches } = withParts(schemas)
  if (!hasBranches) return list
  const applied = new Set(list)
  // A `for of` loop also visits what is added during the loop.
  for (const schema of applied) if (!addBranches(schema, applied, choice)) return undefined

  return sharedList([...applied])
}

/** The schemas with those of their `allOf`, and whether one of them has branches to choose from. */
const withParts = once((schemas: readonly Schema[]) => {
  const all = new Set<Schema>()
  for (const schema of schemas) addWithParts(schema, all)
  const list: readonly Schema[] = [...all]
  const hasBranches = list.some((schema) => BRANCHES.some((one) => schema[one] !== undefined))

  return { list, hasBranches }
})

const BRANCHES = ['oneOf', 'anyOf', 'if', 'dependentSchemas', 'discriminator']

/** The schemas with those of their `allOf`. */
export function partsOf(schemas: readonly Schema[]): readonly Schema[] {
  return withParts(schemas).list
}

/** Adds one branch for each choice of a schema; `false` when none fits the others. */
function addBranches(
  schema: Schema,
  applied: Set<Schema>,
  { choices, order }: BranchChoice,
): boolean {
  for (const options of [...optionsOf(schema, order), ...dependentOptions(schema, applied)]) {
    const isBounded = choices.count < MAX_CHOICES
    const fitting = isBounded ? options.filter((option) => isFitting(option, applied)) : options
    const chosen = choices.choose(fitting)
    if (!chosen || applied.size > MAX_SCHEMAS) return false
    for (const one of chosen) addWithParts(one, applied)
  }
  return true
}

/** Adds a schema after those of its `allOf`. */
function addWithParts(schema: Schema, applied: Set<Schema>): void {
  if (applied.has(schema) || applied.size > MAX_SCHEMAS) return
  for (const part of schemasOf(schema, 'allOf')) addWithParts(part, applied)
  applied.add(schema)
}

/** The choices of a schema. Each has options, and an option is a list of schemas. */
function optionsOf(
  schema: Schema,
  order: BranchChoice['order'],
): readonly (readonly (readonly Schema[])[])[] {
  const listed = ['oneOf', 'anyOf'].flatMap((keyword) => {
    const branches = schemasOf(schema, keyword)
    const ordered = order(branches).slice(0, MAX_BRANCHES)
    return branches.length === 0
      ? []
      : [ordered.flatMap((branch) => withDiscriminator(schema, branch, branches))]
  })
  const alternatives = listed.length > 0 ? listed : mappedValues(schema)
  const condition = schemaOf(schema, 'if')
  if (!condition) return alternatives
  const branches = [
    [condition, ...(schemaOf(schema, 'then') ? [schemaOf(schema, 'then') ?? {}] : [])],
    [{ not: condition }, ...(schemaOf(schema, 'else') ? [schemaOf(schema, 'else') ?? {}] : [])],
  ]
  return [...alternatives, branches]
}

/** A schema without branches is the base of others. Its discriminator names them: at first, it has one of these names. */
function mappedValues({ discriminator }: Schema): readonly (readonly (readonly Schema[])[])[] {
  const name: unknown = Reflect.get(Object(discriminator), 'propertyName')
  const names = Object.keys(Object(Reflect.get(Object(discriminator), 'mapping')))
  if (typeof name !== 'string' || names.length === 0) return []

  return [[[{ properties: { [name]: { enum: names } } }], []]]
}

/** A branch: at first with the value that the discriminator of the schema names for it, then without. */
function withDiscriminator(
  { discriminator }: Schema,
  branch: Schema,
  branches: readonly Schema[],
): readonly (readonly Schema[])[] {
  const name: unknown = Reflect.get(Object(discriminator), 'propertyName')
  const values: unknown = Reflect.get(Object(discriminator), 'branches')
  const own: unknown = Array.isArray(values) ? values[branches.indexOf(branch)] : undefined
  if (typeof name !== 'string' || !Array.isArray(own) || own.length === 0) return [[branch]]

  return [[branch, { properties: { [name]: { enum: own } } }], [branch]]
}

/** `dependentSchemas`: either the property is there and the schema applies, or it is left out. */
function dependentOptions(
  schema: Schema,
  applied: ReadonlySet<Schema>,
): readonly (readonly (readonly Schema[])[])[] {
  return schemaMapOf(schema, 'dependentSchemas').flatMap(([name, inner]) => {
    const isRequired = [...applied].some((one) => textsOf(one, 'required').includes(name))
    const isKnown = [...applied].some((one) => propertyOf(one, name) !== undefined)
    if (isRequired) return [[[inner]]]
    const leftOut = [{ properties: { [name]: { not: {} } } }]
    return isKnown ? [[[inner], leftOut]] : [[leftOut]]
  })
}

/** Whether an option can be met together with the schemas that apply already. */
function isFitting(option: readonly Schema[], applied: ReadonlySet<Schema>): boolean {
  const all = new Set(applied)
  for (const schema of option) addWithParts(schema, all)

  return !isImpossible(sharedList([...all]))
}

/** Whether a schema allows nothing but `null`. */
export function isNullOnly(schema: Schema): boolean {
  const types = typesOf(schema)
  if (types) return types.every((type) => type === 'null')
  return schema.const === null || (schema.enum?.every((one) => one === null) ?? false)
}

/**
 * The choices of one attempt to generate a value: which branch of each `oneOf`, which of several types. Attempt 0 takes the
 * preferred option of each choice, and later attempts count through all combinations.
 */
export class Choices {
  #rest: number
  #combinations = 1
  #count = 0

  constructor(attempt: number) {
    this.#rest = attempt
  }

  /** How many attempts have different choices. */
  get combinations(): number {
    return this.#combinations
  }

  /** How many choices were made. */
  get count(): number {
    return this.#count
  }

  /** Chooses one of some options, the preferred one first. */
  choose<Option>(options: readonly Option[]): Option | undefined {
    this.#count += 1
    if (options.length < 2) return options[0]
    const chosen = options[this.#rest % options.length]
    this.#rest = Math.floor(this.#rest / options.length)
    this.#combinations = Math.min(this.#combinations * options.length, Number.MAX_SAFE_INTEGER)

    return chosen
  }
}

/** Values of all types, to find one that a schema refuses. */
const SAMPLES = [null, false, 0, '', [], {}]

/** How many properties of a branch are tried. */
const MAX_NAMES = 12

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Changes an object that matches several branches of a `oneOf` so that it matches one: it loses a property that another branch requires, or
 * gets one that another branch refuses. Documents often write `oneOf` where they mean `anyOf`. `undefined` when nothing helps.
 */
export function disambiguate(schemas: readonly Schema[], value: unknown): unknown {
  if (!isObject(value)) return undefined
  const isValid = (object: JsonObject): boolean => schemas.every((one) => matches(one, object))
  let changed: JsonObject = value
  for (const schema of partsOf(schemas)) {
    const [kept, ...others] = schemasOf(schema, 'oneOf').filter((one) => matches(one, changed))
    if (!kept) continue
    for (const other of others) {
      const separate = firstSeparate(changed, other, kept)
      if (!separate) return undefined
      changed = separate
    }
  }
  return isValid(changed) ? changed : undefined
}

/** A changed object that matches the branch that is kept, and not the other one. */
function firstSeparate(object: JsonObject, other: Schema, kept: Schema): JsonObject | undefined {
  if (!matches(other, object)) return object
  for (const one of changesOf(object, other)) {
    if (!matches(other, one) && matches(kept, one)) return one
  }
  return undefined
}

/** One after the other: the object without, or with, a property that decides whether a branch matches. */
function* changesOf(object: JsonObject, branch: Schema): Generator<JsonObject> {
  const parts = partsOf([branch])
  const required = parts.flatMap((part) => textsOf(part, 'required'))
  for (const name of required) {
    const { [name]: _, ...rest } = object
    yield rest
  }
  for (const name of namesOf(parts).slice(0, MAX_NAMES)) {
    const schemas = propertySchemas(parts, name)
    for (const sample of SAMPLES) {
      if (!schemas.every((one) => matches(one, sample))) yield { ...object, [name]: sample }
    }
  }
}
