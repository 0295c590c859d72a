import { SortedMap } from '../records/sorted-map.ts'
import {
  type Delivery,
  isBefore,
  isInOrder,
  MAX_ENDED,
  placeOf,
  queueOf,
  receiverOf,
  withReleased,
} from './delivery.ts'

/** What is pending for one receiver. */
interface Queue {
  /** In the order in which it is due. */
  readonly due: SortedMap<Delivery>
  /** What must be sent in the order of its causes, in this order: nothing, unless the order is strict. */
  readonly inOrder: SortedMap<Delivery>
}

/**
 * The deliveries of a world in the order of their causes: all that are pending, and the latest others. What is added, what has ended and what
 * is due costs the same with ten and with ten thousand that are pending.
 */
export class DeliveryList {
  readonly #isStrict: () => boolean
  #wasStrict = false
  /** New ones have the highest ids, so that they stay in the order of their causes. */
  readonly #all = new Map<number, Delivery>()
  readonly #ended = new SortedMap<Delivery>()
  readonly #queues = new Map<string, Queue>()
  /** How many are pending, by the receiver. */
  readonly #pendingFor = new Map<string, number>()
  /** Those that wait for the next event of their receiver. */
  readonly #waiting = new Map<number, Delivery>()
  #pending = 0
  #list: readonly Delivery[] | undefined

  /** `isStrict`: whether a delivery waits for the earlier ones of its receiver. */
  constructor(isStrict: () => boolean) {
    this.#isStrict = isStrict
  }

  /** All of them. */
  get list(): readonly Delivery[] {
    this.#list ??= [...this.#all.values()]
    return this.#list
  }

  /** How many are pending. */
  get pending(): number {
    return this.#pending
  }

  get(id: number): Delivery | undefined {
    return this.#all.get(id)
  }

  /** Those of deliveries that are under way whose receivers have nothing else to be told. */
  alone(underWay: readonly Delivery[]): readonly Delivery[] {
    const own = (receiver: string): number =>
      underWay.filter((one) => this.#isPending(one.id) && receiverOf(one) === receiver).length
    return underWay.filter((one) => {
      const receiver = receiverOf(one)
      return (this.#pendingFor.get(receiver) ?? 0) === own(receiver)
    })
  }

  /** Adds deliveries after the others. Those that waited for them are due right after them. */
  add(added: readonly Delivery[]): void {
    for (const one of added) this.#set(one)
    const waiting = [...this.#waiting.values()]
    for (const [at, one] of withReleased(waiting, added).entries()) {
      if (one !== waiting[at]) this.#set(one)
    }
    this.#trim()
  }

  /** Replaces a delivery, unless it was removed meanwhile. */
  replace(delivery: Delivery): void {
    if (this.#all.has(delivery.id)) this.#set(delivery)
    this.#trim()
  }

  remove(id: number): void {
    this.#take(id)
    this.#all.delete(id)
  }

  clear(): void {
    for (const id of this.#all.keys()) this.remove(id)
  }

  /** The delivery that is sent next of each queue, except those that are busy. That which is due first comes first. */
  next(busy: ReadonlyMap<string, unknown>): readonly Delivery[] {
    this.#follow()
    const found = [...this.#queues].flatMap(([name, { due, inOrder }]) => {
      return busy.has(name) ? [] : earliest([firstOf(due), firstOf(inOrder)]).slice(0, 1)
    })
    return earliest(found)
  }

  #set(delivery: Delivery): void {
    this.#take(delivery.id)
    this.#all.set(delivery.id, delivery)
    if (delivery.next === undefined) {
      this.#ended.set(delivery.id, delivery)
      return
    }
    this.#count(delivery, 1)
    const isWaiting = delivery.fault === 'out-of-order' && delivery.attempts.length === 0
    if (isWaiting && delivery.after === undefined) this.#waiting.set(delivery.id, delivery)
    const name = queueOf(delivery)
    const queue = this.#queues.get(name) ?? { due: new SortedMap(), inOrder: new SortedMap() }
    this.#queues.set(name, queue)
    const { map, key } = this.#placeIn(queue, delivery)
    map.set(key, delivery)
  }

  /** Takes a delivery out of what is found by its state. */
  #take(id: number): void {
    this.#list = undefined
    const delivery = this.#all.get(id)
    this.#ended.delete(id)
    this.#waiting.delete(id)
    if (delivery?.next === undefined) return
    this.#count(delivery, -1)
    const name = queueOf(delivery)
    const queue = this.#queues.get(name)
    if (!queue) return
    const { map, key } = this.#placeIn(queue, delivery)
    map.delete(key)
    if (queue.due.size + queue.inOrder.size === 0) this.#queues.delete(name)
  }

  #placeIn(
    { due, inOrder }: Queue,
    delivery: Delivery,
  ): { readonly map: SortedMap<Delivery>; readonly key: number | string } {
    const place = placeOf(delivery)
    if (this.#wasStrict && isInOrder(delivery)) return { map: inOrder, key: place }
    return { map: due, key: sortable(delivery.next ?? 0) + sortable(2 * place) }
  }

  #count(delivery: Delivery, change: 1 | -1): void {
    const receiver = receiverOf(delivery)
    const left = (this.#pendingFor.get(receiver) ?? 0) + change
    this.#pending += change
    if (left === 0) this.#pendingFor.delete(receiver)
    else this.#pendingFor.set(receiver, left)
  }

  #isPending(id: number): boolean {
    return this.#all.get(id)?.next !== undefined
  }

  /** Removes the earliest of those that have ended. */
  #trim(): void {
    while (this.#ended.size > MAX_ENDED) this.remove(firstOf(this.#ended)?.id ?? 0)
  }

  /** Arranges the queues anew when the order was changed. */
  #follow(): void {
    const isStrict = this.#isStrict()
    if (isStrict === this.#wasStrict) return
    const { list } = this
    for (const { id } of list) this.#take(id)
    this.#wasStrict = isStrict
    this.#all.clear()
    for (const one of list) this.#set(one)
  }
}

function firstOf(map: SortedMap<Delivery>): Delivery | undefined {
  return map.chunks[0]?.values[0]
}

/** Deliveries in the order in which they are due. */
function earliest(deliveries: readonly (Delivery | undefined)[]): readonly Delivery[] {
  return deliveries
    .flatMap((one) => one ?? [])
    .sort((one, other) => (isBefore(one, other) ? -1 : 1))
}

/** An integer as a text that has the same order among others: instants and ids have at most 16 digits. */
function sortable(value: number): string {
  return String(value).padStart(16, '0')
}
