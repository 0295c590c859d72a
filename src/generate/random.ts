import type { Span } from '../time/duration.ts'

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
