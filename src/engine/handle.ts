import type { Caller } from '../access/callers.ts'
import { isFollowed } from '../events/world-events.ts'
import { Rules } from '../forcing/rules.ts'
import { type HandledResponse, handlersFor, runHandlers } from '../handlers/run-handlers.ts'
import type { Awaitable } from '../records/awaitable.ts'
import { behave } from '../resources/behaviour/behave.ts'
import type { AdmittedRequest, BehaviourResult } from '../resources/behaviour/record-request.ts'
import type { Store } from '../resources/store/store.ts'
import { preferredExample } from '../responses/documented-answer.ts'
import { documentedError } from './documented-error.ts'
import type { Served } from './served.ts'
import { asksForStream, streamChanges } from './stream-changes.ts'
import type { WorldState } from './world-state.ts'

/**
 * Answers a request by the handlers of its operation. One that asks for another status, or for an example of the document, gets what it
 * asks for, as without handlers.
 */
export async function handle(
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
export function ownAnswer(
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
