import { expect, it } from 'vitest'
import { errorOf, quotaOf, repeat, retryAfterOf, unixSeconds } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type OpenSandbox,
  type RequestOptions,
} from '../testing/transports.ts'

const NEXT_MINUTE = unixSeconds('2027-03-01T12:01:00Z')
const NEXT_DAY = unixSeconds('2027-03-02T00:00:00Z')

const FERN = { name: 'Fern', categoryId: 1 }

type Example = [name: string, method: string, path: string, options: RequestOptions, status: number]

/** A request for each kind of response, with the expected status. */
const EXAMPLES: Example[] = [
  ['a list', 'GET', '/pets', {}, 200],
  ['an animal', 'GET', '/pets/1', {}, 200],
  ['a created animal', 'POST', '/pets', { body: FERN }, 201],
  ['HEAD', 'HEAD', '/pets', {}, 200],
  ['an invalid query', 'GET', '/pets?limit=0', {}, 400],
  ['an invalid body', 'POST', '/pets', { body: {} }, 400],
  ['an unknown animal', 'GET', '/pets/999', {}, 404],
  ['an unknown method', 'DELETE', '/pets', {}, 405],
  ['another content type', 'POST', '/pets', { body: FERN, type: 'text/plain' }, 415],
  ['a forced 500', 'GET', '/pets', { headers: { Prefer: 'code=500' } }, 500],
]

function itServesPerMinute(open: OpenSandbox, key: string, minute: number): void {
  it(`serves exactly ${minute} requests a minute of ${key}`, async () => {
    const { request } = await open({ records: 1 })

    const served = await repeat(minute, () => request('GET', '/pets', { key }))
    const refused = await request('GET', '/pets', { key })

    expect(served.every(({ status }) => status === 200)).toBe(true)
    expect(served.map((response) => quotaOf(response).remaining).at(-1)).toBe(0)
    expect(refused.status).toBe(429)
  })
}

function itSendsTheQuota(open: OpenSandbox, examples: readonly Example[]): void {
  it.each(examples)(
    'sends the quota headers on every response, including errors: %s',
    async (...row) => {
      const [, method, path, options, status] = row
      const { request } = await open()

      const response = await request(method, path, options)

      expect(response.status).toBe(status)
      expect(quotaOf(response)).toEqual({ limit: 60, remaining: 59, reset: NEXT_MINUTE })
    },
  )

  it.each(examples)(
    'counts requests with every kind of response except 429: %s',
    async (...row) => {
      const [, method, path, options] = row
      const { request } = await open()
      await request(method, path, options)

      const next = await request('GET', '/pets')

      expect(quotaOf(next).remaining).toBe(58)
    },
  )
}

describeEachTransport('Limits', (open) => {
  it.each([
    ['sk_sandbox_free', 60],
    ['sk_sandbox_pro', 300],
    ['sk_sandbox_business', 1000],
    ['sk_sandbox_enterprise', 10_000],
  ])('allows %s %d requests a minute', async (key, minute) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key })

    expect(quotaOf(response)).toEqual({
      limit: minute,
      remaining: minute - 1,
      reset: NEXT_MINUTE,
    })
  })

  it.each([
    ['sk_sandbox_free', 'free', 1000],
    ['sk_sandbox_pro', 'pro', 10_000],
    ['sk_sandbox_business', 'business', 100_000],
    ['sk_sandbox_enterprise', 'enterprise', 1_000_000],
  ])('allows %s on the plan %s %d requests a day', async (key, plan, day) => {
    const { request } = await open({ plans: { [plan]: { minute: 2_000_000 } } })

    const response = await request('GET', '/pets', { key })

    expect(quotaOf(response)).toEqual({ limit: day, remaining: day - 1, reset: NEXT_DAY })
  })

  itSendsTheQuota(open, EXAMPLES)

  it('does not count OPTIONS, which browsers send by themselves', async () => {
    const { request } = await open()

    const response = await request('OPTIONS', '/pets')

    expect(quotaOf(response)).toEqual({ limit: 60, remaining: 60, reset: NEXT_MINUTE })
  })

  it.each([
    ['minute', { minute: 1, day: 9 }, 60, NEXT_MINUTE],
    ['day', { minute: 9, day: 1 }, 43_200, NEXT_DAY],
  ])('returns 429 for a request over the limit of the %s', async (window, free, wait, reset) => {
    const { request } = await open({ plans: { free } })
    await request('GET', '/pets')

    const response = await request('GET', '/pets')

    expect(response.status).toBe(429)
    expect(await errorOf(response)).toStrictEqual({
      code: 'rate_limit_exceeded',
      message:
        `The free plan allows 1 request a ${window}, and they are spent. ` +
        `Retry in ${wait} seconds.`,
      status: 429,
    })
    expect(retryAfterOf(response)).toBe(wait)
    expect(quotaOf(response)).toEqual({ limit: 1, remaining: 0, reset })
  })

  it('forbids caches to store a 429 (RFC 6585)', async () => {
    const { request } = await open()

    const { headers } = await request('GET', '/pets', { key: 'sk_sandbox_rate_limited' })

    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  it('adds no animal when a request is over the limit', async () => {
    const { request, sandbox } = await open({ plans: { free: { minute: 1 } } })
    await request('GET', '/pets')

    await request('POST', '/pets', { body: FERN })

    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it.each([
    ['12:00:00.000', 60],
    ['12:00:00.001', 60],
    ['12:00:00.999', 60],
    ['12:00:01.000', 59],
    ['12:00:30.500', 30],
    ['12:00:58.001', 2],
    ['12:00:59.000', 1],
    ['12:00:59.999', 1],
  ])('rounds Retry-After up to whole seconds, at least 1: at %s it is %d', async (time, wait) => {
    const { request, sandbox } = await open({ plans: { free: { minute: 1 } } })
    await request('GET', '/pets')
    sandbox.clock.set(`2027-03-01T${time}Z`)

    const response = await request('GET', '/pets')

    expect(retryAfterOf(response)).toBe(wait)
  })

  it('serves the client again exactly after the seconds in Retry-After', async () => {
    const { request, sandbox } = await open({ plans: { free: { minute: 1 } } })
    sandbox.clock.set('2027-03-01T12:00:17Z')
    await request('GET', '/pets')
    const wait = retryAfterOf(await request('GET', '/pets'))

    sandbox.clock.advance(wait * 1000 - 1)
    const early = await request('GET', '/pets')
    sandbox.clock.advance(1)
    const late = await request('GET', '/pets')

    expect([early.status, late.status]).toEqual([429, 200])
  })

  it.each([
    ['minute', { minute: 2, day: 9 }, '2027-03-01T12:00:59.999Z', '2027-03-01T12:01:00Z'],
    ['day', { minute: 9, day: 2 }, '2027-03-01T23:59:59.999Z', '2027-03-02T00:00:00Z'],
  ])('starts a new window with the UTC %s', async (_, free, before, after) => {
    const { request, sandbox } = await open({ plans: { free } })
    sandbox.clock.set(before)
    await repeat(2, () => request('GET', '/pets'))

    const last = await request('GET', '/pets')
    sandbox.clock.set(after)
    const first = await request('GET', '/pets')

    expect([last.status, first.status]).toEqual([429, 200])
    expect(quotaOf(first).remaining).toBe(1)
    expect(quotaOf(last).reset).toBe(unixSeconds(after))
  })

  it('sends the time at which the full quota is available again in X-RateLimit-Reset', async () => {
    const { request, sandbox } = await open({ plans: { free: { minute: 3 } } })
    const { reset } = quotaOf(await request('GET', '/pets'))

    sandbox.clock.set(reset * 1000)

    expect(quotaOf(await request('GET', '/pets'))).toEqual({
      limit: 3,
      remaining: 2,
      reset: reset + 60,
    })
  })

  it.each([
    ['the minute', { minute: 3, day: 5 }, { limit: 3, remaining: 2, reset: NEXT_MINUTE }],
    ['the day', { minute: 5, day: 3 }, { limit: 3, remaining: 2, reset: NEXT_DAY }],
    [
      'the day when both are equal',
      { minute: 3, day: 3 },
      { limit: 3, remaining: 2, reset: NEXT_DAY },
    ],
  ])('describes the window with the fewest remaining requests: %s', async (_, free, quota) => {
    const { request } = await open({ plans: { free } })

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toEqual(quota)
  })

  it('describes the day as soon as it has fewer remaining requests than the minute', async () => {
    const { request, sandbox } = await open({ plans: { free: { minute: 3, day: 5 } } })
    await repeat(3, () => request('GET', '/pets'))
    sandbox.clock.advance('1m')

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toEqual({ limit: 5, remaining: 1, reset: NEXT_DAY })
  })

  it('describes the day when both minute and day are spent', async () => {
    const { request } = await open({ plans: { free: { minute: 2, day: 2 } } })
    await repeat(2, () => request('GET', '/pets'))

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toEqual({ limit: 2, remaining: 0, reset: NEXT_DAY })
    expect(retryAfterOf(response)).toBe(43_200)
    expect((await errorOf(response)).message).toContain('2 requests a day')
  })

  it('describes the minute when only the minute is spent', async () => {
    const { request } = await open({ plans: { free: { minute: 2, day: 3 } } })
    await repeat(2, () => request('GET', '/pets'))

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toEqual({ limit: 2, remaining: 0, reset: NEXT_MINUTE })
  })

  it('does not count a refused request', async () => {
    const { request, sandbox } = await open({ plans: { free: { minute: 2, day: 4 } } })
    const statuses = async (): Promise<number[]> =>
      (await repeat(5, () => request('GET', '/pets'))).map(({ status }) => status)

    const first = await statuses()
    sandbox.clock.advance('1m')
    const second = await statuses()

    expect(first).toEqual([200, 200, 429, 429, 429])
    expect(second).toEqual([200, 200, 429, 429, 429])
  })

  it('counts each key separately', async () => {
    const { request } = await open({ keys: { mine: 'free', yours: 'free' } })
    await repeat(3, () => request('GET', '/pets', { key: 'mine' }))

    const response = await request('GET', '/pets', { key: 'yours' })

    expect(quotaOf(response).remaining).toBe(59)
  })

  it('counts all operations together', async () => {
    const { request } = await open()
    await request('GET', '/pets')
    await request('POST', '/pets', { body: FERN })

    const response = await request('GET', '/pets/1')

    expect(quotaOf(response).remaining).toBe(57)
  })

  it('serves no more than the limit of concurrent requests', async () => {
    const { request } = await open({ plans: { free: { minute: 5 } } })

    const responses = await Promise.all(Array.from({ length: 12 }, () => request('GET', '/pets')))

    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(7)
  })

  it.each([
    ['an invalid query', 'GET', '/pets?limit=0'],
    ['an invalid id', 'GET', '/pets/abc'],
    ['a missing body', 'POST', '/pets'],
  ])('reports a spent quota before %s', async (_, method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(429)
  })

  it('reports an unknown method before a spent quota', async () => {
    const { request } = await open()

    const response = await request('DELETE', '/pets', { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(405)
  })

  it('takes the limits of existing and new plans from the options', async () => {
    const { request } = await open({
      plans: { enterprise: { minute: 7 }, tiny: { minute: 1, day: 1 } },
      keys: { mine: 'tiny' },
    })

    const enterprise = await request('GET', '/pets', { key: 'sk_sandbox_enterprise' })
    const tiny = await request('GET', '/pets', { key: 'mine' })

    expect(quotaOf(enterprise).limit).toBe(7)
    expect(quotaOf(tiny)).toEqual({ limit: 1, remaining: 0, reset: NEXT_DAY })
  })

  it('refuses no request with the option quota: false, and still sends the quota headers', async () => {
    const { request } = await open({ quota: false, plans: { free: { minute: 2 } } })

    const responses = await repeat(15, () => request('GET', '/pets'))

    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(quotaOf(responses[14] ?? Response.error())).toEqual({
      limit: 2,
      remaining: 2,
      reset: NEXT_MINUTE,
    })
  })

  it('clears the counts when the sandbox is reset', async () => {
    const { request, sandbox } = await open()
    await repeat(5, () => request('GET', '/pets'))

    sandbox.reset()
    sandbox.clock.freeze()

    expect(quotaOf(await request('GET', '/pets')).remaining).toBe(59)
  })
})

describeEachTransportWith(['unknown paths'], 'Limits', (open) => {
  itSendsTheQuota(open, [
    ['an unknown path', 'GET', '/dogs', {}, 404],
    ['the base URL', 'GET', '', {}, 404],
  ])

  it('reports an unknown path before a spent quota', async () => {
    const { request } = await open()

    const response = await request('GET', '/dogs', { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(404)
  })
})

describeEachTransportWith(['many requests'], 'Limits', (open) => {
  itServesPerMinute(open, 'sk_sandbox_free', 60)

  itServesPerMinute(open, 'sk_sandbox_pro', 300)

  it('serves exactly 1,000 requests a day on the free plan', async () => {
    const { request, sandbox } = await open({ records: 1 })
    const sendInNextMinute = async (): Promise<Response[]> => {
      sandbox.clock.advance('1m')
      return repeat(50, () => request('GET', '/pets'))
    }

    const served = (await repeat(20, sendInNextMinute)).flat()
    const refused = await request('GET', '/pets')

    expect(served.every(({ status }) => status === 200)).toBe(true)
    expect(refused.status).toBe(429)
    expect(quotaOf(refused)).toEqual({ limit: 1000, remaining: 0, reset: NEXT_DAY })
  })
})
