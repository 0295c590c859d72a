import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CountedRequest, openTripCounter, type TripCounter } from '../redis/count-trips.ts'
import { range } from '../redis/shared-pair.ts'
import { startRedis, stopRedis } from '../redis/start-redis.ts'
import { loadTasks } from '../redis/tasks-document.ts'

const SMALL = 200
const LARGE = 100_000

/**
 * The digits by which the traffic of two requests of the same kind may differ: of ids, totals, places in lists, and the durations of
 * exchanges.
 */
const DIGITS = 40

const TASK = { title: 'Water the fern', state: 'open', owner: 'Ann' }

const REQUESTS: readonly (readonly [string, CountedRequest])[] = [
  ['a list with its total', { method: 'GET', path: '/tasks', status: 200 }],
  ['the third page of a list', { method: 'GET', path: '/tasks?page=3', status: 200 }],
  ['a filtered list', { method: 'GET', path: '/tasks?owner=Ann', status: 200 }],
  ['a list with two filters', { method: 'GET', path: '/tasks?owner=Ann&state=open', status: 200 }],
  ['a filter of two values', { method: 'GET', path: '/tasks?state=open,closed', status: 200 }],
  ['a list in an order', { method: 'GET', path: '/tasks?sort=title', status: 200 }],
  ['a filtered order', { method: 'GET', path: '/tasks?sort=title&owner=Ben', status: 200 }],
  ['a record', { method: 'GET', path: '/tasks/7', status: 200 }],
  ['a creation', { method: 'POST', path: '/tasks', body: TASK, status: 201 }],
  ['a replacement', { method: 'PUT', path: '/tasks/{id}', body: TASK, status: 200 }],
  ['a removal', { method: 'DELETE', path: '/tasks/{id}', status: 204 }],
  ['a preflight', { method: 'OPTIONS', path: '/tasks', status: 204 }],
]

describe('a world with 100,000 records, 1,000 keys and 100 rules', () => {
  let small: TripCounter
  let large: TripCounter
  beforeAll(async () => {
    const { port } = await startRedis()
    const contract = await loadTasks()
    const plans = { gold: { minute: 100_000, day: 100_000 } }
    const keys = range(1000).map((at) => [`key-${at}`, 'gold'] as const)
    const rule = { outcome: 'server-error', operation: 'GET /tasks/{task}/notes/{note}' } as const
    small = await openTripCounter(port, { contract, plans, keys: { 'key-0': 'gold' } })
    large = await openTripCounter(port, {
      contract,
      plans,
      keys: Object.fromEntries(keys),
      force: range(100).map(() => rule),
    })
    await fill(small, SMALL)
    await fill(large, LARGE)
  }, 180_000)
  afterAll(async () => {
    await small.close()
    await large.close()
    await stopRedis()
  })

  it.each(REQUESTS)('costs %s no more than a small one', async (_, given) => {
    const requestTo = (id: number): CountedRequest => ({
      ...given,
      path: given.path.replace('{id}', `${id}`),
      headers: { Authorization: 'Bearer key-0' },
    })
    await Promise.all([small.send(requestTo(7)), large.send(requestTo(7))])

    const one = await small.count(requestTo(8))
    const other = await large.count(requestTo(8))

    expect(other.trips).toBe(one.trips)
    expect(Math.abs(other.sent - one.sent)).toBeLessThanOrEqual(DIGITS)
    expect(Math.abs(other.received - one.received)).toBeLessThanOrEqual(DIGITS)
  })
})

/** Fills the collection of tasks with records that resemble each other. */
async function fill({ sandbox }: TripCounter, size: number): Promise<void> {
  const world = sandbox.store.world('default')
  const { epoch = '' } = (await world.load()) ?? {}
  await world.records(epoch).open('tasks@0', {
    rows: range(size).map((at) => ({
      id: at + 1,
      record: {
        id: at + 1,
        title: 'Water the fern',
        state: at % 2 === 0 ? 'open' : 'closed',
        owner: ['Ann', 'Ben', 'Cid'][at % 3],
      },
    })),
    removed: [],
    ids: size,
    filters: ['state', 'owner'],
    orders: ['title'],
  })
}
