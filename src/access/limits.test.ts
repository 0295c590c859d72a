import { describe, expect, it } from 'vitest'
import { BAN_RULES, Bans } from './ban.ts'
import type { MagicOutcome, MeteredCaller } from './callers.ts'
import { Limits } from './limits.ts'
import { DAY, MINUTE, type Quota } from './quota.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const MIDNIGHT = Date.parse('2027-03-02T00:00:00Z')

function callerOf(minute: number, day: number, always?: MagicOutcome): MeteredCaller {
  const plan = { name: 'small', minute, day }
  return { account: 'sk_small', plan, key: 'valid', ...(always && { always }) }
}

function limitsOf(isEnforced = true): Limits {
  return new Limits(new Bans(BAN_RULES), isEnforced)
}

function countTimes(limits: Limits, caller: MeteredCaller, now: number, times: number): Quota[] {
  return Array.from({ length: times }, () => limits.count(caller, now))
}

describe('the minute', () => {
  it('admits exactly as many requests as the plan allows', () => {
    const quotas = countTimes(limitsOf(), callerOf(3, 100), NOON, 5)

    expect(quotas.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0])
    expect(quotas.map(({ refusal }) => refusal?.by)).toEqual([
      undefined,
      undefined,
      undefined,
      'minute',
      'minute',
    ])
  })

  it('ends after its last millisecond', () => {
    const limits = limitsOf()
    const caller = callerOf(1, 100)

    limits.count(caller, NOON)
    const last = limits.count(caller, NOON + MINUTE - 1)
    const next = limits.count(caller, NOON + MINUTE)

    expect(last.refusal).toEqual({ by: 'minute', until: NOON + MINUTE })
    expect(next.refusal).toBeUndefined()
  })

  it('starts on the UTC minute, not with the first request', () => {
    const limits = limitsOf()
    const caller = callerOf(1, 100)

    const first = limits.count(caller, NOON + 59_999)
    const second = limits.count(caller, NOON + 60_000)

    expect(first.reset).toBe(NOON + MINUTE)
    expect(second).toMatchObject({ limit: 1, remaining: 0, reset: NOON + 2 * MINUTE })
  })
})

describe('the day', () => {
  it('ends at midnight UTC', () => {
    const limits = limitsOf()
    const caller = callerOf(100, 1)

    limits.count(caller, NOON)
    const last = limits.count(caller, MIDNIGHT - 1)
    const next = limits.count(caller, MIDNIGHT)

    expect(last.refusal).toEqual({ by: 'day', until: MIDNIGHT })
    expect(next.refusal).toBeUndefined()
  })

  it('counts the requests of all its minutes', () => {
    const limits = limitsOf()
    const caller = callerOf(2, 5)

    const refusals = [0, 1, 2].map((minute) =>
      countTimes(limits, caller, NOON + minute * MINUTE, 2).map(({ refusal }) => refusal?.by),
    )

    expect(refusals).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 'day'],
    ])
  })
})

describe('a refused request', () => {
  it('does not count', () => {
    const limits = limitsOf()
    const caller = callerOf(2, 3)
    countTimes(limits, caller, NOON, 50)

    const [first, second] = countTimes(limits, caller, NOON + MINUTE, 2)

    expect(first).toMatchObject({ limit: 3, remaining: 0, reset: MIDNIGHT })
    expect(second?.refusal?.by).toBe('day')
  })
})

describe('the quota', () => {
  it.each<[name: string, minute: number, day: number, spent: number, quota: Partial<Quota>]>([
    ['the minute with fewer left', 5, 100, 1, { limit: 5, remaining: 4, reset: NOON + MINUTE }],
    ['the day with fewer left', 100, 5, 1, { limit: 5, remaining: 4, reset: MIDNIGHT }],
    ['the day when both have as many', 5, 5, 1, { limit: 5, remaining: 4, reset: MIDNIGHT }],
    ['the minute that refuses', 2, 100, 3, { limit: 2, remaining: 0, reset: NOON + MINUTE }],
    ['the day that refuses', 100, 2, 3, { limit: 2, remaining: 0, reset: MIDNIGHT }],
    ['the day when both refuse', 2, 2, 3, { limit: 2, remaining: 0, reset: MIDNIGHT }],
  ])('describes %s', (_name, minute, day, spent, expected) => {
    const quota = countTimes(limitsOf(), callerOf(minute, day), NOON, spent).at(-1)

    expect(quota).toMatchObject(expected)
  })
})

describe('accounts', () => {
  it('are counted separately', () => {
    const limits = limitsOf()
    const one = callerOf(1, 10)
    const other = { ...one, account: 'sk_other' }
    countTimes(limits, one, NOON, 2)

    expect(limits.count(other, NOON).refusal).toBeUndefined()
  })

  it('are shared by all callers without a valid key', () => {
    const limits = limitsOf()
    const missing: MeteredCaller = { ...callerOf(2, 10), account: '(anonymous)', key: 'missing' }
    limits.count(missing, NOON)

    const quota = limits.count({ ...missing, key: 'invalid' }, NOON)

    expect(quota.remaining).toBe(0)
  })
})

describe('a clock that is moved back', () => {
  it('starts windows anew', () => {
    const limits = limitsOf()
    const caller = callerOf(1, 10)
    countTimes(limits, caller, NOON, 2)

    const earlier = limits.count(caller, NOON - MINUTE)

    expect(earlier).toMatchObject({ limit: 1, remaining: 0, reset: NOON })
  })

  it('continues the same window', () => {
    const limits = limitsOf()
    const caller = callerOf(1, 10)
    limits.count(caller, NOON + 30_000)

    expect(limits.count(caller, NOON).refusal?.by).toBe('minute')
  })
})

describe('limits that are not enforced', () => {
  it('refuse nothing and count nothing', () => {
    const quotas = countTimes(limitsOf(false), callerOf(1, 1), NOON, 5)

    expect(new Set(quotas.map(({ remaining, refusal }) => `${remaining} ${refusal?.by}`))).toEqual(
      new Set(['1 undefined']),
    )
  })

  it('do not change magic keys', () => {
    const limits = limitsOf(false)

    expect(limits.count(callerOf(60, 100, 'rate-limited'), NOON).refusal?.by).toBe('minute')
    expect(limits.count(callerOf(60, 100, 'banned'), NOON).refusal?.by).toBe('ban')
  })
})

describe('a magic key', () => {
  it.each<[always: MagicOutcome, by: string, until: number, remaining: number]>([
    ['rate-limited', 'minute', NOON + MINUTE, 0],
    ['day-exhausted', 'day', MIDNIGHT, 0],
    ['banned', 'ban', NOON + 300_000, 60],
  ])('%s is refused from the first request on', (always, by, until, remaining) => {
    const limits = limitsOf()
    const caller = callerOf(60, 1000, always)

    const [first, second] = countTimes(limits, caller, NOON, 2)
    const later = limits.count(caller, NOON + 5 * DAY)

    expect(first).toMatchObject({ refusal: { by, until }, remaining })
    expect(second).toEqual(first)
    expect(later.refusal?.by).toBe(by)
  })
})
