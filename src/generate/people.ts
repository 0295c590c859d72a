import type { RandomSource } from './random-source.ts'
import type { City } from './words.ts'

/** The person whom the values of an object describe. */
export function personOf(subject: RandomSource): { readonly first: string; readonly last: string } {
  return {
    first: subject.part('first').pick(subject.locale.firstNames) ?? 'Ada',
    last: subject.part('last').pick(subject.locale.lastNames) ?? 'Adams',
  }
}

/** The city that the values of an object describe. */
export function cityOf(subject: RandomSource): City | undefined {
  return subject.part('city').pick(subject.locale.cities)
}
