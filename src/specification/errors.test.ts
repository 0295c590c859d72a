import { expect, it } from 'vitest'
import type { Outcome } from '../index.ts'
import { errorOf, quotaOf, repeat, retryAfterOf, unixSeconds } from '../testing/responses.ts'
import {
  describeEachTransport,
  describeEachTransportWith,
  type OpenSandbox,
  type RequestOptions,
} from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 1 }

const LARGE = { name: 'x'.repeat(1024 * 1024), categoryId: 1 }

type Refusal = [status: number, code: string, method: string, path: string, options: RequestOptions]

const REFUSALS: Refusal[] = [
  [400, 'invalid_request', 'GET', '/pets?limit=0', {}],
  [400, 'invalid_request', 'POST', '/pets', { body: {} }],
  [401, 'unauthorized', 'GET', '/pets', { key: null }],
  [401, 'unauthorized', 'GET', '/pets', { key: 'sk_wrong' }],
  [404, 'not_found', 'GET', '/pets/999', {}],
  [405, 'method_not_allowed', 'DELETE', '/pets', {}],
  [413, 'payload_too_large', 'POST', '/pets', { body: LARGE }],
  [415, 'unsupported_media_type', 'POST', '/pets', { body: FERN, type: 'text/plain' }],
  [429, 'rate_limit_exceeded', 'GET', '/pets', { key: 'sk_sandbox_rate_limited' }],
  [429, 'api_key_banned', 'GET', '/pets', { key: 'sk_sandbox_banned' }],
  [500, 'internal_error', 'GET', '/pets', { headers: { Prefer: 'code=500' } }],
]

const OUTCOMES: [Outcome, number, string][] = [
  ['bad-request', 400, 'invalid_request'],
  ['unauthorized', 401, 'unauthorized'],
  ['not-found', 404, 'not_found'],
  ['removed', 404, 'operation_removed'],
  ['rate-limited', 429, 'rate_limit_exceeded'],
  ['day-exhausted', 429, 'rate_limit_exceeded'],
  ['banned', 429, 'api_key_banned'],
  ['server-error', 500, 'internal_error'],
]

function itRefuses(open: OpenSandbox, refusals: readonly Refusal[]): void {
  it.each(refusals)('answers %d %s to %s %s', async (status, code, method, path, options) => {
    const { request } = await open()

    const response = await request(method, path, options)

    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(await errorOf(response)).toStrictEqual({
      code,
      message: expect.stringMatching(/\w.*[\w.")]$/),
      status,
    })
  })

  it.each(refusals)(
    'writes %d %s into the journal as it was told',
    async (status, code, ...rest) => {
      const [method, path, options] = rest
      const { request, sandbox } = await open()

      const response = await request(method, path, options)

      const { message } = await errorOf(response)
      expect(sandbox.journal.exchanges).toMatchObject([{ status, refusal: { code, message } }])
    },
  )
}

function itListsOperations(open: OpenSandbox, paths: readonly string[]): void {
  it.each(paths)(
    'lists the operations there are for the path "%s", which there is not',
    async (path) => {
      const { request } = await open()

      const response = await request('GET', path)

      expect(response.status).toBe(404)
      expect(await errorOf(response)).toStrictEqual({
        code: 'not_found',
        message: `There is no operation at ${path || '/'}. The operations are: GET /pets, POST /pets, GET /pets/{petId}.`,
        status: 404,
      })
    },
  )
}

describeEachTransport('Errors', (open) => {
  itRefuses(open, REFUSALS)

  // But for the slash at their end, these are paths of the contract.
  itListsOperations(open, ['/pets/', '/pets/1/'])

  it.each([
    ['PUT', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PROPFIND', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/pets/1', 'GET, HEAD, OPTIONS'],
    ['PUT', '/pets/1', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/pets/abc', 'GET, HEAD, OPTIONS'],
  ])('lists the methods there are to %s %s', async (method, path, methods) => {
    const { request } = await open()

    const response = await request(method, path)

    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe(methods)
    expect((await errorOf(response)).message).toBe(
      `${method} is not allowed on ${path}. Allowed methods: ${methods}.`,
    )
  })

  it.each(OUTCOMES)('ends requests as %s when told so', async (outcome, status, code) => {
    const { request, sandbox } = await open()
    sandbox.force(outcome)

    const response = await request('GET', '/pets')

    expect(response.status).toBe(status)
    expect((await errorOf(response)).code).toBe(code)
    expect(sandbox.journal.exchanges).toMatchObject([{ forced: outcome, status }])
  })

  it.each(OUTCOMES)(
    'counts a request forced to be %s, and tells the true quota',
    async (outcome) => {
      const { request, sandbox } = await open()
      await request('GET', '/pets')
      sandbox.force(outcome)

      const response = await request('GET', '/pets')

      expect(quotaOf(response)).toEqual({
        limit: 60,
        remaining: 58,
        reset: unixSeconds('2027-03-01T12:01:00Z'),
      })
    },
  )

  it('closes the connection without an answer when told so, and counts the request', async () => {
    const { request, sandbox } = await open()
    sandbox.force('reset', { times: 1 })

    const broken = await request('GET', '/pets').catch(networkError)
    const next = await request('GET', '/pets')

    expect(broken.type).toBe('error')
    expect(quotaOf(next).remaining).toBe(58)
    expect(sandbox.journal.exchanges).toMatchObject([
      { status: 0, forced: 'reset', refusal: { code: 'connection_reset' } },
      { status: 200 },
    ])
  })

  it('closes the connection on a request that prefers so, and does nothing for it', async () => {
    const { request, sandbox } = await open()
    const headers = { Prefer: 'outcome=reset' }

    const broken = await request('POST', '/pets', { body: FERN, headers }).catch(networkError)

    expect(broken.type).toBe('error')
    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it('holds each answer back as long as it is told to, refusals included', async () => {
    const { request } = await open({ latency: '80ms' })

    const waits = [await timed(request('GET', '/pets')), await timed(request('GET', '/pets/999'))]

    // A timer may ring a fraction of a millisecond early.
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(79)
  })

  it('forces an outcome without end when no number is given', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    const responses = await repeat(5, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(500))
  })

  it('forces an outcome as many times as it is told', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { times: 2 })

    const responses = await repeat(3, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual([500, 500, 200])
  })

  it('forces outcomes one after the other', async () => {
    const { request, sandbox } = await open()
    sandbox.force('rate-limited', { times: 1 })
    sandbox.force('server-error', { times: 1 })

    const responses = await repeat(3, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual([429, 500, 200])
  })

  it('forces an outcome on the operation named alone, and counts no other', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { operation: 'createPet', times: 1 })

    const responses = [
      await request('GET', '/pets'),
      await request('POST', '/pets', { body: FERN }),
      await request('POST', '/pets', { body: FERN }),
    ]

    expect(responses.map(({ status }) => status)).toEqual([200, 500, 201])
  })

  it('does nothing for a request whose outcome is forced', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    await request('POST', '/pets', { body: FERN })

    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it('forces an outcome before it looks at key, quota and input', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    const responses = [
      await request('GET', '/pets', { key: null }),
      await request('GET', '/pets', { key: 'sk_sandbox_banned' }),
      await request('GET', '/pets?limit=0'),
    ]

    expect(responses.map(({ status }) => status)).toEqual([500, 500, 500])
  })

  it.each<[Outcome, string]>([
    ['rate-limited', 'sk_sandbox_rate_limited'],
    ['day-exhausted', 'sk_sandbox_day_exhausted'],
    ['banned', 'sk_sandbox_banned'],
    ['unauthorized', 'sk_wrong'],
  ])('forces %s in the very words of the real case', async (outcome, key) => {
    const { request, sandbox } = await open()
    const real = await request('GET', '/pets', { key })
    sandbox.force(outcome)

    const forced = await request('GET', '/pets')

    expect(await forced.text()).toBe(await real.text())
    for (const name of ['Retry-After', 'Cache-Control', 'WWW-Authenticate']) {
      expect(forced.headers.get(name)).toBe(real.headers.get(name))
    }
  })

  it('shortens the wait of a forced 429 when told so', async () => {
    const { request, sandbox } = await open()
    sandbox.force('rate-limited', { retryAfter: 2 })

    const response = await request('GET', '/pets')

    expect(retryAfterOf(response)).toBe(2)
    expect((await errorOf(response)).message).toContain('Retry in 2 seconds.')
  })

  it('forces nothing any more when the sandbox is reset', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    sandbox.reset()

    expect((await request('GET', '/pets')).status).toBe(200)
  })

  it('tells the developer of a misspelt outcome or operation, with the nearest there is', async () => {
    const { sandbox } = await open()

    const wrongOutcome = (): unknown => sandbox.force('rate-limit' as Outcome)
    const wrongOperation = (): unknown => sandbox.force('banned', { operation: 'listPet' })

    expect(wrongOutcome).toThrow('Did you mean "rate-limited"?')
    expect(wrongOperation).toThrow('Did you mean "listPets"?')
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
  ])('ends a request that prefers %s so, and says that it did', async (prefer, status, code) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Prefer: prefer } })

    expect(response.status).toBe(status)
    expect((await errorOf(response)).code).toBe(code)
    expect(response.headers.get('Preference-Applied')).toBe(prefer)
  })

  it('shortens the wait of a request that prefers so', async () => {
    const { request } = await open()

    const response = await request('GET', '/pets', {
      headers: { Prefer: 'code=429, retry-after=1' },
    })

    expect(retryAfterOf(response)).toBe(1)
    expect(response.headers.get('Preference-Applied')).toBe('code=429, retry-after=1')
  })

  it.each(['code="429"', 'CODE=429', 'respond-async, code=429', 'code = 429'])(
    'reads a preference spelt %s (RFC 7240)',
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
    'code=200',
    'code=429x',
    'code=',
    'code=99999999999999999999',
    'outcome=explode',
    'outcome=__proto__',
    'outcome=constructor',
    'mycode=429',
    'retry-after=1',
    ',;=,;=',
  ])('ignores the preference %s, which it does not know', async (prefer) => {
    const { request } = await open()

    const response = await request('GET', '/pets', { headers: { Prefer: prefer } })

    expect(response.status).toBe(200)
    expect(response.headers.get('Preference-Applied')).toBeNull()
  })

  it('counts a request that prefers an outcome, and tells the true quota', async () => {
    const { request } = await open()
    await request('GET', '/pets', { headers: { Prefer: 'code=429' } })

    const response = await request('GET', '/pets', { headers: { Prefer: 'code=429' } })

    expect(quotaOf(response)).toMatchObject({ limit: 60, remaining: 58 })
  })

  it("lets the request's own preference come before a forced outcome, which stays", async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { times: 1 })

    const preferred = await request('GET', '/pets', { headers: { Prefer: 'code=404' } })
    const forced = await request('GET', '/pets')

    expect([preferred.status, forced.status]).toEqual([404, 500])
  })
})

describeEachTransportWith(['unknown paths'], 'Errors', (open) => {
  itRefuses(open, [[404, 'not_found', 'GET', '/dogs', {}]])

  itListsOperations(open, [
    '',
    '/',
    '/dogs',
    '/Pets',
    '//pets',
    '/pets//',
    '/pets/1/owner',
    '/pets.json',
    '/__proto__',
    '/constructor',
  ])

  it('forces no outcome on a request that no operation is for', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { times: 1 })

    const responses = [
      await request('GET', '/dogs'),
      await request('DELETE', '/pets'),
      await request('OPTIONS', '/pets'),
      await request('GET', '/pets'),
    ]

    expect(responses.map(({ status }) => status)).toEqual([404, 405, 204, 500])
  })
})

/** In process a broken connection is the answer; everywhere else, fetch rejects. */
function networkError(error: unknown): Response {
  expect(error).toBeInstanceOf(TypeError)
  return Response.error()
}

/** How many milliseconds an answer takes. */
async function timed(response: Promise<Response>): Promise<number> {
  const start = performance.now()
  await response
  return performance.now() - start
}
