import { expect, it } from 'vitest'
import { errorOf, quotaOf, repeat, retryAfterOf } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type SendRequest,
} from '../testing/transports.ts'

/** One request a minute is served, so that few requests lead to a refusal. */
const PLANS = { free: { minute: 1, day: 1000 } }

function sendRequests(request: SendRequest, count: number): Promise<Response[]> {
  return repeat(count, () => request('GET', '/pets'))
}

async function codesOf(responses: readonly Response[]): Promise<string[]> {
  return (await Promise.all(responses.map(errorOf))).map(({ code }) => code)
}

/** A ban after two refused requests, for tests that do not depend on the number. */
const EARLY_BAN = { plans: PLANS, ban: { refusals: 2 } }

/** Sends one request that is served and two that are refused; returns the last `Retry-After`. */
async function causeBan(request: SendRequest): Promise<number> {
  const responses = await sendRequests(request, 3)
  expect(responses.map(({ status }) => status)).toEqual([200, 429, 429])

  return retryAfterOf(responses[2] ?? Response.error())
}

describeEachTransport('Bans', (open) => {
  it('bans a key after ten refused requests in a row', async () => {
    const { request } = await open({ plans: PLANS })

    const [first, ...refused] = await sendRequests(request, 12)

    expect(first?.status).toBe(200)
    expect(await codesOf(refused)).toEqual([
      ...Array(10).fill('rate_limit_exceeded'),
      'api_key_banned',
    ])
    expect(refused.map(retryAfterOf)).toEqual([...Array(9).fill(60), 300, 300])
  })

  it('gives the reason and the remaining time to a banned key', async () => {
    const { request, sandbox } = await open(EARLY_BAN)
    await causeBan(request)
    sandbox.clock.advance('100.5s')

    const response = await request('GET', '/pets')

    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(retryAfterOf(response)).toBe(200)
    expect(await errorOf(response)).toStrictEqual({
      code: 'api_key_banned',
      message:
        'This API key is banned, because it kept sending requests without waiting for Retry-After. ' +
        'Retry in 200 seconds.',
      status: 429,
    })
  })

  it('does not ban a key that waits after nine refused requests', async () => {
    const { request, sandbox } = await open({ plans: PLANS })
    await sendRequests(request, 10)
    sandbox.clock.advance('60s')

    const [served, ...refused] = await sendRequests(request, 10)

    expect(served?.status).toBe(200)
    expect(new Set(await codesOf(refused))).toEqual(new Set(['rate_limit_exceeded']))
  })

  it('starts counting again when a client has waited', async () => {
    const { request, sandbox } = await open({ plans: PLANS })
    const roundOfNine = async (): Promise<string[]> => {
      const [, ...refused] = await sendRequests(request, 10)
      sandbox.clock.advance('60s')
      return codesOf(refused)
    }

    const codes = (await repeat(3, roundOfNine)).flat()

    expect(new Set(codes)).toEqual(new Set(['rate_limit_exceeded']))
  })

  it('lifts the first ban after exactly 5 minutes', async () => {
    const { request, sandbox } = await open(EARLY_BAN)
    await causeBan(request)

    sandbox.clock.set('2027-03-01T12:04:59.999Z')
    const early = await request('GET', '/pets')
    sandbox.clock.set('2027-03-01T12:05:00Z')
    const late = await request('GET', '/pets')

    expect([early.status, late.status]).toEqual([429, 200])
    expect(retryAfterOf(early)).toBe(1)
  })

  it('keeps the ban when the next minute window starts', async () => {
    const { request, sandbox } = await open(EARLY_BAN)
    await causeBan(request)
    sandbox.clock.advance('60s')

    const response = await request('GET', '/pets')

    expect((await errorOf(response)).code).toBe('api_key_banned')
  })

  it('does not extend a ban because of requests during the ban', async () => {
    const { request, sandbox } = await open(EARLY_BAN)
    await causeBan(request)
    await sendRequests(request, 5)
    sandbox.clock.advance('300s')

    const response = await request('GET', '/pets')

    expect(response.status).toBe(200)
  })

  it('doubles the length of each later ban, up to an hour', async () => {
    const { request, sandbox } = await open(EARLY_BAN)
    const nextBan = async (): Promise<number> => {
      const wait = await causeBan(request)
      sandbox.clock.advance(wait * 1000)
      return wait
    }

    const waits = await repeat(7, nextBan)

    expect(waits).toEqual([300, 600, 1200, 2400, 3600, 3600, 3600])
  })

  it('takes number of refusals, length, factor and maximum from the options', async () => {
    const { request, sandbox } = await open({
      plans: PLANS,
      ban: { refusals: 3, seconds: 100, factor: 3, maxSeconds: 500 },
    })
    const nextBan = async (): Promise<[number[], string[]]> => {
      const [, ...refused] = await sendRequests(request, 5)
      const waits = refused.map(retryAfterOf)
      sandbox.clock.advance(`${waits.at(-1) ?? 0}s`)
      sandbox.clock.set(Math.ceil(sandbox.clock.now() / 60_000) * 60_000)
      return [waits, await codesOf(refused)]
    }

    const bans = await repeat(4, nextBan)

    expect(bans.map(([waits]) => waits.slice(2))).toEqual([
      [100, 100],
      [300, 300],
      [500, 500],
      [500, 500],
    ])
    expect(bans[0]?.[1].slice(2)).toEqual(['rate_limit_exceeded', 'api_key_banned'])
  })

  it('sends the longer of both waits when a refusal causes a ban', async () => {
    const { request } = await open({ plans: PLANS, ban: { refusals: 2, seconds: 10 } })

    const [, , second] = await sendRequests(request, 3)

    expect(retryAfterOf(second ?? Response.error())).toBe(60)
  })

  it('sends the wait until the end of the day to a banned key with a spent day quota', async () => {
    const { request, sandbox } = await open({ plans: { free: { minute: 100, day: 1 } } })
    await sendRequests(request, 11)

    const banned = await request('GET', '/pets')
    sandbox.clock.advance(retryAfterOf(banned) * 1000)
    const retry = await request('GET', '/pets')

    expect(retryAfterOf(banned)).toBe(43_200)
    expect(retry.status).toBe(200)
    expect(await errorOf(banned)).toMatchObject({
      code: 'api_key_banned',
      message:
        'This API key is banned, because it kept sending requests without waiting for Retry-After. ' +
        "The free plan's requests of this day are spent, too. Retry in 43200 seconds.",
    })
  })

  it('sends the wait until the end of the minute when it is longer than the ban', async () => {
    const { request, sandbox } = await open({ plans: PLANS, ban: { refusals: 2, seconds: 10 } })
    await sendRequests(request, 3)

    const banned = await request('GET', '/pets')
    sandbox.clock.advance(retryAfterOf(banned) * 1000)
    const retry = await request('GET', '/pets')

    expect((await errorOf(banned)).code).toBe('api_key_banned')
    expect(retryAfterOf(banned)).toBe(60)
    expect(retry.status).toBe(200)
  })

  it('bans no key with the option ban: false', async () => {
    const { request } = await open({ plans: PLANS, ban: false })

    const [, ...refused] = await sendRequests(request, 15)

    expect(new Set(await codesOf(refused))).toEqual(new Set(['rate_limit_exceeded']))
    expect(new Set(refused.map(retryAfterOf))).toEqual(new Set([60]))
  })

  it('bans a key that keeps sending requests after its day quota is spent', async () => {
    const { request } = await open({ plans: { free: { minute: 100, day: 1 } } })

    const [, ...refused] = await sendRequests(request, 12)

    expect((await codesOf(refused)).at(-1)).toBe('api_key_banned')
  })

  it('bans only the key that sent the requests', async () => {
    const { request } = await open({ ...EARLY_BAN, keys: { other: 'free' } })
    await causeBan(request)

    const other = await request('GET', '/pets', { key: 'other' })
    const anonymous = await request('GET', '/pets', { key: null })

    expect([other.status, anonymous.status]).toEqual([200, 401])
  })

  it.each([
    ['GET', '/pets'],
    ['POST', '/pets'],
    ['GET', '/pets/1'],
    ['GET', '/pets?limit=0'],
    ['GET', '/pets/abc'],
  ])('refuses %s %s from a banned key', async (method, path) => {
    const { request, sandbox } = await open(EARLY_BAN)
    await causeBan(request)
    sandbox.clock.advance('60s')

    const response = await request(method, path)

    expect((await errorOf(response)).code).toBe('api_key_banned')
    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it('reports an unknown method before a ban', async () => {
    const { request } = await open()

    const response = await request('DELETE', '/pets', { key: 'sk_sandbox_banned' })

    expect(response.status).toBe(405)
  })

  it('does not count requests that are refused because of a ban', async () => {
    const { request, sandbox } = await open({
      ...EARLY_BAN,
      plans: { free: { minute: 1, day: 2 } },
    })
    await causeBan(request)
    await sendRequests(request, 5)
    sandbox.clock.advance('300s')

    const response = await request('GET', '/pets')

    expect(response.status).toBe(200)
    expect(quotaOf(response)).toMatchObject({ limit: 2, remaining: 0 })
  })

  it('bans no key because of refusals other than 429', async () => {
    const { request } = await open()

    const refused = await repeat(15, () => request('GET', '/pets/999'))
    const response = await request('GET', '/pets')

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([404]))
    expect(response.status).toBe(200)
  })

  it('bans no key because of forced 429 responses', async () => {
    const { request, sandbox } = await open()
    sandbox.force('rate-limited', { times: 15 })
    const forced = await sendRequests(request, 15)

    const response = await request('GET', '/pets')

    expect(new Set(forced.map(({ status }) => status))).toEqual(new Set([429]))
    expect(response.status).toBe(200)
  })

  it('lifts all bans when the sandbox is reset', async () => {
    const { request, sandbox } = await open(EARLY_BAN)
    await causeBan(request)

    sandbox.reset()

    expect((await request('GET', '/pets')).status).toBe(200)
  })
})

describeEachTransportWith(['unknown paths'], 'Bans', (open) => {
  it('starts counting again when a client has waited and is refused again', async () => {
    const { request, sandbox } = await open({ plans: PLANS })
    await sendRequests(request, 10)
    sandbox.clock.advance('60s')
    await request('GET', '/dogs')

    const refused = await sendRequests(request, 9)

    expect(refused.map(({ status }) => status)).toEqual(Array(9).fill(429))
    expect(new Set(await codesOf(refused))).toEqual(new Set(['rate_limit_exceeded']))
    expect(new Set(refused.map(retryAfterOf))).toEqual(new Set([60]))
  })

  it('reports an unknown path before a ban', async () => {
    const { request } = await open()

    const response = await request('GET', '/dogs', { key: 'sk_sandbox_banned' })

    expect(response.status).toBe(404)
  })
})
