import type { Duration } from './duration.ts'
import type { Exchange } from './exchange.ts'

/** Why a wait ended without an exchange. */
export function inVain(timeout: Duration, query: object, latest: readonly Exchange[]): Error {
  const instead = latest.map(summary).join(', ') || 'none at all'
  return new Error(
    `Waited ${timeout} for an exchange that fits ${JSON.stringify(query)}, and none came. The latest: ${instead}.`,
  )
}

function summary({ id, method, target, status, operation = 'no operation' }: Exchange): string {
  return `#${id} ${method} ${target.slice(0, 100)} ${status} (${operation})`
}
