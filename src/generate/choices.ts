/**
 * The choices of one attempt to generate a value: which branch of each `oneOf`, which of several types. Attempt 0 takes the
 * preferred option of each choice, and later attempts count through all combinations.
 */
export class Choices {
  #rest: number
  #combinations = 1
  #count = 0

  constructor(attempt: number) {
    this.#rest = attempt
  }

  /** How many attempts have different choices. */
  get combinations(): number {
    return this.#combinations
  }

  /** How many choices were made. */
  get count(): number {
    return this.#count
  }

  /** Chooses one of some options, the preferred one first. */
  choose<Option>(options: readonly Option[]): Option | undefined {
    this.#count += 1
    if (options.length < 2) return options[0]
    const chosen = options[this.#rest % options.length]
    this.#rest = Math.floor(this.#rest / options.length)
    this.#combinations = Math.min(this.#combinations * options.length, Number.MAX_SAFE_INTEGER)

    return chosen
  }
}
