import {
  type AnsweredRequest,
  type ExchangeFacts,
  type FactsCache,
  toFacts,
} from './exchange-facts.ts'
import type { Journal } from './journal.ts'
import { type ExchangeQuota, type ExchangeTiming, toJournalEntry } from './recorded-exchange.ts'

/** A journal, and the cache of the facts in it. */
export interface Recorder {
  readonly journal: Journal<ExchangeFacts>
  readonly facts: FactsCache
}

/** Records a request that was answered, as the next entry of the journal. */
export function recordExchange(
  { journal, facts }: Recorder,
  answered: AnsweredRequest,
  timing: ExchangeTiming,
  quota: ExchangeQuota,
): void {
  const shared = facts.share(toFacts(answered))
  journal.add(toJournalEntry(journal.last + 1, timing, quota, shared))
}
