import { type AccessRules, authorize } from '../access/authorize.ts'
import { type Caller, identify } from '../access/callers.ts'
import type { Keys } from '../access/keys.ts'
import type { Quota } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { removalOf } from '../contract/deprecation.ts'
import type { Reading, Validation } from '../contract/input.ts'
import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import {
  dependsOnBody,
  type Forced,
  type ForcedRequest,
  force,
  nameOfEffect,
} from '../forcing/force.ts'
import type { ForcedEffect } from '../forcing/rules.ts'
import { randomBetween } from '../generate/random.ts'
import type { HandledResponse } from '../handlers/run-handlers.ts'
import { type CoreRequest, type CoreResponse, withKeptBody } from '../http/message.ts'
import { asProblem, Problem, problems } from '../http/problem.ts'
import { withCommonHeaders } from '../http/response-headers.ts'
import type { Note, Refusal } from '../journal/exchange.ts'
import { MAX_NOTES } from '../journal/exchange-facts.ts'
import { type ExchangeQuota, type Recorder, recordExchange } from '../journal/recorded-exchange.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { caseFor } from '../resources/behaviour/operation-scope.ts'
import type { AdmittedRequest } from '../resources/behaviour/record-request.ts'
import type { Store } from '../resources/store/store.ts'
import { withoutSecretAt } from '../sign-in/mask-secrets.ts'
import { MAX_TIMER_DELAY } from '../time/duration.ts'
import { notesOn, showForced } from './forced-answer.ts'
import { handle, ownAnswer } from './handle.ts'
import { isImplicitOptions, serveOptions } from './preflight.ts'
import {
  type Arrival,
  arrive,
  attempt,
  commitOrUndo,
  refuse,
  respond,
  type Served,
} from './served.ts'
import type { Service } from './service.ts'
import type { Settings } from './settings.ts'
import type * as SignInRoom from './sign-in.ts'
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
  const match = attempt(() => router.match(request.method, request.path, request))
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
  const own = (): Promise<Served> => perform(arrival, caller, match, forced, state)
  if (isEndpoint)
    return loadSignIn().then((room) => room.serveOperation(arrival, match, forced, state, own))

  return own()
}

/** Reads and checks the input, performs the operation, and waits until the transport has saved the changes, or undoes them. */
async function perform(
  arrival: Arrival,
  caller: Caller,
  match: Match,
  { effect, withFault, notes, validation }: Forced,
  state: WorldState,
): Promise<Served> {
  const { request, now } = arrival
  const { operation } = match
  const pending = readInput(match, request, state.service, validation)
  const reading = pending instanceof Promise ? await pending : pending
  const known = {
    operation,
    effect,
    withFault,
    body: reading.body,
    notes: joined(notes, reading.notes),
  }
  if (reading.problem) {
    const refused = await refuse(arrival, reading.problem, state.service, known)
    return withoutSecrets(refused, request, state)
  }
  const { input } = reading
  try {
    const store = state.openedStore() ?? (await state.openStore())
    if (request.signal?.aborted) throw problems.incompleteBody()
    const binding = state.service.binding(
      operation.hints?.cases ? caseFor(operation, input) : operation,
    )
    const status = answersInstead(effect) ? effect?.status : undefined
    const given = {
      request,
      input,
      now,
      binding,
      service: state.service,
      status,
      tell: state.events.tell,
    }
    const answering = answerOf({ ...given, caller }, known, store, state)
    const answered: HandledResponse = answering instanceof Promise ? await answering : answering
    const { response, notes: more, problem, delay, onCommit } = answered
    const undo = isTold(answered, operation, state)
      ? await withEvents(answered, { request, input, binding }, store, state)
      : answered.undo
    const saveChanges = request.saveChanges ?? request.settle
    if (saveChanges ?? onCommit) await commit(saveChanges, { undo, onCommit }, state)
    const all = { ...known, notes: joined(more ?? [], known.notes) }
    const served = problem
      ? await refuse(arrival, problem, state.service, all, response)
      : respond(request, response, all)

    return withoutSecrets(delay ? { ...served, delay } : served, request, state)
  } catch (error) {
    const refused = await refuse(arrival, asProblem(error), state.service, known)
    return withoutSecrets(refused, request, state)
  }
}

/** Saves the changes of a request, or undoes them, and then does what waits for that. */
async function commit(
  saveChanges: (() => Promise<void>) | undefined,
  { undo, onCommit }: { readonly [Part in 'undo' | 'onCommit']: HandledResponse[Part] | undefined },
  state: WorldState,
): Promise<void> {
  if (saveChanges) await commitOrUndo(saveChanges, undo)
  if (onCommit) (state.onCommit ?? immediately)(onCommit)
}

/** A login, or a request about a subscription, without its secrets, for the journal; any other request as it is. */
function withoutSecrets(
  served: Served,
  request: CoreRequest,
  { service }: Pick<WorldState, 'service'>,
): Awaitable<Served> {
  const { operation } = served
  if (operation?.signIn) return loadSignIn().then((room) => room.withoutSecrets(served, request))
  const binding = operation && service.binding(operation)
  const resource = binding && 'resource' in binding ? binding.resource : undefined
  const { secret } = resource?.subscription ?? {}
  if (secret === undefined) return served
  const { body, response } = withoutSecretAt(secret, served)
  return { ...served, body, recorded: { request, response } }
}

/** What an operation answers: by its handlers, else by its behaviour, with what a rule says about it. */
function answerOf(
  { caller, ...given }: Omit<AdmittedRequest, 'caller'> & { readonly caller: Caller },
  known: Pick<Served, 'effect' | 'body' | 'notes'> & { readonly operation: Operation },
  store: Store,
  state: WorldState,
): Awaitable<HandledResponse> {
  const admitted = { ...given, caller }
  const hasHandlers = state.service.settings.handlers !== undefined || state.used.length > 0
  const own = (): Awaitable<HandledResponse> =>
    hasHandlers
      ? handle({ ...given, caller }, known, store, state)
      : ownAnswer(admitted, store, state)
  const { effect, operation } = known
  const answering = effect?.answer ? showForced(effect, admitted, async () => own()) : own()
  if (!operation.signIn) return answering
  const called = { operation, request: given.request, body: given.input.body, caller }

  return loadSignIn().then(async (room) => room.withSignIn(await answering, called, state))
}

/** Whether the request asks for another status than that of the operation, or a rule for one that is no success: nothing changes. */
function answersInstead(effect: ForcedEffect | undefined): boolean {
  return !effect?.answer || (effect.status !== undefined && effect.status >= 300)
}

/** Whether there are events of what a request did: for somebody who may get them, or by callbacks. */
function isTold(
  { response, changes = [], emitted = [] }: HandledResponse,
  { callbacks }: Operation,
  { events }: WorldState,
): boolean {
  const hasCallbacks = callbacks !== undefined && isSuccess(response)
  return hasCallbacks || emitted.length > 0 || (changes.length > 0 && events.isUsed)
}

/**
 * Adds the events of what happened to records, and the callbacks of an operation. Resolves with the function that undoes the changes, with
 * the events that were not sent yet.
 */
async function withEvents(
  { response, changes = [], emitted = [], undo }: HandledResponse,
  { request, input, binding }: Pick<AdmittedRequest, 'request' | 'input' | 'binding'>,
  store: Store,
  { events }: WorldState,
): Promise<HandledResponse['undo']> {
  const { operation } = binding
  const resource = 'resource' in binding ? binding.resource : undefined
  const called = { operation, request, input, response, ...(resource && { resource }) }
  const withdraw = await events.add({ changes, emitted, base: request.base, called }, store)

  return async () => {
    withdraw()
    await undo?.()
  }
}

function isSuccess({ status }: CoreResponse): boolean {
  return status >= 200 && status < 300
}

function immediately(act: () => void): void {
  act()
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

function joined(some: readonly Note[], others: readonly Note[]): readonly Note[] {
  return some.length === 0 ? others : [...some, ...others]
}

/** A document without sign-in never loads it. */
export function loadSignIn(): Promise<typeof SignInRoom> {
  return import('./sign-in.ts')
}

/** The callers of a request, and what tells who they are. */
type CallingState = Pick<WorldState, 'keys' | 'clock' | 'openStore' | 'caller'> & {
  readonly service: Service
}

/** How what a sandbox issues begins: a token, or a JWT, which may be one of another issuer. */
const MAY_BE_ISSUED = /^(sbx_|eyJ)/

/** Whether the caller of a request may have a token that the sandbox issued, which only its store knows. */
export function mayBeIssued({ credential = '' }: Caller, { settings }: Service): boolean {
  return settings.contract.signIn !== undefined && MAY_BE_ISSUED.test(credential)
}

/** Who sends a request: by a key or another credential, or the user of a token that the sandbox issued. */
export function callerOf(request: CoreRequest, state: CallingState): Awaitable<Caller> {
  const { service, keys } = state
  if (state.caller) return state.caller
  // Nothing of sign-in is counted.
  if (request.endpoint) return { ...keys.callers.everyone, plan: undefined }
  const caller = identify(request, keys.callers, service.access.rules.schemes)
  if (!mayBeIssued(caller, service)) return caller
  return loadSignIn().then((room) => room.callerWithToken(caller, state))
}

/** Waits for so many milliseconds, unless the signal is aborted. */
type Pause = (milliseconds: number, signal: AbortSignal | undefined) => Promise<void> | void

/** Waits, but not after the signal is aborted. */
export function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_DELAY))
    signal?.addEventListener('abort', end)
    function end(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
  })
}

/** Reads and checks the input of a request, as the settings say unless another validation is given. */
function readInput(
  match: Match,
  request: CoreRequest,
  { settings, access }: Pick<Service, 'settings' | 'access'>,
  validation: Validation = settings.validation,
): Reading | Promise<Reading> {
  return read(match, request, {
    maxNotes: MAX_NOTES,
    bodyLimit: settings.bodyLimit,
    validation,
    unknownProperties: settings.unknownProperties,
    credentials: access,
  })
}

/**
 * Whether a request has the credentials that its operation requires. Without an operation, as at an unknown path, any valid credential
 * counts. Only requests that are admitted create worlds, and count as uses of them.
 */
export function isAdmitted(
  request: CoreRequest,
  { callers }: Pick<Keys, 'callers'>,
  { access: { rules }, router }: Service,
): boolean {
  // Who wants a token has none yet.
  if (request.endpoint) return true
  const caller = identify(request, callers, rules.schemes)
  if (isImplicitOptions(request, router)) return isAdmittedTo(undefined, request, caller, rules)
  const match = attempt(() => router.match(request.method, request.path, request))
  const operation = match instanceof Problem ? undefined : match.operation

  return isAdmittedTo(operation, request, caller, rules)
}

/** The same for a request whose caller and operation are known. */
export function isAdmittedTo(
  operation: Operation | undefined,
  request: CoreRequest,
  caller: Caller,
  rules: AccessRules,
): boolean {
  return operation
    ? authorize(request, caller, operation, rules) === undefined
    : caller.key === 'valid' || !rules.isRequired
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
