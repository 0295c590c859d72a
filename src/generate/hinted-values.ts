import type { faker as sharedFaker } from '@faker-js/faker/locale/base'
import type { Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema.ts'
import { getOwn, once } from '../validation/objects.ts'
import type { Locale } from './locale.ts'
import type { Place } from './place.ts'

/** Makes the value of an `x-faker` hint. Throws for a hint that names no method of faker. */
export type HintedValues = (hint: unknown, place: Place) => unknown

/** Leaves hints out, so that values are made by the rest of their schema. */
export const withoutHints: HintedValues = () => undefined

/** An `x-faker` hint that fails. */
export class HintError extends Error {
  override readonly name = 'HintError'
  /** The property names that lead to the value. */
  readonly property: readonly string[]

  constructor(property: readonly string[], cause: unknown) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
    super(line.replace(/\.$/, ''), { cause })
    this.property = property
  }
}

/** What hinted values depend on. */
interface HintOptions {
  /** Dates count from it, in epoch milliseconds. */
  readonly now: number
  readonly locale?: Locale | undefined
}

/** Creates a function for the `x-faker` hints of a schema: each value depends on its place. Faker is loaded only when there are any. */
export async function createHintedValues(
  schema: Schema,
  { now, locale }: HintOptions,
): Promise<HintedValues> {
  if (!hasHints(schema)) return withoutHints
  const faker = await createFaker([schema], locale)
  faker.setDefaultRefDate(now)

  return valuesBy(faker, ({ random }) => {
    faker.seed(Math.floor(random.part('hint').next() * 2 ** 32))
  })
}

/** The values of the `x-faker` hints of records, which follow each other in one sequence of random numbers. */
interface HintSequence {
  readonly makeHinted: HintedValues
  /**
   * Goes to the values of the record at a position. Absent when nobody knows where these are, because not every record takes as many
   * random numbers: then the records must be generated in turn.
   */
  readonly goTo?: (at: number) => void
}

/** Creates the values of the hints of records. Faker is loaded only when there are any. */
export async function createHintSequence(
  schema: Schema,
  { now, locale, seed }: HintOptions & { readonly seed: readonly number[] },
): Promise<HintSequence> {
  if (!hasHints(schema)) return { makeHinted: withoutHints, goTo: () => undefined }
  const source = await createFaker([schema], locale)
  source.seed([...seed])
  const numbers = new DrawnNumbers(() => source.number.float())
  const faker = await createFaker([schema], locale, numbers)
  faker.setDefaultRefDate(now)
  const taken = numbersTakenBy(schema, faker, numbers)

  return {
    makeHinted: valuesBy(faker),
    ...(taken !== undefined && { goTo: (at) => numbers.goTo(at * taken) }),
  }
}

function valuesBy(faker: Faker, prepare?: (place: Place) => void): HintedValues {
  return (hint, place) => {
    try {
      prepare?.(place)
      return hintedValue(hint, faker)
    } catch (cause) {
      throw new HintError(place.path, cause)
    }
  }
}

/** What faker takes its random numbers from. Only the main entry exports its type. */
interface Randomizer {
  next(): number
  seed(seed: number | number[]): void
}

/** A sequence of random numbers, each of which can be read again. */
class DrawnNumbers implements Randomizer {
  readonly #draw: () => number
  readonly #drawn: number[] = []
  #at = 0

  constructor(draw: () => number) {
    this.#draw = draw
  }

  /** How many numbers precede the next one. */
  get position(): number {
    return this.#at
  }

  goTo(at: number): void {
    this.#at = at
  }

  readonly next = (): number => {
    while (this.#drawn.length <= this.#at) this.#drawn.push(this.#draw())
    const number = this.#drawn[this.#at] ?? 0
    this.#at += 1
    return number
  }

  seed(): void {
    this.#at = 0
  }
}

/** The methods of faker that always take as many random numbers for the same arguments. */
const STEADY: ReadonlySet<string> = new Set([
  'helpers.arrayElement',
  'helpers.weightedArrayElement',
  'number.int',
  'number.float',
])

/** Keywords that decide for each value whether others are made, or which ones. */
const DECIDING = ['oneOf', 'anyOf', 'not', 'if', 'maxProperties', 'dependentRequired']

/**
 * How many random numbers the hints of each record take; `undefined` when that is not known: where hints are not those of the properties
 * of the record themselves, or where their methods take more or fewer numbers each time.
 */
function numbersTakenBy(schema: Schema, faker: Faker, numbers: DrawnNumbers): number | undefined {
  const own = [...propertiesOf(schema).values()].flatMap(hintOf)
  const isPlain = partsOf(schema).every((part) => DECIDING.every((one) => part[one] === undefined))
  const isSteady = own.flatMap(methodsOf).every((method) => STEADY.has(method))
  if (!(isPlain && isSteady) || own.length !== hintsIn(schema).length) return undefined
  try {
    for (const hint of own) hintedValue(hint, faker)
    return numbers.position
  } catch {
    // The first record tells what is wrong with the hint.
    return undefined
  } finally {
    numbers.goTo(0)
  }
}

/** The hint of a property: its own, or the latest of the schemas that it consists of. */
function hintOf(schema: Schema): readonly unknown[] {
  const parts = partsOf(schema)
  const isPlain = parts.every((part) => DECIDING.every((one) => part[one] === undefined))
  return isPlain ? parts.flatMap((part) => part['x-faker'] ?? []).slice(-1) : []
}

/** A schema with those of its `allOf`. */
function partsOf(schema: Schema, depth = 0): readonly Schema[] {
  const { allOf = [] } = schema
  return [schema, ...(depth < 20 ? allOf.flatMap((one) => partsOf(one, depth + 1)) : [])]
}

/** `x-faker: helpers.arrayElement` or `x-faker: { helpers.arrayElement: [[Bella, Max]] }`: a method and its arguments. */
function hintedValue(hint: unknown, faker: Faker): unknown {
  const [[path, args] = ['', []]] =
    typeof hint === 'object' && hint !== null ? Object.entries(hint) : [[String(hint), []]]
  const [moduleName = '', methodName = ''] = path.split('.')
  const module = ownOf(faker, moduleName)
  const method = ownOf(module, methodName)
  if (typeof method !== 'function') throw new TypeError(`faker has no ${path}`)

  return Reflect.apply(method, module, Array.isArray(args) ? args : [args])
}

/**
 * An own property only: by what is inherited, `constructor` of `constructor`, a document could have its text run as code.
 */
function ownOf(value: unknown, name: string): unknown {
  return getOwn(Object(value), name)
}

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

/** Keywords that hold schemas by name. A name may be that of a keyword. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/** Whether values of a schema are made by `x-faker` hints. */
export function hasHints(schema: Schema): boolean {
  return hintsIn(schema).length > 0
}

/**
 * The methods that the `x-faker` hints of a schema name, such as `number.int`. The schema may contain itself. It is searched
 * once.
 */
const hintsIn: (schema: Schema) => readonly string[] = once((schema) => {
  const hints: string[] = []
  const visited = new Set<unknown>()
  const open: unknown[] = [schema]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || visited.has(value)) continue
    visited.add(value)
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'x-faker') hints.push(...methodsOf(inner))
      else if (MAPS.has(key)) open.push(...Object.values(Object(inner)))
      else if (!VALUES.has(key)) open.push(inner)
    }
  }
  return hints
})

/** A hint that names no method counts as one with an unknown name, so that its mistake is reported. */
function methodsOf(hint: unknown): readonly string[] {
  const methods = typeof hint === 'string' ? [hint] : Object.keys(Object(hint))
  return methods.length > 0 ? methods : ['']
}

/** The generator of faker. Only the main entry exports its class. */
export type Faker = typeof sharedFaker

/** Modules of faker that need no words of a locale. A document that uses no others has its own lists of words. */
const MODULES_WITHOUT_WORDS: ReadonlySet<string> = new Set([
  'helpers',
  'number',
  'string',
  'datatype',
  'date',
])

/**
 * Creates a faker of our own, with the given words of a locale, else those that the `x-faker` hints of the schemas need. The library's shared faker belongs to
 * users' tests, which may seed it.
 */
async function createFaker(
  schemas: readonly Schema[],
  locale: Locale | undefined,
  randomizer?: Randomizer,
): Promise<Faker> {
  const modules = schemas.flatMap(hintsIn).map((hint) => hint.split('.')[0] ?? '')
  const { faker: shared } = modules.every((module) => MODULES_WITHOUT_WORDS.has(module))
    ? await import('@faker-js/faker/locale/base')
    : await import('@faker-js/faker/locale/en')
  // The main entry, which exports the class, takes 150 to 700 ms to load.
  const OwnFaker = shared.constructor as new (options: {
    locale: Faker['rawDefinitions']
    randomizer?: Randomizer
  }) => Faker

  return new OwnFaker({
    locale: (locale?.definitions as Faker['rawDefinitions']) ?? shared.rawDefinitions,
    ...(randomizer && { randomizer }),
  })
}
