import { expect, it } from 'vitest'
import type { Outcome } from '../index.ts'
import {
  errorOf,
  petOf,
  petsOf,
  quotaOf,
  repeat,
  retryAfterOf,
  toNetworkError,
  unixSeconds,
} from '../testing/responses.ts'
import { describeEachTransport, describeEachTransportWith } from '../testing/transports.ts'

const FERN = { name: 'Fern', categoryId: 1 }

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

describeEachTransport('Forced outcomes', (open) => {
  it.each(REFUSED)(
    'forces %s: the response is %d %s, and the journal has the outcome',
    async (outcome, status, code) => {
      const { request, sandbox } = await open()
      sandbox.force(outcome)

      const response = await request('GET', '/pets')

      expect(response.status).toBe(status)
      expect((await errorOf(response)).code).toBe(code)
      expect(sandbox.journal.exchanges).toMatchObject([{ forced: outcome, status }])
    },
  )

  it.each(REFUSED)('counts a request forced to %s and sends the real quota', async (outcome) => {
    const { request, sandbox } = await open()
    await request('GET', '/pets')
    sandbox.force(outcome)

    const response = await request('GET', '/pets')

    expect(quotaOf(response)).toEqual({
      limit: 60,
      remaining: 58,
      reset: unixSeconds('2027-03-01T12:01:00Z'),
    })
  })

  it('closes the connection for the outcome reset and counts the request', async () => {
    const { request, sandbox } = await open()
    sandbox.force('reset', { times: 1 })

    const closed = await request('GET', '/pets').catch(toNetworkError)
    const next = await request('GET', '/pets')

    expect(closed.type).toBe('error')
    expect(quotaOf(next).remaining).toBe(58)
    expect(sandbox.journal.exchanges).toMatchObject([
      { status: 0, forced: 'reset', refusal: { code: 'connection_reset' } },
      { status: 200 },
    ])
  })

  it('delays every response by the latency option, including errors', async () => {
    const { request } = await open({ latency: '80ms' })

    const waits = [await timed(request('GET', '/pets')), await timed(request('GET', '/pets/999'))]

    // A timer can fire a fraction of a millisecond early.
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(79)
  })

  it('applies a rule without times to every request', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    const responses = await repeat(5, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(500))
  })

  it('applies a rule with times to this number of requests', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { times: 2 })

    const responses = await repeat(3, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual([500, 500, 200])
  })

  it('applies several rules in the order in which they were added', async () => {
    const { request, sandbox } = await open()
    sandbox.force('rate-limited', { times: 1 })
    sandbox.force('server-error', { times: 1 })

    const responses = await repeat(3, () => request('GET', '/pets'))

    expect(responses.map(({ status }) => status)).toEqual([429, 500, 200])
  })

  it('applies a rule with an operation to requests of this operation only', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error', { operation: 'createPet', times: 1 })

    const responses = [
      await request('GET', '/pets'),
      await request('POST', '/pets', { body: FERN }),
      await request('POST', '/pets', { body: FERN }),
    ]

    expect(responses.map(({ status }) => status)).toEqual([200, 500, 201])
  })

  it('adds no animal when an outcome is forced', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    await request('POST', '/pets', { body: FERN })

    expect(await sandbox.collection('pets').count()).toBe(50)
  })

  it('comes before the checks of key, quota and input', async () => {
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
  ])('forces %s with the same body and headers as the real case', async (outcome, key) => {
    const { request, sandbox } = await open()
    const real = await request('GET', '/pets', { key })
    sandbox.force(outcome)

    const forced = await request('GET', '/pets')

    expect(await forced.text()).toBe(await real.text())
    for (const name of ['Retry-After', 'Cache-Control', 'WWW-Authenticate']) {
      expect(forced.headers.get(name)).toBe(real.headers.get(name))
    }
  })

  it('sends the retryAfter of a rule in Retry-After', async () => {
    const { request, sandbox } = await open()
    sandbox.force('rate-limited', { retryAfter: 2 })

    const response = await request('GET', '/pets')

    expect(retryAfterOf(response)).toBe(2)
    expect((await errorOf(response)).message).toContain('Retry in 2 seconds.')
  })

  it('removes all rules when the sandbox is reset', async () => {
    const { request, sandbox } = await open()
    sandbox.force('server-error')

    sandbox.reset()

    expect((await request('GET', '/pets')).status).toBe(200)
  })

  it('throws for an unknown outcome or operation and suggests the nearest name', async () => {
    const { sandbox } = await open()

    const wrongOutcome = (): unknown => sandbox.force('rate-limit' as Outcome)
    const wrongOperation = (): unknown => sandbox.force('banned', { operation: 'listPet' })

    expect(wrongOutcome).toThrow('Did you mean "rate-limited"?')
    expect(wrongOperation).toThrow('Did you mean "listPets"?')
  })

  it.each(REFUSED)('forces %s by a rule and by Prefer with the same error %d', async (...row) => {
    const [outcome, status, code] = row
    const { request, sandbox } = await open()
    sandbox.force(outcome, { times: 1 })

    const forced = await request('GET', '/pets/1')
    const preferred = await request('GET', '/pets/1', { headers: { Prefer: `outcome=${outcome}` } })

    const error = await errorOf(forced)
    expect(error).toMatchObject({ code, status })
    expect(await errorOf(preferred)).toEqual(error)
    expect(forced.headers.get('Preference-Applied')).toBeNull()
    expect(preferred.headers.get('Preference-Applied')).toBe(`outcome=${outcome}`)
    for (const response of [forced, preferred]) {
      expect(response.status).toBe(status)
      expect(response.headers.get('X-Sandbox-Reason')).toBe(`forced:${outcome}`)
    }
    expect(quotaOf(preferred).remaining).toBe(58)
    expect((await request('GET', '/pets/1')).status).toBe(200)
  })

  it('applies a rule with skip and times after the skipped requests', async () => {
    const { request, sandbox } = await open()
    sandbox.force('unavailable', { method: 'GET', path: '/pets/*', skip: 1, times: 2 })

    const statuses = await repeat(5, async () => (await request('GET', '/pets/1')).status)

    expect(statuses).toEqual([200, 503, 503, 200, 200])
    expect((await request('GET', '/pets')).status).toBe(200)
  })

  it('applies a rule with probability to the same requests for the same seed', async () => {
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

  it('delays the response for the outcome slow', async () => {
    const { request, sandbox } = await open()
    sandbox.force('slow', { latency: '60ms..80ms' })
    const start = performance.now()

    const response = await request('GET', '/pets?limit=1')

    expect(performance.now() - start).toBeGreaterThan(55)
    expect(response.headers.get('X-Sandbox-Reason')).toBe('forced:slow')
    expect(await petsOf(response)).toHaveLength(1)
  })

  it.each<Outcome>(['malformed', 'truncated'])(
    'makes the response to a creation %s and adds the animal',
    async (outcome) => {
      const { request, sandbox } = await open({ records: 0 })
      sandbox.force(outcome, { times: 1 })

      const pet = request('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } }).then(petOf)

      await expect(pet).rejects.toThrow()
      const list = await request('GET', '/pets')
      expect(await petsOf(list)).toMatchObject([{ id: 1, name: 'Rex' }])
    },
  )

  it('sends no response for the outcome timeout until the client aborts', async () => {
    const { fetch, base, sandbox } = await open()
    sandbox.force('timeout')
    const headers = { Authorization: 'Bearer sk_sandbox_free' }
    const signal = AbortSignal.timeout(150)

    const pending = fetch(new Request(`${base}/pets`, { headers, signal }))

    await expect(pending).rejects.toThrow()
    sandbox.reset()
    expect((await fetch(new Request(`${base}/pets`, { headers }))).status).toBe(200)
  })
})

describeEachTransportWith(['unknown paths'], 'Forced outcomes', (open) => {
  it('applies no rule to requests that match no operation', async () => {
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

/** Returns the duration of a request in milliseconds. */
async function timed(response: Promise<Response>): Promise<number> {
  const start = performance.now()
  await response
  return performance.now() - start
}
