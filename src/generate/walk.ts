import type { Schema } from '../contract/contract.ts'
import { isExpandable, isObjectSchema } from '../contract/schema.ts'
import { areEqual, getOwn, isObject, once } from '../validation/objects.ts'
import { applySchemas, Choices, disambiguate, isNullOnly, partsOf } from './branches.ts'
import { constraintsOf, isRecursive, validExamples } from './constraints.ts'
import { listValue } from './list-value.ts'
import { matches } from './matches.ts'
import { namedText } from './named-values.ts'
import { numberValue } from './number-value.ts'
import { objectValue } from './object-value.ts'
import type { Budget, Maker, Place } from './place.ts'
import { flagFor, objectSample } from './samples.ts'
import { textValue } from './text-value.ts'

/** What a walk needs. */
interface WalkOptions {
  /** When the sandbox started, in epoch milliseconds. */
  readonly now: number
  /** Whether only required parts are made. */
  readonly isSmall: boolean
  readonly budget: Budget
  /** Values of properties of the whole value; default: none. Its schemas must have these properties. */
  readonly preset?: Readonly<Record<string, unknown>> | undefined
  /** Makes the value of an `x-faker` hint. */
  readonly makeHinted: (hint: unknown, place: Place) => unknown
}

/** Why a value cannot be made. */
interface Failure {
  readonly path: readonly string[]
  readonly reason: string
}

/** Values in values: below this depth, only required ones are made. */
const MAX_FULL_DEPTH = 10

/** Required parts of recursive schemas end here. */
const MAX_DEPTH = 24

/** How many combinations of branches are tried for one value. */
const MAX_ATTEMPTS = 24

/** Makes a value for schemas by walking them. */
export class Walk implements Maker {
  readonly isSmall: boolean
  readonly #options: WalkOptions
  /** The walk that makes required parts only, once it is needed. */
  #small: Walk | undefined
  #failure: Failure | undefined

  constructor(options: WalkOptions) {
    this.#options = options
    this.isSmall = options.isSmall
  }

  get now(): number {
    return this.#options.now
  }

  /** Why no value could be made: the first reason that was found. */
  get failure(): Failure | undefined {
    return this.#failure ?? this.#small?.failure
  }

  fail({ path }: Place, reason: string): undefined {
    this.#failure ??= { path, reason }
    return undefined
  }

  make(schemas: readonly Schema[], place: Place): unknown {
    const { budget } = this.#options
    budget.countValue()
    if (budget.isSpent) return this.fail(place, 'it takes too much work')
    if (place.depth > MAX_DEPTH) {
      return this.fail(place, 'it contains itself without an end, or is nested too deeply')
    }
    const { preset } = this.#options
    if (preset && place.depth === 1 && Object.hasOwn(preset, place.name))
      return this.#presetValue(preset[place.name], schemas, place)
    const isShort = place.depth > MAX_FULL_DEPTH || budget.isShort
    if (isShort && !this.isSmall) return this.#makeSmall(schemas, place)
    const value = this.#tryBranches(schemas, place)
    if (value !== undefined || this.isSmall) return value

    return this.#makeSmall(schemas, place)
  }

  /** A preset value, as far as the schemas allow it. */
  #presetValue(value: unknown, schemas: readonly Schema[], place: Place): unknown {
    const isPlain = schemas.every(
      (schema) => schema['x-faker'] === undefined && matches(schema, value),
    )
    if (!isPlain) return this.#tryBranches([...schemas, { const: value }], place)
    // Values of the document are copied, because those who get them may change them.
    return this.#counted(typeof value === 'object' ? structuredClone(value) : value)
  }

  #makeSmall(schemas: readonly Schema[], place: Place): unknown {
    this.#small ??= new Walk({ ...this.#options, isSmall: true })
    return this.#small.make(schemas, place)
  }

  /** The first valid value of the branches of the schemas. */
  #tryBranches(schemas: readonly Schema[], place: Place): unknown {
    const isTricky = schemas.some((schema) => isUncertain(schema))
    let combinations = 1
    let ambiguous: unknown
    for (let attempt = 0; attempt < Math.min(combinations, MAX_ATTEMPTS); attempt += 1) {
      const choices = new Choices(attempt)
      const order = (branches: readonly Schema[]): readonly Schema[] => ordered(branches, place)
      const applied = applySchemas(schemas, { choices, order })
      const value = applied && this.#makeApplied(applied, choices, place)
      combinations = Math.max(combinations, choices.combinations)
      if (value === undefined || this.#options.budget.isSpent) continue
      const isHinted = applied?.some((schema) => schema['x-faker'] !== undefined)
      if (!isTricky || isHinted || schemas.every((schema) => matches(schema, value))) return value
      ambiguous ??= value
    }
    return (
      disambiguate(schemas, ambiguous) ??
      this.fail(place, 'no value was found that matches its schema')
    )
  }

  #makeApplied(applied: readonly Schema[], choices: Choices, place: Place): unknown {
    const hint = applied.findLast((schema) => schema['x-faker'] !== undefined)?.['x-faker']
    const hinted = hint === undefined ? undefined : this.#options.makeHinted(hint, place)
    if (hinted !== undefined) return hinted
    if (place.hasExamples) {
      const example = validExamples(applied).find((one) => this.#hasPreset(one, place))
      if (example !== undefined) return this.#counted(structuredClone(example))
    }
    const { types, values } = constraintsOf(applied)
    if (values?.includes(null) && isRecursive(applied, place.open)) return null
    if (values) return listedValue(values, place, { choices, now: this.now })
    const type = choices.choose(isRecursive(applied, place.open) ? [...types].reverse() : types)
    if (type === undefined) return this.fail(place, 'its types exclude each other')

    return this.#counted(this.#makeType(type, applied, place))
  }

  #hasPreset(example: unknown, { depth }: Place): boolean {
    const { preset = {} } = this.#options
    if (depth > 0) return true
    return Object.entries(preset).every(
      ([name, value]) => isObject(example) && areEqual(getOwn(example, name), value),
    )
  }

  #makeType(type: string, applied: readonly Schema[], place: Place): unknown {
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return flagFor(applied, place)
      case 'integer':
      case 'number':
        return numberValue(applied, type === 'integer', place, this)
      case 'string':
        return textValue(applied, place, this)
      case 'array':
        return listValue(applied, new Set([...place.open, ...applied]), place, this)
      default:
        return objectValue(
          applied,
          new Set([...place.open, ...applied]),
          { ...place, sample: objectSample(applied, place) },
          this,
        )
    }
  }

  #counted(value: unknown): unknown {
    if (typeof value === 'string') this.#options.budget.countCharacters(value.length)
    return value
  }
}

/**
 * Branches in the order of preference: those that allow only `null` late, those that contain themselves last. Of an id and the record
 * with it, which a request can expand, the id is first.
 */
function ordered(branches: readonly Schema[], { depth, random, open }: Place): readonly Schema[] {
  const start = depth === 0 ? 0 : random.part('branch').integer(0, Math.max(0, branches.length - 1))
  const rotated = [...branches.slice(start), ...branches.slice(0, start)]
  const isId = isExpandable(branches)
  const rankOf = (branch: Schema): number => {
    if (isRecursive([branch], open)) return 3
    if (isNullOnly(branch)) return 2
    return isId && isObjectSchema(branch) ? 1 : 0
  }
  return [0, 1, 2, 3].flatMap((rank) => rotated.filter((branch) => rankOf(branch) === rank))
}

/** Keywords whose demands a value may miss that was made for the other keywords. */
const UNCERTAIN = ['oneOf', 'anyOf', 'not', 'if', 'contains', 'dependentSchemas', 'propertyNames']

/** Whether a value must be checked after it was made. */
const isUncertain = once((schema: Schema) => isUncertainAt(schema, 0))

function isUncertainAt(schema: Schema, depth: number): boolean {
  const { allOf = [], unevaluatedItems, unevaluatedProperties } = schema
  if (unevaluatedItems !== undefined || unevaluatedProperties !== undefined) return true
  return (
    UNCERTAIN.some((keyword) => schema[keyword] !== undefined) ||
    (depth < 20 && allOf.some((one) => isUncertainAt(one, depth + 1)))
  )
}

/** Whether the values of a schema have all that its keywords demand, one by one: there is nothing to choose. */
export const isPlain: (schema: Schema) => boolean = once(
  (schema) =>
    !isUncertain(schema) &&
    partsOf([schema]).every((part) => CHOOSING.every((keyword) => part[keyword] === undefined)),
)

const CHOOSING = ['enum', 'const', 'discriminator', 'x-faker', ...UNCERTAIN]

/** Of an enum, so many values are looked at. */
const MAX_LISTED = 200

/** Countries, states and currencies are usually listed by their codes. */
const CODE_LENGTH = { min: 0, max: 3 }

/** One of the values that a schema lists: the one that fits the name, such as the currency of the country, else any but `null`. */
function listedValue(
  values: readonly unknown[],
  place: Place,
  { choices, now }: { readonly choices: Choices; readonly now: number },
): unknown {
  const plausible = values.filter((value) => value !== null)
  const all = plausible.length === 0 ? values : plausible
  const chosen = choices.choose(all.length === 1 ? all : shuffledValues(all, place, now))
  // Values of the document are copied, because those who get them may change them.
  return typeof chosen === 'object' ? structuredClone(chosen) : chosen
}

/** Values in any order, but the one that fits the name first. */
function shuffledValues(all: readonly unknown[], place: Place, now: number): readonly unknown[] {
  const shuffled = place.random.part('values').shuffle(all.slice(0, MAX_LISTED))
  const named = namedText(place, now, CODE_LENGTH)
  return all.includes(named) ? [named, ...shuffled.filter((value) => value !== named)] : shuffled
}
