import type { DeliveryFault, ResendFault } from '../forcing/outcomes.ts'

/** An event that is sent to one receiver: plain data, so that snapshots keep it. */
export interface Delivery {
  /** Counts from 1 in each world. */
  readonly id: number
  readonly event: SentEvent
  /** Where it is sent. */
  readonly url: string
  readonly method: string
  readonly contentType: string
  readonly body: string
  /** The path of the record of the subscription, such as `hooks/1`; absent when it was not a subscription that asked for it. */
  readonly subscription?: string
  /** The secrets of the subscription; absent when it has none. */
  readonly secrets?: readonly string[]
  /** `true` when a program that receives events here sends it to its own receiver, and not the sandbox. */
  readonly forwarded?: true
  readonly attempts: readonly Attempt[]
  /** When the next attempt is due, in epoch milliseconds of the sandbox's clock; absent when there is none. */
  readonly next?: number
  readonly state: DeliveryState
  /** Why nothing is sent; only of a refused delivery. */
  readonly reason?: string
  /** What to do about that, when something can be done. */
  readonly help?: string
  /** What was forced on it; absent when nothing was. */
  readonly fault?: DeliveryFault
  /** How many times in a row the receiver caused the event itself, while it was told of it; absent when it did not. */
  readonly round?: number
  /** How many events in a row came each while its receiver, or another one, was told of nothing but the one before; absent when nobody was. */
  readonly chain?: number
  /** The id of the delivery that is sent before this one; only of one that is sent out of order. */
  readonly after?: number
  /** The headers that are sent; only of a replayed delivery. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * `pending`: an attempt is still to come. `delivered`: the receiver answered with a 2xx. `failed`: it did not, in all attempts. `refused`:
 * nothing is sent, for instance because the address is not allowed.
 */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'refused'] as const

/** What happened, as receivers learn of it. */
export interface SentEvent {
  /** The same in all deliveries and attempts of the event, such as `evt_1a2b…`. */
  readonly id: string
  /** Its name, such as `order.created`. */
  readonly type: string
  /** When it happened, in epoch milliseconds of the sandbox's clock. */
  readonly at: number
  /** The path of the record that it is about, such as `orders/7`; absent when it is about none. */
  readonly record?: string
}

/** Sends an event to a receiver that was added while the sandbox runs, and resolves with its response. */
export type Forward = (request: Request, event: SentEvent) => Promise<Response>

/** Stands for a receiver that has gone. */
export const nobodyReceives = async (): Promise<never> => {
  throw new Error('nobody receives at this address')
}

/** One request to a receiver. */
export interface Attempt {
  /** When it was due, in epoch milliseconds of the sandbox's clock. */
  readonly at: number
  /** How long the receiver took, in milliseconds of real time. */
  readonly duration: number
  readonly headers: Readonly<Record<string, string>>
  /** The status of the response; absent when there was none. */
  readonly status?: number
  /** The start of the response's body. */
  readonly responseBody?: string
  /** Why there was no response. */
  readonly error?: string
  /** How old the timestamp of the signature was, in seconds; absent unless a fault made it old. */
  readonly age?: number
  /** The id of the latest exchange in the journal when it began. */
  readonly follows?: number
  /** The id of the latest exchange in the journal when it ended. */
  readonly precedes?: number
}

/** A delivery that is not sent, and why. */
export function unsent(
  { next: _, ...delivery }: Omit<Delivery, 'id'>,
  reason: string,
  help?: string,
): Omit<Delivery, 'id'> {
  return { ...delivery, state: 'refused', reason, ...(help !== undefined && { help }) }
}

/** Whether a status means that the receiver has the event. */
function isAccepted({ status = 0 }: Pick<Attempt, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** The status with which a receiver says that it wants no more (Standard Webhooks, "Deliverability and reliability"). */
const GONE = 410

/**
 * A delivery after an attempt: delivered, failed, or with its next attempt. `retries` are the times between the attempts, in milliseconds;
 * each counts from when the attempt before it was due.
 */
export function afterAttempt(
  { next: _, ...delivery }: Delivery,
  attempt: Attempt,
  retries: readonly number[],
): Delivery {
  const attempts = [...delivery.attempts, attempt]
  if (isAccepted(attempt)) return { ...delivery, attempts, state: 'delivered' }
  const wait = retries[delivery.attempts.length]
  if (wait === undefined || attempt.status === GONE)
    return { ...delivery, attempts, state: 'failed' }

  return { ...delivery, attempts, next: attempt.at + wait, state: 'pending' }
}

/** Whether a delivery to a subscription has failed, and no fault was forced on it. */
export function isGivenUp({ state, subscription, fault }: Delivery): boolean {
  return state === 'failed' && subscription !== undefined && fault === undefined
}

/** What tells the receivers of deliveries apart: each gets its events in the order of their causes. */
export function receiverOf({ subscription, url }: Pick<Delivery, 'subscription' | 'url'>): string {
  return subscription ?? url
}

/** What is sent one after another: the deliveries to a receiver, but for each copy of a burst, which is sent beside the others. */
export function queueOf(delivery: Delivery): string {
  return delivery.fault === 'burst' ? `#${delivery.id}` : receiverOf(delivery)
}

/**
 * The deliveries that are due at a time, at most one for each receiver: that which is due first, of several the one that was caused first.
 * None for a queue that is busy.
 */
export function dueAt(
  deliveries: readonly Delivery[],
  now: number,
  busy: ReadonlySet<string>,
): readonly Delivery[] {
  const due = new Map<string, Delivery>()
  for (const delivery of deliveries) {
    const queue = queueOf(delivery)
    if (delivery.next === undefined || delivery.next > now || busy.has(queue)) continue
    const other = due.get(queue)
    if (!other || isBefore(delivery, other)) due.set(queue, delivery)
  }
  return [...due.values()]
}

/**
 * The pending deliveries without those that wait, in the strict order, for an earlier one of their receiver. What is forced to come late or out of
 * order holds up nothing.
 */
export function inStrictOrder(deliveries: readonly Delivery[]): readonly Delivery[] {
  const first = new Map<string, Delivery>()
  const pending = deliveries.filter(({ next }) => next !== undefined)
  for (const one of pending) {
    const other = first.get(queueOf(one))
    if (isInOrder(one) && (!other || placeOf(one) < placeOf(other))) first.set(queueOf(one), one)
  }
  return pending.filter((one) => !isInOrder(one) || first.get(queueOf(one)) === one)
}

export function isInOrder({ fault, attempts }: Delivery): boolean {
  return attempts.length > 0 || (fault !== 'late' && fault !== 'out-of-order')
}

/** Whether a delivery is sent before another one that is due, too. */
export function isBefore(one: Delivery, other: Delivery): boolean {
  const [next = 0, last = 0] = [one.next, other.next]
  return next < last || (next === last && placeOf(one) < placeOf(other))
}

/** The place in the order of causes. What is sent out of order comes right after the delivery that it waited for. */
export function placeOf({ id, after }: Delivery): number {
  return after === undefined ? id : after + 0.5
}

/** Deliveries with those that waited for the next event of their receiver, now that it is among the added ones. */
export function withReleased(
  deliveries: readonly Delivery[],
  added: readonly Delivery[],
): readonly Delivery[] {
  const next = new Map<string, Delivery>()
  for (const one of added) if (!one.fault && one.next !== undefined) next.set(receiverOf(one), one)
  return next.size === 0
    ? deliveries
    : deliveries.map((one) => {
        const isWaiting = one.fault === 'out-of-order' && one.attempts.length === 0
        const before = isWaiting && one.after === undefined ? next.get(receiverOf(one)) : undefined
        return before?.next === undefined || before.id < one.id
          ? one
          : { ...one, next: before.next, after: before.id }
      })
}

/** So many deliveries may be pending. Further ones fail at once. */
const MAX_PENDING = 10_000
/** So many times in a row a receiver may cause the same event itself. */
const MAX_ROUNDS = 20
/** So many events in a row may come each while a receiver is told of the one before, as when each makes it create another record. */
const MAX_CHAIN = 1000

/** What new deliveries come after. */
interface Earlier {
  /** The id of the latest delivery. */
  readonly last: number
  /** How many are pending. */
  readonly pending: number
  /** Those whose receivers are being told. */
  readonly underWay: readonly Delivery[]
  /** Those of them whose receivers have nothing else to be told. */
  readonly alone: readonly Delivery[]
}

/** New deliveries with their ids, in the order of their causes. Those that are too many, and those that a receiver causes again and again, are refused. */
export function numbered(
  made: readonly Omit<Delivery, 'id'>[],
  { last, pending, underWay, alone }: Earlier,
): readonly Delivery[] {
  let count = pending
  return made.map((delivery, at) => {
    const id = last + at + 1
    if (count >= MAX_PENDING) {
      return { id, ...unsent(delivery, `${MAX_PENDING} deliveries are pending`) }
    }
    const added = inChain(inRound(delivery, underWay), underWay, alone)
    if (added.next !== undefined) count += 1
    return { id, ...added }
  })
}

/** Tells of deliveries that are refused, but not of those that a rule forces never to be sent. */
export function tellRefusals(
  deliveries: readonly Delivery[],
  onRefusal: ((refused: Refused) => void) | undefined,
): void {
  for (const { state, fault, url, reason, help } of deliveries) {
    if (state !== 'refused' || fault !== undefined || reason === undefined) continue
    onRefusal?.({ url, reason, ...(help !== undefined && { help }) })
  }
}

/** A delivery that is not sent, and why. */
export type Refused = Pick<Delivery, 'url' | 'help'> & { readonly reason: string }

/** A delivery, with its round when its receiver is being told of the same event about the same record. */
function inRound(
  delivery: Omit<Delivery, 'id'>,
  underWay: readonly Delivery[],
): Omit<Delivery, 'id'> {
  const { event } = delivery
  const told = underWay.find(
    (one) =>
      event.record !== undefined &&
      one.event.record === event.record &&
      one.event.type === event.type &&
      receiverOf(one) === receiverOf(delivery),
  )
  if (!told) return delivery
  const round = (told.round ?? 0) + 1
  if (round <= MAX_ROUNDS) return { ...delivery, round }
  const reason = `the receiver has caused this event itself ${MAX_ROUNDS} times in a row`

  return unsent({ ...delivery, round }, reason)
}

/**
 * A delivery, with its place in the chain when its receiver is being told of one event only. Two receivers may cause each other's events: when
 * its own is not being told anything, the delivery comes after what another one is being told.
 */
function inChain(
  delivery: Omit<Delivery, 'id'>,
  underWay: readonly Delivery[],
  alone: readonly Delivery[],
): Omit<Delivery, 'id'> {
  const isOwn = (one: Delivery): boolean => receiverOf(one) === receiverOf(delivery)
  const told = underWay.some(isOwn) ? alone.find(isOwn) : shortestChain(alone)
  if (!told || delivery.next === undefined || delivery.fault !== undefined) return delivery
  const chain = (told.chain ?? 0) + 1
  if (chain <= MAX_CHAIN) return { ...delivery, chain }

  return unsent(
    { ...delivery, chain },
    `each of ${MAX_CHAIN} events in a row has come while a receiver was told of the one before`,
  )
}

/** Of several receivers that may have caused an event, the one that is least likely to have caused those before it. */
function shortestChain(alone: readonly Delivery[]): Delivery | undefined {
  return [...alone].sort((one, other) => (one.chain ?? 0) - (other.chain ?? 0))[0]
}

/** What became of deliveries until all that were due had ended. */
export interface Settled {
  readonly delivered: number
  readonly failed: number
  /** Those whose next attempt is later on the sandbox's clock. */
  readonly pending: number
}

/** How many deliveries were accepted, were not, and are pending. */
export function settledOf(deliveries: readonly Delivery[]): Settled {
  const countOf = (...states: readonly DeliveryState[]): number =>
    deliveries.filter(({ state }) => states.includes(state)).length

  return {
    delivered: countOf('delivered'),
    failed: countOf('failed', 'refused'),
    pending: countOf('pending'),
  }
}

/** A delivery that is sent once more, as a new one with the same event. */
export function sentAgain(
  { id: _, reason: _reason, help: _help, after: _after, chain: _chain, ...again }: Delivery,
  {
    now,
    fault,
    reason,
  }: {
    readonly now: number
    readonly fault?: ResendFault | undefined
    /** Why the fault is not sent. */
    readonly reason?: string | undefined
  },
): Omit<Delivery, 'id'> {
  const started = { ...again, attempts: [], next: now, state: 'pending' } as const
  if (!fault) return started
  const forced = { ...started, fault }
  return reason === undefined ? forced : unsent(forced, reason)
}

/** So many deliveries that have ended are kept. */
export const MAX_ENDED = 1000

/** So many attempts are under way at a time. */
export const MAX_BUSY = 20
