import type { Keys } from '../../access/keys.ts'
import { answer } from '../../engine/answer.ts'
import type { Service } from '../../engine/service.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import type { ExchangeFacts } from '../../journal/exchange-facts.ts'
import type { JournalEntry } from '../../journal/ring-buffer.ts'
import type { Store } from '../../resources/store.ts'
import type { Arrived } from '../../state/stored-arrival.ts'
import type { Commit } from '../../state/stored-commit.ts'
import type { RequestPlan } from './request-plan.ts'
import { createRequestState, requestChanges } from './request-state.ts'
import { toExchangeText } from './stored-exchange.ts'

/** A request, and what it is decided on. */
export interface DecidableRequest {
  readonly request: CoreRequest
  readonly plan: RequestPlan
  readonly keys: Keys
  readonly arrived: Arrived
  readonly records: { readonly store: Store }
}

/** What was decided on a request, to be committed. */
export interface Decision {
  readonly response: CoreResponse
  /** How long the response is delayed after the commit, in milliseconds. */
  readonly latency: number
  /** The exchange; its id is a guess until the commit. */
  readonly entry: JournalEntry<ExchangeFacts>
  /** What changes, besides the records. */
  readonly changes: Omit<Commit, 'epoch'>
}

/** Answers a request on what was loaded when it arrived, with the same code as in memory. */
export async function decide(
  { request, keys, plan, arrived, records }: DecidableRequest,
  service: Service,
): Promise<Decision> {
  const state = createRequestState(service, keys, plan, arrived, records.store)
  let latency = 0
  const response = await answer(request, state, (milliseconds) => {
    latency = milliseconds
  })
  const { entry } = state.journal
  if (!entry) throw new TypeError('The exchange was not recorded')
  const delayed = withLatency(entry, latency)

  return {
    response,
    latency,
    entry: delayed,
    changes: {
      ...requestChanges(state, plan, arrived),
      exchange: { text: toExchangeText(delayed), size: service.settings.journal },
    },
  }
}

/** The place of an exchange's duration among its numbers. */
const DURATION = 3

/** The exchange is committed before the response is delayed, but its duration includes the delay. */
function withLatency(
  { numbers, facts }: JournalEntry<ExchangeFacts>,
  latency: number,
): JournalEntry<ExchangeFacts> {
  if (latency === 0) return { numbers, facts }
  return {
    numbers: numbers.map((number, at) => (at === DURATION ? number + latency : number)),
    facts,
  }
}
