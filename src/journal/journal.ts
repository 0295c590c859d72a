import { type Duration, MAX_TIMER_DELAY, milliseconds } from '../time/duration.ts'
import { refuseUnknown, requireInteger, requireObject } from '../validation/usage-error.ts'
import { type Exchange, notify } from './exchange.ts'
import { type ExchangeQuery, timeoutError, toFilter, withinLimit } from './exchange-query.ts'
import { type Har, type HarCreator, toHar } from './har.ts'

/** Read before a test can replace them with fake timers, because a wait ends in real time. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** How many of the latest exchanges the error of a wait lists. */
export const MAX_LISTED: number = 5

/**
 * Called when an exchange ends, with what reads it: it is made only if somebody reads it. `isPast`: it began before a reset, and most
 * listeners ignore it.
 */
export type JournalListener = (read: () => Exchange, isPast: boolean) => void

type Operations = Parameters<typeof toFilter>[1]

/** Keeps the latest exchanges, up to the journal's size. */
export class Journal<Facts> {
  #ring: RingBuffer<Facts>
  readonly #listeners: Set<JournalListener>
  readonly #toExchange: (entry: JournalEntry<Facts>) => Exchange
  readonly #creator: HarCreator
  #operations: Operations | undefined
  /** Whether another journal has replaced this one: the exchanges that end here began before a reset. */
  isPast = false

  /**
   * `listeners` are called with each exchange. The journal that replaces this one has the same listeners. `toExchange` creates
   * an exchange from its entry. A search for an operation that is not among `operations` throws.
   */
  constructor(
    size: number,
    listeners: Set<JournalListener>,
    toExchange: (entry: JournalEntry<Facts>) => Exchange,
    creator: HarCreator,
    operations?: Operations,
  ) {
    this.#ring = new RingBuffer(size)
    this.#listeners = listeners
    this.#toExchange = toExchange
    this.#creator = creator
    this.#operations = operations
  }

  /**
   * A journal that goes on where this one is, for the state that replaces this one's. The exchanges of both are in both, so that their
   * ids stay unique.
   */
  continued(): Journal<Facts> {
    const next = new Journal(0, this.#listeners, this.#toExchange, this.#creator, this.#operations)
    next.#ring = this.#ring
    return next
  }

  /** Replaces the operations that searches may name, when the document has changed. */
  setOperations(operations: Operations): void {
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

  /** How many exchanges were dropped for later ones: all with an id up to this number. */
  get dropped(): number {
    return this.#ring.dropped
  }

  /** The matching exchanges that are kept, oldest first. Throws a UsageError for an invalid query. */
  find(query: ExchangeQuery = {}): readonly Exchange[] {
    const matches = toFilter(query, this.#operations)
    const { after = 0 } = query
    const found: Exchange[] = []
    for (let at = Math.max(this.dropped, after); at < this.last; at += 1) {
      const exchange = this.#toExchange(this.#ring.at(at))
      if (matches(exchange)) found.push(exchange)
    }
    return withinLimit(found, query)
  }

  /** The first matching exchange, an existing or a future one. Rejects after `timeout`, and lists the latest exchanges. */
  async waitFor(
    query: Omit<ExchangeQuery, 'limit' | 'from'> = {},
    options: { readonly timeout?: Duration } = {},
  ): Promise<Exchange> {
    requireObject('search the journal', query)
    refuseUnknown('waitFor', options, ['timeout'])
    const { timeout = '5s' } = options
    const length = requireInteger('timeout', milliseconds(timeout), 0)
    const [found] = this.find(query)
    if (found) return found

    // Every future exchange ends after `after`, which after a reset would be an id of another journal.
    const matches = toFilter({ ...query, after: 0 })
    const latest = [...this.find({ after: Math.max(query.after ?? 0, this.last - MAX_LISTED) })]
    const match = await next(this.#listeners, matches, latest, Math.min(length, MAX_TIMER_DELAY))
    if (match) return match
    // Thrown here and not by the timer, so that the stack has the caller.
    throw timeoutError(timeout, query, latest)
  }

  /** The matching exchanges as an HTTP archive (HAR 1.2), which browsers' developer tools can open. */
  async toHar(query?: ExchangeQuery): Promise<Har> {
    const exchanges = this.find(query)
    return toHar(exchanges, this.#creator)
  }

  /** Adds the entry of an exchange, whose id must be the one after `last`. */
  add(entry: JournalEntry<Facts>): void {
    this.#ring.add(entry)
    let exchange: Exchange | undefined
    const read = (): Exchange => {
      exchange ??= this.#toExchange(entry)
      return exchange
    }
    for (const listener of this.#listeners) notify((one) => listener(one, this.isPast), read)
  }
}

/** The next matching exchange, or `undefined` after the timeout. The latest other exchanges are added to `latest`. */
function next(
  listeners: Set<JournalListener>,
  matches: (exchange: Exchange) => boolean,
  latest: Exchange[],
  timeout: number,
): Promise<Exchange | undefined> {
  return new Promise((resolve) => {
    const end = (exchange?: Exchange): void => {
      listeners.delete(listen)
      stopTimer(timer)
      resolve(exchange)
    }
    const listen: JournalListener = (read, isPast) => {
      if (isPast) return
      const exchange = read()
      if (matches(exchange)) return end(exchange)
      latest.push(exchange)
      if (latest.length > MAX_LISTED) latest.shift()
    }
    const timer = startTimer(end, timeout)
    listeners.add(listen)
  })
}

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
