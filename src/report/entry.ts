import { linkTo } from '../http/link.ts'
import type { Exchange, ExchangeError, Note } from '../journal/exchange.ts'
import { maskSecret } from '../journal/exchange.ts'
import { LATEST } from '../time/clock.ts'
import { isMoment } from './json-shape.ts'

/** One request and its answer as a report sees it, whatever recorded it: plain data. */
export interface Entry {
  /** Names it in findings: its number, in a report of several recordings as `2:14`. */
  readonly id: string
  /** Which of the recordings it is from, counted from 1. Each is judged by itself: it has quotas of its own. */
  readonly recording: number
  /** The world of a sandbox that it is from, where several were recorded. */
  readonly world?: string
  /** The journal's id; absent where something else than a sandbox recorded. */
  readonly number?: number
  /** The latest entry, by `number`, that had ended when this one came. */
  readonly follows?: number
  /** When the request came, in epoch milliseconds of the clock that quotas went by. */
  readonly time: number
  /** When its answer was finished. */
  readonly end: number
  readonly method: string
  /** Below the base address, with the query. */
  readonly target: string
  /** Absent when no operation matches. */
  readonly operation?: string
  readonly caller: Exchange['caller']
  /** The end of the API key, as `…free`; `no key` where there was none. */
  readonly key: string
  readonly plan?: string
  /** 0 where there was no answer. */
  readonly status: number
  /** What refused it. */
  readonly refusal?: 'minute' | 'day' | 'ban' | 'limit'
  /** Whether the sandbox was told to answer so. */
  readonly forced: boolean
  /** The moment that `Retry-After` names, in epoch milliseconds. */
  readonly retryAt?: number
  readonly notes: readonly Note[]
  /** What of the request was wrong, as `query.limit` or `body.title is required`. */
  readonly faults: readonly string[]
  /** The code of the Error body. */
  readonly code?: string
  /** What was sent; absent when there was nothing, or too much. */
  readonly body?: string
  /** The target of the next page that the answer pointed to. */
  readonly next?: string
  /** What the answer's headers told of the window. `reset` is in epoch milliseconds. */
  readonly window?: { readonly limit: number; readonly remaining: number; readonly reset: number }
  /** Whether it came over a network: what is sent then may still be under way when an answer ends. */
  readonly remote: boolean
}

type Headers = Exchange['request']['headers']

/** An exchange of a sandbox's journal as an entry. */
export function toEntry(exchange: Exchange): Entry {
  const { id, time, milliseconds, request, response, operation, plan, reason, refusal } = exchange
  const by = refusalOf(exchange.status, reason, refusal?.code)
  const { body } = request

  return {
    id: String(id),
    recording: 1,
    number: id,
    follows: exchange.follows ?? id - 1,
    time,
    end: time + milliseconds,
    method: exchange.method,
    target: exchange.target,
    ...(operation !== undefined && { operation }),
    caller: exchange.caller,
    key: exchange.key ?? NO_KEY,
    plan,
    status: exchange.status,
    ...(by && { refusal: by }),
    forced: exchange.forced !== undefined || reason?.startsWith('forced:') === true,
    notes: exchange.notes,
    faults: faultsIn(exchange.status, refusal?.errors),
    ...(refusal && { code: refusal.code }),
    ...(body && { body }),
    ...toldBy(response.headers, time),
    remote: headerOf(request.headers, 'host') !== undefined,
  }
}

/** In place of the end of a key. */
export const NO_KEY = 'no key'

/** The end of the key that a request was sent with, whether a recorder has hidden the rest of it or not. */
export function keyOf(headers: Headers): string {
  const sent = headerOf(headers, 'authorization')
  if (sent === undefined || sent.trim() === '') return NO_KEY
  const secret = sent.trim().replace(/^\S+\s+/, '')

  return secret.startsWith('…') ? secret : maskSecret(secret)
}

/** What refused a request: by the reason a sandbox gives, else by status and code. */
export function refusalOf(status: number, reason = '', code = ''): Entry['refusal'] {
  if (status !== TOO_MANY_REQUESTS) return undefined
  if (reason.endsWith('ban') || reason.endsWith('banned') || code === 'api_key_banned') return 'ban'
  if (reason.includes('day')) return 'day'

  return reason === '' ? 'limit' : 'minute'
}

/** What was wrong with the query or the body of a refused request, as `query.limit` or `body.title is required`. */
export function faultsIn(
  status: number,
  errors: readonly Pick<ExchangeError, 'location' | 'keyword'>[] = [],
): readonly string[] {
  if (status < 400 || status >= 500 || status === TOO_MANY_REQUESTS) return []
  const faults = errors
    .filter(({ location }) => location.startsWith('query') || location.startsWith('body'))
    .map(({ location, keyword }) => (keyword === 'required' ? location + MISSING : location))
  return [...new Set(faults)]
}

/** What follows the location of a required value that was not sent. */
export const MISSING = ' is required'

export const TOO_MANY_REQUESTS = 429

/** What an answer's headers tell of waiting, pages and windows. */
export function toldBy(headers: Headers, time: number): Pick<Entry, 'retryAt' | 'next' | 'window'> {
  const retryAt = retryOf(headerOf(headers, 'retry-after'), time)
  const next = linkTo(headerOf(headers, 'link') ?? '', 'next')
  const window = windowOf(headers)

  return {
    ...(retryAt !== undefined && { retryAt }),
    ...(next !== undefined && { next: next.replace(/^[a-z]+:\/\/[^/]*/i, '') }),
    ...(window && { window }),
  }
}

/** The window that the headers tell of, where they are the numbers that they should be. */
function windowOf(headers: Headers): Entry['window'] {
  const [limit = Number.NaN, remaining = Number.NaN, seconds = Number.NaN] = [
    'limit',
    'remaining',
    'reset',
  ].map((name) => Number(headerOf(headers, `x-ratelimit-${name}`) ?? Number.NaN))
  const reset = seconds * 1000
  const isTold =
    [limit, remaining].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    isMoment(reset)

  return isTold ? { limit, remaining, reset } : undefined
}

/** No wait takes more digits, and no date more letters. */
const LONGEST_WAIT = 100

/** The moment that `Retry-After` names by seconds or by a date (RFC 9110, section 10.2.3), at the latest the end of 9999. */
function retryOf(value: string | undefined, time: number): number | undefined {
  if (value === undefined || value.length > LONGEST_WAIT) return undefined
  const until = /^\d+$/.test(value) ? time + Number(value) * 1000 : Date.parse(value)
  return Number.isNaN(until) ? undefined : Math.max(0, Math.min(until, LATEST))
}

export function headerOf(headers: Headers, name: string): string | undefined {
  return headers.find(([known]) => known.toLowerCase() === name)?.[1]
}
