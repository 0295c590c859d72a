import type { Duration } from '../time/duration.ts'
import type { Exchange } from './exchange.ts'

/** The error of a wait that ended without an exchange: what was waited for, and what came instead. */
export function inVain(timeout: Duration, query: object, latest: readonly Exchange[]): Error {
  return new Error(
    `Waited ${timeout} for an exchange that fits ${JSON.stringify(query)}, and none came. The latest: ${listing(latest)}.`,
  )
}

/** Exchanges in a line of text, as `#7 GET /books 200 (listBooks)`. */
export function listing(exchanges: readonly Exchange[]): string {
  return exchanges.map(summary).join(', ') || 'none at all'
}

function summary({ id, method, target, status, operation = 'no operation' }: Exchange): string {
  return `#${id} ${method} ${target.slice(0, 100)} ${status} (${operation})`
}
