import type { Service } from '../../engine/service.ts'
import { version } from '../../generated/package.ts'
import type { ExchangeFacts } from '../../journal/exchange-facts.ts'
import { Journal } from '../../journal/journal.ts'
import type { JournalEntry } from '../../journal/ring-buffer.ts'
import { recordedExchange } from './stored-exchange.ts'

/** The journal of a request that is answered on loaded data. It keeps nothing: the exchange is committed with what it changes. */
export class CapturedJournal extends Journal<ExchangeFacts> {
  readonly #last: number
  /** The entry of the exchange; its id is a guess until the commit. */
  entry: JournalEntry<ExchangeFacts> | undefined

  /** `last` is the id of the latest exchange when the request arrived. */
  constructor(last: number, service: Service) {
    const creator = { name: 'pet-sandbox', version }
    super(0, new Set(), (entry) => recordedExchange(entry, service), creator)
    this.#last = last
  }

  override get last(): number {
    return this.#last
  }

  override add(entry: JournalEntry<ExchangeFacts>): void {
    this.entry = entry
  }
}
