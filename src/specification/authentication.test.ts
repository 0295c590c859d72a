import { expect, it } from 'vitest'
import { errorOf, petOf, quotaOf, repeat, retryAfterOf } from '../testing/responses.ts'
import { describeEachTransport, describeEachTransportWith } from '../testing/transports.ts'

const OPERATIONS = [
  ['GET', '/pets'],
  ['POST', '/pets'],
  ['GET', '/pets/1'],
] as const

const CHALLENGE = 'Bearer realm="Pet Adoption Store"'

describeEachTransport('Authentication', (open) => {
  it.each(OPERATIONS)('returns 401 for %s %s without a key', async (method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: null })

    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthorized')
  })

  it.each(OPERATIONS)('returns 401 for %s %s with an unknown key', async (method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: 'sk_wrong' })

    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthorized')
  })

  it.each(['sk_sandbox_free', 'sk_sandbox_pro', 'sk_sandbox_business', 'sk_sandbox_enterprise'])(
    'accepts the key %s',
    async (key) => {
      const { request } = await open()

      const response = await request('GET', '/pets', { key })

      expect(response.status).toBe(200)
    },
  )

  it.each(['bearer', 'BEARER', 'bEaReR'])('accepts the scheme in any case: %s', async (scheme) => {
    const { request } = await open()

    const response = await request('GET', '/pets', {
      headers: { Authorization: `${scheme} sk_sandbox_free` },
    })

    expect(response.status).toBe(200)
  })

  it('sends a challenge without an error code when no key was sent (RFC 6750, section 3)', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key: null })

    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
    expect((await errorOf(response)).message).toBe(
      'No API key was sent. Send one in the header "Authorization: Bearer <API_KEY>".',
    )
  })

  it('sends a challenge with the error code invalid_token when the key is unknown', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key: 'sk_wrong' })

    expect(response.headers.get('WWW-Authenticate')).toMatch(
      /^Bearer realm="Pet Adoption Store", error="invalid_token"/,
    )
    expect((await errorOf(response)).message).toMatch(/^The API key is not valid/)
  })

  it.each([
    ['with another scheme', 'Basic c2tfc2FuZGJveF9mcmVlOg=='],
    ['with the scheme only', 'Bearer'],
    ['with a key without a scheme', 'sk_sandbox_free'],
    ['with a scheme that starts with "Bearer"', 'BearerX sk_sandbox_free'],
    ['that is empty', ''],
  ])('treats an Authorization header %s as no key', async (_, authorization) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Authorization: authorization } })

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
  })

  it.each([
    ['in upper case', 'SK_SANDBOX_FREE'],
    ['with trailing characters', 'sk_sandbox_free x'],
    ['without its last character', 'sk_sandbox_fre'],
    ['in quotes', '"sk_sandbox_free"'],
    ['that is sent twice', 'sk_sandbox_free, Bearer sk_sandbox_free'],
    ['that is the name of a plan', 'free'],
    ['that is the inherited property __proto__', '__proto__'],
    ['that is the inherited property constructor', 'constructor'],
    ['of 4,000 characters', 'k'.repeat(4000)],
  ])('refuses a key %s', async (_, key) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key })

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
  })

  it.each(['api_key=sk_sandbox_free', 'access_token=sk_sandbox_free'])(
    'ignores a key in the query: %s',
    async (query) => {
      const { request } = await open()

      const response = await request('GET', `/pets?${query}`, { key: null })

      expect(response.status).toBe(401)
    },
  )

  it('shows no full key in responses and in the journal', async () => {
    const { request, sandbox } = await open()

    const response = await request('GET', '/pets', { key: 'sk_secret_but_wrong' })

    expect(await response.text()).not.toContain('sk_secret_but_wrong')
    expect(JSON.stringify(sandbox.journal.exchanges)).not.toContain('sk_secret_but_wrong')
  })

  it('adds no animal for a caller without a key', async () => {
    const { request, sandbox } = await open()

    await request('POST', '/pets', { key: null, body: { name: 'Fern', categoryId: 1 } })

    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it.each([
    ['an invalid query', 'GET', '/pets?limit=0'],
    ['an invalid id', 'GET', '/pets/abc'],
    ['an unknown animal', 'GET', '/pets/999'],
    ['a missing body', 'POST', '/pets'],
  ])('reports a missing key before %s', async (_, method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: null })

    expect(response.status).toBe(401)
  })

  it('reports an unknown method before a missing key', async () => {
    const { request } = await open()

    const response = await request('DELETE', '/pets', { key: null })

    expect(response.status).toBe(405)
  })

  it('counts all callers without a valid key together on the free plan', async () => {
    const { request } = await open()
    await request('GET', '/pets', { key: null })
    await request('GET', '/pets', { key: 'sk_wrong' })

    const response = await request('GET', '/pets', { key: 'sk_other' })

    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 57 })
  })

  it('counts a valid key separately from callers without one', async () => {
    const { request } = await open()
    await repeat(3, () => request('GET', '/pets', { key: null }))

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  })

  it('returns 401 for any number of requests without a key, never 429', async () => {
    const { request } = await open({ plans: { free: { minute: 2, day: 3 } } })

    const responses = await repeat(20, () => request('GET', '/pets', { key: null }))

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]))
    expect(responses.map((response) => quotaOf(response).remaining).slice(0, 4)).toEqual([
      1, 0, 0, 0,
    ])
  })

  it.each([
    ['sk_sandbox_rate_limited', 'rate_limit_exceeded', 60, 60],
    ['sk_sandbox_day_exhausted', 'rate_limit_exceeded', 43_200, 1000],
    ['sk_sandbox_banned', 'api_key_banned', 300, 60],
  ])(
    'returns the same 429 for every request with the magic key %s',
    async (key, code, wait, limit) => {
      const { request } = await open()

      const responses = await repeat(15, () => request('GET', '/pets', { key }))

      for (const response of responses) {
        expect(response.status).toBe(429)
        expect((await errorOf(response)).code).toBe(code)
        expect(retryAfterOf(response)).toBe(wait)
        expect(quotaOf(response).limit).toBe(limit)
      }
    },
  )

  it.each(['sk_sandbox_rate_limited', 'sk_sandbox_day_exhausted'])(
    'shows no remaining requests to the magic key %s',
    async (key) => {
      const { request } = await open()

      const response = await request('GET', '/pets', { key })

      expect(quotaOf(response).remaining).toBe(0)
    },
  )

  it('returns 429 for a magic key after any wait', async () => {
    const { request, sandbox } = await open()
    sandbox.clock.advance('2d')

    const response = await request('GET', '/pets', { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(429)
  })

  it('accepts the keys of its options, on their plans', async () => {
    const { request } = await open({ keys: { 'my-key': 'pro' } })

    const response = await request('GET', '/pets', { key: 'my-key' })

    expect(response.status).toBe(200)
    expect(quotaOf(response).limit).toBe(300)
  })

  it.each([null, 'sk_wrong'])(
    'accepts every caller with the option auth: false: key %s',
    async (key) => {
      const { request } = await open({ auth: false })

      const response = await request('POST', '/pets', {
        key,
        body: { name: 'Fern', categoryId: 1 },
      })

      expect(response.status).toBe(201)
      expect((await petOf(response)).name).toBe('Fern')
    },
  )
})

describeEachTransportWith(['unknown paths'], 'Authentication', (open) => {
  it('reports an unknown path before a missing key', async () => {
    const { request } = await open()

    const response = await request('GET', '/dogs', { key: null })

    expect(response.status).toBe(404)
  })
})
