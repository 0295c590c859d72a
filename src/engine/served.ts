import type { Operation } from '../contract/contract.ts'
import { withDeprecation } from '../contract/deprecation.ts'
import { documentedResponse } from '../contract/documented-response.ts'
import { type Forced, isSuccessAnswer } from '../forcing/force.ts'
import type { ForcedEffect } from '../forcing/rules.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { asProblem, type Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import { MAX_KEPT_BODY_LENGTH } from '../journal/exchange-facts.ts'
import { documentedError } from './documented-error.ts'
import type { Service } from './service.ts'
import type { WorldState } from './world-state.ts'

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
  /** How long a handler delays the response, in milliseconds. */
  readonly delay?: number
  /** What the client sent that was not used. */
  readonly notes: readonly Note[]
  /** The request and the response as the journal keeps them, where they have secrets; default: as they are. */
  readonly recorded?: Pick<Arrival, 'request'> & { readonly response: CoreResponse }
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
 * Refuses a request, in the form that the document describes for errors, unless a response is given. Reads the request's body for the
 * journal, unless it was read before, or is long or slow to arrive.
 */
export async function refuse(
  arrival: Pick<Arrival, 'request' | 'now'>,
  problem: Problem,
  service: Service,
  known: Known = NOTHING_KNOWN,
  response?: CoreResponse,
): Promise<Served> {
  const { request } = arrival
  // The service itself refuses a request whose answer would be another success.
  const { effect, withFault, ...others } = known
  const isOwn = !effect || !isSuccessAnswer(effect)
  const refused = isOwn ? known : others
  const isRead = known.body || request.method === 'GET' || request.method === 'HEAD'
  const body = isRead ? known.body : await readRefusedBody(request)
  const refusal =
    response ?? (await documentedError(problem, { ...arrival, ...refused, body }, service))

  const notes = joined(undocumentedConflict(problem, refusal, known), refused.notes)

  return respond(request, refusal, { ...refused, body, notes }, problem)
}

/** The note of a value that conflicts with a record, where the document has no response for that. */
function undocumentedConflict(
  { conflict }: Problem,
  { status }: CoreResponse,
  { operation, effect }: Known,
): readonly Note[] {
  const isUndocumented =
    conflict !== undefined && operation && !effect && !documentedResponse(operation, status)
  return isUndocumented ? [{ kind: 'undocumented-conflict', place: conflict }] : []
}

/** The result of a step, or the Problem that the step throws. */
export function attempt<Result>(step: () => Result): Result | Problem {
  try {
    return step()
  } catch (error) {
    return asProblem(error)
  }
}

/** A request, and when it came. */
export interface Arrival {
  readonly request: CoreRequest
  /** Epoch milliseconds of the sandbox's clock. */
  readonly now: number
  /** Real milliseconds, to measure how long the response takes. */
  readonly started: number
  /** The id of the latest exchange that had ended. */
  readonly follows: number
}

export function arrive(
  request: CoreRequest,
  { clock, journal }: Pick<WorldState, 'clock' | 'journal'>,
): Arrival {
  return { request, now: clock.now(), started: performance.now(), follows: journal.last }
}

/** How long a refusal waits for a body that only the journal needs, in milliseconds. */
const BODY_TIMEOUT = 20

/** Reads the body of a refused request, unless it is long or slow to arrive. */
async function readRefusedBody(request: CoreRequest): Promise<Uint8Array | undefined> {
  const body = await Promise.race([
    request.body(MAX_KEPT_BODY_LENGTH).catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, BODY_TIMEOUT)),
  ])
  return body?.length ? body : undefined
}

/** Waits until `saveChanges` has saved a change. A change that cannot be saved is undone; then it rejects with the reason. */
export async function commitOrUndo(
  saveChanges: () => Promise<void>,
  undo: (() => Promise<void>) | undefined,
): Promise<void> {
  try {
    await saveChanges()
  } catch (error) {
    await undo?.()
    throw error
  }
}

/** The notes of two steps, in their order. */
export function joined(some: readonly Note[], others: readonly Note[]): readonly Note[] {
  return some.length === 0 ? others : [...some, ...others]
}
