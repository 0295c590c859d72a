import { admit } from '../access/admit.ts'
import type { Caller } from '../access/caller.ts'
import { identify } from '../access/identify.ts'
import type { Quota } from '../access/quota.ts'
import { throwIfRemoved } from '../contract/deprecation.ts'
import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import { applyResponseFault } from '../forcing/outcomes.ts'
import { between } from '../generate/random.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { Problem, problems } from '../http/problem.ts'
import { behave } from '../resources/behaviours.ts'
import { LONGEST_TIMER } from '../time/duration.ts'
import { options, refusedMethod } from './cross-origin.ts'
import { force } from './force.ts'
import { OpenExchange } from './open-exchange.ts'
import { withCommonHeaders, withDeprecation } from './response-headers.ts'
import { commitOrUndo } from './settled.ts'
import type { WorldState } from './world-state.ts'

/** Answers one request. Read it top to bottom: this is the whole life of a request. */
export async function answer(request: CoreRequest, state: WorldState): Promise<CoreResponse> {
  const exchange = new OpenExchange(request, state.clock.now(), state.journal.last)
  const caller = identify(request, state.keys)
  // A browser sends its preflights unasked and without a key: they are no requests of the client's.
  const quota = state.limits.count(caller, exchange.time, request.method === 'OPTIONS' ? 0 : 1)
  const judged = await judge(exchange, caller, quota, state)
  if (exchange.refusal) await exchange.readRefused()
  const response = withDeprecation(applyResponseFault(judged, exchange), exchange)
  const delay = delayOf(exchange, state)
  if (delay > 0) await sleep(delay, request.signal)
  exchange.close(state, response, caller, quota)

  const crossOrigin = state.service.crossOrigin.headers(request.header('origin'), request.method)

  return withCommonHeaders(response, quota, exchange.time, crossOrigin)
}

/**
 * The answer to a request that a transport could not read, or failed at: a problem, counted as that of a caller without a
 * key. `origin` is the request's `Origin`, where that could be read.
 */
export function rejectUnparsed(problem: Problem, state: WorldState, origin?: string): CoreResponse {
  const now = state.clock.now()
  const nobody = state.keys.caller(undefined)
  const crossOrigin = state.service.crossOrigin.headers(origin)

  return withCommonHeaders(problem.toResponse(), state.limits.count(nobody, now), now, crossOrigin)
}

/** Serves the request, or answers with the Problem that stands against it. Any other error is a bug, and the transport's. */
async function judge(
  exchange: OpenExchange,
  caller: Caller,
  quota: Quota,
  state: WorldState,
): Promise<CoreResponse> {
  try {
    return await serve(exchange, caller, quota, state)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    exchange.refuse(error)

    return error.toResponse()
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
  state: WorldState,
): CoreResponse | Promise<CoreResponse> {
  const { request, time: now } = exchange
  const { routes } = state.service
  if (request.method === 'OPTIONS') {
    exchange.refuse(refusedMethod(request, routes))
    return options(request, routes)
  }

  const match = routes.match(request.method, request.path)
  exchange.match(match.operation)
  throwIfRemoved(match.operation, now)
  force(exchange, match.operation, caller, state)
  admit(caller, quota, now, state.gate, match.operation)

  return perform(match, exchange, state)
}

/**
 * Reads and checks the input, does what was asked, and has the transport save what that changed. What cannot be saved is
 * undone.
 */
async function perform(
  match: Match,
  exchange: OpenExchange,
  state: WorldState,
): Promise<CoreResponse> {
  const { request, time: now } = exchange
  const input = await read(match, request, exchange)
  const call = { request, input, now, binding: state.service.binding(match.operation) }

  const store = await state.store
  if (request.signal?.aborted) throw problems.incompleteBody()
  const { response, undo } = await behave(call, store)
  return commitOrUndo({ answer: response, undo }, request.settle)
}

/** How long the answer is held back, in milliseconds: the sandbox's latency, and what a forced outcome adds. */
function delayOf({ effect }: OpenExchange, { service, random }: WorldState): number {
  return between(service.settings.latency, random) + (effect?.latency ?? 0)
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
