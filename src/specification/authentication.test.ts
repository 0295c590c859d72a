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
  it.each(OPERATIONS)('asks for a key on %s %s', async (method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: null })

    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthorized')
  })

  it.each(OPERATIONS)('refuses a wrong key on %s %s', async (method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: 'sk_wrong' })

    expect(response.status).toBe(401)
    expect((await errorOf(response)).code).toBe('unauthorized')
  })

  it.each(['sk_sandbox_free', 'sk_sandbox_pro', 'sk_sandbox_business', 'sk_sandbox_enterprise'])(
    'takes the key %s',
    async (key) => {
      const { request } = await open()

      const response = await request('GET', '/pets', { key })

      expect(response.status).toBe(200)
    },
  )

  it.each(['bearer', 'BEARER', 'bEaReR'])('takes the scheme spelt %s', async (scheme) => {
    const { request } = await open()

    const response = await request('GET', '/pets', {
      headers: { Authorization: `${scheme} sk_sandbox_free` },
    })

    expect(response.status).toBe(200)
  })

  it('challenges a caller without a key barely (RFC 6750, section 3)', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key: null })

    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
    expect((await errorOf(response)).message).toBe(
      'No API key was sent. Send one in the header "Authorization: Bearer <API_KEY>".',
    )
  })

  it('challenges a caller with a wrong key with invalid_token', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key: 'sk_wrong' })

    expect(response.headers.get('WWW-Authenticate')).toMatch(
      /^Bearer realm="Pet Adoption Store", error="invalid_token"/,
    )
    expect((await errorOf(response)).message).toMatch(/^The API key is not valid/)
  })

  it.each([
    ['another scheme', 'Basic c2tfc2FuZGJveF9mcmVlOg=='],
    ['the scheme alone', 'Bearer'],
    ['a key without a scheme', 'sk_sandbox_free'],
    ['a scheme that only starts alike', 'BearerX sk_sandbox_free'],
    ['an empty header', ''],
  ])('takes %s for no key', async (_, authorization) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Authorization: authorization } })

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
  })

  it.each([
    ['in another case', 'SK_SANDBOX_FREE'],
    ['with something behind it', 'sk_sandbox_free x'],
    ['cut short', 'sk_sandbox_fre'],
    ['in quotes', '"sk_sandbox_free"'],
    ['twice', 'sk_sandbox_free, Bearer sk_sandbox_free'],
    ['that is the name of a plan', 'free'],
    ['that every object has', '__proto__'],
    ['that every object has too', 'constructor'],
    ['of four thousand letters', 'k'.repeat(4000)],
  ])('refuses a key %s', async (_, key) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key })

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
  })

  it.each(['api_key=sk_sandbox_free', 'access_token=sk_sandbox_free'])(
    'takes no key from the query: %s',
    async (query) => {
      const { request } = await open()

      const response = await request('GET', `/pets?${query}`, { key: null })

      expect(response.status).toBe(401)
    },
  )

  it('tells no key in its answers', async () => {
    const { request, sandbox } = await open()

    const response = await request('GET', '/pets', { key: 'sk_secret_but_wrong' })

    expect(await response.text()).not.toContain('sk_secret_but_wrong')
    expect(JSON.stringify(sandbox.journal.exchanges)).not.toContain('sk_secret_but_wrong')
  })

  it('adds nothing for a caller without a key', async () => {
    const { request, sandbox } = await open()

    await request('POST', '/pets', { key: null, body: { name: 'Fern', categoryId: 1 } })

    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it.each([
    ['an invalid query', 'GET', '/pets?limit=0'],
    ['an invalid id', 'GET', '/pets/abc'],
    ['an animal that is not there', 'GET', '/pets/999'],
    ['no body', 'POST', '/pets'],
  ])('tells of a missing key before %s', async (_, method, path) => {
    const { request } = await open()

    const response = await request(method, path, { key: null })

    expect(response.status).toBe(401)
  })

  it('tells of a method that there is not before a missing key', async () => {
    const { request } = await open()

    const response = await request('DELETE', '/pets', { key: null })

    expect(response.status).toBe(405)
  })

  it('counts all callers without a valid key together, on the free plan', async () => {
    const { request } = await open()
    await request('GET', '/pets', { key: null })
    await request('GET', '/pets', { key: 'sk_wrong' })

    const response = await request('GET', '/pets', { key: 'sk_other' })

    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 57 })
  })

  it('counts a valid key apart from the callers without one', async () => {
    const { request } = await open()
    await repeat(3, () => request('GET', '/pets', { key: null }))

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 59 })
  })

  it('answers 401 without end, and never 429 or a ban', async () => {
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
  ])('ends every request of the magic key %s one way', async (key, code, wait, limit) => {
    const { request } = await open()

    const responses = await repeat(15, () => request('GET', '/pets', { key }))

    for (const response of responses) {
      expect(response.status).toBe(429)
      expect((await errorOf(response)).code).toBe(code)
      expect(retryAfterOf(response)).toBe(wait)
      expect(quotaOf(response).limit).toBe(limit)
    }
  })

  it.each([
    ['sk_sandbox_rate_limited', 0],
    ['sk_sandbox_day_exhausted', 0],
  ])('shows the magic key %s a spent window', async (key, remaining) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { key })

    expect(quotaOf(response).remaining).toBe(remaining)
  })

  it('ends requests of a magic key the same way however long it waits', async () => {
    const { request, sandbox } = await open()
    sandbox.clock.advance('2d')

    const response = await request('GET', '/pets', { key: 'sk_sandbox_rate_limited' })

    expect(response.status).toBe(429)
  })

  it('takes keys of your own, on the plans that you give them', async () => {
    const { request } = await open({ keys: { 'my-key': 'pro' } })

    const response = await request('GET', '/pets', { key: 'my-key' })

    expect(response.status).toBe(200)
    expect(quotaOf(response).limit).toBe(300)
  })

  it.each([null, 'sk_wrong'])('lets everybody in when it is told so: key %s', async (key) => {
    const { request } = await open({ auth: false })

    const response = await request('POST', '/pets', { key, body: { name: 'Fern', categoryId: 1 } })

    expect(response.status).toBe(201)
    expect((await petOf(response)).name).toBe('Fern')
  })
})

describeEachTransportWith(['unknown paths'], 'Authentication', (open) => {
  it('tells of a path that there is not before a missing key', async () => {
    const { request } = await open()

    const response = await request('GET', '/dogs', { key: null })

    expect(response.status).toBe(404)
  })
})
