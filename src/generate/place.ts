import type { Schema } from '../contract/contract.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import type { RandomSource } from './random.ts'

/** Where a value is, and what it has in common with the values beside it. */
export interface Place {
  /** The name of the value: of a property, or for an item of its list. */
  readonly name: string
  /** The name of the object that contains the value. */
  readonly parent: string
  /** The property names that lead to the value. */
  readonly path: readonly string[]
  /** How many objects and lists are around the value. */
  readonly depth: number
  readonly random: RandomSource
  /** The numbers that all values of an object share, so that its names, places and dates fit each other. */
  readonly subject: RandomSource
  /** Whether examples are used as they are. Of several items only the first does, so that they differ. */
  readonly hasExamples: boolean
  /** The schemas of the values around this one. */
  readonly open: ReadonlySet<Schema>
  /** An example of the value in an example of what contains it; `undefined` when there is none. */
  readonly sample: unknown
  /** The names of the properties of the object that contains the value. */
  readonly siblings: readonly string[]
}

/** What parts of a value are made with. */
export interface Maker {
  /** When the sandbox started, in epoch milliseconds. */
  readonly now: number
  /** Whether only required parts are made. */
  readonly isSmall: boolean
  /** A value that matches all of the schemas; `undefined` when there is none. */
  make(schemas: readonly Schema[], place: Place): unknown
  /** Remembers why no value could be made. */
  fail(place: Place, reason: string): undefined
}

/** The place of a property. */
export function propertyPlace(
  place: Place,
  name: string,
  open: ReadonlySet<Schema>,
  siblings: readonly string[],
): Place {
  const { sample, subject, hasExamples } = place
  // A spread of another place takes ten times as long before Node 22.
  return {
    name,
    parent: place.name,
    path: [...place.path, name],
    depth: place.depth + 1,
    random: place.random.part(name),
    subject,
    hasExamples,
    open,
    sample: isObject(sample) ? getOwn(sample, name) : undefined,
    siblings,
  }
}

/** The place of an item of a list. */
export function itemPlace(place: Place, at: number, open: ReadonlySet<Schema>): Place {
  const random = place.random.part(at)
  const { sample, parent, path, siblings } = place
  return {
    name: singular(place.name),
    parent,
    path,
    depth: place.depth + 1,
    random,
    subject: random.part('subject'),
    hasExamples: place.hasExamples && at === 0,
    open,
    sample: Array.isArray(sample) ? sample[at % sample.length] : undefined,
    siblings,
  }
}

/** The name of one item of a list, as far as it can be told. */
export function singular(name: string): string {
  if (/ies$/i.test(name)) return `${name.slice(0, -3)}y`
  if (/(ss|us|is)$/i.test(name)) return name
  return name.replace(/(?<=(x|ch|sh|ss))es$|s$/i, '')
}

/** How much of a value may be made until only required parts follow. */
const SOFT = { values: 1500, characters: 24_000 }

/** How many values may be made at all, those that were thrown away included. */
export const MAX_VALUES = 20_000

const HARD = { values: MAX_VALUES, characters: 400_000 }

/** Bounds the size of a value and the work for it. Both are counted, not timed, so that every machine makes the same value. */
export class Budget {
  #values = 0
  #characters = 0

  /** Counts a value before it is made. */
  countValue(): void {
    this.#values += 1
  }

  /** Counts the characters of a text. */
  countCharacters(count: number): void {
    this.#characters += count
  }

  /** Whether only required parts may follow. */
  get isShort(): boolean {
    return this.#values > SOFT.values || this.#characters > SOFT.characters
  }

  /** Whether nothing may follow. */
  get isSpent(): boolean {
    return this.#values > HARD.values || this.#characters > HARD.characters
  }
}
