import { expect, it } from 'vitest'
import { errorOf, quotaOf, retryAfterOf, toNetworkError } from '../testing/responses.ts'
import { describeEachTransport } from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 1 }

describeEachTransport('The Prefer header', (open) => {
  it('closes the connection for Prefer: outcome=reset and adds no animal', async () => {
    const { request, sandbox } = await open()
    const headers = { Prefer: 'outcome=reset' }

    const broken = await request('POST', '/pets', { body: FERN, headers }).catch(toNetworkError)

    expect(broken.type).toBe('error')
    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it.each([
    ['code=400', 400, 'invalid_request'],
    ['code=401', 401, 'unauthorized'],
    ['code=404', 404, 'not_found'],
    ['code=429', 429, 'rate_limit_exceeded'],
    ['code=500', 500, 'internal_error'],
    ['outcome=banned', 429, 'api_key_banned'],
    ['outcome=day-exhausted', 429, 'rate_limit_exceeded'],
    ['outcome=removed', 404, 'operation_removed'],
  ])(
    'forces an outcome by Prefer: %s and sends Preference-Applied',
    async (prefer, status, code) => {
      const { request } = await open()

      const response = await request('GET', '/pets', { headers: { Prefer: prefer } })

      expect(response.status).toBe(status)
      expect((await errorOf(response)).code).toBe(code)
      expect(response.headers.get('Preference-Applied')).toBe(prefer)
    },
  )

  it('answers as usual for Prefer: code=200, and sends Preference-Applied', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Prefer: 'code=200' } })

    expect(response.status).toBe(200)
    expect(await response.json()).toHaveLength(20)
    expect(response.headers.get('Preference-Applied')).toBe('code=200')
  })

  it('sets the Retry-After of a forced 429', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', {
      headers: { Prefer: 'code=429, retry-after=1' },
    })

    expect(retryAfterOf(response)).toBe(1)
    expect(response.headers.get('Preference-Applied')).toBe('code=429, retry-after=1')
  })

  it.each(['code="429"', 'CODE=429', 'respond-async, code=429', 'code = 429'])(
    'accepts every spelling of RFC 7240: %s',
    async (prefer) => {
      const { request } = await open()

      const response = await request('GET', '/pets', { headers: { Prefer: prefer } })

      expect(response.status).toBe(429)
    },
  )

  it.each([
    'respond-async',
    'return=minimal',
    'code=418',
    'code=429x',
    'code=',
    'code=99999999999999999999',
    'outcome=explode',
    'outcome=__proto__',
    'outcome=constructor',
    'mycode=429',
    'retry-after=1',
    ',;=,;=',
  ])('ignores the unknown preference %s', async (prefer) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Prefer: prefer } })

    expect(response.status).toBe(200)
    expect(response.headers.get('Preference-Applied')).toBeNull()
  })

  it('counts a request with a preferred outcome and sends the real quota', async () => {
    const { request } = await open()
    await request('GET', '/pets', { headers: { Prefer: 'code=429' } })

    const response = await request('GET', '/pets', { headers: { Prefer: 'code=429' } })

    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 58 })
  })

  it('comes before a forcing rule, whose count does not change', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { times: 1 })

    const preferred = await request('GET', '/pets', { headers: { Prefer: 'code=404' } })
    const forced = await request('GET', '/pets')

    expect([preferred.status, forced.status]).toEqual([404, 500])
  })

  it.each<[string, number, number]>([
    ['code=429, retry-after=1', 429, 1],
    ['outcome=banned, retry-after=7', 429, 7],
    ['outcome=unavailable, retry-after=3', 503, 3],
  ])('returns for Prefer: %s a %d with Retry-After: %d', async (preference, status, wait) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Prefer: preference } })

    expect([response.status, retryAfterOf(response)]).toEqual([status, wait])
    expect(response.headers.get('Preference-Applied')).toBe(preference)
  })
})
