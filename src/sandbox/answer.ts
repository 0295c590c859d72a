import { admit } from '../access/admit.ts'
import type { Caller } from '../access/caller.ts'
import { identify } from '../access/identify.ts'
import type { Quota } from '../access/quota.ts'
import { refuseRemoved } from '../contract/deprecation.ts'
import type { Match } from '../contract/match.ts'
import { read } from '../contract/read.ts'
import { LONGEST_TIMER } from '../duration.ts'
import type { Ask, Reply } from '../message.ts'
import { Problem, problems } from '../problem.ts'
import { between } from '../random.ts'
import { behave } from '../resources/behaviours.ts'
import { options, refusedMethod } from './cross-origin.ts'
import { force } from './force.ts'
import { withCommonHeaders, withDeprecation } from './headers.ts'
import { OpenExchange } from './open-exchange.ts'
import { spoilt } from './outcomes.ts'
import type { Parts } from './parts.ts'
import { settled } from './settled.ts'

/** Answers one request. Read it top to bottom: this is the whole life of a request. */
export async function answer(ask: Ask, parts: Parts): Promise<Reply> {
  const exchange = new OpenExchange(ask, parts.clock.now(), parts.journal.last)
  const caller = identify(ask, parts.keys)
  // A browser sends its preflights unasked and without a key: they are no requests of the client's.
  const quota = parts.limits.count(caller, exchange.time, ask.method === 'OPTIONS' ? 0 : 1)
  const judged = await judge(exchange, caller, quota, parts)
  if (exchange.refusal) await exchange.readRefused()
  const reply = withDeprecation(spoilt(judged, exchange), exchange)
  const delay = delayOf(exchange, parts)
  if (delay > 0) await sleep(delay, ask.signal)
  exchange.close(parts, reply, caller, quota)

  const crossOrigin = parts.service.crossOrigin.headers(ask.header('origin'), ask.method)

  return withCommonHeaders(reply, quota, exchange.time, crossOrigin)
}

/**
 * The answer to a request that a transport could not read, or failed at: a problem, counted as that of a caller without a
 * key. `origin` is the request's `Origin`, where that could be read.
 */
export function refuseUnread(problem: Problem, parts: Parts, origin?: string): Reply {
  const now = parts.clock.now()
  const nobody = parts.keys.caller(undefined)
  const crossOrigin = parts.service.crossOrigin.headers(origin)

  return withCommonHeaders(problem.toReply(), parts.limits.count(nobody, now), now, crossOrigin)
}

/** Serves the request, or answers with the Problem that stands against it. Any other error is a bug, and the transport's. */
async function judge(
  exchange: OpenExchange,
  caller: Caller,
  quota: Quota,
  parts: Parts,
): Promise<Reply> {
  try {
    return await serve(exchange, caller, quota, parts)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    exchange.refuse(error)

    return error.toReply()
  }
}

/**
 * Route, removal, forced outcome, key, ban, quota, and what `perform` does: the first that objects throws its Problem. Not
 * `async`, because a promise that is rejected before it is awaited costs Node more than the refusal itself.
 */
function serve(
  exchange: OpenExchange,
  caller: Caller,
  quota: Quota,
  parts: Parts,
): Reply | Promise<Reply> {
  const { ask, time: now } = exchange
  const { routes } = parts.service
  if (ask.method === 'OPTIONS') {
    exchange.refuse(refusedMethod(ask, routes))
    return options(ask, routes)
  }

  const match = routes.match(ask.method, ask.path)
  exchange.match(match.operation)
  refuseRemoved(match.operation, now)
  force(exchange, match.operation, caller, parts)
  admit(caller, quota, now, parts.gate, match.operation)

  return perform(match, exchange, parts)
}

/**
 * Reads and checks the input, does what was asked, and has the transport save what that changed. What cannot be saved is
 * undone.
 */
async function perform(match: Match, exchange: OpenExchange, parts: Parts): Promise<Reply> {
  const { ask, time: now } = exchange
  const input = await read(match, ask, exchange)
  const call = { ask, input, now, binding: parts.service.binding(match.operation) }

  const store = await parts.store
  if (ask.signal?.aborted) throw problems.incompleteBody()
  const { reply, undo } = await behave(call, store)
  return settled({ answer: reply, undo }, ask.settle)
}

/** How long the answer is held back, in milliseconds: the sandbox's latency, and what a forced outcome adds. */
function delayOf({ wish }: OpenExchange, { service, random }: Parts): number {
  return between(service.settings.latency, random) + (wish?.latency ?? 0)
}

/** Waits, but no longer than the client does. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(end, Math.min(milliseconds, LONGEST_TIMER))
    signal?.addEventListener('abort', end)
    function end(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
  })
}
