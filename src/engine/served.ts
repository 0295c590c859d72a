import type { Operation } from '../contract/contract.ts'
import { withDeprecation } from '../contract/deprecation.ts'
import type { ForcedEffect } from '../forcing/decide-forced.ts'
import type { Forced } from '../forcing/force.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { asProblem, type Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { readRefusedBody } from './refused-body.ts'

/** The response to a request, and what is known about the request. */
export interface Served {
  /** Without the headers that every response has. */
  readonly response: CoreResponse
  /** Why the request was refused. */
  readonly problem?: Problem | undefined
  /** The operation that matched. */
  readonly operation?: Operation | undefined
  /** What was forced on the request. */
  readonly effect?: ForcedEffect | undefined
  /** The request's body; absent when it was not read. */
  readonly body?: Uint8Array | undefined
  /** What the client sent that was not used. */
  readonly notes: readonly Note[]
}

/** What is known about a request when its response is made. */
type Known = Pick<Served, 'operation' | 'effect' | 'body' | 'notes'> & {
  readonly withFault?: Forced['withFault'] | undefined
}

const NOTHING_KNOWN: Known = { notes: [] }

/** Adds the forced fault and the headers of a deprecated operation to a response. */
export function respond(
  request: CoreRequest,
  response: CoreResponse,
  { operation, effect, withFault, body, notes }: Known = NOTHING_KNOWN,
  problem?: Problem,
): Served {
  const faulty = withFault ? withFault(response) : response
  const complete = withDeprecation(faulty, operation?.deprecation, request.base)

  return { response: complete, problem, operation, effect, body, notes }
}

/** Refuses a request. Reads its body for the journal, unless it was read before, or is long or slow to arrive. */
export function refuse(
  request: CoreRequest,
  problem: Problem,
  known: Known = NOTHING_KNOWN,
  response: CoreResponse = problem.toResponse(),
): Served | Promise<Served> {
  const isRead = known.body || request.method === 'GET' || request.method === 'HEAD'
  if (isRead) return respond(request, response, known, problem)

  return readRefusedBody(request).then((body) =>
    respond(request, response, { ...known, body }, problem),
  )
}

/** The result of a step, or the Problem that the step throws. */
export function attempt<Result>(step: () => Result): Result | Problem {
  try {
    return step()
  } catch (error) {
    return asProblem(error)
  }
}
