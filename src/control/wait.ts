import { problems } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import { type ExchangeQuery, toFilter } from '../journal/exchange-query.ts'
import { LATEST_LISTED } from '../journal/journal.ts'
import { listing } from '../journal/wait-timeout.ts'
import type { Call } from './call.ts'
import { onExchange } from './events.ts'

/** Longer targets are cut: the error is for people. */
const LONGEST_TARGET = 200

/**
 * The first exchange that fits, there already or yet to come. Unlike the journal's own wait, it ends when the client leaves
 * or the server stops. Throws a 408 when none came within `timeout` milliseconds, and a 503 when the server stops.
 */
export async function waitFor(
  call: Call<'waitForExchange'>,
  query: ExchangeQuery,
  timeout: number,
): Promise<Exchange> {
  const { journal } = call.world
  const [found] = journal.find({ ...query, limit: 1 })
  if (found) return found
  // Whatever is yet to come ends after `after`, which after a reset would be an id of another journal.
  const come = await next(call, toFilter({ ...query, after: 0 }), timeout)
  if (typeof come === 'object') return come
  if (come === 'stopped')
    throw problems.unavailable('The sandbox stops, and no exchange that fits came until then.', 1)

  const latest = call.world.journal.exchanges.slice(-LATEST_LISTED)
  throw problems.noExchange(
    `Waited ${timeout} ms for an exchange that fits, and none came. The latest: ${listing(latest)}.`,
    latest.map(({ id, method, target, status, operation }) => {
      return { id, method, target: target.slice(0, LONGEST_TARGET), status, operation }
    }),
  )
}

/** The exchange, or why there is none: it is too late, the server stops, or the client has left. */
function next(
  { sandbox, world, streams, signal }: Call<'waitForExchange'>,
  fits: (exchange: Exchange) => boolean,
  timeout: number,
): Promise<Exchange | 'late' | 'stopped' | 'left'> {
  return new Promise((resolve) => {
    const end = (come: Exchange | 'late' | 'stopped' | 'left'): void => {
      unsubscribe()
      clearTimeout(timer)
      streams.delete(stop)
      signal.removeEventListener('abort', abort)
      resolve(come)
    }
    const stop = (): void => end('stopped')
    const abort = (): void => end('left')
    const unsubscribe = onExchange(sandbox, world, (exchange) => {
      if (fits(exchange)) end(exchange)
    })
    const timer = setTimeout(() => end('late'), timeout)
    streams.add(stop)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })
}
