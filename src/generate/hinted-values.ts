import type { faker as sharedFaker } from '@faker-js/faker/locale/base'
import type { Schema } from '../contract/contract.ts'
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

/**
 * Creates a function for the `x-faker` hints of a schema. Faker is loaded only when there are any. With a `seed`, values follow each
 * other in one sequence; without one, each depends on its place only.
 */
export async function createHintedValues(
  schema: Schema,
  {
    now,
    seed,
    locale,
  }: {
    readonly now: number
    readonly seed?: readonly number[]
    readonly locale?: Locale | undefined
  },
): Promise<HintedValues> {
  if (hintsIn(schema).length === 0) return withoutHints
  const faker = await createFaker([schema], locale?.definitions)
  faker.setDefaultRefDate(now)
  if (seed) faker.seed([...seed])

  return (hint, { path, random }) => {
    try {
      if (!seed) faker.seed(Math.floor(random.part('hint').next() * 2 ** 32))
      return hintedValue(hint, faker)
    } catch (cause) {
      throw new HintError(path, cause)
    }
  }
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
async function createFaker(schemas: readonly Schema[], definitions?: unknown): Promise<Faker> {
  const modules = schemas.flatMap(hintsIn).map((hint) => hint.split('.')[0] ?? '')
  const { faker: shared } = modules.every((module) => MODULES_WITHOUT_WORDS.has(module))
    ? await import('@faker-js/faker/locale/base')
    : await import('@faker-js/faker/locale/en')
  // The main entry, which exports the class, takes 150 to 700 ms to load.
  const OwnFaker = shared.constructor as new (options: { locale: Faker['rawDefinitions'] }) => Faker

  return new OwnFaker({ locale: (definitions as Faker['rawDefinitions']) ?? shared.rawDefinitions })
}
