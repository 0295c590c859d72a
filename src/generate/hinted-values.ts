import type { Schema } from '../contract/contract.ts'
import { getOwn } from '../validation/own-property.ts'
import type { Faker } from './create-faker.ts'
import { hintsIn } from './hints.ts'
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
  const { createFaker } = await import('./create-faker.ts')
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
