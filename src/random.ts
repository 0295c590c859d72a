/** Random numbers that are the same ones for the same seed, on every machine. Mulberry32. */
export class Random {
  /** 32 bits; whoever puts a kept one back goes on from there. */
  state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** From 0 up to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    const { state } = this
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
