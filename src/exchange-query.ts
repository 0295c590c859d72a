import { epochOf, type Instant } from './clock.ts'
import { type KeyHolder, shown, type ToldExchange } from './exchange.ts'
import { refuseUnknown, suggest, UsageError, wholeNumber } from './usage-error.ts'

/** Which exchanges are meant: those that fit all that is given. */
export interface ExchangeQuery {
  /** The operation's name. */
  readonly operation?: string
  /** A status, as `404`, or a class of them, as `'4xx'`; 0 where the connection was closed without an answer. */
  readonly status?: number | '1xx' | '2xx' | '3xx' | '4xx' | '5xx'
  /** An API key, or its end as the journal shows it: of up to four characters, and none of a short key. */
  readonly key?: string
  /** The first moment, on the sandbox's clock. */
  readonly since?: Instant
  /** The last moment, on the sandbox's clock. */
  readonly until?: Instant
  /** The id of the exchange that those meant come after. */
  readonly after?: number
  /** How many at most, the oldest first. */
  readonly limit?: number
}

const FIELDS = ['operation', 'status', 'key', 'since', 'until', 'after', 'limit']

/**
 * What tells whether an exchange fits, but for `limit`. Throws a UsageError for other fields, and for wrong values; for an
 * operation that is none of these, where they are given.
 */
export function toFilter(
  query: ExchangeQuery,
  operations?: readonly { readonly id: string }[],
): (exchange: ToldExchange & KeyHolder) => boolean {
  refuseUnknown('field of a journal query', query, FIELDS)
  const { operation, status, key, after = 0, limit = 1 } = query
  const since =
    query.since === undefined ? -Infinity : epochOf(query.since, 'search the journal since')
  const until =
    query.until === undefined ? Infinity : epochOf(query.until, 'search the journal until')
  const [least, most] = statuses(status)
  const fitsKey = key === undefined ? () => true : keyFilter(key)
  const known = operations?.map(({ id }) => id)
  if (operation !== undefined && known?.includes(operation) === false) {
    throw wrong('operation', operation, `there is none of that name. ${suggest(operation, known)}`)
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
  if (hundreds === undefined) throw wrong('status', status, "it is none. Give 404, or '4xx'.")

  return [Number(hundreds) * 100, Number(hundreds) * 100 + 99]
}

/** Copies of an exchange do not know the whole key; what they show must do. */
function keyFilter(key: unknown): (exchange: Pick<ToldExchange, 'key'> & KeyHolder) => boolean {
  const end = typeof key === 'string' ? key.replace('…', '') : ''
  if (end === '') throw wrong('key', key, 'it is no key, nor the end of one. Give one.')
  const isEnd = end.length <= 4

  return (exchange) =>
    exchange.hasKey?.(end) ||
    (isEnd
      ? exchange.key?.slice(1).endsWith(end) === true
      : !exchange.hasKey && exchange.key === shown(end))
}

function wrong(field: string, value: unknown, why: string): UsageError {
  return new UsageError(
    'invalid_query',
    `Cannot search the journal for the ${field} "${String(value)}": ${why}`,
  )
}
