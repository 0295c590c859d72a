import { describe, expect, it } from 'vitest'
import { Problem } from '../http/problem.ts'
import { admit, type Gate, refused, unauthorized } from './admit.ts'
import { Bans } from './bans.ts'
import type { Caller } from './caller.ts'
import type { Quota, Refusal } from './quota.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const CALLER: Caller = {
  account: 'sk_free',
  plan: { name: 'free', minute: 60, day: 1000 },
  key: 'valid',
}
const QUOTA: Quota = {
  limit: 60,
  remaining: 59,
  reset: NOON + 60_000,
  before: { minute: 60, day: 1000 },
  after: { minute: 59, day: 999 },
}

function gateOf(more: Partial<Gate> = {}): Gate {
  const bans = new Bans({ refusals: 2, seconds: 300, factor: 2, maxSeconds: 3600 })
  return { bans, auth: true, realm: 'Pets', ...more }
}

function refusal(by: Refusal['by'], milliseconds: number): Refusal {
  return { by, until: NOON + milliseconds }
}

function problemOf(deed: () => void): Problem {
  try {
    deed()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('No problem')
}

describe('a request', () => {
  it('with a valid key and quota left passes', () => {
    expect(() => admit(CALLER, QUOTA, NOON, gateOf(), { secured: true })).not.toThrow()
  })

  it.each(['missing', 'invalid'] as const)('with a key that is %s gets 401, never 429', (key) => {
    const spent: Quota = { ...QUOTA, remaining: 0, refusal: refusal('minute', 60_000) }

    const problem = problemOf(() =>
      admit({ ...CALLER, key }, spent, NOON, gateOf(), { secured: true }),
    )

    expect(problem.status).toBe(401)
  })

  it.each<[name: string, gate: Gate, secured: boolean]>([
    ['where keys are not asked for', gateOf({ auth: false }), true],
    ['on an operation that asks for none', gateOf(), false],
  ])('without a key passes %s', (_name, gate, secured) => {
    expect(() => admit({ ...CALLER, key: 'missing' }, QUOTA, NOON, gate, { secured })).not.toThrow()
  })

  it('over its quota is told of the ban that it brings on itself', () => {
    const gate = gateOf()
    const spent: Quota = { ...QUOTA, remaining: 0, refusal: refusal('minute', 60_000) }
    const send = (): Problem => problemOf(() => admit(CALLER, spent, NOON, gate, { secured: true }))

    const waits = [send(), send()].map(({ headers }) => headers['Retry-After'])

    expect(waits).toEqual(['60', '300'])
  })
})

describe('the 401', () => {
  it('challenges barely when no key was sent', () => {
    const { headers, message } = unauthorized('missing', 'Pets')

    expect(headers).toEqual({
      'WWW-Authenticate': 'Bearer realm="Pets"',
      'X-Sandbox-Reason': 'no-key',
    })
    expect(message).toContain('No API key was sent.')
  })

  it('names the error when a wrong one was', () => {
    const { headers } = unauthorized('invalid', 'Pets')

    expect(headers['WWW-Authenticate']).toBe(
      'Bearer realm="Pets", error="invalid_token", error_description="The API key is not valid"',
    )
  })

  it('keeps quotes within the realm', () => {
    const { headers } = unauthorized('missing', 'The "Pets" \\ Store')

    expect(headers['WWW-Authenticate']).toBe('Bearer realm="The \\"Pets\\" \\\\ Store"')
  })
})

describe('the 429', () => {
  it.each([
    [1, '1'],
    [999, '1'],
    [1000, '1'],
    [1001, '2'],
    [59_999, '60'],
    [60_000, '60'],
    [0, '1'],
    [-5000, '1'],
  ])('%i milliseconds before the end asks to wait %s seconds', (milliseconds, seconds) => {
    const { headers } = refused(CALLER, refusal('minute', milliseconds), NOON)

    expect(headers).toEqual({
      'Retry-After': seconds,
      'Cache-Control': 'no-store',
      'X-Sandbox-Reason': 'minute-quota',
    })
  })

  it.each<[by: Refusal['by'], milliseconds: number, code: string, message: string]>([
    [
      'minute',
      1000,
      'rate_limit_exceeded',
      'The free plan allows 60 requests a minute, and they are spent. Retry in 1 second.',
    ],
    [
      'day',
      2000,
      'rate_limit_exceeded',
      'The free plan allows 1000 requests a day, and they are spent. Retry in 2 seconds.',
    ],
    [
      'ban',
      300_000,
      'api_key_banned',
      'This API key is banned, because it kept sending requests without waiting for Retry-After. Retry in 300 seconds.',
    ],
  ])('of the %s tells why and how long to wait', (by, milliseconds, code, message) => {
    expect(refused(CALLER, refusal(by, milliseconds), NOON)).toMatchObject({
      status: 429,
      code,
      message,
    })
  })
})
