import { describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'

const contract = await loadContract('src/testing/shop-events.yaml')
const HOOK = 'http://127.0.0.1:3000/hooks'

describe('a receiver that causes the event of which it is told', () => {
  it('about another record each time gets a thousand in a row, and then no more', async () => {
    const limits: string[] = []
    const sandbox = createSandbox({
      contract,
      events: {
        to: HOOK,
        onRefusal: ({ reason }) => void limits.push(reason),
        deliver: async () => {
          await sandbox.collection('orders').create({ item: 'book' })
          return new Response(null, { status: 204 })
        },
      },
    })

    await sandbox.collection('orders').create({ item: 'book' })
    await sandbox.events.settled()
    const { receivers = [] } = await sandbox.report()

    const reason =
      'each of 1000 events in a row has come while a receiver was told of the one before'
    expect(sandbox.events.deliveries.at(-1)).toMatchObject({ state: 'refused', reason })
    expect(limits).toEqual([reason])
    expect(receivers[0]?.checks.find(({ rule }) => rule === 'event-loop')).toMatchObject({
      verdict: 'failed',
      message: '1000 events in a row came each while a receiver was told of the one before.',
    })
  })

  it('of another receiver, and the other way round, is told no more after a thousand in all', async () => {
    const limits: string[] = []
    const other = 'http://127.0.0.1:3001/hooks'
    const sandbox = createSandbox({
      contract,
      events: {
        onRefusal: ({ reason }) => void limits.push(reason),
        deliver: async ({ url }) => {
          const orders = sandbox.collection('orders')
          if (url === other) await orders.create({ item: 'book' })
          else await orders.update(1, { item: `${sandbox.events.deliveries.length}` })
          return new Response(null, { status: 204 })
        },
      },
    })
    const hooks = sandbox.collection('hooks')
    await hooks.create({ events: ['order.created'], config: { url: HOOK } })
    await hooks.create({ events: ['order.updated'], config: { url: other } })

    await sandbox.collection('orders').create({ item: 'book' })
    await sandbox.events.settled()

    expect(limits).toEqual([
      'each of 1000 events in a row has come while a receiver was told of the one before',
    ])
    expect(sandbox.events.deliveries.at(-1)).toMatchObject({ state: 'refused', chain: 1001 })
  })

  it('may be told of any number of events that come at any time', async () => {
    const sandbox = createSandbox({
      contract,
      events: { to: HOOK, deliver: async () => new Response(null, { status: 204 }) },
    })

    for (let at = 0; at < 1100; at += 1) {
      await sandbox.collection('orders').create({ item: 'book' })
      if (at % 3 > 0) await sandbox.events.settled()
    }

    await expect(sandbox.events.settled()).resolves.toMatchObject({ failed: 0, pending: 0 })
  })
})
