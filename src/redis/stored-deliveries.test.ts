import { expect, test } from 'vitest'
import type { Delivery } from '../events/delivery.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import { pendingDelivery } from '../testing/pending-delivery.ts'
import { EVENT_RECORDS, StoredDeliveries } from './stored-deliveries.ts'

const NOW = Date.UTC(2030, 0, 1)

function deliveriesTo(url: string, count: number): readonly Omit<Delivery, 'id'>[] {
  return Array.from({ length: count }, (_, at) => {
    const event = { id: `evt_${url}_${at}`, type: 'order.created', at: NOW, record: `orders/${at}` }
    const { id: _id, ...delivery } = pendingDelivery(at, { event, url, next: NOW })
    return delivery
  })
}

/** The deliveries of a world, and how many records were read of them since. */
async function open() {
  const sandbox = createSandbox()
  const store = await SandboxWorld.handleOf(sandbox)().state.openStore()
  const records = await store.open(EVENT_RECORDS)
  const page = records.page.bind(records)
  let read = 0
  records.page = async (query) => {
    const found = await page(query)
    read += found.records.length
    return found
  }
  return {
    sent: await StoredDeliveries.open(store),
    startCount: () => {
      read = 0
    },
    read: () => read,
  }
}

test('a receiver that does not answer holds up no other one, and its deliveries are not all read', async () => {
  const { sent, startCount, read } = await open()
  await sent.add(deliveriesTo('http://hung.test', 300), NOW)
  await sent.add(deliveriesTo('http://other.test', 1), NOW)
  startCount()

  const { due } = await sent.dueAt(NOW, new Set(['http://hung.test']))

  expect(due.map(({ url }) => url)).toEqual(['http://other.test'])
  expect(read()).toBeLessThan(50)
})

test('a request that causes an event reads none of those that are pending but the first of its receiver', async () => {
  const { sent, startCount, read } = await open()
  await sent.add(deliveriesTo('http://hung.test', 300), NOW)
  startCount()

  const [added] = await sent.add(deliveriesTo('http://hung.test', 1), NOW)

  expect(added?.id).toBe(301)
  expect(read()).toBe(1)
})

test('beyond 10,000 pending deliveries, further ones are refused in one line', async () => {
  const { sent } = await open()
  await sent.add(deliveriesTo('http://hung.test', 10_000), NOW)

  const added = await sent.add(deliveriesTo('http://hung.test', 2), NOW)

  expect(added.map(({ state, reason }) => [state, reason])).toEqual([
    ['refused', '10000 deliveries are pending'],
    ['refused', '10000 deliveries are pending'],
  ])
})

test('of those that have ended, the latest 1,000 are kept', async () => {
  const { sent } = await open()
  await sent.add(deliveriesTo('http://hung.test', 10_000), NOW)
  await sent.add(deliveriesTo('http://hung.test', 1150), NOW)

  await sent.forgetOld()

  const all = await sent.all()
  const ended = all.filter(({ state }) => state !== 'pending')
  expect(ended.map(({ id }) => id).slice(0, 1)).toEqual([10_151])
  expect(ended).toHaveLength(1000)
  expect(all).toHaveLength(11_000)
})
