import { CITIES, type City, FIRST_NAMES, LAST_NAMES, STREETS } from './words.ts'

/** The words of a language that names of people, companies and places are made of. */
export interface Locale {
  /** The name of the locale in faker, such as `de` or `pt_BR`. */
  readonly name: string
  readonly firstNames: readonly string[]
  readonly lastNames: readonly string[]
  readonly streets: readonly string[]
  readonly cities: readonly City[]
  /** All words of faker, for `x-faker` hints; default: those of English. */
  readonly definitions?: unknown
}

export const ENGLISH: Locale = {
  name: 'en',
  firstNames: FIRST_NAMES,
  lastNames: LAST_NAMES,
  streets: STREETS,
  cities: CITIES,
}
