import type { Span } from '../time/duration.ts'

/** Random numbers by Mulberry32: small, seeded, the same on every machine. */
export class Random {
  #state: number

  /** Begins with a seed, or goes on from the `state` of another. */
  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** What another one goes on from: 32 bits. */
  get state(): number {
    return this.#state
  }

  /** A number from 0 up to 1. */
  next(): number {
    const state = (this.#state + 0x6d2b79f5) | 0
    this.#state = state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number of milliseconds from the span; one that is fixed takes no random number. */
export function randomBetween({ from, to }: Span, random: Random): number {
  return from === to ? from : from + Math.floor(random.next() * (to - from + 1))
}
