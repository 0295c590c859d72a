import type { Contract } from '../contract/contract.ts'
import { headerIn, linkTo } from '../http/headers.ts'
import type { Exchange, ExchangeError } from '../journal/exchange.ts'
import { MAX_TIME } from '../time/clock.ts'
import { quotaWindow } from './quota-window.ts'
import { MISSING, type ReportEntry, TOO_MANY_REQUESTS } from './report-entry.ts'

type Headers = Exchange['request']['headers']

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
  headers: Headers,
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
