import type { Exchange, Note } from '../journal/exchange.ts'

/** A recorded request with its response, as plain data: from a journal or from an HTTP archive. */
export interface ReportEntry {
  /** Identifies the entry in findings: its number, or `2:14` when there are several recordings. */
  readonly id: string
  /** The number of its recording, starting at 1. Each recording has quotas of its own. */
  readonly recording: number
  /** The world of the sandbox, when several worlds were recorded. */
  readonly world?: string
  /** The id in the journal; absent in a recording of a real service. */
  readonly number?: number
  /** The number of the latest exchange that had ended when this request arrived. */
  readonly follows?: number
  /** When the request arrived, in epoch milliseconds of the sandbox's clock. */
  readonly time: number
  /** When the response was complete. */
  readonly end: number
  readonly method: string
  /** Path and query, relative to the base address. */
  readonly target: string
  /** Absent when the request matches no operation. */
  readonly operation?: string
  readonly caller: Exchange['caller']
  /** The last characters of the API key, for instance `…free`, or `no key`. */
  readonly key: string
  /** Tells callers apart whose keys have the same last characters. Absent when the recording does not tell them apart. */
  readonly client?: string
  readonly plan?: string
  /** 0 when there was no response. */
  readonly status: number
  /** Why the request got a 429: the quota of a window, a ban, or an unknown limit. */
  readonly refusal?: 'minute' | 'day' | 'ban' | 'limit'
  /** Whether a test forced the response. */
  readonly forced: boolean
  /** The time of `Retry-After`, in epoch milliseconds. */
  readonly retryAt?: number
  readonly notes: readonly Note[]
  /** The invalid parts of the request, for instance `query.limit` or `body.title is required`. */
  readonly faults: readonly string[]
  /** The `code` of the error body. */
  readonly code?: string
  /** The request body; absent when there was none, or when it was too long. */
  readonly body?: string
  /** The target of the link to the next page. */
  readonly next?: string
  /** The quota window by the `X-RateLimit` headers, or those that the document has instead. `reset` is in epoch milliseconds. */
  readonly window?: { readonly limit: number; readonly remaining: number; readonly reset: number }
  /** Whether the request came over a network. Then the client can send it before it receives an earlier response. */
  readonly remote: boolean
}

/** The key of an entry without an API key. */
export const NO_KEY = 'no key'

/** Follows the location of a missing required value. */
export const MISSING = ' is required'

export const TOO_MANY_REQUESTS = 429
