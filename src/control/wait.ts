import { problems } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import { type ExchangeQuery, listing, toFilter } from '../journal/exchange-query.ts'
import { MAX_LISTED } from '../journal/journal.ts'
import type { Call } from './call.ts'

/** Longer targets in the error are truncated to this many characters. */
const MAX_TARGET_LENGTH = 200

type WaitCall = Call<'waitForExchange'>

/** Why a wait ended without an exchange: the timeout, a server that stops, or a client that disconnected. */
type End = 'timeout' | 'stopped' | 'disconnected'

/**
 * The first exchange that matches, already recorded or later. Unlike the journal's own wait, it also ends when the client
 * disconnects or the server stops. Throws a 408 when none came within `timeout` milliseconds, and a 503 when the server stops.
 */
export async function waitFor(
  call: WaitCall,
  query: ExchangeQuery,
  timeout: number,
): Promise<Exchange> {
  const { host, world, openJournal } = call
  // Later exchanges have greater ids than `after`, except after a reset, when the ids start again at 1.
  const matches = toFilter({ ...query, after: 0 })
  const ending = startEnding(call, timeout)
  let find = (_exchange: Exchange): void => undefined
  const later = new Promise<Exchange>((resolve) => {
    find = resolve
  })
  let unsubscribe = (): void => undefined
  try {
    unsubscribe = await host.subscribe(world.name, (exchange) => {
      if (matches(exchange)) find(exchange)
    })
    const opened = await openJournal({ after: query.after })
    const [found] = opened.find(query)
    const result = found ?? (await Promise.race([later, ending.ended]))
    if (typeof result === 'object') return result
    if (result === 'stopped') {
      throw problems.unavailable('The sandbox stopped before an exchange matched the query.', 1)
    }
    throw await noExchange(call, opened.last, timeout)
  } finally {
    unsubscribe()
    ending.release()
  }
}

/** The 408 of a wait, with the latest exchanges. `last` was the id of the latest one when the wait began. */
async function noExchange({ openJournal }: WaitCall, last: number, timeout: number) {
  const { exchanges } = await openJournal({ after: Math.max(0, last - MAX_LISTED) })
  const latest = exchanges.slice(-MAX_LISTED)

  return problems.noExchange(
    `No exchange matched the query within ${timeout} ms. Latest exchanges: ${listing(latest)}.`,
    latest.map(({ id, method, target, status, operation }) => {
      return { id, method, target: target.slice(0, MAX_TARGET_LENGTH), status, operation }
    }),
  )
}

/** Resolves when a wait ends without an exchange. `release` stops to watch for that. */
function startEnding(
  { streams, signal }: WaitCall,
  timeout: number,
): { readonly ended: Promise<End>; readonly release: () => void } {
  let end = (_end: End): void => undefined
  const ended = new Promise<End>((resolve) => {
    end = resolve
  })
  const stop = (): void => end('stopped')
  const abort = (): void => end('disconnected')
  const timer = setTimeout(() => end('timeout'), timeout)
  streams.add(stop)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)

  return {
    ended,
    release: () => {
      clearTimeout(timer)
      streams.delete(stop)
      signal.removeEventListener('abort', abort)
    },
  }
}
