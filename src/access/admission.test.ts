import { describe, expect, it } from 'vitest'
import { frozen } from '../testing/frozen.ts'
import { type Admission, type CountedCall, decideAdmission, tooManyRequests } from './admission.ts'
import type { BanHistory, BanRules } from './ban.ts'
import type { Caller } from './caller.ts'
import type { Quota, QuotaRefusal } from './quota.ts'

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
const SPENT: Quota = { ...QUOTA, remaining: 0, refusal: refusal('minute', 60_000) }
const BAN: BanRules = { refusals: 2, seconds: 300, factor: 2, maxSeconds: 3600 }
const REFUSED_ONCE: BanHistory = { row: 1, retryAt: NOON + 60_000, bans: 0, until: 0 }

function refusal(by: QuotaRefusal['by'], milliseconds: number): QuotaRefusal {
  return { by, until: NOON + milliseconds }
}

interface Given {
  readonly call?: Partial<CountedCall>
  readonly hasBans?: false
  readonly history?: BanHistory
}

/** Decides twice, by values that cannot be changed, and expects the same decision. */
function decide({ call, hasBans, history }: Given): Admission {
  const counted = frozen({ caller: CALLER, quota: QUOTA, now: NOON, ...call })
  const ban = hasBans === false ? undefined : frozen(BAN)
  const first = decideAdmission(frozen(history), counted, ban)

  expect(decideAdmission(frozen(history), counted, ban)).toEqual(first)
  return first
}

describe('a request is admitted', () => {
  it.each<[name: string, given: Given]>([
    ['with quota left', {}],
    ['without a quota', { call: { quota: undefined } }],
  ])('%s', (_name, given) => {
    expect(decide(given)).toEqual({ history: undefined })
  })
})

describe('a request is refused', () => {
  it.each<
    [
      name: string,
      given: Given,
      status: number,
      retryAfter: string | undefined,
      history: BanHistory | undefined,
    ]
  >([
    ['with 429 when the quota is spent', { call: { quota: SPENT } }, 429, '60', REFUSED_ONCE],
    [
      'with 429 until the end of the ban that it causes',
      { call: { quota: SPENT }, history: REFUSED_ONCE },
      429,
      '300',
      { row: 0, retryAt: NOON + 60_000, bans: 1, until: NOON + 300_000 },
    ],
    [
      'without a ban where bans are switched off',
      { call: { quota: SPENT }, history: REFUSED_ONCE, hasBans: false },
      429,
      '60',
      REFUSED_ONCE,
    ],
    [
      'without a ban when the key is a magic one',
      {
        call: { caller: { ...CALLER, always: 'rate-limited' }, quota: SPENT },
        history: REFUSED_ONCE,
      },
      429,
      '60',
      REFUSED_ONCE,
    ],
    [
      'by a ban, which does not grow by that',
      { call: { quota: { ...SPENT, refusal: refusal('ban', 5000) } }, history: REFUSED_ONCE },
      429,
      '5',
      REFUSED_ONCE,
    ],
  ])('%s', (_name, given, status, retryAfter, history) => {
    const decided = decide(given)

    expect(decided.problem?.status).toBe(status)
    expect(decided.problem?.headers['Retry-After']).toBe(retryAfter)
    expect(decided.history).toEqual(history)
  })
})

describe('a request that passes', () => {
  it('ends a row of refused ones', () => {
    expect(decide({ history: REFUSED_ONCE }).history).toEqual({ ...REFUSED_ONCE, row: 0 })
  })

  it('keeps a history without such a row as it is', () => {
    const history = { ...REFUSED_ONCE, row: 0 }

    expect(decide({ history }).history).toBe(history)
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
  ])('%i milliseconds before the end has a Retry-After of %s seconds', (milliseconds, seconds) => {
    const { headers } = tooManyRequests(CALLER, refusal('minute', milliseconds), NOON)

    expect(headers).toEqual({
      'Retry-After': seconds,
      'Cache-Control': 'no-store',
      'X-Sandbox-Reason': 'minute-quota',
    })
  })

  it.each<[by: QuotaRefusal['by'], milliseconds: number, code: string, message: string]>([
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
  ])('caused by the %s says why, and how long to wait', (by, milliseconds, code, message) => {
    expect(tooManyRequests(CALLER, refusal(by, milliseconds), NOON)).toMatchObject({
      status: 429,
      code,
      message,
    })
  })

  it('of a caller without a plan names the window only', () => {
    const caller: Caller = { account: 'token', key: 'valid' }

    expect(tooManyRequests(caller, refusal('minute', 1000), NOON).message).toBe(
      'The requests of this minute are spent. Retry in 1 second.',
    )
  })
})
