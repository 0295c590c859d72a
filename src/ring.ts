/** A row of a ring: numbers, as many as each of its rows has, and the rest. */
export interface Row<Facts> {
  readonly numbers: readonly number[]
  readonly facts: Facts
}

/**
 * The latest rows. Each place is written over and over: an object for each row would live just long enough to be copied by
 * each collection of young ones, which costs more than the rest of a journal, and has engines keep ever more memory for what
 * is young.
 */
export class Ring<Facts> {
  readonly #size: number
  readonly #numbers: Float64Array[] = []
  readonly #facts: Facts[] = []
  #count = 0

  constructor(size: number) {
    this.#size = size
  }

  /** How many were added. */
  get count(): number {
    return this.#count
  }

  /** How many fell out, for later ones to fit in. */
  get dropped(): number {
    return Math.max(0, this.#count - this.#size)
  }

  add({ numbers, facts }: Row<Facts>): void {
    if (this.#size > 0) {
      const at = this.#count % this.#size
      this.#numbers[at] ??= new Float64Array(numbers.length)
      this.#numbers[at].set(numbers)
      this.#facts[at] = facts
    }
    this.#count += 1
  }

  /** The row that was added after so many others, and did not fall out. */
  at(index: number): Row<Facts> {
    const at = index % this.#size
    return { numbers: [...(this.#numbers[at] ?? [])], facts: this.#facts[at] as Facts }
  }
}
