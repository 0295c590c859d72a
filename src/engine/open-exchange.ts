import type { Caller } from '../access/caller.ts'
import type { Quota } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import type { InputObserver } from '../contract/read.ts'
import type { ForcedEffect } from '../forcing/rules.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import type { Exchange, Note } from '../journal/exchange.ts'
import type { Journal } from '../journal/journal.ts'
import { type ExchangeFacts, factsOf, type KnownFacts, LONGEST_BODY } from './exchange-facts.ts'
import { toJournalEntry } from './recorded-exchange.ts'

/** A request may have a megabyte of unknown properties; the journal notes so many of them, in so many characters each. */
const MOST_NOTES = 20
const LONGEST_NOTE = 200

/** Milliseconds that a refusal waits for a body which only the journal needs. */
const PATIENCE = 20

/** Where an exchange is written down when it ends. */
interface Books {
  readonly journal: Journal<ExchangeFacts>
  readonly known: KnownFacts
}

/** An exchange that is under way. What becomes known of it is filled in step by step, as the request is answered. */
export class OpenExchange implements InputObserver {
  readonly request: CoreRequest
  /** Epoch milliseconds of the sandbox's clock. */
  readonly time: number
  /** The id of the latest exchange that had ended when this request came. */
  readonly follows: number
  operation?: Operation
  refusal?: NonNullable<Exchange['refusal']>
  /** What is forced on it. */
  effect?: ForcedEffect
  /** The request's body, once it was read. */
  body?: Uint8Array
  readonly notes: Note[] = []
  readonly #start = performance.now()

  constructor(request: CoreRequest, time: number, follows: number) {
    this.request = request
    this.time = time
    this.follows = follows
  }

  get forced(): string | undefined {
    return this.effect?.outcome
  }

  /** Real milliseconds since the request came, to the microsecond. */
  get milliseconds(): number {
    return Math.round((performance.now() - this.#start) * 1000) / 1000
  }

  /** Notes something that was sent in vain, or should not be used any more. */
  readonly note = (kind: Note['kind'], place: string): void => {
    if (this.notes.length < MOST_NOTES) {
      this.notes.push({ kind, place: place.slice(0, LONGEST_NOTE) })
    }
  }

  /** Notes the problem that stands against the request, if there is one. */
  refuse(problem: Problem | undefined): void {
    if (problem) this.refusal = { code: problem.code, message: problem.message }
  }

  /** Sets the operation that matched. */
  match(operation: Operation): void {
    this.operation = operation
    if (operation.deprecation) this.note('deprecated-operation', operation.id)
  }

  /** Reads the body of a request that was refused before it was read, unless it is long or slow to come. */
  async readRefused(): Promise<void> {
    const { request, body } = this
    if (body || request.method === 'GET' || request.method === 'HEAD') return
    const rest = await Promise.race([
      request.body(LONGEST_BODY).catch(() => undefined),
      new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE)),
    ])
    if (rest?.length) this.body = rest
  }

  /** Writes the exchange into the journal; `reply` is without the headers of every answer. */
  close({ journal, known }: Books, response: CoreResponse, caller: Caller, quota: Quota): void {
    const facts = known.same(factsOf(this, response, caller))
    journal.add(toJournalEntry(journal.last + 1, this, quota, facts))
  }
}
