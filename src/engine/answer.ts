import { authorize } from '../access/authorize.ts'
import type { Caller } from '../access/callers.ts'
import type { Quota } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { removalOf } from '../contract/deprecation.ts'
import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import { dependsOnBody, type ForcedRequest, force, nameOfEffect } from '../forcing/force.ts'
import { randomBetween } from '../generate/random.ts'
import { type CoreRequest, type CoreResponse, withKeptBody } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import { withCommonHeaders } from '../http/response-headers.ts'
import type { Note, Refusal } from '../journal/exchange.ts'
import { type ExchangeQuota, type Recorder, recordExchange } from '../journal/recorded-exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { delay, type Pause } from '../time/duration.ts'
import { callerOf, loadSignIn } from './caller.ts'
import { notesOn } from './forced-answer.ts'
import { performOperation } from './perform.ts'
import { isImplicitOptions, serveOptions } from './preflight.ts'
import { type Arrival, arrive, joined, refuse, type Served } from './served.ts'
import type { Settings } from './settings.ts'
import type { WorldState } from './world-state.ts'

/**
 * Answers one request. Read it top to bottom: this is the whole life of a request. `pause` waits for the latency; a server with
 * a shared store waits later, when the request is committed. What is known at once is not awaited: an `await` costs as much as a step.
 */
export async function answer(
  request: CoreRequest,
  state: WorldState,
  pause: Pause = delay,
): Promise<CoreResponse> {
  const { service } = state
  const { access } = service
  const arrival = arrive(request, state)
  const calling = callerOf(request, state)
  const caller = calling instanceof Promise ? await calling : calling
  // Preflights do not count: the browser sends them, not the client, and they have no key.
  const isFree = isImplicitOptions(request, state.service.router)
  const quota = request.endpoint
    ? undefined
    : state.limits.count(caller, arrival.now, isFree ? 0 : 1)
  const serving = serve(arrival, caller, quota, state)
  const answered = serving instanceof Promise ? await serving : serving
  const served = withAnswerNotes(answered)
  const latency = latencyOf(served, state)
  if (latency > 0) await pause(latency, request.signal)
  const rateLimit = request.endpoint ? undefined : (quota ?? access.declaredRate?.(arrival.now))
  record(arrival, caller, { quota, rateLimit }, served, state)
  const crossOrigin = service.crossOrigin.headers(request.header('origin'), request.method)

  return withCommonHeaders(served.response, rateLimit, arrival.now, crossOrigin, access.writeQuota)
}

/**
 * Checks route, removal, forced outcome, key, ban and quota, and then performs the operation. The first problem refuses the
 * request. Any other error is a bug, and goes on to the transport. `sent` is the body, when what is forced depends on it.
 */
function serve(
  arrival: Arrival,
  caller: Caller,
  quota: Quota | undefined,
  state: WorldState,
  sent?: Pick<ForcedRequest, 'body'>,
): Awaitable<Served> {
  const { request, now } = arrival
  const { router, access } = state.service
  if (request.endpoint)
    return loadSignIn().then((room) => room.serveEndpoint(arrival, caller, state))
  if (isImplicitOptions(request, router)) {
    return serveOptions(arrival, state.service)
  }
  const match = router.find(request)
  if (match instanceof Problem) return refuse(arrival, match, state.service)

  const { operation } = match
  const removal = removalOf(operation, now)
  if (removal) return refuse(arrival, removal, state.service, { operation, notes: [] })

  const forcible = { request, operation, caller, access: access.rules, now, ...sent }
  if (!sent && dependsOnBody(forcible, state.rules)) {
    return readAhead(arrival, match, state.service.settings).then((ahead) =>
      serve(ahead.arrival, caller, quota, state, ahead),
    )
  }
  const forced = force(forcible, state.rules)
  // Operations that sign a user in or out are performed, with tokens in what they answer.
  const isEndpoint = operation.signIn && !/^log/.test(operation.signIn)
  const problem =
    forced.problem ??
    (isEndpoint ? undefined : authorize(request, caller, operation, access.rules)) ??
    state.bans.admit({ caller, quota, now })
  if (problem) {
    const notes = joined(caller.notes ?? [], forced.notes)
    return refuse(arrival, problem, state.service, { operation, ...forced, notes })
  }
  const own = (): Promise<Served> => performOperation(arrival, caller, match, forced, state)
  if (isEndpoint)
    return loadSignIn().then((room) => room.serveOperation(arrival, match, forced, state, own))

  return own()
}

/** Adds what the document says otherwise about a forced answer. */
function withAnswerNotes(served: Served): Served {
  if (!served.effect?.answer) return served
  return { ...served, notes: joined(notesOn(served, served.effect.answer), served.notes) }
}

/** How long the response is delayed, in milliseconds: the sandbox's latency, and what is forced or answered in addition. */
function latencyOf({ effect, delay = 0 }: Served, { service, random }: WorldState): number {
  return randomBetween(service.settings.latency, random) + (effect?.latency ?? 0) + delay
}

/** Records the exchange in the journal. */
function record(
  { request, now, started, follows }: Arrival,
  caller: Caller,
  quota: ExchangeQuota,
  served: Served,
  recorder: Recorder & Pick<WorldState, 'service'>,
): void {
  const { problem, operation, effect, body, notes, recorded } = served
  const answered = {
    request: recorded?.request ?? request,
    response: recorded?.response ?? served.response,
    caller: callerKind(caller, served),
    key: caller.credential,
    plan: caller.plan?.name,
    secretParameters: recorder.service.access.namesOf('parameter'),
    operation: operation?.id,
    refusal: problem && toRefusal(problem),
    forced: effect && nameOfEffect(effect),
    body,
    notes: operation?.deprecation ? [deprecatedNote(operation), ...notes] : notes,
  }
  const milliseconds = Math.round((performance.now() - started) * 1000) / 1000
  recordExchange(
    recorder,
    answered,
    { time: now, follows, milliseconds, delivery: request.delivery },
    quota,
  )
}

/** A caller with a credential of another operation has none for the operation that refuses it. */
function callerKind({ key }: Caller, { problem, effect }: Served): Caller['key'] {
  const isRefused = problem?.code === 'unauthorized' && !effect
  return isRefused && key === 'valid' ? 'missing' : key
}

function deprecatedNote({ id }: Pick<Operation, 'id'>): Note {
  return { kind: 'deprecated-operation', place: id }
}

/** An exchange keeps so many errors of its request, with so many characters of each location. */
const MAX_ERRORS = 20
const MAX_LOCATION_LENGTH = 200

function toRefusal({ code, message, errors, conflict }: Problem): Refusal {
  const kept = errors.slice(0, MAX_ERRORS).map(({ location, keyword }) => ({
    location: location.slice(0, MAX_LOCATION_LENGTH),
    ...(keyword !== undefined && keyword !== '' && { keyword }),
  }))
  return {
    code,
    message,
    ...(kept.length > 0 && { errors: kept }),
    ...(conflict !== undefined && { conflict: conflict.slice(0, MAX_LOCATION_LENGTH) }),
  }
}

/** The value of the body of a request before it is checked, and the request, whose body can be read again. */
async function readAhead<Arrived extends Pick<Arrival, 'request'>>(
  arrival: Arrived,
  match: Match,
  { bodyLimit }: Pick<Settings, 'bodyLimit'>,
): Promise<{ readonly arrival: Arrived; readonly body: unknown }> {
  const request = withKeptBody(arrival.request, bodyLimit)
  const { input } = await read(match, request, {
    bodyLimit,
    validation: 'off',
    unknownProperties: 'keep',
  })
  return { arrival: { ...arrival, request }, body: input?.body }
}
