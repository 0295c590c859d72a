import { expect, it } from 'vitest'
import type { Outcome } from '../index.ts'
import { errorOf, petOf, petsOf, quotaOf, repeat, retryAfterOf } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

const REFUSED: [Outcome, number, string][] = [
  ['bad-request', 400, 'invalid_request'],
  ['unauthorized', 401, 'unauthorized'],
  ['not-found', 404, 'not_found'],
  ['removed', 404, 'operation_removed'],
  ['rate-limited', 429, 'rate_limit_exceeded'],
  ['day-exhausted', 429, 'rate_limit_exceeded'],
  ['banned', 429, 'api_key_banned'],
  ['server-error', 500, 'internal_error'],
  ['unavailable', 503, 'service_unavailable'],
]

describeEachTransport('Steering', (open) => {
  it.each(REFUSED)('forces %s by a rule and by Prefer alike, as a %d', async (...row) => {
    const [outcome, status, code] = row
    const { request, sandbox } = await open()
    sandbox.force(outcome, { times: 1 })

    const ruled = await request('GET', '/pets/1')
    const preferred = await request('GET', '/pets/1', { headers: { Prefer: `outcome=${outcome}` } })

    const error = await errorOf(ruled)
    expect(error).toMatchObject({ code, status })
    expect(await errorOf(preferred)).toEqual(error)
    expect(ruled.headers.get('Preference-Applied')).toBeNull()
    expect(preferred.headers.get('Preference-Applied')).toBe(`outcome=${outcome}`)
    for (const response of [ruled, preferred]) {
      expect(response.status).toBe(status)
      expect(response.headers.get('X-Sandbox-Reason')).toBe(`forced:${outcome}`)
    }
    expect(quotaOf(preferred).remaining).toBe(58)
    expect((await request('GET', '/pets/1')).status).toBe(200)
  })

  it.each<[string, number, number]>([
    ['code=429, retry-after=1', 429, 1],
    ['outcome=banned, retry-after=7', 429, 7],
    ['outcome=unavailable, retry-after=3', 503, 3],
  ])('answers Prefer: %s with a %d that asks for %d s', async (preference, status, wait) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Prefer: preference } })

    expect([response.status, retryAfterOf(response)]).toEqual([status, wait])
    expect(response.headers.get('Preference-Applied')).toBe(preference)
  })

  it.each<[string, string, string, string | null]>([
    ['minute-quota', 'GET', '/pets', 'sk_sandbox_free'],
    ['no-key', 'GET', '/pets', null],
    ['wrong-key', 'GET', '/pets', 'sk_wrong'],
    ['not-found', 'GET', '/pets/999', 'sk_sandbox_pro'],
    ['method-not-allowed', 'DELETE', '/pets', 'sk_sandbox_pro'],
    ['invalid-request', 'GET', '/pets?limit=0', 'sk_sandbox_pro'],
    ['forced:banned', 'GET', '/pets', 'sk_sandbox_banned'],
  ])('says %s for the reason that it is', async (reason, method, path, key) => {
    const { request } = await open({ plans: { free: { minute: 1 } } })
    await request('GET', '/pets')

    const response = await request(method, path, { key })

    expect(response.headers.get('X-Sandbox-Reason')).toBe(reason)
  })

  it('says nothing of a reason where nothing is refused', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets')

    expect(response.headers.get('X-Sandbox-Reason')).toBeNull()
  })

  it('tells a ban and a spent day apart', async () => {
    const { request } = await open({ plans: { free: { day: 1 } }, ban: { refusals: 1 } })

    const responses = await repeat(3, () => request('GET', '/pets'))

    const reasons = responses.map(({ headers }) => headers.get('X-Sandbox-Reason'))
    expect(reasons).toEqual([null, 'day-quota', 'ban'])
  })

  it('skips the first requests that fit, and ends after so many', async () => {
    const { request, sandbox } = await open()
    sandbox.force('unavailable', { method: 'GET', path: '/pets/*', skip: 1, times: 2 })

    const statuses = await repeat(5, async () => (await request('GET', '/pets/1')).status)

    expect(statuses).toEqual([200, 503, 503, 200, 200])
    expect((await request('GET', '/pets')).status).toBe(200)
  })

  it('forces as often as is likely, on the same requests for the same seed', async () => {
    const runs = await repeat(2, async () => {
      const { request, sandbox } = await open({ seed: 7, plans: { free: { minute: 100 } } })
      sandbox.force('server-error', { probability: 0.3 })
      return repeat(40, async () => (await request('GET', '/pets/1')).status)
    })

    const failed = runs[0]?.filter((status) => status === 500).length
    expect(runs[1]).toEqual(runs[0])
    expect(failed).toBeGreaterThan(4)
    expect(failed).toBeLessThan(22)
  })

  it('answers late, and otherwise as always', async () => {
    const { request, sandbox } = await open()
    sandbox.force('slow', { latency: '60ms..80ms' })
    const start = performance.now()

    const response = await request('GET', '/pets?limit=1')

    expect(performance.now() - start).toBeGreaterThan(55)
    expect(response.headers.get('X-Sandbox-Reason')).toBe('forced:slow')
    expect(await petsOf(response)).toHaveLength(1)
  })

  it.each<Outcome>(['malformed', 'truncated'])(
    'spoils the answer to a creation by %s, and the animal is there',
    async (outcome) => {
      const { request, sandbox } = await open({ records: 0 })
      sandbox.force(outcome, { times: 1 })

      const pet = request('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } }).then(petOf)

      await expect(pet).rejects.toThrow()
      const list = await request('GET', '/pets')
      expect(await petsOf(list)).toMatchObject([{ id: 1, name: 'Rex' }])
    },
  )

  it('lets a request hang until its client gives up', async () => {
    const { fetch, base, sandbox } = await open()
    sandbox.force('timeout', { times: 1 })
    const headers = { Authorization: 'Bearer sk_sandbox_free' }
    const signal = AbortSignal.timeout(150)

    const hung = fetch(new Request(`${base}/pets`, { headers, signal }))

    await expect(hung).rejects.toThrow()
    expect((await fetch(new Request(`${base}/pets`, { headers }))).status).toBe(200)
  })
})
