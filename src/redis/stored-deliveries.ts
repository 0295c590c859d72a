import type { SchemaValidator } from '../contract/contract.ts'
import {
  DELIVERY_STATES,
  type Delivery,
  dueAt,
  inStrictOrder,
  MAX_BUSY,
  MAX_ENDED,
  numbered,
  queueOf,
  receiverOf,
  withReleased,
} from '../events/delivery.ts'
import type { EventsSnapshot } from '../events/world-events.ts'
import type { StoredRecord } from '../records/record-table.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Resource } from '../resources/resource.ts'
import type { Records } from '../resources/store/records.ts'
import type { Store } from '../resources/store/store.ts'
import { storedName } from '../resources/store/transaction-collections.ts'
import { isObject } from '../validation/objects.ts'

const validate: SchemaValidator = Object.assign(() => true, { errors: null })

/**
 * What a world in a store has to send, and has sent. It is a collection of records that no path leads to, so that the commit of a request
 * writes the deliveries with the change that caused them. It is opened with the first one.
 */
export const EVENT_RECORDS: Resource = {
  name: '(events)',
  path: '/(events)',
  id: 'id',
  idSchema: { type: 'string' },
  schema: { type: 'object' },
  validate,
  filters: ['state', 'waits', 'queue'],
  sorts: ['next'],
  hidden: new Set(),
  startsEmpty: true,
}

/** The record with the id of the latest delivery, and that of who sends. */
const COUNTS = 'counts'
const LEASE = 'lease'

/** Deliveries that ended long ago are forgotten so many at a time. */
const CLEANUP = 100
/** So many pending deliveries are read at once. */
const BATCH = 2 * MAX_BUSY
/** Where more deliveries are pending, receivers do not cause each other's events one by one. */
const FEW = 5
/** So many names of queues are kept, even if nothing is pending there. */
const MAX_QUEUES = 50

/** The states in which nothing is sent any more. */
const ENDED = DELIVERY_STATES.filter((state) => state !== 'pending')

/** Which server may send the deliveries of a world. Each write of the holder prolongs it. */
export interface Lease {
  readonly holder: string
  /** In epoch milliseconds of the store's clock; 0 when nobody holds it. */
  readonly until: number
}

/** The deliveries of a world, as records of a transaction. */
export class StoredDeliveries {
  readonly #records: Records

  private constructor(records: Records) {
    this.#records = records
  }

  static async open(store: Store): Promise<StoredDeliveries> {
    return new StoredDeliveries(await store.open(EVENT_RECORDS))
  }

  /** Whether there are any. Opening the collection would write it to the store. */
  static async isOpened(transaction: Transaction): Promise<boolean> {
    const name = storedName(EVENT_RECORDS.path.slice(1), 0)
    return (await transaction.state(name)) !== undefined
  }

  /** Those that are kept, in the order of their causes. */
  async all(): Promise<readonly Delivery[]> {
    const { records } = await this.#records.page({})
    return records.flatMap(deliveryIn)
  }

  /** The first deliveries with an attempt to come, those that are due first. */
  async #pending(): Promise<readonly Delivery[]> {
    const query = { where: { state: 'pending' }, sort: { by: 'next' }, limit: BATCH }
    const { records } = await this.#records.page(query)
    return records.flatMap(deliveryIn)
  }

  /** The delivery of a queue that is due first. */
  async #first(queue: string): Promise<readonly Delivery[]> {
    const query = { where: { queue }, sort: { by: 'next' }, limit: 1 }
    const { records } = await this.#records.page(query)
    return records.flatMap(deliveryIn)
  }

  /**
   * What is due at a time, for receivers that are not being told anything, at most one delivery each, and at most as many as are sent at once; and
   * the first of what is pending. A receiver that does not answer may have thousands of deliveries before those of others, which are not read.
   * `isOwn` tells which deliveries this server may send; `isStrict`, whether retries hold up later events.
   */
  async dueAt(
    now: number,
    busy: ReadonlySet<string>,
    {
      isOwn = () => true,
      isStrict = false,
    }: { readonly isOwn?: (delivery: Delivery) => boolean; readonly isStrict?: boolean } = {},
  ): Promise<{ readonly due: readonly Delivery[]; readonly pending: readonly Delivery[] }> {
    const found = await this.#pending()
    const pending = isStrict ? await this.#heads(found) : found
    const due = dueAt(pending, now, busy).filter(isOwn)
    if (isStrict || found.length < BATCH || (found.at(-1)?.next ?? 0) > now) return { due, pending }
    const seen = new Set([...busy, ...pending.map(queueOf)])
    const { queues } = await this.#counts()
    for (const queue of queues) {
      if (due.length + busy.size >= MAX_BUSY) break
      if (!seen.has(queue)) due.push(...dueAt(await this.#first(queue), now, busy).filter(isOwn))
    }
    return { due, pending }
  }

  /** Of each queue, what may be sent in the strict order. */
  async #heads(found: readonly Delivery[]): Promise<readonly Delivery[]> {
    const { queues } = await this.#counts()
    const all = [...new Set([...found.map(queueOf), ...queues])]
    const pages = await Promise.all(
      all.map((queue) => this.#records.page({ where: { queue }, limit: BATCH })),
    )
    return pages.flatMap(({ records }) => inStrictOrder(records.flatMap(deliveryIn)))
  }

  /** Adds deliveries after the present ones. Resolves with them. */
  async add(made: readonly Omit<Delivery, 'id'>[], now: number): Promise<readonly Delivery[]> {
    const about = made.filter(({ event }) => event.record !== undefined)
    const [{ lastDelivery: last, queues }, count, waiting, ...first] = await Promise.all([
      this.#counts(),
      this.#records.count({ where: { state: 'pending' } }),
      this.#waiting(),
      ...[...new Set(about.map(receiverOf))].map((queue) => this.#first(queue)),
    ])
    const underWay = dueAt(first.flat(), now, new Set())
    const counts = await Promise.all(
      underWay.map((one) => this.#records.count({ where: { queue: queueOf(one) } })),
    )
    const alone = underWay.filter((_, at) => counts[at] === 1)
    const others = count > 0 && count <= FEW ? aloneAmong(await this.#pending(), made, now) : []
    const before = { last, pending: count, underWay, alone: [...alone, ...others] }
    const added = numbered(made, before)
    for (const one of added) await this.#put(nameOf(one), rowOf(one))
    for (const [at, one] of withReleased(waiting, added).entries()) {
      if (one !== waiting[at]) await this.#put(nameOf(one), rowOf(one))
    }
    const open = added.flatMap((one) => (one.next === undefined ? [] : queueOf(one)))
    await this.#put(COUNTS, {
      lastDelivery: last + added.length,
      queues: await this.#kept([...new Set([...queues, ...open])], open),
    })
    return added
  }

  /** Those that are sent after the next event of their receiver. */
  async #waiting(): Promise<readonly Delivery[]> {
    const { records } = await this.#records.page({ where: { waits: true } })
    return records.flatMap(deliveryIn)
  }

  /** Puts back what was pending in a snapshot. */
  async restore({ deliveries, lastDelivery }: EventsSnapshot): Promise<void> {
    for (const one of deliveries) await this.#put(nameOf(one), rowOf(one))
    await this.#put(COUNTS, { lastDelivery, queues: [...new Set(deliveries.map(queueOf))] })
  }

  /** Replaces a delivery after an attempt, unless the world has begun again since, or another server has noted an attempt. */
  async replace(delivery: Delivery): Promise<void> {
    const [present] = deliveryIn((await this.#records.get(nameOf(delivery))) ?? {})
    const isSame = present?.event.id === delivery.event.id
    const isNext = present?.attempts.length === delivery.attempts.length - 1
    if (isSame && isNext) await this.#put(nameOf(delivery), rowOf(delivery))
  }

  async lastDelivery(): Promise<number> {
    return (await this.#counts()).lastDelivery
  }

  /** The id of the latest delivery, and the queues that may have something pending. */
  async #counts(): Promise<{ readonly lastDelivery: number; readonly queues: readonly string[] }> {
    const { lastDelivery, queues } = (await this.#records.get(COUNTS)) ?? {}
    return {
      lastDelivery: typeof lastDelivery === 'number' ? lastDelivery : 0,
      queues: [queues].flat().filter((one) => typeof one === 'string'),
    }
  }

  /** The names of queues; when they are many, without those that have nothing pending. */
  async #kept(queues: readonly string[], open: readonly string[]): Promise<readonly string[]> {
    if (queues.length <= MAX_QUEUES) return queues
    const counts = await Promise.all(
      queues.map((queue) => (open.includes(queue) ? 1 : this.#records.count({ where: { queue } }))),
    )
    return queues.filter((_, at) => counts[at] !== 0)
  }

  async lease(): Promise<Lease | undefined> {
    const { holder, until } = (await this.#records.get(LEASE)) ?? {}
    return typeof holder === 'string' && typeof until === 'number' ? { holder, until } : undefined
  }

  /** Takes, prolongs or returns the lease. The commit fails when another server has written it since it was read. */
  hold(lease: Lease): Promise<void> {
    return this.#put(LEASE, { ...lease })
  }

  /** Forgets the first of the deliveries that have ended, when they are too many. Requests do not wait for it. */
  async forgetOld(): Promise<void> {
    const selections = ENDED.map((state) => ({ where: { state } }))
    const counts = await Promise.all(selections.map((one) => this.#records.count(one)))
    const extra = counts.reduce((sum, count) => sum + count, 0) - MAX_ENDED
    if (extra < CLEANUP) return
    const limit = Math.min(extra, 5 * CLEANUP)
    const pages = await Promise.all(selections.map((one) => this.#records.page({ ...one, limit })))
    const ended = pages.flatMap(({ records }) => records).flatMap(deliveryIn)
    const first = ended.sort((one, other) => one.id - other.id).slice(0, limit)
    for (const one of first) await this.#records.remove(nameOf(one))
  }

  async #put(id: string, values: StoredRecord): Promise<void> {
    const record = { ...values, id }
    if (!(await this.#records.update(id, () => record))) await this.#records.create(record)
  }
}

/** Of few pending deliveries, those whose receivers get none of the new ones and have nothing else to be told. One of them may have caused these. */
function aloneAmong(
  pending: readonly Delivery[],
  made: readonly Omit<Delivery, 'id'>[],
  now: number,
): readonly Delivery[] {
  const isAlone = (one: Delivery): boolean =>
    pending.filter((other) => queueOf(other) === queueOf(one)).length === 1
  const isOther = (one: Delivery): boolean =>
    !made.some((other) => receiverOf(other) === receiverOf(one))

  return dueAt(pending.filter(isOther).filter(isAlone), now, new Set())
}

/** Texts in the order of the numbers. */
function nameOf({ id }: Pick<Delivery, 'id'>): string {
  return String(id).padStart(12, '0')
}

/** A delivery as a record, with what it is found by. */
function rowOf(delivery: Delivery): StoredRecord {
  const { state, next, fault, attempts, after } = delivery
  const waits = fault === 'out-of-order' && attempts.length === 0 && after === undefined
  const pending = next !== undefined && { next, queue: queueOf(delivery) }
  return { state, ...pending, ...(waits && { waits }), delivery }
}

/** The delivery of a record; nothing of another record, and of one that no server wrote. */
function deliveryIn({ delivery }: StoredRecord): readonly [Delivery] | readonly [] {
  return isDelivery(delivery) ? [delivery] : []
}

function isDelivery(value: unknown): value is Delivery {
  if (!isObject(value) || !isObject(value.event)) return false
  const texts = [value.url, value.body, value.method, value.event.id]
  return texts.every((one) => typeof one === 'string') && Array.isArray(value.attempts)
}
