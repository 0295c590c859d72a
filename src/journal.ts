/** One request and its answer, as the journal tells it. */
export interface Exchange {
  /** Counts from 1. */
  readonly id: number
  /** When the request came, in epoch milliseconds of the sandbox's clock. */
  readonly time: number
  readonly method: string
  /** Below the base address, with the query. */
  readonly target: string
  /** The operation's name; absent when none matched. */
  readonly operation?: string
  /** The end of the API key, as `…free`; absent when no valid one was sent. */
  readonly key?: string
  /** The plan that the request was counted on. */
  readonly plan: string
  readonly status: number
  /** Requests left in the window that the headers describe. */
  readonly remaining: number
  /** The problem's code and message, when the request was refused. */
  readonly refusal?: { readonly code: string; readonly message: string }
  /** The forced outcome, as `rate-limited`, when the answer was forced. */
  readonly forced?: string
  /** What was sent and not used, as `body.color dropped` or `query.page ignored`. */
  readonly notes: readonly string[]
  /** How long the answer took, in real milliseconds. */
  readonly milliseconds: number
}

/** Told of each exchange as it ends. */
export type ExchangeListener = (exchange: Exchange) => void

/** What was asked and answered: the latest exchanges, up to the journal's size. */
export class Journal {
  readonly #ring: Exchange[] = []
  readonly #listeners: ReadonlySet<ExchangeListener>
  readonly #size: number
  #count = 0

  constructor(size: number, listeners: ReadonlySet<ExchangeListener>) {
    this.#size = size
    this.#listeners = listeners
  }

  /** Oldest first. */
  get exchanges(): readonly Exchange[] {
    if (this.#count <= this.#size) return [...this.#ring]
    const oldest = this.#count % this.#size
    return [...this.#ring.slice(oldest), ...this.#ring.slice(0, oldest)]
  }

  add(entry: Omit<Exchange, 'id'>): void {
    const exchange = { id: this.#count + 1, ...entry }
    if (this.#size > 0) this.#ring[this.#count % this.#size] = exchange
    this.#count += 1
    for (const listener of this.#listeners) listener(exchange)
  }
}
