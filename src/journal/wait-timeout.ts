import type { Duration } from '../time/duration.ts'
import type { Exchange } from './exchange.ts'

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
