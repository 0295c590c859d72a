import type { Duration } from '../duration.ts'
import type { Exchange } from '../exchange.ts'
import type { ExchangeQuery } from '../exchange-query.ts'
import type { Har } from '../har.ts'
import type { Journal } from '../journal.ts'

/** What a world was asked and answered: the latest exchanges, up to the journal's size. A reset empties it. */
export class WorldJournal {
  readonly #present: () => Omit<Journal<unknown>, 'add'>

  constructor(present: () => Omit<Journal<unknown>, 'add'>) {
    this.#present = present
  }

  /** Oldest first. */
  get exchanges(): readonly Exchange[] {
    return this.#present().exchanges
  }

  /** The id of the latest exchange; 0 before the first. */
  get last(): number {
    return this.#present().last
  }

  /** How many exchanges fell out, for later ones to fit in: those up to this id. */
  get dropped(): number {
    return this.#present().dropped
  }

  /**
   * The exchanges that fit, oldest first. What fell out of the journal is not found; `dropped` tells how much that is.
   * Throws a UsageError for a field of another name, and for a value that cannot be.
   *
   * @example
   * sandbox.journal.find({ operation: 'createBook', status: '4xx' })
   */
  find(query?: ExchangeQuery): readonly Exchange[] {
    return this.#present().find(query)
  }

  /**
   * The first exchange that fits, there already or yet to come; a reset does not end the wait, and what is under way then
   * does not either. Rejects after `timeout`,
   * real time and 5 seconds when left out, with what came instead.
   *
   * @example
   * await sandbox.journal.waitFor({ operation: 'createBook', after: sandbox.journal.last })
   */
  waitFor(
    query?: Omit<ExchangeQuery, 'limit'>,
    options?: { readonly timeout?: Duration },
  ): Promise<Exchange> {
    return this.#present().waitFor(query, options)
  }

  /** The exchanges that fit as an HTTP archive (HAR 1.2), which browsers' developer tools open. */
  toHar(query?: ExchangeQuery): Promise<Har> {
    return this.#present().toHar(query)
  }
}
