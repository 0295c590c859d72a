import type { Span } from '../time/duration.ts'
import type { Locale } from './locale.ts'

/** The position of a value among others that must differ, such as the records of a collection, which have a source in common. */
export interface Series {
  readonly random: RandomSource
  readonly at: number
}

/** Seeded random numbers for a value. Each part has numbers of its own, so parts do not depend on each other. */
export class RandomSource {
  readonly #key: number
  readonly #random: Random
  /** The language of names and places; default: English. */
  readonly locale: Locale | undefined
  readonly #series: Series | undefined

  constructor(key: number, locale?: Locale, series?: Series) {
    this.#key = key
    this.#random = new Random(key)
    this.locale = locale
    this.#series = series
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

  /** The same source at a position of a series. Parts of it have no position. */
  inSeries(series: Series | undefined): RandomSource {
    return series ? new RandomSource(this.#key, this.locale, series) : this
  }

  /** An item of each list. In a series, no two positions have the same items, as long as there are others. */
  pickPair<Item>(
    firsts: readonly Item[],
    seconds: readonly Item[],
  ): readonly [first: Item | undefined, second: Item | undefined] {
    if (!this.#series) return [this.part('first').pick(firsts), this.part('last').pick(seconds)]
    const { random, at } = this.#series
    const round = Math.floor(at / firsts.length)
    const one = random.part('first').shuffle(firsts)[at % firsts.length]

    return [one, random.part('last').shuffle(seconds)[(at + round) % seconds.length]]
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

/** Seeded random numbers (Mulberry32), the same on every machine. */
export class Random {
  #state: number

  /** Starts with a seed, or continues from the `state` of another instance. */
  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** 32 bits, from which another instance can continue. */
  get state(): number {
    return this.#state
  }

  /** A number from 0 (included) to 1 (excluded). */
  next(): number {
    const state = (this.#state + 0x6d2b79f5) | 0
    this.#state = state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random integer of milliseconds in the span. A span of one value uses no random number. */
export function randomBetween({ from, to }: Span, random: Random): number {
  return from === to ? from : from + Math.floor(random.next() * (to - from + 1))
}
