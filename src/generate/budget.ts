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
