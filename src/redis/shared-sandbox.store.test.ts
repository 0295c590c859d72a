import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createWorldState } from '../engine/world-state.ts'
import type { Exchange } from '../journal/exchange.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { loadItems, range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { newEpochOf } from './epochs.ts'

describe.skipIf(!findRedis())('sandboxes on one store', () => {
  let redis: StartedRedis
  let contract: Contract
  let pair: SharedPair
  beforeAll(async () => {
    redis = await startRedis()
    contract = await loadItems()
  })
  afterEach(() => pair.close())
  afterAll(stopRedis)

  it('answer requests that alternate between them as one', async () => {
    pair = await SharedPair.open(redis.address, { contract })

    const created = await pair.send(0, 'POST', '/items', { name: 'Fern' })
    const path = `/items/${created.body.id}`
    const read = await pair.send(1, 'GET', path)
    const updated = await pair.send(1, 'PATCH', path, { name: 'Moss' })
    const again = await pair.send(0, 'GET', path)
    const removed = await pair.send(0, 'DELETE', path)
    const gone = await pair.send(1, 'GET', path)

    expect(created.status).toBe(201)
    expect(read.body).toEqual(created.body)
    expect(updated).toMatchObject({ status: 200, body: { name: 'Moss' } })
    expect(again.body).toEqual(updated.body)
    expect([removed.status, gone.status]).toEqual([204, 404])
  })

  it('read a large body whole for a request that is refused at first, and admitted when it is decided again', async () => {
    const force = [{ outcome: 'unavailable', operation: 'POST /items', times: 1 }] as const
    pair = await SharedPair.open(redis.address, { contract, force })
    const item = { name: 'x'.repeat(20_000) }

    const created = await Promise.all(range(8).map((at) => pair.send(at, 'POST', '/items', item)))

    expect(created.map(({ status }) => status).sort()).toEqual([...Array(7).fill(201), 503])
  })

  it('have the same first records', async () => {
    pair = await SharedPair.open(redis.address, { contract })

    const [first, second] = await Promise.all([
      pair.send(0, 'GET', '/items'),
      pair.send(1, 'GET', '/items'),
    ])

    expect(first.status).toBe(200)
    expect(first.body.length).toBeGreaterThan(0)
    expect(second.body).toEqual(first.body)
  })

  it('share the collections below a record, which start anew when the record is created again', async () => {
    pair = await SharedPair.open(redis.address, { contract, records: 2 })
    const before = await pair.send<object[]>(0, 'GET', '/items/1/parts')

    const created = await pair.send(0, 'POST', '/items/1/parts', { name: 'Wheel' })
    const listed = await pair.send(1, 'GET', '/items/1/parts')
    await pair.send(1, 'DELETE', '/items/1')
    const gone = await pair.send(0, 'GET', `/items/1/parts/${created.body.id}`)

    expect(listed.body).toEqual([...before.body, created.body])
    expect(gone.status).toBe(404)
  })

  it('create records at the same time with different ids, and lose none', async () => {
    pair = await SharedPair.open(redis.address, { contract })

    const created = await Promise.all(
      range(60).map((at) => pair.send(at, 'POST', '/items', { name: 'Fern' })),
    )
    const ids = new Set(created.map(({ body }) => body.id))
    const read = await Promise.all([...ids].map((id) => pair.send(0, 'GET', `/items/${id}`)))

    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
    expect(ids.size).toBe(60)
    expect(read.map(({ status }) => status)).toEqual(read.map(() => 200))
  })

  it('answer requests while the world is reset', async () => {
    pair = await SharedPair.open(redis.address, { contract })
    const [one] = pair.sandboxes
    const reset = async (): Promise<boolean> => {
      const world = one.store.world('default')
      const state = createWorldState(one.service, new Set())
      return world.begin(newEpochOf(state), (await world.load())?.epoch)
    }

    const [isReset, ...answers] = await Promise.all([
      reset(),
      ...range(30).map((at) => pair.send(at, 'POST', '/items', { name: 'Fern' })),
      ...range(30).map((at) => pair.send(at, 'GET', '/items')),
    ])

    expect(isReset).toBe(true)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]))
  })

  it.each([
    ['list', 'GET', '/items', undefined],
    ['read', 'GET', '/items/1', undefined],
    ['create', 'POST', '/items', { name: 'Fern' }],
    ['update', 'PATCH', '/items/2', { name: 'Moss' }],
    ['delete', 'DELETE', '/items/3', undefined],
  ])(
    'count a %s once, and commit it last, with at most five commands',
    async (_, method, path, body) => {
      pair = await SharedPair.open(redis.address, { contract })
      await pair.send(0, 'GET', '/items')
      await pair.send(0, 'GET', '/items/7')
      pair.calls.length = 0

      const { status } = await pair.send(0, method, path, body)

      expect(status).toBeLessThan(300)
      expect(pair.calls.filter((call) => call === 'arrive')).toHaveLength(1)
      expect(pair.calls.at(-1)).toBe('commit')
      expect(pair.calls.length).toBeLessThanOrEqual(5)
    },
  )

  it('report the exchanges that they answer', async () => {
    const exchanges: Exchange[] = []
    pair = await SharedPair.open(redis.address, {
      onExchange: (exchange) => void exchanges.push(exchange),
    })

    await pair.send(0, 'GET', '/v1/pets')
    await pair.send(1, 'GET', '/v1/nothing')

    expect(exchanges.map(({ id, status }) => [id, status])).toEqual([
      [1, 200],
      [2, 404],
    ])
  })
})
