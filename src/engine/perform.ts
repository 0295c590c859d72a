import type { Caller } from '../access/callers.ts'
import type { Operation } from '../contract/contract.ts'
import type { Reading, Validation } from '../contract/input.ts'
import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import { isFollowed } from '../events/world-events.ts'
import type { Forced } from '../forcing/force.ts'
import { type ForcedEffect, Rules } from '../forcing/rules.ts'
import { type HandledResponse, handlersFor, runHandlers } from '../handlers/run-handlers.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { asProblem, problems } from '../http/problem.ts'
import { MAX_NOTES } from '../journal/exchange-facts.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { behave } from '../resources/behaviour/behave.ts'
import { caseFor } from '../resources/behaviour/operation-scope.ts'
import type { AdmittedRequest, BehaviourResult } from '../resources/behaviour/record-request.ts'
import type { Store } from '../resources/store/store.ts'
import { preferredExample, withNotes } from '../responses/documented-answer.ts'
import { withoutSecretAt } from '../sign-in/mask-secrets.ts'
import { loadSignIn } from './caller.ts'
import { documentedError } from './documented-error.ts'
import { showForced } from './forced-answer.ts'
import { type Arrival, commitOrUndo, joined, refuse, respond, type Served } from './served.ts'
import type { Service } from './service.ts'
import { asksForStream, streamChanges } from './stream-changes.ts'
import type { WorldState } from './world-state.ts'

// What an admitted request does, and what it is answered.

/** Reads and checks the input, performs the operation, and waits until the transport has saved the changes, or undoes them. */
export async function performOperation(
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
      : respond(request, withNotes(response, all.notes), all)

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
 * Answers a request by the handlers of its operation. One that asks for another status, or for an example of the document, gets what it
 * asks for, as without handlers.
 */
async function handle(
  { caller, ...given }: Omit<AdmittedRequest, 'caller'> & { readonly caller: Caller },
  {
    operation,
    effect,
    body,
  }: Pick<Served, 'effect' | 'body'> & Required<Pick<Served, 'operation'>>,
  store: Store,
  state: WorldState,
): Promise<HandledResponse> {
  const { service, rules, keys, random, used, force } = state
  const { request, input, now, binding, status } = given
  const { settings } = service
  // What is told in an attempt that is given up did not happen.
  const own = (attempted: Store, tell = given.tell): ReturnType<typeof behave> =>
    behave({ ...given, caller, tell }, attempted)
  const selected = settings.handlers ? [settings.handlers.selected, ...used] : used
  const handlers = handlersFor(binding.operation, selected)
  const isPreferred = preferredExample(request.header('prefer')) !== undefined
  if (!handlers || isPreferred || status !== undefined)
    return ownAnswer({ ...given, caller }, store, state)

  return runHandlers(handlers, {
    ...{ request, input, caller, now, service, store, operation: binding.operation },
    rawBody: body,
    seed: random.next(),
    behave: own,
    refusal: (problem) => documentedError(problem, { request, now, operation, effect }, service),
    rule: (rule) => {
      new Rules(settings.seed).add(rule, settings.contract, keys)
      return () => {
        if (force) return force(rule)
        const { id } = rules.add(rule, settings.contract, keys)
        return () => rules.withdraw(id)
      }
    },
    onMistake: settings.handlers?.onMistake,
  })
}

/** What an operation answers without handlers: a stream of what happens to records, where the client asks for one, else as `behave` does. */
function ownAnswer(
  admitted: AdmittedRequest,
  store: Store,
  { events, service }: Pick<WorldState, 'events' | 'service'>,
): Awaitable<BehaviourResult> {
  const { operation } = admitted.binding
  if (!operation.hints?.streams || !isFollowed(events)) return behave(admitted, store)
  return asksForStream(admitted)
    ? streamChanges(admitted, store, { events, service })
    : behave(admitted, store)
}
