import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CountedRequest,
  openTripCounter,
  type TripCounter,
} from '../testing/redis/count-trips.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { loadTasks } from '../testing/redis/tasks-document.ts'

type Made = Omit<CountedRequest, 'status'>

const PET = { name: 'Fern', categoryId: 1 }
const TASK = { title: 'Water the fern', state: 'open', owner: 'Ann' }
const NOTE = { text: 'Twice a week' }
const NOTES = '/tasks/1/notes'

const get = (path: string, headers?: Made['headers']): Made => ({
  method: 'GET',
  path,
  ...(headers && { headers }),
})
const post = (path: string, body: object): Made => ({ method: 'POST', path, body })

/** A request to the record that the answer to another request has. */
const withMade =
  (method: string, path: string, body: object, change?: object) =>
  async ({ send }: TripCounter): Promise<Made> => {
    const made = await send(post(path, body))
    return { method, path: `${path}/${made.body.id}`, ...(change && { body: change }) }
  }

/** The request for the second page of a list. */
const secondPage =
  (path: string) =>
  async ({ send }: TripCounter): Promise<Made> => {
    const { headers } = await send(get(path))
    const [, link = ''] = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? []
    return get(link.replace(/^https?:\/\/[^/]*/, ''))
  }

/** Each request with the status of its response, and its round trips: those of the arrival, its reads, and the commit. */
const PETS: readonly [string, number, number, Made | ((counter: TripCounter) => Promise<Made>)][] =
  [
    ['a list', 200, 3, get('/v1/pets')],
    ['the second page of a list', 200, 3, secondPage('/v1/pets')],
    ['a filtered list', 200, 3, get('/v1/pets?status=available&limit=5')],
    ['the second page of a filtered list', 200, 3, secondPage('/v1/pets?status=available&limit=5')],
    ['a record', 200, 3, get('/v1/pets/7')],
    ['a record that does not exist', 404, 3, get('/v1/pets/7000')],
    ['a creation', 201, 3, post('/v1/pets', PET)],
    ['a creation with a mistake', 400, 2, post('/v1/pets', { name: 7 })],
    ['a path that does not exist', 404, 2, get('/v1/nothing')],
    ['a preflight', 204, 2, { ...get('/v1/pets', preflight()), method: 'OPTIONS' }],
    ['a request without a key', 401, 2, get('/v1/pets', {})],
    ['a request beyond the quota', 429, 2, get('/v1/pets', bearer('sk_sandbox_rate_limited'))],
  ]

const TASKS: typeof PETS = [
  ['a list with its total', 200, 3, get('/tasks')],
  ['the third page of a list', 200, 3, get('/tasks?page=3')],
  ['a list in the order of a property', 200, 3, get('/tasks?sort=-title&page=2')],
  ['a record', 200, 3, get('/tasks/1')],
  ['a creation', 201, 3, post('/tasks', TASK)],
  ['a replacement', 200, 3, withMade('PUT', '/tasks', TASK, { ...TASK, state: 'closed' })],
  ['an update', 200, 3, withMade('PATCH', '/tasks', TASK, { ...TASK, state: 'closed' })],
  ['a removal', 204, 3, withMade('DELETE', '/tasks', TASK)],
  ['a list below a record', 200, 4, get(NOTES)],
  ['the page after a record', 200, 4, get(`${NOTES}?starting_after=3`)],
  ['a record below a record', 200, 4, get(`${NOTES}/2`)],
  ['a creation below a record', 201, 4, post(NOTES, NOTE)],
  ['a replacement below a record', 200, 4, withMade('PUT', NOTES, NOTE, { text: 'Once' })],
  ['an update below a record', 200, 4, withMade('PATCH', NOTES, NOTE, { text: 'Once' })],
  ['a removal below a record', 204, 4, withMade('DELETE', NOTES, NOTE)],
]

describe.skipIf(!findRedis())('a request without contention', () => {
  let pets: TripCounter
  let tasks: TripCounter
  beforeAll(async () => {
    const { port } = await startRedis()
    pets = await openTripCounter(port)
    tasks = await openTripCounter(port, { contract: await loadTasks() })
  })
  afterAll(async () => {
    await pets.close()
    await tasks.close()
    await stopRedis()
  })
  /** The round trips of a request after a change of the records, and those of the same one after that if it only reads. */
  const tripsOf = async (
    counter: TripCounter,
    status: number,
    given: Made | ((counter: TripCounter) => Promise<Made>),
  ): Promise<readonly number[]> => {
    const make = async (): Promise<Made> =>
      typeof given === 'function' ? given(counter) : Promise.resolve(given)
    // The first one opens collections, makes orders, and loads the code that few requests need.
    await counter.send(await make())
    const made = await make()
    await counter.send(counter === pets ? post('/v1/pets', PET) : post('/tasks', TASK))
    const { trips } = await counter.count({ ...made, status })
    if (made.method !== 'GET') return [trips]
    return [trips, (await counter.count({ ...made, status })).trips]
  }

  it.each(PETS)('%s of the shipped document (%i) needs %i round trips', async (_, ...given) => {
    const [status, trips, request] = given
    // What was read is not read again while the records are the same.
    const [first, second = 2] = await tripsOf(pets, status, request)
    expect([first, second]).toEqual([trips, 2])
  })

  it.each(TASKS)('%s of another document (%i) needs %i round trips', async (_, ...given) => {
    const [status, trips, request] = given
    const [first, second = 2] = await tripsOf(tasks, status, request)
    expect([first, second]).toEqual([trips, 2])
  })
})

function preflight(): Readonly<Record<string, string>> {
  return { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'GET' }
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${key}` }
}
