/** An entry of the journal. Every entry has the same count of numbers. */
export interface JournalEntry<Facts> {
  readonly numbers: readonly number[]
  readonly facts: Facts
}

/**
 * Keeps the latest entries, in slots that are overwritten. An object for each entry would live just long enough for the
 * garbage collector to copy it, which would cost more than everything else that a journal does, and would make engines reserve
 * more and more memory for young objects.
 */
export class RingBuffer<Facts> {
  readonly #size: number
  readonly #numbers: Float64Array[] = []
  readonly #facts: Facts[] = []
  #count = 0

  constructor(size: number) {
    this.#size = size
  }

  /** How many entries were added in total. */
  get count(): number {
    return this.#count
  }

  /** How many entries were overwritten. */
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

  /** The entry that was added after `index` others. It must not have been overwritten. */
  at(index: number): JournalEntry<Facts> {
    const at = index % this.#size
    return { numbers: [...(this.#numbers[at] ?? [])], facts: this.#facts[at] as Facts }
  }
}
