import type { Caller } from '../access/caller.ts'
import type { Operation } from '../contract/contract.ts'
import type { Exchange, Journal } from '../journal.ts'
import type { Ask, Reply } from '../message.ts'
import type { Wish } from './rules.ts'

/** A request can hold a megabyte of unknown properties; the journal need not. */
const MOST_NOTES = 20
const LONGEST_NOTE = 200

/** An exchange that is under way: what becomes known of it is filled in as the request goes through its stops. */
export class OpenExchange {
  readonly ask: Ask
  /** Epoch milliseconds of the sandbox's clock. */
  readonly time: number
  operation?: Operation
  refusal?: NonNullable<Exchange['refusal']>
  /** What is forced on it. */
  wish?: Wish
  readonly #notes: string[] = []
  readonly #start = performance.now()

  constructor(ask: Ask, time: number) {
    this.ask = ask
    this.time = time
  }

  /** Notes what was sent and is not used. */
  readonly note = (text: string): void => {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(text.slice(0, LONGEST_NOTE))
  }

  /** Writes the exchange into the journal. */
  close(journal: Journal, reply: Reply, caller: Caller, remaining: number): void {
    const { method, path, query } = this.ask
    journal.add({
      time: this.time,
      method,
      target: query === '' ? path : `${path}?${query}`,
      ...(this.operation && { operation: this.operation.id }),
      ...(caller.key === 'valid' && { key: `…${caller.account.slice(-4)}` }),
      plan: caller.plan.name,
      status: reply.status,
      remaining,
      ...(this.refusal && { refusal: this.refusal }),
      ...(this.wish && { forced: this.wish.outcome }),
      notes: this.#notes,
      milliseconds: performance.now() - this.#start,
    })
  }
}
