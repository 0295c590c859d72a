import type { Exchange } from '../journal/exchange.ts'
import type { ExchangeQuery } from '../journal/exchange-query.ts'
import type { Har } from '../journal/har.ts'
import type { Journal } from '../journal/journal.ts'
import type { Duration } from '../time/duration.ts'

/** The latest exchanges of a world, up to the journal's size. A reset clears it, a restored snapshot does not. */
export class WorldJournal {
  readonly #journal: () => Omit<Journal<unknown>, 'add' | 'continued'>

  constructor(journal: () => Omit<Journal<unknown>, 'add' | 'continued'>) {
    this.#journal = journal
  }

  /** Oldest first. */
  get exchanges(): readonly Exchange[] {
    return this.#journal().exchanges
  }

  /** The id of the latest exchange; 0 before the first. */
  get last(): number {
    return this.#journal().last
  }

  /** How many exchanges were dropped for later ones: all with an id up to this number. */
  get dropped(): number {
    return this.#journal().dropped
  }

  /**
   * The matching exchanges, oldest first, without dropped ones. Throws a UsageError for an unknown field, an unknown operation
   * and an invalid value.
   *
   * @example
   * sandbox.journal.find({ operation: 'createBook', status: '4xx' })
   */
  find(query?: ExchangeQuery): readonly Exchange[] {
    return this.#journal().find(query)
  }

  /**
   * The first matching exchange, an existing or a future one. The wait continues after a reset, and ignores exchanges that were
   * under way at that time. Rejects after `timeout`, by default 5 seconds of real time, with an error that lists the latest
   * exchanges.
   *
   * @example
   * await sandbox.journal.waitFor({ operation: 'createBook', after: sandbox.journal.last })
   */
  waitFor(
    query?: Omit<ExchangeQuery, 'limit' | 'from'>,
    options?: { readonly timeout?: Duration },
  ): Promise<Exchange> {
    return this.#journal().waitFor(query, options)
  }

  /**
   * The matching exchanges as an HTTP archive (HAR 1.2) for a browser's developer tools. Rejects with a UsageError for a query
   * that `find` rejects.
   */
  toHar(query?: ExchangeQuery): Promise<Har> {
    return this.#journal().toHar(query)
  }
}
