import { epochOf, type Instant } from '../time/clock.ts'
import { refuseUnknown, UsageError, unknownName, wholeNumber } from '../validation/usage-error.ts'
import { type ExchangeSummary, type KeyHolder, maskSecret } from './exchange.ts'

/** Which exchanges are meant: those that fit every field given. */
export interface ExchangeQuery {
  /** The operation's name. */
  readonly operation?: string
  /** A status, as `404`, or a class of them, as `'4xx'`; 0 where there was none. */
  readonly status?: number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'
  /** An API key, or the end of one as the journal shows it: `…free`. */
  readonly key?: string
  /** The earliest moment at which the request came, on the sandbox's clock. */
  readonly since?: Instant
  /** The latest moment at which the request came, on the sandbox's clock. */
  readonly until?: Instant
  /** An exchange's id: only those that ended after it. */
  readonly after?: number
  /** At most this many, the oldest ones; from 1 up. All when left out. */
  readonly limit?: number
}

const FIELDS = ['operation', 'status', 'key', 'since', 'until', 'after', 'limit']

/**
 * A test for whether an exchange fits a query; `limit` is left to the caller. Throws a UsageError for an unknown field, for
 * a value that a field cannot have and, where `operations` are given, for one that is not among them.
 */
export function toFilter(
  query: ExchangeQuery,
  operations?: readonly { readonly id: string }[],
): (exchange: ExchangeSummary & KeyHolder) => boolean {
  refuseUnknown('journal query field', query, FIELDS)
  const { operation, status, key, after = 0, limit = 1 } = query
  const since =
    query.since === undefined ? -Infinity : epochOf(query.since, 'search the journal since')
  const until =
    query.until === undefined ? Infinity : epochOf(query.until, 'search the journal until')
  const [least, most] = statuses(status)
  const fitsKey = key === undefined ? () => true : keyFilter(key)
  const known = operations?.map(({ id }) => id)
  if (operation !== undefined && known?.includes(operation) === false) {
    throw new UsageError({
      code: 'invalid_query',
      task: 'search the journal',
      location: 'operation',
      ...unknownName('operation', operation, known),
    })
  }
  wholeNumber('after', after, 0)
  wholeNumber('limit', limit, 1)

  return (exchange) =>
    exchange.id > after &&
    exchange.time >= since &&
    exchange.time <= until &&
    exchange.status >= least &&
    exchange.status <= most &&
    (operation === undefined || exchange.operation === operation) &&
    fitsKey(exchange)
}

function statuses(status: unknown): readonly [least: number, most: number] {
  if (status === undefined) return [0, Infinity]
  if (typeof status === 'number') {
    const exact = wholeNumber('status', status, 0)
    return [exact, exact]
  }
  const [, hundreds] = /^([1-5])xx$/.exec(String(status)) ?? []
  if (hundreds === undefined) throw wrong('status', status, "a status as 404, or a class as '4xx'")

  return [Number(hundreds) * 100, Number(hundreds) * 100 + 99]
}

/** Copies of an exchange know only the end of the key that they show: a whole key fits them if its end does. */
function keyFilter(key: unknown): (exchange: Pick<ExchangeSummary, 'key'> & KeyHolder) => boolean {
  const end = typeof key === 'string' ? key.replace('…', '') : ''
  if (end === '') throw wrong('key', key, 'an API key, or the end of one')
  const isEnd = end.length <= 4

  return (exchange) =>
    exchange.hasKey?.(end) ||
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
