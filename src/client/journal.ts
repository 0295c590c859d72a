import type { JournalPage } from '../control/outputs.ts'
import type { Exchange } from '../journal/exchange.ts'
import { type ExchangeQuery, timeoutError } from '../journal/exchange-query.ts'
import type { Har } from '../journal/har.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import { refuseUnknown, requireObject, UsageError } from '../validation/usage-error.ts'
import { type RemoteWorld, request } from './connection.ts'
import { NoExchangeError } from './errors.ts'
import { toIsoText, toQueryParameters } from './serialize.ts'

/** The journal of a world in another process, like `WorldJournal`. */
export interface ClientJournal {
  /** All recorded exchanges, oldest first. */
  exchanges(): Promise<readonly Exchange[]>
  /** The id of the latest exchange; 0 before the first. */
  last(): Promise<number>
  /** The number of dropped exchanges. It is also the id of the last dropped exchange. */
  dropped(): Promise<number>
  /** The exchange with this id; `undefined` when it is not in the journal. */
  get(id: number): Promise<Exchange | undefined>
  /** The exchanges that match, oldest first. Rejects with a UsageError for an invalid query. */
  find(query?: ExchangeQuery): Promise<readonly Exchange[]>
  /**
   * Resolves with the first recorded exchange that matches the query, or waits for the next one. Rejects after `timeout`
   * (default: 5 seconds of real time) with an error that lists the latest exchanges.
   *
   * @example
   * await client.journal.waitFor({ operation: 'createBook', after: await client.journal.last() })
   */
  waitFor(
    query?: Omit<ExchangeQuery, 'limit' | 'from'>,
    options?: { readonly timeout?: Duration },
  ): Promise<Exchange>
  /** The exchanges that match, as an HTTP archive (HAR 1.2) for the developer tools of browsers. */
  toHar(query?: ExchangeQuery): Promise<Har>
}

/** The longest wait that the control interface allows at a time, in milliseconds. */
const MAX_WAIT = 60_000

export function createJournal(remote: RemoteWorld): ClientJournal {
  const find = (query: ExchangeQuery = {}): Promise<JournalPage> =>
    request<JournalPage>(remote, 'GET /journal', { query: toQuery(query), isLong: true })
  /** The counts alone: no exchange is after the greatest possible id. */
  const counts = (): Promise<JournalPage> => find({ after: Number.MAX_SAFE_INTEGER })

  return {
    exchanges: async () => (await find()).exchanges,
    last: async () => (await counts()).last,
    dropped: async () => (await counts()).dropped,
    get: (id) =>
      request<Exchange>(remote, 'GET /journal/{id}', { path: [id] }).catch((error: unknown) => {
        if (error instanceof UsageError && error.code === 'not_found') return undefined
        throw error
      }),
    find: async (query) => (await find(query)).exchanges,
    waitFor: async (query = {}, options = {}) => {
      refuseUnknown('waitFor', options, ['timeout'])
      const { timeout = '5s' } = options
      return waitFor(remote, query, milliseconds(timeout)).catch((error: unknown) => {
        throw error instanceof NoExchangeError ? timeoutError(timeout, query, error.latest) : error
      })
    },
    toHar: async (query = {}) =>
      request<Har>(remote, 'GET /journal/har', { query: toQuery(query), isLong: true }),
  }
}

/** Splits a long wait into several requests. Exchanges between two requests are in the journal. */
async function waitFor(
  remote: RemoteWorld,
  query: ExchangeQuery,
  length: number,
): Promise<Exchange> {
  const patience = Math.max(0, Math.min(length, MAX_WAIT))
  const search = toQuery(query)
  search.set('timeout', String(patience))
  const found = request<Exchange>(remote, 'GET /journal/wait', {
    query: search,
    extraTimeout: patience,
  })
  if (length <= MAX_WAIT) return found

  return found.catch((error: unknown) => {
    if (error instanceof NoExchangeError) return waitFor(remote, query, length - patience)
    throw error
  })
}

function toQuery(given: ExchangeQuery): URLSearchParams {
  requireObject('search the journal', given)
  const { since, until, ...query } = given
  return toQueryParameters([
    ...Object.entries(query),
    ['since', since === undefined ? undefined : toIsoText(since)],
    ['until', until === undefined ? undefined : toIsoText(until)],
  ])
}
