import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { errorOf } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import type { Outcome } from './outcomes.ts'

const BASE = 'http://localhost/v1'

function open(): Sandbox {
  const sandbox = createSandbox({ records: 3 })
  sandbox.clock.set('2027-03-01T12:00:30Z')
  return sandbox
}

function get(sandbox: Sandbox, path: string, prefer?: string): Promise<Response> {
  const headers = prefer === undefined ? {} : { Prefer: prefer }
  return sandbox.fetch(toRequest('GET', BASE + path, { headers }))
}

describe('a forced outcome', () => {
  it.each<[outcome: Outcome, status: number, code: string, retryAfter: string | null]>([
    ['unauthorized', 401, 'unauthorized', null],
    ['not-found', 404, 'not_found', null],
    ['bad-request', 400, 'invalid_request', null],
    ['rate-limited', 429, 'rate_limit_exceeded', '30'],
    ['day-exhausted', 429, 'rate_limit_exceeded', '43170'],
    ['banned', 429, 'api_key_banned', '300'],
    ['removed', 404, 'operation_removed', null],
    ['server-error', 500, 'internal_error', null],
  ])('%s gives the response of the real case: %i %s', async (outcome, status, code, retryAfter) => {
    const sandbox = open()

    sandbox.force(outcome)
    const response = await get(sandbox, '/pets')

    expect(response.status).toBe(status)
    expect(response.headers.get('Retry-After')).toBe(retryAfter)
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('59')
    expect(await errorOf(response)).toMatchObject({ code, status })
    expect(sandbox.journal.exchanges).toMatchObject([
      { status, forced: outcome, refusal: { code } },
    ])
  })

  it('of a spent quota has the same response as a really spent quota', async () => {
    const [forced, real] = [open(), open()]
    forced.force('rate-limited')

    const one = await get(forced, '/pets')
    const other = await real.fetch(
      toRequest('GET', `${BASE}/pets`, { key: 'sk_sandbox_rate_limited' }),
    )

    expect(await one.text()).toBe(await other.text())
    for (const name of ['Retry-After', 'Cache-Control']) {
      expect(one.headers.get(name)).toBe(other.headers.get(name))
    }
  })

  it('is applied to as many requests as `times` says', async () => {
    const sandbox = open()

    sandbox.force('not-found', { times: 2 })
    const statuses = [1, 2, 3].map(async () => (await get(sandbox, '/pets')).status)

    expect(await Promise.all(statuses)).toEqual([404, 404, 200])
  })

  it('can be limited to one operation', async () => {
    const sandbox = open()

    sandbox.force('server-error', { operation: 'getPet' })
    const [list, read] = await Promise.all([get(sandbox, '/pets'), get(sandbox, '/pets/1')])

    expect([list.status, read.status]).toEqual([200, 500])
  })

  it('applies after rules that were added earlier', async () => {
    const sandbox = open()

    sandbox.force('not-found', { times: 1 })
    sandbox.force('server-error', { times: 1 })
    const [first, second, third] = [
      await get(sandbox, '/pets'),
      await get(sandbox, '/pets'),
      await get(sandbox, '/pets'),
    ]

    expect([first.status, second.status, third.status]).toEqual([404, 500, 200])
  })

  it('has the given Retry-After', async () => {
    const sandbox = open()

    sandbox.force('rate-limited', { retryAfter: 2 })
    const response = await get(sandbox, '/pets')

    expect(response.headers.get('Retry-After')).toBe('2')
    expect((await errorOf(response)).message).toContain('Retry in 2 seconds.')
  })

  it('does not apply to an unknown path', async () => {
    const sandbox = open()

    sandbox.force('server-error')

    expect((await get(sandbox, '/nowhere')).status).toBe(404)
  })
})

describe('a forced reset', () => {
  it('is a network error, counted and recorded in the journal', async () => {
    const sandbox = open()

    sandbox.force('reset', { times: 1 })
    const [broken, next] = [await get(sandbox, '/pets'), await get(sandbox, '/pets')]

    expect([broken.type, broken.status]).toEqual(['error', 0])
    expect(next.headers.get('X-RateLimit-Remaining')).toBe('58')
    expect(sandbox.journal.exchanges).toMatchObject([
      { status: 0, forced: 'reset', refusal: { code: 'connection_reset' } },
      { status: 200 },
    ])
  })

  it('can be preferred by a request', async () => {
    const response = await get(open(), '/pets', 'outcome=reset')

    expect(response.type).toBe('error')
  })
})

describe('a preferred outcome', () => {
  it.each([
    ['code=400', 400],
    ['code=401', 401],
    ['code=404', 404],
    ['code=429', 429],
    ['code=500', 500],
    ['outcome=banned', 429],
    ['outcome=removed', 404],
  ])('by "%s" gives this request a %i with Preference-Applied', async (prefer, status) => {
    const sandbox = open()

    const preferred = await get(sandbox, '/pets', prefer)
    const next = await get(sandbox, '/pets')

    expect(preferred.status).toBe(status)
    expect(preferred.headers.get('Preference-Applied')).toBe(prefer)
    expect(next.status).toBe(200)
    expect(next.headers.get('Preference-Applied')).toBeNull()
  })

  it.each(['code=418', 'outcome=constructor', 'outcome=no', 'retry-after=1', 'wait=5'])(
    'by "%s", which is unknown, is ignored',
    async (prefer) => {
      const response = await get(open(), '/pets', prefer)

      expect(response.status).toBe(200)
      expect(response.headers.get('Preference-Applied')).toBeNull()
    },
  )

  it('sets the Retry-After', async () => {
    const response = await get(open(), '/pets', 'code=429, retry-after=1')

    expect(response.headers.get('Retry-After')).toBe('1')
  })

  it('takes precedence over a rule, which then applies to the next request', async () => {
    const sandbox = open()

    sandbox.force('not-found', { times: 1 })
    const [preferred, next] = [await get(sandbox, '/pets', 'code=500'), await get(sandbox, '/pets')]

    expect([preferred.status, next.status]).toEqual([500, 404])
  })
})
