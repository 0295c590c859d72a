/** Pseudo-random choices, the same for the same seed. */
export interface SeededRandom {
  /** Returns an integer from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
  /** Returns true with this probability, from 0 to 100 per cent. */
  readonly percent: (probability: number) => boolean
  readonly pick: <T>(list: readonly [T, ...T[]]) => T
}

/** Creates a Mulberry32 generator, which gives the same numbers on every machine. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)

  return {
    below,
    percent: (probability) => below(100) < probability,
    pick: (list) => list[below(list.length)] ?? list[0],
  }
}
