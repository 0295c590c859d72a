import type { Operation } from '../contract/contract.ts'
import { withDeprecation } from '../contract/deprecation.ts'
import type { ForcedEffect } from '../forcing/decide-forced.ts'
import { applyResponseFault } from '../forcing/outcomes.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { readRefusedBody } from './refused-body.ts'

/** What a request came to. */
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

/** What is known of a request when it is answered. */
type Known = Pick<Served, 'operation' | 'effect' | 'body' | 'notes'>

const NOTHING: Known = { notes: [] }

/** A request with its response, which gets what is forced on it and the headers of a deprecated operation. */
export function respond(
  request: CoreRequest,
  response: CoreResponse,
  { operation, effect, body, notes }: Known = NOTHING,
  problem?: Problem,
): Served {
  const faulty = applyResponseFault(response, request, effect)
  const complete = withDeprecation(faulty, operation?.deprecation, request.base)

  return { response: complete, problem, operation, effect, body, notes }
}

/** A refused request. The journal needs its body, which is read unless it was already, or is long or slow to come. */
export function refuse(
  request: CoreRequest,
  problem: Problem,
  known: Known = NOTHING,
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

/** An error that is a Problem. Throws any other one: it is a bug, and goes on to the transport. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}
