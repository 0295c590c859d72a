import { ENGLISH, type Locale } from './locale.ts'
import { Random } from './random.ts'

/** Seeded random numbers for a value. Each part has numbers of its own, so parts do not depend on each other. */
export class RandomSource {
  readonly #key: number
  readonly #random: Random
  /** The words to pick from. */
  readonly locale: Locale

  constructor(key: number, locale: Locale = ENGLISH) {
    this.#key = key
    this.#random = new Random(key)
    this.locale = locale
  }

  /** The source for a seed. */
  static from(seed: readonly (number | string)[], locale?: Locale): RandomSource {
    return new RandomSource(
      seed.reduce<number>((key, part) => mix(String(part), key), 0),
      locale,
    )
  }

  /** The source for a part, such as a property. */
  part(name: number | string): RandomSource {
    return new RandomSource(mix(String(name), this.#key), this.locale)
  }

  /** A number from 0 (included) to 1 (excluded). */
  next(): number {
    return this.#random.next()
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** One item of a list; `undefined` when the list is empty. */
  pick<Item>(list: readonly Item[]): Item | undefined {
    return list[Math.floor(this.next() * list.length)]
  }

  /** The items in another order. */
  shuffle<Item>(list: readonly Item[]): Item[] {
    const keyed = list.map((item) => [this.next(), item] as const)
    return keyed.sort(([one], [two]) => one - two).map(([, item]) => item)
  }
}

/** A hash of a text (FNV-1a with a final mix), which continues from another hash. */
function mix(text: string, key: number): number {
  let hash = key ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)

  return hash ^ (hash >>> 16)
}
