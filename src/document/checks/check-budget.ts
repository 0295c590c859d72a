import type { Document } from '../document.ts'
import type { Mistake } from '../mistake.ts'

/** What a check may cost, so that a document of any size is checked in a limited time. */
export interface CheckBudget {
  /** In milliseconds. */
  readonly time: number
  /** How many things are checked. */
  readonly count?: number
}

/** Counts what a check costs. */
export class CheckMeter {
  readonly #end: number
  #left: number
  #isSpent = false

  constructor({ time, count = Number.POSITIVE_INFINITY }: CheckBudget) {
    this.#end = Date.now() + time
    this.#left = count
  }

  /** Takes one thing from the budget; `false` when there is nothing left. */
  take(): boolean {
    this.#left -= 1
    this.#isSpent ||= this.#left < 0 || Date.now() > this.#end

    return !this.#isSpent
  }
}

/** Says that a part of a document was not checked. `what` is a plural, such as `some of the paths`. */
export function unchecked(what: string, { sources }: Pick<Document, 'sources'>): Mistake {
  return {
    reason: `${what} were not checked, because the document is too large`,
    location: sources[0]?.name ?? '',
    assumed: 'they are correct',
    help: 'Correct the other mistakes first, or check a smaller document.',
    isUnchecked: true,
  }
}
