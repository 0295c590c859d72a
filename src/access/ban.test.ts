import { describe, expect, it } from 'vitest'
import { frozen } from '../testing/frozen.ts'
import {
  type Admission,
  addBan,
  BAN_RULES,
  type BanHistory,
  type BanRules,
  Bans,
  bannedUntil,
  type CountedCall,
  decideAdmission,
  decideBan,
  endRefusals,
  tooManyRequests,
} from './ban.ts'
import type { Caller } from './callers.ts'
import type { Quota, QuotaRefusal } from './quota.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const RULES: BanRules = { refusals: 10, seconds: 300, factor: 2, maxSeconds: 3600 }
const CALLER: Caller = {
  account: 'sk_free',
  plan: { name: 'free', minute: 60, day: 1000 },
  key: 'valid',
}

/** The history after so many refused requests at one moment, and until when the caller must wait each time. */
function hammer(
  history: BanHistory | undefined,
  now: number,
  times: number,
  { rules = RULES, until = now + 60_000 }: { rules?: BanRules; until?: number } = {},
): { readonly history: BanHistory | undefined; readonly waits: readonly number[] } {
  const waits: number[] = []
  let next = history
  for (let time = 0; time < times; time += 1) {
    const decided = decideBan(frozen(next), frozen({ by: 'minute', until }), frozen(rules), now)
    expect(decideBan(next, { by: 'minute', until }, rules, now)).toEqual(decided)
    next = decided.history
    waits.push(decided.until)
  }
  return { history: next, waits }
}

function isBanned(history: BanHistory | undefined, now: number): boolean {
  return bannedUntil(history, CALLER, RULES, now) !== undefined
}

describe('a ban', () => {
  it('is caused by the tenth refused request in a row', () => {
    const nine = hammer(undefined, NOON, 9)
    const ten = hammer(nine.history, NOON, 1)

    expect(new Set(nine.waits)).toEqual(new Set([NOON + 60_000]))
    expect(isBanned(nine.history, NOON)).toBe(false)
    expect(ten.waits).toEqual([NOON + 300_000])
    expect(bannedUntil(ten.history, CALLER, RULES, NOON)).toBe(NOON + 300_000)
  })

  it('ends to the millisecond', () => {
    const { history } = hammer(undefined, NOON, 10)

    expect(bannedUntil(history, CALLER, RULES, NOON + 299_999)).toBe(NOON + 300_000)
    expect(bannedUntil(history, CALLER, RULES, NOON + 300_000)).toBeUndefined()
  })

  it('is not caused when a request passes in between', () => {
    const passed = endRefusals(hammer(undefined, NOON, 9).history)

    expect(isBanned(hammer(passed, NOON, 9).history, NOON)).toBe(false)
  })

  it('is not caused by a client that waits for Retry-After each time', () => {
    let history: BanHistory | undefined
    for (let minute = 0; minute < 30; minute += 1) {
      history = hammer(history, NOON + minute * 60_000, 1).history
    }

    expect(isBanned(history, NOON + 30 * 60_000)).toBe(false)
  })

  it.each([
    [60_000, false],
    [59_999, true],
  ])('after nine refusals and a wait of %i of 60000 ms: %s', (wait, expected) => {
    const { history } = hammer(hammer(undefined, NOON, 9).history, NOON + wait, 1)

    expect(isBanned(history, NOON + wait)).toBe(expected)
  })

  it('is twice as long each time, up to an hour', () => {
    const seconds: number[] = []
    let history: BanHistory | undefined
    for (let now = NOON, ban = 0; ban < 7; ban += 1) {
      const hammered = hammer(history, now, 10)
      const until = hammered.waits.at(-1) ?? now
      seconds.push((until - now) / 1000)
      history = hammered.history
      now = until
    }

    expect(seconds).toEqual([300, 600, 1200, 2400, 3600, 3600, 3600])
  })

  it('never shortens the wait for the window', () => {
    const { history, waits } = hammer(undefined, NOON, 10, { until: NOON + 43_200_000 })

    expect(waits.at(-1)).toBe(NOON + 43_200_000)
    expect(bannedUntil(history, CALLER, RULES, NOON)).toBe(NOON + 300_000)
  })

  it('uses the configured numbers', () => {
    const rules = { refusals: 2, seconds: 70, factor: 1, maxSeconds: 100 }

    const first = hammer(undefined, NOON, 2, { rules })
    const second = hammer(first.history, NOON + 70_000, 2, { rules })

    expect([first.waits.at(-1), second.waits.at(-1)]).toEqual([NOON + 70_000, NOON + 140_000])
  })

  it('can be added whatever the caller did', () => {
    const history = frozen({ row: 3, retryAt: NOON, bans: 1, until: NOON })

    expect(addBan(history, NOON + 5)).toEqual({ row: 0, retryAt: NOON, bans: 2, until: NOON + 5 })
  })
})

describe('the magic key "banned"', () => {
  it.each<[rules: BanRules | undefined, seconds: number]>([
    [RULES, 300],
    [{ ...RULES, seconds: 20 }, 20],
    [undefined, 300],
  ])('is banned for a whole ban from any moment on, with rules %j', (rules, seconds) => {
    const caller: Caller = { ...CALLER, always: 'banned' }

    for (const now of [NOON, NOON + 999_999]) {
      expect(bannedUntil(undefined, caller, rules, now)).toBe(now + seconds * 1000)
    }
  })
})

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

it('each account has a history of its own', () => {
  const bans = new Bans(BAN_RULES)

  for (let request = 0; request < 10; request += 1) {
    bans.admit({ caller: CALLER, quota: SPENT, now: NOON })
  }

  expect(bans.until(CALLER, NOON)).toBe(NOON + 300_000)
  expect(bans.until({ ...CALLER, account: 'sk_other' }, NOON)).toBeUndefined()
})

it('a history that was read is not changed by later requests', () => {
  const bans = new Bans(BAN_RULES)
  const refuse = (): unknown => bans.admit({ caller: CALLER, quota: SPENT, now: NOON })
  refuse()
  const before = bans.read()

  refuse()

  expect(before.get('sk_free')?.row).toBe(1)
  expect(bans.read().get('sk_free')?.row).toBe(2)
})
