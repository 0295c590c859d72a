import { furtherProblems } from '../http/further-problems.ts'
import { problems } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import { type ExchangeQuery, toFilter } from '../journal/exchange-query.ts'
import { MAX_LISTED } from '../journal/journal.ts'
import { listing } from '../journal/wait-timeout.ts'
import type { Call } from './call.ts'
import { onExchange } from './events.ts'

/** Longer targets in the error are truncated to this many characters. */
const MAX_TARGET_LENGTH = 200

/**
 * The first exchange that matches, already recorded or later. Unlike the journal's own wait, it also ends when the client
 * disconnects or the server stops. Throws a 408 when none came within `timeout` milliseconds, and a 503 when the server stops.
 */
export async function waitFor(
  call: Call<'waitForExchange'>,
  query: ExchangeQuery,
  timeout: number,
): Promise<Exchange> {
  const { journal } = call.world
  const [found] = journal.find({ ...query, limit: 1 })
  if (found) return found
  // Later exchanges have greater ids than `after`, except after a reset, when the ids start again at 1.
  const result = await next(call, toFilter({ ...query, after: 0 }), timeout)
  if (typeof result === 'object') return result
  if (result === 'stopped') {
    throw problems.unavailable('The sandbox stopped before an exchange matched the query.', 1)
  }

  const latest = call.world.journal.exchanges.slice(-MAX_LISTED)
  throw furtherProblems.noExchange(
    `No exchange matched the query within ${timeout} ms. Latest exchanges: ${listing(latest)}.`,
    latest.map(({ id, method, target, status, operation }) => {
      return { id, method, target: target.slice(0, MAX_TARGET_LENGTH), status, operation }
    }),
  )
}

/** The next exchange that matches, or the reason for its absence: the timeout, a server that stops, or a client that disconnected. */
function next(
  { sandbox, world, streams, signal }: Call<'waitForExchange'>,
  matches: (exchange: Exchange) => boolean,
  timeout: number,
): Promise<Exchange | 'timeout' | 'stopped' | 'disconnected'> {
  return new Promise((resolve) => {
    const end = (result: Exchange | 'timeout' | 'stopped' | 'disconnected'): void => {
      unsubscribe()
      clearTimeout(timer)
      streams.delete(stop)
      signal.removeEventListener('abort', abort)
      resolve(result)
    }
    const stop = (): void => end('stopped')
    const abort = (): void => end('disconnected')
    const unsubscribe = onExchange(sandbox, world, (exchange) => {
      if (matches(exchange)) end(exchange)
    })
    const timer = setTimeout(() => end('timeout'), timeout)
    streams.add(stop)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  })
}
