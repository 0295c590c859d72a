import type { Exchange } from '../exchange.ts'
import { type ExchangeQuery, toFilter } from '../exchange-query.ts'
import { problems } from '../problem.ts'
import type { Call } from './call.ts'
import { onExchange } from './events.ts'

/** So many exchanges a wait in vain tells of. */
const TOLD = 5

/**
 * The first exchange that fits, there already or yet to come. The journal's own wait knows nothing of a client that leaves,
 * nor of a server that stops. Throws a 408 when none came within `timeout` milliseconds.
 */
export async function waitFor(
  call: Call<'waitForExchange'>,
  query: ExchangeQuery,
  timeout: number,
): Promise<Exchange> {
  const { journal } = call.world
  const [found] = journal.find({ ...query, limit: 1 })
  if (found) return found
  // All that is yet to come is later than `after`, which after a reset would be the id of another journal.
  const come = await next(call, toFilter({ ...query, after: 0 }), timeout)
  if (come) return come

  const latest = call.world.journal.exchanges.slice(-TOLD).map(summary)
  throw problems.requestTimeout(
    `No exchange that fits came in ${timeout} ms. The latest: ${latest.join(', ') || 'none at all'}.`,
  )
}

/** `undefined` when none came in time, and when nobody waits any more. */
function next(
  { sandbox, world, streams, signal }: Call<'waitForExchange'>,
  fits: (exchange: Exchange) => boolean,
  timeout: number,
): Promise<Exchange | undefined> {
  return new Promise((resolve) => {
    const end = (exchange?: Exchange): void => {
      leave()
      clearTimeout(timer)
      streams.delete(giveUp)
      signal.removeEventListener('abort', giveUp)
      resolve(exchange)
    }
    const giveUp = (): void => end()
    const leave = onExchange(sandbox, world, (exchange) => {
      if (fits(exchange)) end(exchange)
    })
    const timer = setTimeout(giveUp, timeout)
    streams.add(giveUp)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp)
  })
}

function summary({ id, method, target, status, operation = 'no operation' }: Exchange): string {
  return `#${id} ${method} ${target.slice(0, 100)} ${status} (${operation})`
}
