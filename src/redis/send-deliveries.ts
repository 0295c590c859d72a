import { attemptDelivery } from '../events/attempt-delivery.ts'
import { changesLater } from '../events/cause.ts'
import {
  type Delivery,
  type Forward,
  isGivenUp,
  MAX_BUSY,
  nobodyReceives,
  queueOf,
  tellRefusals,
} from '../events/delivery.ts'
import { secretOf } from '../events/event-settings.ts'
import { subscriptionResources } from '../events/known-events.ts'
import { settleStore } from '../events/later-changes.ts'
import { disableSubscription } from '../events/subscribers.ts'
import { ConnectedReceivers, eventsIn } from './connected-receivers.ts'
import { livingReceivers } from './held-receivers.ts'
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
  readonly busy: Map<string, Attempted>
  isTaking: boolean
  isAgain: boolean
  /** When it was looked at last, in milliseconds of real time. */
  looked: number
  timer?: ReturnType<typeof setTimeout> | undefined
  renewal?: ReturnType<typeof setInterval> | undefined
}

/** A delivery while it is attempted. */
interface Attempted {
  readonly delivery: Delivery
  /** Whether its receiver is connected to this server, which sends it without the lease. */
  readonly isConnected: boolean
}

/** What a server found when it looked at a world. */
interface Taken {
  readonly due: readonly Attempted[]
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
 * receiver's in order, and writes what became of them. When it ends before it has written that, another one sends the same again. What is for
 * a receiver that is connected to a server is sent by that server.
 */
class DeliverySender implements EventSender {
  readonly #sandbox: SharedSandbox
  readonly #tasks: WorldTasks
  readonly #holder: string = crypto.randomUUID()
  readonly #worlds = new Map<string, Sending>()
  readonly #receivers: ConnectedReceivers
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #closed = new AbortController()

  constructor(sandbox: SharedSandbox) {
    this.#sandbox = sandbox
    this.#tasks = createWorldTasks(sandbox)
    this.#receivers = new ConnectedReceivers(this.#tasks, this.#holder)
    this.#poll()
  }

  wake(name: string): void {
    const own = this.#worlds.get(name)
    const wait = own && own.busy.size > 0 ? own.looked + PAUSE - performance.now() : 0
    if (!own || wait <= 0) return void this.#look(name)
    // Receivers are being told, and each further event would look at the same again.
    own.timer ??= this.#later(own, wait)
  }

  async receive(
    world: string,
    url: string,
    forward: Forward,
    end: () => void = () => undefined,
  ): Promise<() => void> {
    const remove = await this.#receivers.add(world, { url, forward, end })
    // What requests to other servers cause is found sooner than by the next poll.
    const { journal } = this.#sandbox.store.world(world)
    const stopFollowing = journal.follow(() => this.wake(world))
    this.wake(world)
    return () => {
      stopFollowing()
      remove()
    }
  }

  #later(own: Sending, wait: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      own.timer = undefined
      void this.#look(own.name)
    }, wait)
    timer.unref()
    return timer
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted
  }

  /** Breaks off what is under way: another server sends it again. */
  close(): void {
    this.#closed.abort()
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
        await this.#receivers.renew()
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
    return this.#use(name, async (world) => {
      const { state, loaded, transaction } = world.opened
      const { clock, service, events, journal } = state
      const seen = { now: clock.now(), storeTime: loaded.storeTime, last: journal.last }
      const isLater = events.isUsed && changesLater(service.settings.contract)
      if (!(isLater || (await StoredDeliveries.isOpened(transaction))))
        return { ...seen, due: [], hasMore: false }

      return { ...seen, ...(await this.#dueIn(world, busy, { tidies, isLater })) }
    })
  }

  async #dueIn(
    world: HostedWorld,
    busy: Sending['busy'],
    { tidies, isLater }: { readonly tidies: boolean; readonly isLater: boolean },
  ): Promise<Pick<Taken, 'due' | 'hasMore' | 'wait'>> {
    const { state, loaded } = world.opened
    const { clock, events } = state
    const { storeTime } = loaded
    const now = clock.now()
    const store = await state.openStore()
    const sent = await StoredDeliveries.open(store)
    const isHeld = await this.#isHeldByOther(sent, storeTime)
    const tell = events.tell ?? (async () => undefined)
    const change = isLater && !isHeld ? await settleStore(store, now, tell) : undefined
    const connection = this.#connectionsIn(world)
    const isOwn = (delivery: Delivery): boolean => connection(delivery) ?? !isHeld
    const isStrict = state.service.settings.events.ordered === 'strict'
    const { due, pending } = await sent.dueAt(now, new Set(busy.keys()), { isOwn, isStrict })
    const taken = due
      .slice(0, MAX_BUSY - busy.size)
      .map((delivery) => ({ delivery, isConnected: connection(delivery) === true }))
    if (tidies && !isHeld) await sent.forgetOld()
    if (taken.some(({ isConnected }) => !isConnected))
      await sent.hold({ holder: this.#holder, until: storeTime + LEASE })
    const [first] = pending.filter(
      (one) => isOwn(one) && !due.includes(one) && !busy.has(queueOf(one)),
    )
    const next = Math.min(first?.next ?? NEVER, change ?? NEVER)

    return {
      due: taken,
      hasMore: isHeld || pending.length > 0 || change !== undefined,
      ...waitUntil(next, clock),
    }
  }

  async #isHeldByOther(sent: StoredDeliveries, storeTime: number): Promise<boolean> {
    const { holder = this.#holder, until = 0 } = (await sent.lease()) ?? {}
    return holder !== this.#holder && until > storeTime
  }

  /**
   * Tells of a delivery whether its receiver is connected to this server, or to another one; `undefined` when it is connected to none, so that whoever
   * has the lease attempts it.
   */
  #connectionsIn(world: HostedWorld): (delivery: Delivery) => boolean | undefined {
    const { events, storeTime } = eventsIn(world)
    const living = livingReceivers(events.held, storeTime)
    return ({ forwarded, url }) => {
      const found = forwarded && living.find((one) => one.url === url)
      if (!found) return undefined
      return found.holder === this.#holder && this.#receivers.at(world.name, url) !== undefined
    }
  }

  #send({ due, now, last, wait }: Taken, own: Sending): void {
    for (const attempted of due) {
      own.busy.set(queueOf(attempted.delivery), attempted)
      void this.#attempt(attempted, { now, last }, own)
    }
    if (isLeased(own)) this.#prolong(own)
    clearTimeout(own.timer)
    own.timer = undefined
    if (wait === undefined || wait >= POLL || due.length > 0) return
    own.timer = this.#later(own, wait)
  }

  /** Sends a delivery, and writes what became of it, unless another server has taken over meanwhile. */
  async #attempt(
    attempted: Attempted,
    { now, last: follows }: Pick<Taken, 'now' | 'last'>,
    own: Sending,
  ): Promise<void> {
    const { delivery } = attempted
    const { service, events: notes } = this.#sandbox
    const { settings } = service
    const { deliver } = settings.events
    const form = {
      ...settings.events,
      secret: secretOf(settings),
      sender: notes.mark,
      isOver: this.#closed.signal,
      deliver: delivery.forwarded
        ? (request: Request) => this.#forwarderTo(own.name, delivery)(request, delivery.event)
        : deliver,
    }
    try {
      const sent = await attemptDelivery(delivery, form, now)
      if (this.#isClosed) return
      tellRefusals([sent], settings.events.onRefusal)
      await this.#use(own.name, (world) =>
        this.#finish({ ...attempted, sent }, follows, own, world),
      )
    } catch {
      // It is sent again, with the same id.
    }
    own.busy.delete(queueOf(delivery))
    if (!isLeased(own)) {
      clearInterval(own.renewal)
      own.renewal = undefined
    }
    await this.#look(own.name)
  }

  #forwarderTo(world: string, { url }: Delivery): Forward {
    return this.#receivers.at(world, url) ?? nobodyReceives
  }

  async #finish(
    { delivery, isConnected, sent }: Attempted & { readonly sent: Delivery },
    follows: number,
    { busy }: Sending,
    world: HostedWorld,
  ): Promise<void> {
    const { state, loaded } = world.opened
    const store = await state.openStore()
    const deliveries = await StoredDeliveries.open(store)
    // A receiver may have connected to another server, or to any, which sends it again.
    if (delivery.forwarded) world.isBoundToConfiguration = true
    if ((this.#connectionsIn(world)(delivery) ?? false) !== isConnected) return
    const lease = await deliveries.lease()
    if (!isConnected && lease?.holder !== this.#holder) return
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
    if (isConnected) return
    const hasOthers = [...busy.values()].filter((one) => !one.isConnected).length > 1
    await deliveries.hold({
      holder: this.#holder,
      until: hasOthers ? loaded.storeTime + LEASE : 0,
    })
  }

  /** Prolongs the lease while receivers take their time. */
  #prolong(own: Sending): void {
    own.renewal ??= setInterval(() => {
      this.#use(own.name, async ({ opened: { state, loaded } }) => {
        const sent = await StoredDeliveries.open(await state.openStore())
        const lease = await sent.lease()
        if (lease?.holder !== this.#holder || !isLeased(own)) return
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

/** Whether a server needs the lease of a world for what it sends. */
function isLeased({ busy }: Sending): boolean {
  return [...busy.values()].some(({ isConnected }) => !isConnected)
}

/** How long it takes until a time; nothing when it does not come. */
function waitUntil(
  time: number,
  clock: { readonly isFrozen: boolean; now(): number },
): Pick<Taken, 'wait'> {
  return time === NEVER || clock.isFrozen ? {} : { wait: Math.max(0, time - clock.now()) }
}

/** The time of what does not happen. */
const NEVER = Number.POSITIVE_INFINITY

/** Starts to send what the worlds of a sandbox have to send, until it is closed. */
export function startSending(sandbox: SharedSandbox): void {
  sandbox.events.sender = new DeliverySender(sandbox)
}
