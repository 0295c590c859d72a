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
  readonly attempts: readonly Attempt[]
  /** When the next attempt is due, in epoch milliseconds of the sandbox's clock; absent when there is none. */
  readonly next?: number
  readonly state: DeliveryState
  /** Why nothing is sent; only of a refused delivery. */
  readonly reason?: string
}

/**
 * `pending`: an attempt is still to come. `delivered`: the receiver answered with a 2xx. `failed`: it did not, in all attempts. `refused`:
 * the address is not allowed, so nothing is sent.
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

/** What tells the receivers of deliveries apart: each gets its events in the order of their causes. */
export function receiverOf({ subscription, url }: Delivery): string {
  return subscription ?? url
}

/**
 * The deliveries that are due at a time, at most one for each receiver: that which is due first, of several the one that was caused first.
 * None for a receiver that is busy.
 */
export function dueAt(
  deliveries: readonly Delivery[],
  now: number,
  busy: ReadonlySet<string>,
): readonly Delivery[] {
  const due = new Map<string, Delivery>()
  for (const delivery of deliveries) {
    const receiver = receiverOf(delivery)
    if (delivery.next === undefined || delivery.next > now || busy.has(receiver)) continue
    const other = due.get(receiver)
    if (!other?.next || delivery.next < other.next) due.set(receiver, delivery)
  }
  return [...due.values()]
}

/** When the next attempt is due; `undefined` when there is none. */
export function nextDue(deliveries: readonly Delivery[]): number | undefined {
  const times = deliveries.flatMap(({ next }) => next ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The latest deliveries, with all that are pending. */
export function latest(deliveries: readonly Delivery[], limit: number): readonly Delivery[] {
  const ended = deliveries.length - deliveries.filter(({ next }) => next !== undefined).length
  let left = Math.max(0, ended - limit)
  return left === 0
    ? deliveries
    : deliveries.filter(({ next }) => {
        if (next !== undefined || left === 0) return true
        left -= 1
        return false
      })
}
