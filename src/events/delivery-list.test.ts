import { describe, expect, it } from 'vitest'
import { pendingDelivery } from '../testing/pending-delivery.ts'
import { createSeededRandom } from '../testing/seeded-random.ts'
import { type Delivery, dueAt, inStrictOrder, MAX_ENDED } from './delivery.ts'
import { DeliveryList } from './delivery-list.ts'

function ended({ next: _, ...others }: Delivery): Delivery {
  return { ...others, state: 'delivered' }
}

const idsOf = (deliveries: readonly Delivery[]): readonly number[] => deliveries.map(({ id }) => id)

/** Removes, ends, repeats or adds a delivery. */
function changeOne(deliveries: DeliveryList, pick: (most: number) => number, id: number): void {
  const one = deliveries.list[pick(deliveries.list.length)]
  const url = `http://127.0.0.1/${pick(4)}`
  const fault = (['late', 'out-of-order', 'burst', undefined, undefined] as const)[pick(5)]
  const next = pick(5)
  const change = one ? pick(5) : 4
  if (!one || change > 2)
    deliveries.add([pendingDelivery(id, { url, next, ...(fault && { fault }) })])
  else if (change === 0) deliveries.remove(one.id)
  else if (change === 1) deliveries.replace(ended(one))
  else {
    const attempts = [...one.attempts, { at: 0, duration: 1, headers: {} }]
    deliveries.replace({ ...one, attempts, next, state: 'pending' })
  }
}

describe('a list of deliveries', () => {
  it('keeps all that are pending, and the latest others', () => {
    const deliveries = new DeliveryList(() => false)
    deliveries.add([pendingDelivery(1), pendingDelivery(2)])
    const others = Array.from({ length: MAX_ENDED }, (_, at) => ended(pendingDelivery(at + 3)))

    deliveries.add(others)
    expect(deliveries.list).toHaveLength(MAX_ENDED + 2)
    deliveries.replace(ended(pendingDelivery(2)))

    expect(deliveries.pending).toBe(1)
    expect(idsOf(deliveries.list).slice(0, 2)).toEqual([1, 3])
  })

  it('forgets one that is taken back, although its attempt ends later', () => {
    const deliveries = new DeliveryList(() => false)
    deliveries.add([pendingDelivery(1), pendingDelivery(2)])

    deliveries.remove(1)
    deliveries.replace(ended(pendingDelivery(1)))

    expect(idsOf(deliveries.list)).toEqual([2])
    expect(idsOf(deliveries.next(new Map()))).toEqual([2])
  })

  it('knows which receivers that are being told have nothing else to be told', () => {
    const deliveries = new DeliveryList(() => false)
    const other = pendingDelivery(2, { url: 'http://127.0.0.1/others' })
    deliveries.add([pendingDelivery(1), other, pendingDelivery(3)])

    expect(deliveries.alone([pendingDelivery(1), other])).toEqual([other])
  })

  it('looks at few deliveries, however many are pending', () => {
    let reads = 0
    const counted = (id: number): Delivery =>
      Object.defineProperty(pendingDelivery(id), 'next', {
        get: () => {
          reads += 1
          return 1000
        },
      })
    const deliveries = new DeliveryList(() => false)
    deliveries.add(Array.from({ length: 5000 }, (_, at) => counted(at + 1)))
    reads = 0

    deliveries.add([counted(5001)])
    const [first] = deliveries.next(new Map())
    deliveries.replace(ended(pendingDelivery(first?.id ?? 0)))

    expect(first?.id).toBe(1)
    expect(deliveries.pending).toBe(5000)
    expect(reads).toBeLessThan(20)
  })

  it.each([false, true])(
    'finds what is sent next as a look at each finds it, in the strict order: %s',
    (isStrict) => {
      const { below: pick } = createSeededRandom(7)
      const deliveries = new DeliveryList(() => isStrict)

      for (let step = 0; step < 400; step += 1) {
        changeOne(deliveries, pick, step + 1)
        const sendable = isStrict ? inStrictOrder(deliveries.list) : deliveries.list
        const due = dueAt(sendable, Number.POSITIVE_INFINITY, new Set())

        expect(new Set(idsOf(deliveries.next(new Map())))).toEqual(new Set(idsOf(due)))
        expect(deliveries.pending).toBe(
          deliveries.list.filter(({ next }) => next !== undefined).length,
        )
      }
    },
  )
})
