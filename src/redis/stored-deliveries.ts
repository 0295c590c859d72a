import type { SchemaValidator } from '../contract/contract.ts'
import {
  type Delivery,
  dueAt,
  latest,
  MAX_ENDED,
  numbered,
  withReleased,
} from '../events/delivery.ts'
import type { EventsSnapshot } from '../events/world-events.ts'
import type { StoredRecord } from '../records/record-table.ts'
import type { Records } from '../resources/records.ts'
import type { Resource } from '../resources/resource.ts'
import type { Store } from '../resources/store.ts'
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
  filters: ['state', 'waits'],
  sorts: ['next'],
  hidden: new Set(),
  startsEmpty: true,
}

/** The record with the id of the latest delivery, and that of who sends. */
const COUNTS = 'counts'
const LEASE = 'lease'

/** Deliveries that ended long ago are forgotten when so many others were added. */
const CLEANUP = 100
/** So many pending deliveries are read at once. */
const BATCH = 100

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

  /** Those that are kept, in the order of their causes. */
  async all(): Promise<readonly Delivery[]> {
    const { records } = await this.#records.page({})
    return records.flatMap(deliveryIn)
  }

  /** Deliveries with an attempt to come, those that are due first. */
  async pending(skip = 0): Promise<readonly Delivery[]> {
    const query = { where: { state: 'pending' }, sort: { by: 'next' }, limit: BATCH }
    const { records } = await this.#records.page({ ...query, skip })
    return records.flatMap(deliveryIn)
  }

  /** What is due at a time, for receivers that are not being told anything, at most one delivery each; and when more is due. */
  async dueAt(
    now: number,
    busy: ReadonlySet<string>,
  ): Promise<{ readonly due: readonly Delivery[]; readonly pending: readonly Delivery[] }> {
    for (let skip = 0; ; skip += BATCH) {
      const pending = await this.pending(skip)
      const due = dueAt(pending, now, busy)
      const isLast = pending.length < BATCH || (pending.at(-1)?.next ?? 0) > now
      if (due.length > 0 || isLast) return { due, pending }
    }
  }

  /** Adds deliveries after the present ones. Resolves with them. */
  async add(made: readonly Omit<Delivery, 'id'>[], now: number): Promise<readonly Delivery[]> {
    const [last, first, count, waiting] = await Promise.all([
      this.lastDelivery(),
      this.pending(),
      this.#records.count({ where: { state: 'pending' } }),
      this.#waiting(),
    ])
    const underWay = dueAt(first, now, new Set())
    const added = numbered(made, { last, pending: count, underWay })
    for (const one of added) await this.#put(nameOf(one), rowOf(one))
    for (const [at, one] of withReleased(waiting, added).entries()) {
      if (one !== waiting[at]) await this.#put(nameOf(one), rowOf(one))
    }
    await this.#put(COUNTS, { lastDelivery: last + added.length })
    if (Math.floor(last / CLEANUP) < Math.floor((last + added.length) / CLEANUP))
      await this.#forgetOld()

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
    await this.#put(COUNTS, { lastDelivery })
  }

  /** Replaces a delivery, unless the world has begun again since. */
  async replace(delivery: Delivery): Promise<void> {
    const [present] = deliveryIn((await this.#records.get(nameOf(delivery))) ?? {})
    if (present?.event.id === delivery.event.id) await this.#put(nameOf(delivery), rowOf(delivery))
  }

  async lastDelivery(): Promise<number> {
    const { lastDelivery } = (await this.#records.get(COUNTS)) ?? {}
    return typeof lastDelivery === 'number' ? lastDelivery : 0
  }

  async lease(): Promise<Lease | undefined> {
    const { holder, until } = (await this.#records.get(LEASE)) ?? {}
    return typeof holder === 'string' && typeof until === 'number' ? { holder, until } : undefined
  }

  /** Takes, prolongs or returns the lease. The commit fails when another server has written it since it was read. */
  hold(lease: Lease): Promise<void> {
    return this.#put(LEASE, { ...lease })
  }

  async #forgetOld(): Promise<void> {
    const all = await this.all()
    const kept = new Set(latest(all, MAX_ENDED))
    for (const one of all) if (!kept.has(one)) await this.#records.remove(nameOf(one))
  }

  async #put(id: string, values: StoredRecord): Promise<void> {
    const record = { ...values, id }
    if (!(await this.#records.update(id, () => record))) await this.#records.create(record)
  }
}

/** Texts in the order of the numbers. */
function nameOf({ id }: Pick<Delivery, 'id'>): string {
  return String(id).padStart(12, '0')
}

/** A delivery as a record, with what it is found by. */
function rowOf(delivery: Delivery): StoredRecord {
  const { state, next, fault, attempts, after } = delivery
  const waits = fault === 'out-of-order' && attempts.length === 0 && after === undefined
  return { state, ...(next !== undefined && { next }), ...(waits && { waits }), delivery }
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
