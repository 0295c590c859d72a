import { type Cause, changesLater, type EventHost } from '../events/cause.ts'
import {
  type Delivery,
  type Forward,
  type SentEvent,
  type Settled,
  sentAgain,
  settledOf,
  tellRefusals,
} from '../events/delivery.ts'
import { withFaults } from '../events/delivery-faults.ts'
import { eventId, secretOf, unshownFault } from '../events/event-settings.ts'
import { subscriptionResources } from '../events/known-events.ts'
import { makeDeliveries } from '../events/make-deliveries.ts'
import type { Receiver } from '../events/subscribers.ts'
import { subscriptionsFor } from '../events/subscribers.ts'
import type {
  EventSink,
  EventsSnapshot,
  FollowedEvents,
  Follower,
  SteeredEvents,
} from '../events/world-events.ts'
import type { ResendFault } from '../forcing/outcomes.ts'
import type { ChangeListener } from '../resources/store/record-change.ts'
import type { Store } from '../resources/store/store.ts'
import { type HeldReceiver, livingReceivers } from './held-receivers.ts'
import { StoredDeliveries } from './stored-deliveries.ts'
import { toEventText } from './stored-streams.ts'
import type { Commit, WorldStore } from './world-store.ts'

/** The turns in which the servers of a store send what a world has to send. */
export interface EventTurns {
  /** Called before deliveries are committed. */
  note(): Promise<void>
  /** Called when deliveries were committed, or the clock was moved. */
  readonly wake: () => void
}

/** Sends what the worlds of a store have to send. */
export interface EventSender {
  wake(world: string): void
  /**
   * Adds a receiver of every event of a world that is connected to this server. Resolves with a function that removes it. `end` is called when the
   * world ends before.
   */
  receive(world: string, url: string, forward: Forward, end?: () => void): Promise<() => void>
  close(): void
}

/** So many milliseconds after a world was noted, it needs no other note: servers forget none that was noted within a minute. */
const NOTED_FOR = 10_000

/** Tells the servers of a store which worlds have something to send. */
export class EventNotes {
  readonly #store: Pick<WorldStore, 'pending'>
  /** When this server noted a world last. */
  readonly #noted = new Map<string, number>()
  /** What tells deliveries of the servers of this store from others. */
  readonly mark: string
  /** The one of this server. */
  sender: EventSender | undefined

  constructor(store: Pick<WorldStore, 'pending'>, mark: string) {
    this.#store = store
    this.mark = mark
  }

  /** The turns of a world. */
  of(world: string): EventTurns {
    return {
      note: () => this.#note(world),
      wake: () => this.sender?.wake(world),
    }
  }

  async #note(world: string): Promise<void> {
    const now = performance.now()
    if (now - (this.#noted.get(world) ?? Number.NEGATIVE_INFINITY) < NOTED_FOR) return
    await this.#store.pending.note(world)
    this.#noted.delete(world)
    this.#noted.set(world, now)
    const [oldest = world] = this.#noted.keys()
    if (this.#noted.size > MAX_NOTED) this.#noted.delete(oldest)
  }
}

/** So many worlds are remembered. */
const MAX_NOTED = 10_000

/** The world of events in a store, and who is told that it has something to send. */
export interface StoredEventHost extends EventHost {
  /** Called before deliveries are committed: from then on, each server looks for them until they are sent. */
  readonly note: () => Promise<void>
  /** The receivers in the configuration of the world, and the time of the store; absent for a world at its start. */
  readonly held?: { readonly receivers: readonly HeldReceiver[]; readonly storeTime: number }
  /** The streams of events; absent for a world at its start. */
  readonly streams?: {
    readonly isFollowed: boolean
    /** Begins to tell a stream of events. Absent for a task of the control interface. */
    readonly follow?: (follower: Follower) => () => void
  }
}

/**
 * The events of a world in a store, for one task: what is to be sent is written by the commit of the task, with the change that caused it.
 * Afterwards, one of the servers sends it.
 */
export class StoredEvents implements SteeredEvents, FollowedEvents {
  readonly #host: StoredEventHost
  readonly #listeners = new Set<(event: SentEvent) => void>()
  #loaded: EventsSnapshot | undefined
  /** What is sent again. It has no place in the transaction yet. */
  #again: Delivery[] = []
  /** Whether the task has added something to be sent. */
  hasAdded = false
  /** The receivers that are connected to servers, as the configuration of the world has them. */
  held: readonly HeldReceiver[]
  /** What is written for those who follow the events. */
  readonly happened: string[] = []
  /** Whether the task begins a stream. */
  hasStream = false

  constructor(host: StoredEventHost) {
    this.#host = host
    this.held = host.held?.receivers ?? []
  }

  get isUsed(): boolean {
    const { contract } = this.#host.service.settings
    return (
      this.isFollowed === true || this.#to().length > 0 || (contract.subscriptions ?? []).length > 0
    )
  }

  /** Whether anybody follows the events; `undefined` where nobody can. */
  get isFollowed(): boolean | undefined {
    const { service, streams } = this.#host
    return service.settings.contract.streamsChanges ? streams?.isFollowed : undefined
  }

  async announceStream(): Promise<void> {
    this.hasStream = true
    // Changes that were caused before, for a later time, are told, too.
    if (changesLater(this.#host.service.settings.contract)) await this.#note()
  }

  follow(follower: Follower): () => void {
    const { follow } = this.#host.streams ?? {}
    if (!follow) throw new TypeError('Only requests to the API begin streams')
    return follow(follower)
  }

  /** Who gets every event. */
  #to(): readonly Receiver[] {
    const { to } = this.#host.service.settings.events
    const connected = livingReceivers(this.held, this.#host.held?.storeTime ?? 0)
    return [
      ...to.map((url) => ({ url })),
      ...connected.map(({ url }) => ({ url, forwarded: true }) as const),
    ]
  }

  /** Loads what is read at once. */
  async load(): Promise<void> {
    const sent = await StoredDeliveries.open(await this.#host.openStore())
    const [deliveries, lastDelivery] = [await sent.all(), await sent.lastDelivery()]
    this.#loaded = { deliveries, lastDelivery, lastEvent: 0 }
  }

  get deliveries(): readonly Delivery[] {
    if (!this.#loaded) throw new TypeError('The deliveries are not loaded')
    return [...this.#loaded.deliveries, ...this.#again]
  }

  get receivers(): readonly string[] {
    return [...new Set(this.#to().map(({ url }) => url))]
  }

  get secret(): string {
    return secretOf(this.#host.service.settings)
  }

  readonly tell: ChangeListener = async (changes, store) => {
    if (this.isUsed) await this.add({ changes }, store)
  }

  /** Adds the deliveries that changes cause to the transaction of a store. What is not committed is not sent. */
  async add(cause: Cause, store: Store): Promise<() => void> {
    const { service, clock } = this.#host
    const now = clock.now()
    const to = this.#to()
    const nextEvent = (): string => eventId(SYSTEM_RANDOM)
    const { events, happened, deliveries } = await makeDeliveries(cause, store, {
      ...{ service, to, now, nextEvent },
    })
    if (this.isFollowed) this.happened.push(...happened.map(toEventText))
    if (deliveries.length > 0) await this.#put(deliveries, store, now)
    else if (await this.#causesLater(cause, store)) await this.#note()
    for (const event of events) for (const listen of this.#listeners) listen(event)

    return () => undefined
  }

  async #put(
    made: readonly Omit<Delivery, 'id'>[],
    store: Store,
    now: number,
  ): Promise<readonly Delivery[]> {
    const sent = await StoredDeliveries.open(store)
    const deliveries = this.#host.rules.isEmpty ? made : await this.#forced(made, sent, now)
    await this.#note()
    const added = await sent.add(deliveries, now)
    tellRefusals(added, this.#host.service.settings.events.onRefusal)
    return added
  }

  async #forced(
    made: readonly Omit<Delivery, 'id'>[],
    sent: StoredDeliveries,
    now: number,
  ): Promise<readonly Omit<Delivery, 'id'>[]> {
    const { rules, service } = this.#host
    const { signature } = service.settings.events
    return withFaults(made, { rules, earlier: await sent.all(), signature, now })
  }

  /** Whether changes may cause others later, of which somebody is to be told. */
  async #causesLater({ changes }: Cause, store: Store): Promise<boolean> {
    const { contract } = this.#host.service.settings
    if (changes.length === 0 || !changesLater(contract)) return false
    if (this.isFollowed || this.#to().length > 0) return true
    const known = await subscriptionsFor(undefined, subscriptionResources(contract), store)
    return known.some(({ isActive }) => isActive)
  }

  #note(): Promise<void> {
    this.hasAdded = true
    return this.#host.note()
  }

  resend(id: number, fault?: ResendFault): Delivery | undefined {
    const delivery = this.deliveries.find((one) => one.id === id)
    if (!delivery || !this.#loaded) return undefined
    const { signature } = this.#host.service.settings.events
    const now = this.#host.clock.now()
    const reason = fault && unshownFault(fault, signature)
    const again = sentAgain(delivery, { now, fault, reason })
    const next = { id: this.#loaded.lastDelivery + this.#again.length + 1, ...again }
    this.#again.push(next)

    return next
  }

  /** Writes what was added without waiting, before the task is committed. */
  async flush(store: Store): Promise<void> {
    const added = this.#again.splice(0).map(({ id: _, ...delivery }) => delivery)
    if (added.length === 0) return
    await this.#note()
    await (await StoredDeliveries.open(store)).add(added, this.#host.clock.now())
  }

  /** What is known without waiting. */
  async settled(): Promise<Settled> {
    return settledOf(this.deliveries)
  }

  onEvent(listener: (event: SentEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  receive(): () => void {
    throw new TypeError('A server keeps the connections of receivers, and not the task of a world')
  }

  start(): void {
    // The server that has committed the task is told of it.
  }

  end(): void {
    // A world that begins again has another epoch, without these records.
  }

  takeOver(before: EventSink): void {
    this.held = heldIn(before)
  }

  /** What is pending, once it is loaded. */
  snapshot(): EventsSnapshot | undefined {
    const { deliveries, lastDelivery } = this.#loaded ?? {}
    if (!deliveries || !lastDelivery) return undefined
    const pending = deliveries.filter(({ next }) => next !== undefined)
    return { deliveries: structuredClone(pending), lastDelivery, lastEvent: lastDelivery }
  }

  restore(snapshot: EventsSnapshot | undefined): void {
    this.#loaded = snapshot
  }
}

/** The receivers that are connected to servers. */
export function heldIn(events: EventSink): readonly HeldReceiver[] {
  return events instanceof StoredEvents ? events.held : []
}

/** What a task changes for those who follow the events. */
export function streamChangesOf(
  events: EventSink,
): Pick<Commit, 'isFollowed' | 'follows' | 'happened'> {
  if (!(events instanceof StoredEvents) || events.isFollowed === undefined) return {}
  const { isFollowed, hasStream, happened } = events
  return {
    isFollowed,
    ...(hasStream && { follows: true }),
    ...(happened.length > 0 && { happened }),
  }
}

/** Loads the deliveries of a world that are read at once. */
export async function loadEvents(events: EventSink): Promise<void> {
  if (events instanceof StoredEvents) await events.load()
}

/** The randomness of the system: of several servers, none knows how many events there were. */
const SYSTEM_RANDOM = {
  pick: <Item>(items: readonly Item[]): Item | undefined => {
    const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
    return items[number % items.length]
  },
}
