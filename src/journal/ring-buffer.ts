/** A row of a ring: numbers, equally many in each of its rows, and the rest. */
export interface JournalEntry<Facts> {
  readonly numbers: readonly number[]
  readonly facts: Facts
}

/**
 * The latest rows, in slots that are written over and over. An object for each row would live just long enough for the
 * garbage collector to copy it, which costs more than all else that a journal does, and has engines set aside ever more
 * memory for young objects.
 */
export class RingBuffer<Facts> {
  readonly #size: number
  readonly #numbers: Float64Array[] = []
  readonly #facts: Facts[] = []
  #count = 0

  constructor(size: number) {
    this.#size = size
  }

  /** How many rows were ever added. */
  get count(): number {
    return this.#count
  }

  /** How many rows were overwritten by later ones. */
  get dropped(): number {
    return Math.max(0, this.#count - this.#size)
  }

  add({ numbers, facts }: JournalEntry<Facts>): void {
    if (this.#size > 0) {
      const at = this.#count % this.#size
      this.#numbers[at] ??= new Float64Array(numbers.length)
      this.#numbers[at].set(numbers)
      this.#facts[at] = facts
    }
    this.#count += 1
  }

  /** A row by how many were added before it; it must not have been overwritten yet. */
  at(index: number): JournalEntry<Facts> {
    const at = index % this.#size
    return { numbers: [...(this.#numbers[at] ?? [])], facts: this.#facts[at] as Facts }
  }
}
