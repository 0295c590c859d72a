import type { Contract } from '../contract/contract.ts'
import type { QuotaHeader } from '../contract/hints.ts'
import { type HeaderList, headerIn, linkTo } from '../http/headers.ts'
import type { Delivery } from '../http/message.ts'
import type { Exchange, ExchangeError, Note } from '../journal/exchange.ts'
import { MAX_TIME } from '../time/clock.ts'
import { isTimestamp } from './exchange-check.ts'

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
  /** How the request came over a network. Absent when it was sent at the moment when it came, and in a recording of a real service. */
  readonly delivery?: Delivery
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
}

/** The key of an entry without an API key. */
export const NO_KEY = 'no key'

/** Follows the location of a missing required value. */
export const MISSING = ' is required'

export const TOO_MANY_REQUESTS = 429

/** The entry for an exchange of a journal. */
export function toReportEntry(
  exchange: Exchange,
  contract: Pick<Contract, 'quotaHeaders'>,
): ReportEntry {
  const { id, time, milliseconds, request, response, operation, plan, reason, refusal } = exchange
  const by = refusalCause(exchange.status, reason, refusal?.code)
  const { body } = request

  return {
    id: String(id),
    recording: 1,
    number: id,
    follows: exchange.follows ?? id - 1,
    ...(exchange.delivery && { delivery: exchange.delivery }),
    time,
    end: time + milliseconds,
    method: exchange.method,
    target: exchange.target,
    ...(operation !== undefined && { operation }),
    caller: exchange.caller,
    key: exchange.key ?? NO_KEY,
    ...(exchange.client !== undefined && { client: exchange.client }),
    ...(plan !== undefined && { plan }),
    status: exchange.status,
    ...(by && { refusal: by }),
    forced: exchange.forced !== undefined || reason?.startsWith('forced:') === true,
    notes: exchange.notes,
    faults: invalidInputs(exchange.status, refusal?.errors),
    ...(refusal && { code: refusal.code }),
    ...(body && { body }),
    ...fieldsFromHeaders(response.headers, time, contract),
  }
}

/** Why a request got a 429: by the reason in the journal, else by the status and code of the response. */
export function refusalCause(status: number, reason = '', code = ''): ReportEntry['refusal'] {
  if (status !== TOO_MANY_REQUESTS) return undefined
  if (reason.endsWith('ban') || reason.endsWith('banned') || code === 'api_key_banned') return 'ban'
  if (reason.includes('day')) return 'day'

  return reason === '' ? 'limit' : 'minute'
}

/** The `code` of an error body. */
export function codeIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    const code: unknown = Object(body).code
    return typeof code === 'string' ? code : undefined
  } catch {
    return undefined
  }
}

/** The invalid parts of a rejected request, for instance `query.limit` or `body.title is required`. */
export function invalidInputs(
  status: number,
  errors: readonly Pick<ExchangeError, 'location' | 'keyword'>[] = [],
): readonly string[] {
  if (status < 400 || status >= 500 || status === TOO_MANY_REQUESTS) return []
  const faults = errors
    .filter(({ location }) => /^(query|header|cookie|body)/.test(location))
    .map(({ location, keyword }) => (keyword === 'required' ? location + MISSING : location))
  return [...new Set(faults)]
}

/** The fields of an entry that come from response headers: the time of a retry, the next page and the quota window. */
export function fieldsFromHeaders(
  headers: HeaderList,
  time: number,
  { quotaHeaders }: Pick<Contract, 'quotaHeaders'>,
): Pick<ReportEntry, 'retryAt' | 'next' | 'window'> {
  const retryAt = retryTime(headerIn(headers, 'retry-after'), time)
  const next = linkTo(headerIn(headers, 'link') ?? '', 'next')
  const window = quotaWindow(headers, time, quotaHeaders)

  return {
    ...(retryAt !== undefined && { retryAt }),
    ...(next !== undefined && { next: next.replace(/^[a-z]+:\/\/[^/]*/i, '') }),
    ...(window && { window }),
  }
}

/** A longer value is neither a number of seconds nor a date. */
const MAX_RETRY_AFTER_LENGTH = 100

/** The time of `Retry-After`, which has seconds or a date (RFC 9110, section 10.2.3). At most the end of the year 9999. */
function retryTime(value: string | undefined, time: number): number | undefined {
  if (value === undefined || value.length > MAX_RETRY_AFTER_LENGTH) return undefined
  const until = /^\d+$/.test(value) ? time + Number(value) * 1000 : Date.parse(value)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.min(until, MAX_TIME))
}

/** The usual headers of quotas. */
const USUAL: readonly QuotaHeader[] = [
  { name: 'X-RateLimit-Limit', figure: 'limit' },
  { name: 'X-RateLimit-Remaining', figure: 'remaining' },
  { name: 'X-RateLimit-Reset', figure: 'reset', unit: 'epoch-seconds' },
]

/** The quota window by the headers that the document has for it; `undefined` when a header is missing or invalid. */
export function quotaWindow(
  headers: HeaderList,
  time: number,
  names: readonly QuotaHeader[] = USUAL,
): ReportEntry['window'] {
  const numberOf = (figure: QuotaHeader['figure']): number => {
    const sent = names.flatMap((one) => {
      const text =
        one.figure === figure ? headerIn(headers, one.name.toLowerCase())?.trim() : undefined
      return text ? [{ text, unit: one.unit }] : []
    })
    const [first] = sent

    return first ? figureIn(first.text, first.unit, time) : Number.NaN
  }
  const limit = numberOf('limit')
  const used = numberOf('used')
  const left = numberOf('remaining')
  const remaining = Number.isNaN(left) ? limit - used : left
  const reset = numberOf('reset')
  const isValid =
    [limit, remaining].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    isTimestamp(reset)

  return isValid ? { limit, remaining, reset } : undefined
}

/** The number in a header; the epoch milliseconds of a reset. */
function figureIn(text: string, unit: QuotaHeader['unit'], time: number): number {
  switch (unit) {
    case 'date-time':
      return Date.parse(text)
    case 'epoch-seconds':
      return Number(text) * 1000
    case 'seconds':
      // Rounded up by the server, so that the responses of one window would have different ends.
      return Math.floor((time + Number(text) * 1000) / 1000) * 1000
    default:
      return Number(text)
  }
}
