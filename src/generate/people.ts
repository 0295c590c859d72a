import type { RandomSource } from './random-source.ts'
import { CITIES, type City, FIRST_NAMES, LAST_NAMES } from './words.ts'

/** The person whom the values of an object describe. */
export function personOf(subject: RandomSource): { readonly first: string; readonly last: string } {
  return {
    first: subject.part('first').pick(FIRST_NAMES) ?? 'Ada',
    last: subject.part('last').pick(LAST_NAMES) ?? 'Adams',
  }
}

/** The city that the values of an object describe. */
export function cityOf(subject: RandomSource): City | undefined {
  return subject.part('city').pick(CITIES)
}
