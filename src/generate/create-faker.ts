import type { faker as sharedFaker } from '@faker-js/faker/locale/base'
import type { Schema } from '../contract/contract.ts'
import { hintsIn } from './hints.ts'

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
export async function createFaker(
  schemas: readonly Schema[],
  definitions?: unknown,
): Promise<Faker> {
  const modules = schemas.flatMap(hintsIn).map((hint) => hint.split('.')[0] ?? '')
  const { faker: shared } = modules.every((module) => MODULES_WITHOUT_WORDS.has(module))
    ? await import('@faker-js/faker/locale/base')
    : await import('@faker-js/faker/locale/en')
  // The main entry, which exports the class, takes 150 to 700 ms to load.
  const OwnFaker = shared.constructor as new (options: { locale: Faker['rawDefinitions'] }) => Faker

  return new OwnFaker({ locale: (definitions as Faker['rawDefinitions']) ?? shared.rawDefinitions })
}
