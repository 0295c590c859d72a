import { admit } from '../access/admit.ts'
import { type Caller, identify } from '../access/caller.ts'
import type { Quota } from '../access/quota.ts'
import { refuseRemoved } from '../contract/deprecation.ts'
import { read } from '../contract/read.ts'
import type { Ask, Reply } from '../message.ts'
import { Problem } from '../problem.ts'
import { behave } from '../resources/behaviours.ts'
import { options, withCommonHeaders, withDeprecation } from './headers.ts'
import { OpenExchange } from './open-exchange.ts'
import type { Parts } from './parts.ts'

/** Answers one request. Read it top to bottom: this is the whole life of a request. */
export async function answer(ask: Ask, parts: Parts): Promise<Reply> {
  const exchange = new OpenExchange(ask, parts.clock.now())
  const caller = identify(ask, parts.keys)
  // A browser asks for leave by itself, and without a key: that is no request of the client's.
  const quota = parts.limits.count(caller, exchange.time, ask.method === 'OPTIONS' ? 0 : 1)
  const reply = await serve(exchange, caller, quota, parts).catch(asReply(exchange))
  const dressed = withCommonHeaders(withDeprecation(reply, exchange), quota, exchange.time)
  if (parts.latency > 0) await pass(parts.latency)
  exchange.close(parts.journal, dressed, caller, quota)

  return dressed
}

/** Answers for a transport that could not read a request, or failed at one: the problem, counted on nobody's key. */
export function refuseUnread(problem: Problem, parts: Parts): Reply {
  const now = parts.clock.now()
  return withCommonHeaders(problem.toReply(), parts.limits.count(parts.keys.missing, now), now)
}

/** Route, forced outcome, key, ban, quota, input, behaviour: the first that objects throws its Problem. */
async function serve(
  exchange: OpenExchange,
  caller: Caller,
  quota: Quota,
  parts: Parts,
): Promise<Reply> {
  const { ask, time: now } = exchange
  if (ask.method === 'OPTIONS') return options(ask, parts.routes)

  const match = parts.routes.match(ask.method, ask.path)
  exchange.match(match.operation)
  refuseRemoved(match.operation, now)
  parts.outcomes.force(exchange, match.operation, caller, parts.gate)
  admit(caller, quota, now, parts.gate, match.operation)
  const input = await read(match, ask, exchange)

  return behave({ ask, input, now, binding: parts.binding(match.operation) }, await parts.store)
}

/** Anything but a Problem is a bug of the sandbox, and goes on to the transport. */
function asReply(exchange: OpenExchange): (error: unknown) => Reply {
  return (error) => {
    if (!(error instanceof Problem)) throw error
    exchange.refusal = { code: error.code, message: error.message }

    return error.toReply()
  }
}

function pass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
