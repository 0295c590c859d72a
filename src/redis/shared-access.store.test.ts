import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findRedis } from '../testing/redis/find-redis.ts'
import { range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }

/** Without it, a new minute may begin between two requests. */
const STILL = {
  scenario: 'noon',
  scenarios: {
    noon: { description: 'The time stands still.', clock: '2026-01-01T12:00:00Z', frozen: true },
  },
}

describe.skipIf(!findRedis())('sandboxes on one store', () => {
  let redis: StartedRedis
  let pair: SharedPair
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(() => pair.close())
  afterAll(stopRedis)

  it('let exactly the quota of a key pass', async () => {
    pair = await SharedPair.open(redis.address, STILL)
    for (const at of range(2)) await pair.send(at, 'GET', '/v1/pets')

    const answers = await Promise.all(
      range(200).map((at) => pair.send(at, 'GET', '/v1/pets', undefined, FREE)),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(140)
  })

  it('ban a key everywhere at once', async () => {
    pair = await SharedPair.open(redis.address, STILL)
    for (const _ of range(70)) await pair.send(0, 'GET', '/v1/pets', undefined, FREE)

    const { body } = await pair.send(1, 'GET', '/v1/pets', undefined, FREE)

    expect(body).toMatchObject({ code: 'api_key_banned' })
  })

  it('force an outcome exactly as often as its rule says', async () => {
    pair = await SharedPair.open(redis.address, { force: [{ outcome: 'server-error', times: 3 }] })

    const answers = await Promise.all(range(30).map((at) => pair.send(at, 'GET', '/v1/pets')))

    expect(answers.filter(({ status }) => status === 500)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(27)
  })

  it('give each answer of a series to one request', async () => {
    const series = [503, 500, 500, 503, 'next'] as const
    pair = await SharedPair.open(redis.address, { force: [{ series }] })

    const answers = await Promise.all(range(30).map((at) => pair.send(at, 'GET', '/v1/pets')))

    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(26).fill(200), 500, 500, 503, 503])
  })

  it('let exactly one request move a flow from a state', async () => {
    const move = { flow: 'door', from: 'start', to: 'open', status: 500 } as const
    pair = await SharedPair.open(redis.address, { force: [move] })

    const answers = await Promise.all(range(30).map((at) => pair.send(at, 'GET', '/v1/pets')))

    expect(answers.filter(({ status }) => status === 500)).toHaveLength(1)
  })

  it('count a forced refusal as the same request in memory', async () => {
    pair = await SharedPair.open(redis.address, {
      ...STILL,
      plans: { free: { minute: 1, day: 100 } },
      ban: { refusals: 2 },
    })
    const prefer = { ...FREE, Prefer: 'outcome=server-error' }
    await pair.send(0, 'GET', '/v1/pets', undefined, FREE)
    await pair.send(1, 'GET', '/v1/pets', undefined, FREE)

    const forced = await pair.send(0, 'GET', '/v1/pets', undefined, prefer)
    const refused = await pair.send(1, 'GET', '/v1/pets', undefined, FREE)

    expect(forced.status).toBe(500)
    expect(refused.headers.get('X-Sandbox-Reason')).toBe('minute-quota')
    const world = await pair.sandboxes[0].store.world('default').load()
    expect(world?.accounts.get('sk_sandbox_free')?.history).toMatchObject({ bans: 1, row: 0 })
  })

  it('answer with a 503 without quota headers while the store is away', async () => {
    const server = await startRedis()
    pair = await SharedPair.open(server.address)

    await server.kill()
    const { status, headers, body } = await pair.send(0, 'GET', '/v1/pets')

    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'service_unavailable' })
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(headers.get('X-RateLimit-Limit')).toBeNull()
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
  it.each([
    ['a preflight', '/v1/pets', { Origin: 'http://localhost:3000' }],
    ['a preflight for an unknown path', '/v1/unknown', {}],
  ])('answer %s without quota headers while the store is away', async (_what, path, headers) => {
    const server = await startRedis()
    pair = await SharedPair.open(server.address)
    const preflight = { ...headers, 'Access-Control-Request-Method': 'POST' }
    const before = await pair.send(0, 'OPTIONS', path, undefined, preflight)

    await server.kill()
    const during = await pair.send(0, 'OPTIONS', path, undefined, preflight)

    expect(during.status).toBe(before.status)
    expect(during.body).toEqual(before.body)
    expect(fixedHeaders(during.headers)).toEqual(fixedHeaders(before.headers))
    expect(before.headers.get('X-RateLimit-Limit')).not.toBeNull()
    expect(during.headers.get('X-RateLimit-Limit')).toBeNull()
  })
})

/** The headers that depend neither on time nor on counts. */
function fixedHeaders(headers: Headers): readonly (readonly [string, string])[] {
  return [...headers].filter(([name]) => name !== 'date' && !name.startsWith('x-ratelimit-'))
}
