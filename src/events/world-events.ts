import type { ResendFault } from '../forcing/outcomes.ts'
import { RandomSource } from '../generate/random.ts'
import type { Awaitable } from '../records/awaitable.ts'
import type { ChangeListener } from '../resources/store/record-change.ts'
import { nextChangeOf } from '../resources/store/settle.ts'
import type { Store } from '../resources/store/store.ts'
import { MAX_TIMER_DELAY } from '../time/duration.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import {
  type Cause,
  changesLater,
  type EventHost,
  type Happened,
  type NumberedEvent,
} from './cause.ts'
import {
  type Delivery,
  isGivenUp,
  MAX_BUSY,
  nobodyReceives,
  numbered,
  queueOf,
  type SentEvent,
  type Settled,
  sentAgain,
  settledOf,
  tellRefusals,
} from './delivery.ts'
import { withFaults } from './delivery-faults.ts'
import { DeliveryList } from './delivery-list.ts'
import { type EventSettings, eventId, secretOf, unshownFault } from './event-settings.ts'
import { subscriptionResources } from './known-events.ts'
import { settleStore } from './later-changes.ts'
import { makeDeliveries } from './make-deliveries.ts'
import type { Receiver } from './subscribers.ts'
import { disableSubscription } from './subscribers.ts'

/** The time of what does not happen. */
const NEVER = Number.POSITIVE_INFINITY

/** So many of the latest events are kept for streams whose clients come back. */
export const MAX_HAPPENED = 1000

/** What happened in a world, and what is sent because of it, as plain data. */
export interface EventsSnapshot {
  /** The number of the latest event. */
  readonly lastEvent: number
  /** The id of the latest delivery. */
  readonly lastDelivery: number
  /** Those that are pending. */
  readonly deliveries: readonly Delivery[]
}

/** A receiver that was added, besides those of the options. */
interface AddedReceiver {
  readonly url: string
  readonly deliver: NonNullable<EventSettings['deliver']>
  /** Called when the world ends. */
  readonly end: () => void
}

type EventListener = (event: SentEvent) => void

/** A stream of what happens. */
export interface Follower {
  /** Called with each event, when it cannot be taken back any more. */
  readonly tell: (happened: NumberedEvent) => void
  /** Called when the world ends. */
  readonly end: () => void
  /** Finds the last event that the client got, so that what it has missed comes first; absent when it has got none. */
  readonly isLast?: (happened: NumberedEvent) => boolean
}

/** Events that streams can tell of. */
export interface FollowedEvents extends EventSink {
  /** Called for a stream before its response is sent: the client gets what happens from then on. */
  announceStream(): Awaitable<void>
  /** Returns a function that ends the stream. */
  follow(follower: Follower): () => void
}

/** The events after the last one that a client got: all that are kept when that is not among them, as after a reset. */
export function missedBy(
  { isLast }: Pick<Follower, 'isLast'>,
  happened: readonly NumberedEvent[],
): readonly NumberedEvent[] {
  return isLast ? happened.slice(happened.findLastIndex(isLast) + 1) : []
}

/** Whether streams can follow events: not where nothing is sent. */
export function isFollowed(events: EventSink): events is FollowedEvents {
  return 'follow' in events
}

/** Takes the events of a world. */
export interface EventSink {
  /** Whether anybody may get an event. */
  readonly isUsed: boolean
  /** Adds the deliveries that changes cause outside of a request; absent where no events are sent. */
  readonly tell?: ChangeListener
  /** Adds the deliveries that changes cause. Resolves with a function that takes back those that were not sent yet. */
  add(cause: Cause, store: Store): Promise<() => void>
  /** Sends what has become due on the sandbox's clock. */
  start(): void
  /** Drops what is pending. */
  end(): void
  /** Takes the receivers that were added in the state before this one. */
  takeOver(before: EventSink): void
  /** What is pending; `undefined` before the first event. */
  snapshot(): EventsSnapshot | undefined
  /** Goes on in a world that had records before, with what was pending there. */
  restore(snapshot: EventsSnapshot | undefined): void
}

/** The events of a world, as tests and the control interface steer them. */
export interface SteeredEvents extends EventSink {
  /** The deliveries in the order of their causes: all that are pending, and the latest others. */
  readonly deliveries: readonly Delivery[]
  /** The secret with which deliveries are signed whose subscription has none. */
  readonly secret: string
  /** The addresses that get every event. */
  readonly receivers: readonly string[]
  /**
   * Adds a receiver of every event, to which `deliver` sends what is due. Returns a function that removes it. What is pending then fails until
   * somebody receives at this address again. `end` is called when the world ends before.
   */
  receive(url: string, deliver: Deliver, end?: () => void): () => void
  /** Resolves when no attempt is under way, and none is due on the sandbox's clock. */
  settled(): Promise<Settled>
  /** Sends a delivery once more, as a new one with the same event. `undefined` for an unknown id. */
  resend(id: number, fault?: ResendFault): Delivery | undefined
  /** Calls `listener` with each event. Returns a function that removes it. */
  onEvent(listener: EventListener): () => void
}

/** Whether events can be steered: nobody can steer where they are not sent. */
export function isSteered(events: EventSink): events is SteeredEvents {
  return 'deliveries' in events
}

/** Sends a request to a receiver, and resolves with its response. */
type Deliver = NonNullable<EventSettings['deliver']>

/** Where events are not sent. */
export const NO_EVENTS: EventSink = {
  isUsed: false,
  add: async () => () => undefined,
  start: () => undefined,
  end: () => undefined,
  takeOver: () => undefined,
  snapshot: () => undefined,
  restore: () => undefined,
}

/**
 * The events of a world: what is to be sent is data, which requests add; one loop sends what is due on the sandbox's clock. A world that
 * sends nothing to anybody never loads what makes events.
 */
export class WorldEvents implements SteeredEvents, FollowedEvents {
  readonly #host: EventHost
  #lastEvent = 0
  #lastDelivery = 0
  readonly #deliveries: DeliveryList
  /** The next state of the world takes it over. */
  #added = new Set<AddedReceiver>()
  readonly #listeners = new Set<EventListener>()
  readonly #followers = new Set<Follower>()
  /** What happened lately. Only where the document has streams. */
  #happened: readonly NumberedEvent[] = []
  #told = 0
  /** The queues with an attempt under way. */
  readonly #busy = new Map<string, { readonly delivery: Delivery; readonly ended: Promise<void> }>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Aborted when the world has ended, or starts anew. */
  readonly #over = new AbortController()
  /** When the next change happens that a request has caused for later; `undefined` when nobody has looked for it. */
  #nextChange: number | undefined = NEVER
  /** Makes such changes, at most once at a time. */
  #settling: Promise<void> | undefined

  constructor(host: EventHost) {
    this.#host = host
    this.#deliveries = new DeliveryList(() => host.service.settings.events.ordered === 'strict')
  }

  /** Whether anybody may get an event: a receiver of the options, a subscription, a stream, or somebody who waits for one. */
  get isUsed(): boolean {
    const { contract, events } = this.#host.service.settings
    return (
      events.to.length > 0 ||
      this.#added.size > 0 ||
      this.#listeners.size > 0 ||
      contract.streamsChanges === true ||
      (contract.subscriptions !== undefined && contract.subscriptions.length > 0)
    )
  }

  /** The deliveries in the order of their causes: all that are pending, and the latest others. */
  get deliveries(): readonly Delivery[] {
    return this.#deliveries.list
  }

  /** The secret with which deliveries are signed whose subscription has none. */
  get secret(): string {
    const { settings } = this.#host.service
    return secretOf(settings)
  }

  /**
   * Adds the deliveries that changes cause, and sends them when the caller has ended. Resolves with a function that takes back those that
   * were not sent yet.
   */
  async add(cause: Cause, store: Store): Promise<() => void> {
    this.#expect(cause)
    const { rules, clock, service } = this.#host
    const now = clock.now()
    const nextEvent = (): string => this.#nextEventId()
    const made = await makeDeliveries(cause, store, { service, to: this.#to(), now, nextEvent })
    if (rules.isEmpty) return this.put(made)
    const { signature } = service.settings.events
    const context = { rules, earlier: this.deliveries, signature, now }

    return this.put({ ...made, deliveries: withFaults(made.deliveries, context) })
  }

  /** Who gets every event. */
  #to(): readonly Receiver[] {
    const { to } = this.#host.service.settings.events
    const added = [...this.#added].map(({ url }) => url)
    const forwarded = [...new Set(added)].map((url) => ({ url, forwarded: true }) as const)

    return [...to.map((url) => ({ url })), ...forwarded]
  }

  /** The addresses that get every event. */
  get receivers(): readonly string[] {
    return [...new Set(this.#to().map(({ url }) => url))]
  }

  /**
   * Adds a receiver of every event, to which `deliver` sends what is due. Returns a function that removes it. What is pending then fails until
   * somebody receives at this address again. `end` is called when the world ends before.
   */
  receive(
    url: string,
    deliver: AddedReceiver['deliver'],
    end: () => void = () => undefined,
  ): () => void {
    const added = { url, deliver, end }
    const all = this.#added
    this.#watch(() => all.add(added))
    return () => all.delete(added)
  }

  /** Adds the deliveries of changes outside of a request. */
  readonly tell: ChangeListener = async (changes, store) => {
    if (this.isUsed) await this.add({ changes }, store)
  }

  /** Remembers when the next change of the records happens. */
  #expect({ changes }: Cause): void {
    if (this.#nextChange === undefined) return
    for (const { record, at } of changes) {
      // Those that follow a change which was caused for its time are looked for after it.
      const next = at === undefined ? nextChangeOf(record) : undefined
      this.#nextChange = Math.min(this.#nextChange, next ?? NEVER)
    }
  }

  /** Adds deliveries of events that were made otherwise. */
  put({
    events,
    happened = [],
    deliveries,
  }: {
    readonly events: readonly SentEvent[]
    readonly happened?: readonly Happened[]
    readonly deliveries: readonly Omit<Delivery, 'id'>[]
  }): () => void {
    const underWay = [...this.#busy.values()].map(({ delivery }) => delivery)
    const alone = this.#deliveries.alone(underWay)
    const { pending } = this.#deliveries
    const added = numbered(deliveries, { last: this.#lastDelivery, pending, underWay, alone })
    this.#tellRefusals(added)
    this.#lastDelivery += added.length
    this.#deliveries.add(added)
    const timer = setTimeout(() => {
      this.#tell(happened)
      this.start()
    }, 0)
    for (const event of events) for (const listen of this.#listeners) listen(event)
    this.#host.onChange?.()

    return () => {
      clearTimeout(timer)
      for (const { id } of added) this.#deliveries.remove(id)
      this.start()
    }
  }

  #tellRefusals(deliveries: readonly Delivery[]): void {
    tellRefusals(deliveries, this.#host.service.settings.events.onRefusal)
  }

  announceStream(): void {
    // The latest events are kept, whether anybody follows them or not.
  }

  follow(follower: Follower): () => void {
    for (const one of missedBy(follower, this.#happened)) follower.tell(one)
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Tells streams what happened. */
  #tell(happened: readonly Happened[]): void {
    if (this.#isOver || !this.#host.service.settings.contract.streamsChanges) return
    const numbered = happened.map((one, at) => ({ ...one, number: this.#told + at + 1 }))
    this.#told += numbered.length
    this.#happened = [...this.#happened, ...numbered].slice(-MAX_HAPPENED)
    for (const one of numbered) for (const { tell } of [...this.#followers]) tell(one)
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted
  }

  /** Sends what is due, and waits for what comes next. Called when something was added, and when the clock was changed. */
  start(): void {
    clearTimeout(this.#timer)
    if (this.#isOver) return
    const { clock } = this.#host
    this.#settle()
    const now = clock.now()
    for (const delivery of this.#deliveries.next(this.#busy)) {
      if (this.#busy.size >= MAX_BUSY || (delivery.next ?? NEVER) > now) break
      this.#busy.set(queueOf(delivery), { delivery, ended: this.#attempt(delivery) })
    }
    const [free] = this.#deliveries.next(this.#busy)
    const next = Math.min(
      free?.next ?? NEVER,
      this.#settling !== undefined ? NEVER : (this.#nextChange ?? NEVER),
    )
    if (next === NEVER || clock.isFrozen) return
    const wait = Math.min(Math.max(next - clock.now(), 0), MAX_TIMER_DELAY)
    this.#timer = setTimeout(() => this.start(), wait)
    // A process must not stay alive for a retry in ten hours.
    unref(this.#timer)
  }

  /** Makes the changes of records whose time has come. They cause events at their own times. */
  #settle(): void {
    const { clock, openStore, service } = this.#host
    const now = clock.now()
    if (this.#settling !== undefined || !this.isUsed || (this.#nextChange ?? 0) > now) return
    this.#nextChange = NEVER
    if (!changesLater(service.settings.contract)) return
    this.#settling = openStore()
      .then((store) => settleStore(store, now, this.tell))
      .then((next = NEVER) => {
        this.#nextChange = Math.min(this.#nextChange ?? NEVER, next)
      })
      // A store that cannot be opened fails each request, too.
      .catch(() => undefined)
      .finally(() => {
        this.#settling = undefined
        this.#host.onChange?.()
        this.start()
      })
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { service, clock, lastExchange } = this.#host
    const { deliver } = service.settings.events
    const { secret } = this
    const settings = {
      ...service.settings.events,
      secret,
      isOver: this.#over.signal,
      deliver: delivery.forwarded ? this.#forwarderTo(delivery.url) : deliver,
    }
    const follows = lastExchange()
    const sent = await attemptDelivery(delivery, settings, clock.now())
    const last = sent.attempts.length - 1
    const attempts = sent.attempts.map((attempt, at) =>
      at === last ? { ...attempt, follows, precedes: lastExchange() } : attempt,
    )
    const ended = { ...sent, attempts }
    if (isGivenUp(ended)) await this.#giveUp(ended)
    this.#busy.delete(queueOf(delivery))
    if (this.#isOver) return
    this.#tellRefusals([ended])
    this.#deliveries.replace(ended)
    this.#host.onChange?.()
    this.start()
  }

  /** A service disables the subscription of a receiver that it gives up. */
  async #giveUp({ subscription }: Delivery): Promise<void> {
    const { openStore, service } = this.#host
    if (subscription === undefined || this.#isOver) return
    const resources = subscriptionResources(service.settings.contract)
    await disableSubscription(subscription, resources, await openStore())
  }

  /** Resolves when no attempt is under way, and none is due on the sandbox's clock. */
  async settled(): Promise<Settled> {
    // What was added just now is not sent yet.
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.start()
    while (this.#busy.size > 0 || this.#settling !== undefined) {
      const attempts = [...this.#busy.values()].map((one) => one.ended)
      await Promise.race([...attempts, ...(this.#settling === undefined ? [] : [this.#settling])])
    }
    return settledOf(this.deliveries)
  }

  /** Sends a delivery once more, as a new one with the same event. `undefined` for an unknown id. */
  resend(id: number, fault?: ResendFault): Delivery | undefined {
    const delivery = this.#deliveries.get(id)
    if (!delivery) return undefined
    const { signature } = this.#host.service.settings.events
    const now = this.#host.clock.now()
    const reason = fault && unshownFault(fault, signature)
    this.put({ events: [], deliveries: [sentAgain(delivery, { now, fault, reason })] })

    return this.#deliveries.get(this.#lastDelivery)
  }

  /** Calls `listener` with each event. Returns a function that removes it. */
  onEvent(listener: EventListener): () => void {
    this.#watch(() => this.#listeners.add(listener))
    return () => this.#listeners.delete(listener)
  }

  /** Adds somebody who is told of events. */
  #watch(add: () => void): void {
    const wasUsed = this.isUsed
    add()
    if (!wasUsed) this.#lookForChanges()
  }

  /** What sends deliveries to a receiver that was added: the latest one at this address. */
  #forwarderTo(url: string): AddedReceiver['deliver'] {
    const added = [...this.#added].findLast((one) => one.url === url)
    return added?.deliver ?? nobodyReceives
  }

  /** Looks for changes that are still to come, of which nobody was told. */
  #lookForChanges(): void {
    this.#nextChange = undefined
    this.start()
  }

  /** Drops what is pending, and breaks off what is under way: a receiver that hangs must not keep the process alive. */
  end(): void {
    this.#over.abort()
    clearTimeout(this.#timer)
    this.#deliveries.clear()
    for (const { end } of [...this.#added, ...this.#followers]) end()
  }

  takeOver(before: EventSink): void {
    if (!(before instanceof WorldEvents)) return
    this.#added = before.#added
    before.#added = new Set()
  }

  snapshot(): EventsSnapshot | undefined {
    if (this.#lastEvent === 0) return undefined
    return {
      lastEvent: this.#lastEvent,
      lastDelivery: this.#lastDelivery,
      deliveries: structuredClone(this.deliveries.filter(({ next }) => next !== undefined)),
    }
  }

  restore(snapshot: EventsSnapshot | undefined): void {
    if (snapshot) {
      this.#lastEvent = snapshot.lastEvent
      this.#told = snapshot.lastEvent
      this.#lastDelivery = snapshot.lastDelivery
      this.#deliveries.clear()
      this.#deliveries.add(snapshot.deliveries)
    }
    this.#lookForChanges()
  }

  #nextEventId(): string {
    this.#lastEvent += 1
    return eventId(RandomSource.from([this.#host.service.settings.seed, 'event', this.#lastEvent]))
  }
}

/** Lets a process end although the timer is pending. Browsers have no such thing. */
function unref(timer: unknown): void {
  const { unref: release } = Object(timer)
  if (typeof release === 'function') release.call(timer)
}
