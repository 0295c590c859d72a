import type { faker as sharedFaker } from '@faker-js/faker/locale/base'
import type { Schema } from '../contract/contract.ts'

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

/** Dates are relative to this day instead of today, so that they are the same in every run. */
const REFERENCE_DAY = '2026-01-01T00:00:00Z'

/**
 * Creates a faker of our own, with the locale that the `x-faker` hints of the schemas need. The library's shared faker belongs to
 * users' tests, which may seed it.
 */
export async function createFaker(schemas: readonly Schema[]): Promise<Faker> {
  const modules = hintsIn(schemas).map((hint) => hint.split('.')[0] ?? '')
  const { faker: shared } = modules.every((module) => MODULES_WITHOUT_WORDS.has(module))
    ? await import('@faker-js/faker/locale/base')
    : await import('@faker-js/faker/locale/en')
  // The main entry, which exports the class, takes 150 to 700 ms to load.
  const OwnFaker = shared.constructor as new (options: { locale: Faker['rawDefinitions'] }) => Faker
  const faker = new OwnFaker({ locale: shared.rawDefinitions })
  faker.setDefaultRefDate(REFERENCE_DAY)

  return faker
}

/** The methods that the `x-faker` hints of schemas name, such as `number.int`. Schemas may contain themselves. */
function hintsIn(schemas: readonly Schema[]): readonly string[] {
  const hints: string[] = []
  const visited = new Set<unknown>()
  const open: unknown[] = [...schemas]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || visited.has(value)) continue
    visited.add(value)
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'x-faker') open.push(inner)
      else hints.push(...(typeof inner === 'string' ? [inner] : Object.keys(Object(inner))))
    }
  }
  return hints
}
