import { type Duration, LONGEST_TIMER, milliseconds } from '../time/duration.ts'
import { refuseUnknown, requireObject, wholeNumber } from '../validation/usage-error.ts'
import type { Exchange } from './exchange.ts'
import { type ExchangeQuery, toFilter } from './exchange-query.ts'
import type { Har, HarCreator } from './har.ts'
import { notify } from './notify.ts'
import { type JournalEntry, RingBuffer } from './ring-buffer.ts'
import { timeoutError } from './wait-timeout.ts'

/** Taken before a page or a test can fake them: a wait ends in real time. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** How many of the latest exchanges are listed when a wait was in vain. */
export const LATEST_LISTED: number = 5

/** Called with each exchange as it ends. `isPast`: it began before a reset, which few listeners want to hear of. */
export type JournalListener = (exchange: Exchange, isPast: boolean) => void

type Operations = Parameters<typeof toFilter>[1]

/** What was asked and answered: the latest exchanges, up to the journal's size. */
export class Journal<Facts> {
  readonly #ring: RingBuffer<Facts>
  readonly #listeners: Set<JournalListener>
  readonly #open: (row: JournalEntry<Facts>) => Exchange
  readonly #creator: HarCreator
  readonly #operations: Operations | undefined
  /** Whether another journal has taken its place: what still ends here began before a reset. */
  isPast = false

  /**
   * `listeners` are called with each exchange; a journal hands them on to the one that takes its place. `open` makes an
   * exchange of its row. A search for an operation that is not among `operations` is refused.
   */
  constructor(
    size: number,
    listeners: Set<JournalListener>,
    open: (row: JournalEntry<Facts>) => Exchange,
    creator: HarCreator,
    operations?: Operations,
  ) {
    this.#ring = new RingBuffer(size)
    this.#listeners = listeners
    this.#open = open
    this.#creator = creator
    this.#operations = operations
  }

  /** Oldest first. */
  get exchanges(): readonly Exchange[] {
    return this.find()
  }

  /** The id of the latest exchange; 0 before the first. */
  get last(): number {
    return this.#ring.count
  }

  /** How many exchanges were dropped for later ones: all up to this id. */
  get dropped(): number {
    return this.#ring.dropped
  }

  /** Oldest first, without those that were dropped. Throws a UsageError for what is no query. */
  find(query: ExchangeQuery = {}): readonly Exchange[] {
    const fits = toFilter(query, this.#operations)
    const { after = 0, limit = Infinity } = query
    const found: Exchange[] = []
    for (let at = Math.max(this.dropped, after); at < this.last && found.length < limit; at += 1) {
      const exchange = this.#open(this.#ring.at(at))
      if (fits(exchange)) found.push(exchange)
    }
    return found
  }

  /** The first exchange that fits, there already or yet to come. Rejects after `timeout`, with what came instead. */
  async waitFor(
    query: Omit<ExchangeQuery, 'limit'> = {},
    options: { readonly timeout?: Duration } = {},
  ): Promise<Exchange> {
    requireObject('search the journal', query)
    refuseUnknown('waitFor option', options, ['timeout'])
    const { timeout = '5s' } = options
    const length = wholeNumber('timeout', milliseconds(timeout), 0)
    const [found] = this.find({ ...query, limit: 1 })
    if (found) return found

    // Whatever is yet to come ends after `after`, which after a reset would be an id of another journal.
    const fits = toFilter({ ...query, after: 0 })
    const latest = [...this.find({ after: Math.max(query.after ?? 0, this.last - LATEST_LISTED) })]
    const come = await next(this.#listeners, fits, latest, Math.min(length, LONGEST_TIMER))
    if (come) return come
    // Thrown here rather than by the timer, so that the stack names whoever waited.
    throw timeoutError(timeout, query, latest)
  }

  /** The exchanges that fit as an HTTP archive (HAR 1.2), which browsers' developer tools open. */
  async toHar(query?: ExchangeQuery): Promise<Har> {
    const exchanges = this.find(query)
    const { toHar } = await import('./har.ts')
    return toHar(exchanges, this.#creator)
  }

  /** Adds the row of an exchange, whose id must be the one after `last`. */
  add(row: JournalEntry<Facts>): void {
    this.#ring.add(row)
    if (this.#listeners.size === 0) return
    const exchange = this.#open(row)
    for (const listener of this.#listeners) notify((one) => listener(one, this.isPast), exchange)
  }
}

/** The next exchange that fits, or `undefined` when none came in time. The latest others are left in `latest`. */
function next(
  listeners: Set<JournalListener>,
  fits: (exchange: Exchange) => boolean,
  latest: Exchange[],
  timeout: number,
): Promise<Exchange | undefined> {
  return new Promise((resolve) => {
    const end = (exchange?: Exchange): void => {
      listeners.delete(listen)
      stopTimer(timer)
      resolve(exchange)
    }
    const listen: JournalListener = (exchange, isPast) => {
      if (isPast) return
      if (fits(exchange)) return end(exchange)
      latest.push(exchange)
      if (latest.length > LATEST_LISTED) latest.shift()
    }
    const timer = startTimer(end, timeout)
    listeners.add(listen)
  })
}
