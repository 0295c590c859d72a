import type { Operation } from '../contract/contract.ts'
import { withDeprecation } from '../contract/deprecation.ts'
import type { Forced } from '../forcing/force.ts'
import type { ForcedEffect } from '../forcing/rules.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { asProblem, type Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import type { Arrival } from './arrival.ts'
import { hasErrorForm } from './has-error-form.ts'
import type { Service } from './service.ts'

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

/**
 * Refuses a request, in the form that the document describes for errors. Reads the request's body for the journal, unless it was
 * read before, or is long or slow to arrive.
 */
export function refuse(
  arrival: Pick<Arrival, 'request' | 'now'>,
  problem: Problem,
  service: Service,
  known: Known = NOTHING_KNOWN,
  response?: CoreResponse,
): Served | Promise<Served> {
  const { request } = arrival
  const isRead = known.body || request.method === 'GET' || request.method === 'HEAD'
  if (isRead && (response || !hasErrorForm(service.settings.contract)))
    return respond(request, response ?? problem.toResponse(), known, problem)

  return import('./refuse-later.ts')
    .then(({ refuseLater }) => refuseLater(problem, { ...arrival, ...known }, service, response))
    .then((later) => respond(request, later.response, { ...known, body: later.body }, problem))
}

/** The result of a step, or the Problem that the step throws. */
export function attempt<Result>(step: () => Result): Result | Problem {
  try {
    return step()
  } catch (error) {
    return asProblem(error)
  }
}
