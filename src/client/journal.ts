import type { Exchange } from '../journal/exchange.ts'
import type { ExchangeQuery } from '../journal/exchange-query.ts'
import type { Har } from '../journal/har.ts'
import { timeoutError } from '../journal/wait-timeout.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import { refuseUnknown, requireObject } from '../validation/usage-error.ts'
import { NoExchangeError } from './errors.ts'
import { type RemoteWorld, request } from './remote-world.ts'
import { toIsoText, toQueryParameters } from './serialize.ts'

/** What a world that runs elsewhere was asked and answered, as `WorldJournal` has it. */
export interface ClientJournal {
  /** Oldest first. */
  exchanges(): Promise<readonly Exchange[]>
  /** The id of the latest exchange; 0 before the first. */
  last(): Promise<number>
  /** How many exchanges were dropped for later ones: all up to this id. */
  dropped(): Promise<number>
  /** The exchanges that fit, oldest first. Rejects with a UsageError for what is no query. */
  find(query?: ExchangeQuery): Promise<readonly Exchange[]>
  /**
   * The first exchange that fits, there already or yet to come. Rejects after `timeout`, 5 seconds of real time when left
   * out, with an error that lists what came instead.
   *
   * @example
   * await client.journal.waitFor({ operation: 'createBook', after: await client.journal.last() })
   */
  waitFor(
    query?: Omit<ExchangeQuery, 'limit'>,
    options?: { readonly timeout?: Duration },
  ): Promise<Exchange>
  /** The exchanges that fit, as an HTTP archive (HAR 1.2) for a browser's developer tools. */
  toHar(query?: ExchangeQuery): Promise<Har>
}

/** As the control interface tells it. */
interface Found {
  readonly exchanges: readonly Exchange[]
  readonly last: number
  readonly dropped: number
}

/** The longest wait that the control interface allows at a time, in milliseconds. */
const LONGEST_WAIT = 60_000

export function createJournal(remote: RemoteWorld): ClientJournal {
  const find = (query: ExchangeQuery = {}): Promise<Found> =>
    request<Found>(remote, 'GET /journal', { query: toQuery(query), isLong: true })
  /** Past all exchanges, so that none is sent. */
  const counts = (): Promise<Found> => find({ after: Number.MAX_SAFE_INTEGER })

  return {
    exchanges: async () => (await find()).exchanges,
    last: async () => (await counts()).last,
    dropped: async () => (await counts()).dropped,
    find: async (query) => (await find(query)).exchanges,
    waitFor: async (query = {}, options = {}) => {
      refuseUnknown('waitFor option', options, ['timeout'])
      const { timeout = '5s' } = options
      return waitFor(remote, query, milliseconds(timeout)).catch((error: unknown) => {
        throw error instanceof NoExchangeError ? timeoutError(timeout, query, error.latest) : error
      })
    },
    toHar: async (query = {}) =>
      request<Har>(remote, 'GET /journal/har', { query: toQuery(query), isLong: true }),
  }
}

/** Waits in several parts where it takes long: what comes between two of them is in the journal. */
async function waitFor(
  remote: RemoteWorld,
  query: ExchangeQuery,
  length: number,
): Promise<Exchange> {
  const patience = Math.max(0, Math.min(length, LONGEST_WAIT))
  const search = toQuery(query)
  search.set('timeout', String(patience))
  const found = request<Exchange>(remote, 'GET /journal/wait', { query: search, patience })
  if (length <= LONGEST_WAIT) return found

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
