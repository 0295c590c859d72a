import { attemptDelivery } from '../events/attempt-delivery.ts'
import { changesLater } from '../events/cause.ts'
import { type Delivery, isGivenUp, MAX_BUSY, queueOf } from '../events/delivery.ts'
import { secretOf } from '../events/event-settings.ts'
import { subscriptionResources } from '../events/known-events.ts'
import { settleStore } from '../events/later-changes.ts'
import { disableSubscription } from '../events/subscribers.ts'
import type { HostedWorld, TaskOptions } from './hosted-worlds.ts'
import { createWorldTasks, type WorldTasks } from './shared-host.ts'
import { StoredDeliveries } from './stored-deliveries.ts'
import type { EventSender } from './stored-events.ts'
import type { SharedSandbox } from './world-choice.ts'

/** So many milliseconds after its last write, the lease of a server ends, and another server sends what it has not noted as sent. */
const LEASE = 5000
/** A server prolongs its lease so often while receivers answer. */
const RENEWAL = 1500
/** So often, servers look for what others have left, in milliseconds. */
const POLL = 1000
/** While receivers are being told, further events are looked at so many milliseconds after the last look. */
const PAUSE = 50
/** A world without anything to send is forgotten so many milliseconds after it was noted. No commit takes longer. */
const FORGET_AFTER = 60_000

/** What a server does for a world. */
interface Sending {
  readonly name: string
  /** The queues with an attempt under way. */
  readonly busy: Map<string, Delivery>
  isTaking: boolean
  isAgain: boolean
  /** When it was looked at last, in milliseconds of real time. */
  looked: number
  timer?: ReturnType<typeof setTimeout> | undefined
  renewal?: ReturnType<typeof setInterval> | undefined
}

/** What a server found when it looked at a world. */
interface Taken {
  readonly due: readonly Delivery[]
  /** The time of the sandbox's clock. */
  readonly now: number
  readonly storeTime: number
  /** The id of the latest exchange. */
  readonly last: number
  /** Milliseconds until more is due; absent when nothing is, or the clock stands still. */
  readonly wait?: number
  /** Whether anything is to come. */
  readonly hasMore: boolean
}

/**
 * Sends what the worlds of a store have to send. Of several servers, the one that holds the lease of a world sends its deliveries, each
 * receiver's in order, and writes what became of them. When it ends before it has written that, another one sends the same again.
 */
class DeliverySender implements EventSender {
  readonly #sandbox: SharedSandbox
  readonly #tasks: WorldTasks
  readonly #holder: string = crypto.randomUUID()
  readonly #worlds = new Map<string, Sending>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(sandbox: SharedSandbox) {
    this.#sandbox = sandbox
    this.#tasks = createWorldTasks(sandbox)
    this.#poll()
  }

  wake(name: string): void {
    const own = this.#worlds.get(name)
    const wait = own && own.busy.size > 0 ? own.looked + PAUSE - performance.now() : 0
    if (!own || wait <= 0) return void this.#look(name)
    // Receivers are being told, and each further event would look at the same again.
    own.timer ??= this.#later(own, wait)
  }

  #later(own: Sending, wait: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      own.timer = undefined
      void this.#look(own.name)
    }, wait)
    timer.unref()
    return timer
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const { timer, renewal } of this.#worlds.values()) {
      clearTimeout(timer)
      clearInterval(renewal)
    }
  }

  /** Looks at all worlds that may have something to send, again and again. */
  #poll(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(async () => {
      try {
        for (const [name, noted] of await this.#sandbox.store.pending.list()) {
          if (!this.#isClosed) await this.#look(name, noted)
        }
      } catch {
        // The store is away, which requests tell.
      }
      this.#poll()
    }, POLL)
    this.#timer.unref()
  }

  /** Sends what is due in a world. `noted` is when it was noted, if it may be forgotten. */
  async #look(name: string, noted?: number): Promise<void> {
    const own: Sending = this.#worlds.get(name) ?? {
      ...{ name, busy: new Map(), isTaking: false, isAgain: false, looked: 0 },
    }
    this.#worlds.set(name, own)
    if (own.isTaking) {
      own.isAgain = true
      return
    }
    own.isTaking = true
    try {
      do {
        own.isAgain = false
        own.looked = performance.now()
        const taken = await this.#take(own, noted !== undefined)
        if (taken) this.#send(taken, own)
        if (noted !== undefined && !taken?.hasMore) await this.#forget(own, noted, taken)
      } while (own.isAgain && !this.#isClosed)
    } catch {
      // The next look comes soon.
    } finally {
      own.isTaking = false
      if (own.busy.size === 0 && own.timer === undefined) this.#worlds.delete(name)
    }
  }

  /**
   * Resolves with what is due; with `undefined` for a world that is gone, or that another server holds. `tidies`: what ended long ago is forgotten.
   */
  async #take({ name, busy }: Sending, tidies: boolean): Promise<Taken | undefined> {
    if (this.#isClosed) return undefined
    return this.#use(name, async ({ opened: { state, loaded } }) => {
      const { clock, service, events, journal } = state
      const store = await state.openStore()
      const sent = await StoredDeliveries.open(store)
      const { storeTime } = loaded
      const lease = await sent.lease()
      const isHeld = lease && lease.holder !== this.#holder && lease.until > storeTime
      const now = clock.now()
      const seen = { now, storeTime, last: journal.last }
      if (isHeld) return { ...seen, due: [], hasMore: true, wait: POLL }
      const tell = events.tell ?? (async () => undefined)
      const isLater = changesLater(service.settings.contract)
      const change = isLater ? await settleStore(store, now, tell) : undefined
      const { due, pending } = await sent.dueAt(now, new Set(busy.keys()))
      const taken = due.slice(0, MAX_BUSY - busy.size)
      if (tidies) await sent.forgetOld()
      if (taken.length > 0) await sent.hold({ holder: this.#holder, until: storeTime + LEASE })
      const [first] = pending.filter((one) => !due.includes(one) && !busy.has(queueOf(one)))
      const next = Math.min(first?.next ?? NEVER, change ?? NEVER)
      return {
        ...seen,
        due: taken,
        hasMore: pending.length > 0 || change !== undefined,
        ...(next !== NEVER && !clock.isFrozen && { wait: Math.max(0, next - now) }),
      }
    })
  }

  #send({ due, now, last, wait }: Taken, own: Sending): void {
    for (const delivery of due) {
      own.busy.set(queueOf(delivery), delivery)
      void this.#attempt(delivery, { now, last }, own)
    }
    if (own.busy.size > 0) this.#prolong(own)
    clearTimeout(own.timer)
    own.timer = undefined
    if (wait === undefined || wait >= POLL || due.length > 0) return
    own.timer = this.#later(own, wait)
  }

  /** Sends a delivery, and writes what became of it, unless another server has taken over meanwhile. */
  async #attempt(
    delivery: Delivery,
    { now, last: follows }: Pick<Taken, 'now' | 'last'>,
    own: Sending,
  ): Promise<void> {
    const { service, events: notes } = this.#sandbox
    const { settings } = service
    const secret = secretOf(settings)
    const form = { ...settings.events, secret, ...(notes && { sender: notes.mark }) }
    try {
      const sent = await attemptDelivery(delivery, form, now)
      await this.#use(own.name, (world) => this.#finish(sent, follows, own, world))
    } catch {
      // It is sent again, with the same id.
    }
    own.busy.delete(queueOf(delivery))
    if (own.busy.size === 0) {
      clearInterval(own.renewal)
      own.renewal = undefined
    }
    await this.#look(own.name)
  }

  async #finish(
    sent: Delivery,
    follows: number,
    { busy }: Sending,
    { opened: { state, loaded } }: HostedWorld,
  ): Promise<void> {
    const store = await state.openStore()
    const deliveries = await StoredDeliveries.open(store)
    const lease = await deliveries.lease()
    if (lease?.holder !== this.#holder) return
    const at = sent.attempts.length - 1
    const attempts = sent.attempts.map((one, index) =>
      index === at ? { ...one, follows, precedes: state.journal.last } : one,
    )
    await deliveries.replace({ ...sent, attempts })
    const { subscription } = sent
    if (isGivenUp(sent) && subscription !== undefined) {
      const resources = subscriptionResources(state.service.settings.contract)
      await disableSubscription(subscription, resources, store)
    }
    const until = busy.size > 1 ? loaded.storeTime + LEASE : 0
    await deliveries.hold({ holder: this.#holder, until })
  }

  /** Prolongs the lease while receivers take their time. */
  #prolong(own: Sending): void {
    own.renewal ??= setInterval(() => {
      this.#use(own.name, async ({ opened: { state, loaded } }) => {
        const sent = await StoredDeliveries.open(await state.openStore())
        const lease = await sent.lease()
        if (lease?.holder !== this.#holder || own.busy.size === 0) return
        await sent.hold({ holder: this.#holder, until: loaded.storeTime + LEASE })
      }).catch(() => undefined)
    }, RENEWAL)
    own.renewal.unref()
  }

  async #forget({ name, busy }: Sending, noted: number, taken: Taken | undefined): Promise<void> {
    const { pending } = this.#sandbox.store
    if (busy.size > 0) return
    if (!taken || taken.storeTime - noted > FORGET_AFTER) await pending.forget(name, noted)
  }

  /** Runs a task on a world, and keeps what it changed. Resolves with `undefined` for a world that does not exist. */
  async #use<Result>(
    name: string,
    task: (world: HostedWorld) => Promise<Result>,
  ): Promise<Result | undefined> {
    const options: TaskOptions = { isUpkeep: true }
    const used = await this.#tasks.use(name, options, ({ world }) => task(world))
    return used?.result
  }
}

/** The time of what does not happen. */
const NEVER = Number.POSITIVE_INFINITY

/** Starts to send what the worlds of a sandbox have to send, until it is closed. Nothing starts where nobody may get an event. */
export function startSending(sandbox: SharedSandbox): void {
  if (sandbox.events) sandbox.events.sender = new DeliverySender(sandbox)
}
