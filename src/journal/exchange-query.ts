import { epochOf, type Instant } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import {
  refuseUnknown,
  requireInteger,
  UsageError,
  unknownName,
} from '../validation/usage-error.ts'
import { type Exchange, type ExchangeSummary, type KeyHolder, maskSecret } from './exchange.ts'

/** A query for exchanges: those that match every given field. */
export interface ExchangeQuery {
  /** The operation's name. */
  readonly operation?: string
  /** A status, such as 404, or a class of statuses, such as `'4xx'`; 0 for an exchange without a response. */
  readonly status?: number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'
  /** An API key, its end as the journal shows it (`…free`), or the `client` of an exchange. */
  readonly key?: string
  /** The earliest time of the request, on the sandbox's clock. */
  readonly since?: Instant
  /** The latest time of the request, on the sandbox's clock. */
  readonly until?: Instant
  /** The id of an exchange: only those that ended after it. */
  readonly after?: number
  /** The maximum number of exchanges, oldest first; an integer ≥ 1. By default, all. */
  readonly limit?: number
  /** Which ones `limit` leaves: the oldest (`start`) or the latest (`end`). Default: `end`; with `after`, `start`. */
  readonly from?: 'start' | 'end'
}

const FIELDS = ['operation', 'status', 'key', 'since', 'until', 'after', 'limit', 'from']

/** Whether a query has no condition. */
export function isEverything(query: object): boolean {
  return Object.values(query).every((value) => value === undefined)
}

/** The exchanges that the limit of a query leaves. */
export function withinLimit<Found>(
  found: readonly Found[],
  { limit, after, from = after === undefined ? 'end' : 'start' }: ExchangeQuery,
): readonly Found[] {
  if (limit === undefined) return found
  return from === 'start' ? found.slice(0, limit) : found.slice(-limit)
}

/**
 * A predicate for exchanges that match a query. It ignores `limit` and `from`. Throws a UsageError for an unknown field, for an invalid
 * value and, where `operations` are given, for an unknown operation.
 */
export function toFilter(
  query: ExchangeQuery,
  operations?: readonly { readonly id: string }[],
): (exchange: ExchangeSummary & KeyHolder) => boolean {
  refuseUnknown('journal query', query, FIELDS, 'field')
  const { operation, status, key, after = 0, limit = 1, from = 'end' } = query
  const since =
    query.since === undefined ? -Infinity : epochOf(query.since, 'search the journal since')
  const until =
    query.until === undefined ? Infinity : epochOf(query.until, 'search the journal until')
  const [lowest, highest] = statusRange(status)
  const matchesKey = key === undefined ? () => true : keyFilter(key)
  const known = operations?.map(({ id }) => id)
  if (operation !== undefined && known?.includes(operation) === false) {
    throw new UsageError({
      code: 'invalid_query',
      task: 'search the journal',
      location: 'operation',
      ...unknownName('operation', operation, known),
    })
  }
  requireInteger('after', after, 0)
  requireInteger('limit', limit, 1)
  if (from !== 'start' && from !== 'end') throw wrong('from', from, "'start' or 'end'")

  return (exchange) =>
    exchange.id > after &&
    exchange.time >= since &&
    exchange.time <= until &&
    exchange.status >= lowest &&
    exchange.status <= highest &&
    (operation === undefined || exchange.operation === operation) &&
    matchesKey(exchange)
}

function statusRange(status: unknown): readonly [lowest: number, highest: number] {
  if (status === undefined) return [0, Infinity]
  if (typeof status === 'number') {
    const exact = requireInteger('status', status, 0)
    return [exact, exact]
  }
  const [, hundreds] = /^([1-5])xx$/.exec(String(status)) ?? []
  if (hundreds === undefined)
    throw wrong('status', status, "a status such as 404, or a class such as '4xx'")

  return [Number(hundreds) * 100, Number(hundreds) * 100 + 99]
}

/** Copies of an exchange have only the end of the key. A complete key matches them if its end matches. */
function keyFilter(
  key: unknown,
): (exchange: Pick<ExchangeSummary, 'key' | 'client'> & KeyHolder) => boolean {
  const end = typeof key === 'string' ? key.replace('…', '') : ''
  if (end === '') throw wrong('key', key, 'an API key, or the end of one')
  const isEnd = end.length <= 4

  return (exchange) =>
    exchange.hasKey?.(end) ||
    exchange.client === end ||
    (isEnd
      ? exchange.key?.slice(1).endsWith(end) === true
      : !exchange.hasKey && exchange.key === maskSecret(end))
}

function wrong(field: string, value: unknown, must: string): UsageError {
  return new UsageError({
    code: 'invalid_query',
    task: 'search the journal',
    reason: `${field} must be ${must} (got "${String(value)}")`,
    location: field,
  })
}

/** As much of an exchange as a list shows. */
export type ListedExchange = Pick<Exchange, 'id' | 'method' | 'target' | 'status' | 'operation'>

/** The error of a wait that ended without a matching exchange. It lists the latest exchanges instead. */
export function timeoutError(
  timeout: Duration,
  query: object,
  latest: readonly ListedExchange[],
): Error {
  const limit = typeof timeout === 'number' ? `${timeout} ms` : timeout
  return new Error(
    `No exchange matched ${JSON.stringify(query)} within ${limit}. Latest exchanges: ${listing(latest)}.`,
  )
}

/** Exchanges in one line of text, such as `#7 GET /books 200 (listBooks)`. */
export function listing(exchanges: readonly ListedExchange[]): string {
  return exchanges.map(summary).join(', ') || 'none'
}

function summary({
  id,
  method,
  target,
  status,
  operation = 'no operation',
}: ListedExchange): string {
  return `#${id} ${method} ${target.slice(0, 100)} ${status} (${operation})`
}
