import type { Contract } from '../contract/contract.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { EmittedCause } from '../events/cause.ts'
import type { Delivery, SentEvent, Settled } from '../events/delivery.ts'
import { requireAddress } from '../events/event-settings.ts'
import {
  checkEventName,
  checkEventPattern,
  namedEvents,
  subscriptionResources,
} from '../events/known-events.ts'
import { makeChangeNamed } from '../events/named-record.ts'
import type { Subscription } from '../events/subscribers.ts'
import { subscriptionsFor } from '../events/subscribers.ts'
import { isSteered, type SteeredEvents } from '../events/world-events.ts'
import type { ResendFault } from '../forcing/outcomes.ts'
import { isNamedEvent } from '../forcing/rules.ts'
import { resourcesIn } from '../resources/bind.ts'
import { hasParents } from '../resources/collection-name.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import { describeSuggestion, refuseUnknown, UsageError } from '../validation/usage-error.ts'

/** The events of a world, and their deliveries. */
export interface SandboxEvents {
  /** The addresses that get every event without a subscription. */
  readonly receivers: readonly string[]
  /**
   * Adds a receiver of every event, to which `deliver` sends what is due, until the returned function is called. It outlives a reset. `url`
   * names it in the deliveries. Throws a UsageError for an invalid URL.
   *
   * @example
   * const remove = sandbox.events.receive('http://app.test/hooks', (request) => POST(request))
   */
  receive(
    url: string,
    deliver: (request: Request) => Promise<Response>,
    end?: () => void,
  ): () => void
  /** The secret with which deliveries are signed whose subscription has none. */
  readonly secret: string
  /** All deliveries that are pending, and the latest 1,000 others, in the order of their causes. A reset clears them. */
  readonly deliveries: readonly Delivery[]
  /**
   * Sends an event to those who ask for it: about `data`, which is a record or what the event is about, else about the record that its
   * name tells. Rejects with a UsageError for a name that no event has, if the document names its events, and for a misspelt one.
   */
  emit(type: string, data?: unknown): Promise<SentEvent>
  /**
   * Sends an event about a record that is made for it: as an action leaves it that the name tells, such as `order.cancelled`. Rejects with a
   * UsageError for a name that no event has, and for one that tells no collection. `note` gets a function that removes the
   * record again.
   */
  trigger(type: string, note?: (undo: () => Promise<void>) => void): Promise<SentEvent>
  /**
   * The next event that happens from now on with this name, or one such as `order.*`; without one, any event. Rejects after `timeout`, by default 5
   * seconds of real time, and at once for a name that no event has.
   *
   * @example
   * const created = sandbox.events.next('order.created')
   */
  next(type?: string, options?: { readonly timeout?: Duration }): Promise<SentEvent>
  /** Resolves when everything was sent that is due on the sandbox's clock, with the numbers of deliveries in each state. */
  settled(): Promise<Settled>
  /** Sends a delivery once more, as it was or with a fault. Throws a UsageError for an unknown id. */
  resend(id: number, options?: ResendOptions): Delivery
  /** The subscriptions, with what each asks for. */
  subscriptions(): Promise<readonly Subscription[]>
  /** Calls `listener` with each event. Returns a function that removes it. */
  onEvent(listener: (event: SentEvent) => void): () => void
}

/** How a delivery is sent again. */
export interface ResendOptions {
  /** What is wrong with the new delivery, so that the receiver must refuse it. By default, nothing. */
  readonly fault?: ResendFault
}

/** The events of a world as its users see them. They read its state at each call, so that they outlive a reset. */
export function eventsOf(stateOf: () => WorldState): SandboxEvents {
  const events = (): SteeredEvents => {
    const own = stateOf().events
    if (isSteered(own)) return own
    throw new UsageError({
      code: 'no_events',
      task: 'use the events of the sandbox',
      reason: 'what is only tried sends nothing',
      help: 'Use the events of the sandbox itself.',
    })
  }

  return {
    get receivers() {
      return events().receivers
    },
    receive: (url, deliver, end) => {
      requireAddress(url, `receive events at ${url}`)
      return events().receive(url, deliver, end)
    },
    get secret() {
      return events().secret
    },
    get deliveries() {
      return events().deliveries
    },
    emit: async (type, data) =>
      emitIn(events(), stateOf(), { type, ...(data !== undefined && { data }) }),
    trigger: async (type, note) => triggerIn(events(), stateOf(), type, note),
    next: async (type, options = {}) => {
      refuseUnknown('next', options, ['timeout'])
      checkWanted(type, stateOf())
      return nextEvent(events(), type, options)
    },
    settled: () => events().settled(),
    resend: (id, options = {}) => {
      refuseUnknown('resend', options, ['fault'])
      const again = events().resend(id, options.fault)
      if (again) return again
      throw new UsageError({
        code: 'unknown_delivery',
        task: `send the delivery ${id} again`,
        reason: 'there is no delivery with this id',
        help: 'List them with sandbox.events.deliveries.',
      })
    },
    subscriptions: async () => {
      const { service, openStore } = stateOf()
      const resources = subscriptionResources(service.settings.contract)
      const found = await subscriptionsFor(undefined, resources, await openStore())
      return found.filter(({ isMade }) => isMade)
    },
    onEvent: (listener) => events().onEvent(listener),
  }
}

function nextEvent(
  events: SteeredEvents,
  type: string | undefined,
  { timeout = 5000 }: { readonly timeout?: Duration },
): Promise<SentEvent> {
  const { promise, end } = first(events, (event) => isNamedEvent(event.type, type))
  const wait = milliseconds(timeout)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      end()
      reject(noEvent(type, wait, events.deliveries))
    }, wait)
    void promise.then((event) => {
      clearTimeout(timer)
      resolve(event)
    })
  })
}

/** Throws a UsageError for an event that never happens, for which somebody wants to wait. */
export function checkWanted(
  type: string | undefined,
  state: Pick<WorldState, 'service' | 'used'>,
): void {
  if (type !== undefined)
    checkEventPattern(type, namedEvents(state), `wait for the event "${type}"`)
}

/** The first event that a test accepts, and a function that stops waiting. */
function first(
  events: SteeredEvents,
  isWanted: (event: SentEvent) => boolean,
): { readonly promise: Promise<SentEvent>; readonly end: () => void } {
  let end = (): void => undefined
  const promise = new Promise<SentEvent>((resolve) => {
    end = events.onEvent((event) => {
      if (!isWanted(event)) return
      end()
      resolve(event)
    })
  })
  return { promise, end: () => end() }
}

/** The error of a wait for an event that did not happen. */
export function noEvent(
  type: string | undefined,
  wait: number,
  deliveries: readonly Delivery[],
): UsageError {
  const latest = deliveries.slice(-5).map(({ event }) => event.type)
  const seen = latest.length === 0 ? 'there was none' : `the latest were ${latest.join(', ')}`
  return new UsageError({
    code: 'no_event',
    task: `wait for ${type === undefined ? 'an event' : `the event "${type}"`}`,
    reason: `it did not happen within ${wait} ms; ${seen}`,
    help: 'Begin to wait before the request that causes it.',
  })
}

// Events by hand.

/** Sends an event. Rejects with a UsageError for a name that no event has. */
async function emitIn(
  events: SteeredEvents,
  state: Pick<WorldState, 'service' | 'used' | 'openStore'>,
  cause: EmittedCause,
): Promise<SentEvent> {
  checkType(cause.type, state)
  let sent: SentEvent | undefined
  const end = events.onEvent((event) => {
    if (event.type === cause.type) sent ??= event
  })
  await events.add({ changes: [], emitted: [cause] }, await state.openStore())
  end()
  if (!sent) throw new TypeError('The event was not made')

  return sent
}

/** Sends an event about a record that is made for it. `note` gets the function that removes it again. */
async function triggerIn(
  events: SteeredEvents,
  state: Pick<WorldState, 'service' | 'used' | 'clock' | 'openStore'>,
  type: string,
  note: (undo: () => Promise<void>) => void = () => undefined,
): Promise<SentEvent> {
  const { service, clock, openStore } = state
  const { contract } = service.settings
  checkType(type, state)
  const made = await makeChangeNamed(type, { service, contract }, await openStore(), clock.now())
  if (!made) throw aboutNothing(type, contract)
  note(made.undo)

  return emitIn(events, state, { type, change: made.change })
}

function checkType(type: string, state: Pick<WorldState, 'service' | 'used'>): void {
  checkEventName(type, namedEvents(state), `emit the event "${type}"`)
}

function aboutNothing(type: string, contract: Contract): UsageError {
  const top = resourcesIn(contract).filter((one) => !hasParents(one))
  const allowed = top.map(({ name }) => name)
  return new UsageError({
    code: 'unknown_event',
    task: `make a record for the event "${type}"`,
    reason: 'its name tells none of the collections at the top',
    allowed,
    help: `${describeSuggestion({ allowed })} Otherwise, emit it with your own data.`,
  })
}
