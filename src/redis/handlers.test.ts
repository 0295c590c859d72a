import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createSandbox, type Handlers } from '../index.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances, type Instance, openInstances } from '../testing/redis/instances.ts'
import { loadItems, range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { readJson } from '../testing/responses.ts'

describe.skipIf(!findRedis())('handlers of sandboxes on one store', () => {
  let redis: StartedRedis
  let contract: Contract
  let pair: SharedPair
  let effects: string[] = []
  const onHandlerMistake = (): void => undefined
  beforeAll(async () => {
    redis = await startRedis()
    contract = await loadItems()
  })
  afterEach(async () => {
    effects = []
    await pair.close()
  })
  afterEach(closeInstances)
  afterAll(stopRedis)

  /** Counts in the first record, whose name is a number. */
  const counting: Handlers = {
    'POST /items': async ({ records, next, afterCommit }) => {
      const items = records('items')
      const first = await items.get(1)
      await items.update(1, { name: String(Number(first?.name) + 1) })
      afterCommit(() => effects.push('committed'))
      return next()
    },
  }

  test('lose nothing when they run at the same time, and have effects once for each request', async () => {
    const records = { items: [{ id: 1, name: '0' }] }
    pair = await SharedPair.open(redis.address, { contract, records, handlers: counting })

    const created = await Promise.all(
      range(10).map((at) => pair.send(at, 'POST', '/items', { name: 'Fern' })),
    )

    expect(created.map(({ status }) => status)).toEqual(range(10).map(() => 201))
    expect((await pair.send(0, 'GET', '/items/1')).body).toMatchObject({ name: '10' })
    expect(effects).toHaveLength(10)
  })

  test('undo what they wrote when they throw', async () => {
    const handlers: Handlers = {
      'POST /items': async ({ records, next }) => {
        await records('items').create({ name: 'Moss' })
        await records('items').remove(1)
        await next()
        throw new Error('no paper')
      },
    }
    pair = await SharedPair.open(redis.address, { contract, handlers, onHandlerMistake })
    const before = await pair.send<object[]>(1, 'GET', '/items')

    const { status, body } = await pair.send(0, 'POST', '/items', { name: 'Fern' })

    expect(status).toBe(500)
    expect(body).toMatchObject({ message: expect.stringContaining('no paper') })
    expect((await pair.send(1, 'GET', '/items')).body).toEqual(before.body)
  })

  test('get the same random numbers as in memory', async () => {
    const handlers: Handlers = {
      'POST /items': async ({ random, records, next }) => {
        await records('items').update(1, { name: `${random.integer(1, 1e9)}` })
        return next()
      },
    }
    pair = await SharedPair.open(redis.address, { contract, handlers })
    const sandbox = createSandbox({ contract, handlers })
    const body = JSON.stringify({ name: 'Fern' })
    const headers = { Authorization: 'Bearer mine', 'Content-Type': 'application/json' }

    for (const at of [0, 1]) {
      await pair.send(at, 'POST', '/items', { name: 'Fern' })
      const url = 'http://localhost/items'
      await sandbox.fetch(new Request(url, { method: 'POST', headers, body }))
    }

    const stored = await pair.send(0, 'GET', '/items/1')
    const read = await readJson<{ readonly name: string }>(
      await sandbox.fetch(new Request('http://localhost/items/1', { headers })),
    )
    expect(stored.body.name).toMatch(/^\d+$/)
    expect(stored.body.name).toBe(read.body.name)
  })

  test('schedule changes that every instance sees when their time has come', async () => {
    const handlers: Handlers = {
      'POST /items': async ({ schedule, next }) => {
        await schedule('1h', { in: 'items', id: 1, set: { name: 'Late' } })
        return next()
      },
    }
    const later = await loadItems({ later: true })
    const [one, other] = await openInstances(redis.address, { contract: later, handlers })
    const headers = { Authorization: 'Bearer mine', 'Content-Type': 'application/json' }
    const nameIn = async ({ fetch }: Instance): Promise<unknown> => {
      const url = 'http://localhost/items/1'
      return (await readJson<{ readonly name: string }>(await fetch(new Request(url, { headers }))))
        .body.name
    }
    const before = await nameIn(one)
    const body = JSON.stringify({ name: 'Fern' })
    const url = 'http://localhost/items'

    await one.fetch(new Request(url, { method: 'POST', headers, body }))
    expect(await nameIn(other)).toBe(before)
    await one.callControl('POST', '/clock', { body: { advance: '1h' } })

    expect(await nameIn(other)).toBe('Late')
  })

  test('force outcomes, which the next request to any instance gets', async () => {
    const handlers: Handlers = {
      'POST /items': ({ force, next }) => {
        force('unavailable', { operation: 'GET /items', times: 1 })
        return next()
      },
    }
    pair = await SharedPair.open(redis.address, { contract, handlers, onHandlerMistake })

    const created = await pair.send(0, 'POST', '/items', { name: 'Fern' })

    expect(created.status).toBe(201)
    expect((await pair.send(1, 'GET', '/items')).status).toBe(503)
    expect((await pair.send(0, 'GET', '/items')).status).toBe(200)
  })

  test('force once for each request, with all else that it changes, when they run again after conflicts', async () => {
    let runs = 0
    const handlers: Handlers = {
      'POST /items': async ({ records, force, next }) => {
        runs += 1
        const first = await records('items').get(1)
        const name = String(Number(first?.name) + 1)
        await records('items').update(1, { name })
        force({ status: 503, operation: 'GET /items', where: { query: { number: name } } })
        return next()
      },
    }
    const records = { items: [{ id: 1, name: '0' }] }
    const instances = await openInstances(redis.address, {
      ...{ contract, records, handlers },
      auth: false,
    })
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Fern' })
    const create = (at: number) =>
      instances[at % 2]?.fetch(
        new Request('http://localhost/items', { method: 'POST', headers, body }),
      )

    await Promise.all(range(8).map(create))
    const { body: forced } = await instances[1].callControl('GET', '/outcomes')

    expect(forced).toMatchObject(
      range(8).map((at) => ({ id: at + 1, where: { query: { number: String(at + 1) } } })),
    )
    expect(runs).toBeGreaterThan(8)
  })

  test('force nothing when their request is refused', async () => {
    const handlers: Handlers = {
      'POST /items': ({ force }) => {
        force('unavailable', { operation: 'GET /items' })
        throw new Error('no paper')
      },
    }
    pair = await SharedPair.open(redis.address, { contract, handlers, onHandlerMistake })

    await pair.send(0, 'POST', '/items', { name: 'Fern' })

    expect((await pair.send(1, 'GET', '/items')).status).toBe(200)
  })
})
