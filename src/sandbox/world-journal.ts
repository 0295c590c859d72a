import type { Exchange } from '../journal/exchange.ts'
import type { ExchangeQuery } from '../journal/exchange-query.ts'
import type { Har } from '../journal/har.ts'
import type { Journal } from '../journal/journal.ts'
import type { Duration } from '../time/duration.ts'

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

  /** How many exchanges were dropped for later ones: all up to this id. */
  get dropped(): number {
    return this.#present().dropped
  }

  /**
   * The exchanges that fit, oldest first, without those that were dropped. Throws a UsageError for an unknown field, for an
   * unknown operation, and for a value that a field cannot have.
   *
   * @example
   * sandbox.journal.find({ operation: 'createBook', status: '4xx' })
   */
  find(query?: ExchangeQuery): readonly Exchange[] {
    return this.#present().find(query)
  }

  /**
   * The first exchange that fits, there already or yet to come. The wait goes on through a reset, and ignores what was under
   * way at that time. Rejects after `timeout`, 5 seconds of real time when left out, with an error that lists what came
   * instead.
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

  /**
   * The exchanges that fit, as an HTTP archive (HAR 1.2) for a browser's developer tools. Rejects with a UsageError for what
   * `find` refuses.
   */
  toHar(query?: ExchangeQuery): Promise<Har> {
    return this.#present().toHar(query)
  }
}
