import { describe, expect, it } from 'vitest'
import { type BanRules, Bans } from './bans.ts'
import type { Caller } from './caller.ts'
import type { Refusal } from './quota.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const RULES: BanRules = { refusals: 10, seconds: 300, factor: 2, maxSeconds: 3600 }
const CALLER: Caller = {
  account: 'sk_free',
  plan: { name: 'free', minute: 60, day: 1000 },
  key: 'valid',
}

function refusalUntil(until: number): Refusal {
  return { by: 'minute', until }
}

/** Has the caller refused again and again at one moment; gives until when it must wait, each time. */
function hammer(bans: Bans, now: number, times: number, caller = CALLER): number[] {
  const refusal = refusalUntil(now + 60_000)
  return Array.from({ length: times }, () => bans.refused(caller, refusal, now))
}

describe('a ban', () => {
  it('comes with the tenth refused request in a row', () => {
    const bans = new Bans(RULES)

    const waits = hammer(bans, NOON, 9)
    const before = bans.until(CALLER, NOON)
    const [last] = hammer(bans, NOON, 1)

    expect(new Set(waits)).toEqual(new Set([NOON + 60_000]))
    expect(before).toBeUndefined()
    expect(last).toBe(NOON + 300_000)
    expect(bans.until(CALLER, NOON)).toBe(NOON + 300_000)
  })

  it('ends to the millisecond', () => {
    const bans = new Bans(RULES)
    hammer(bans, NOON, 10)

    expect(bans.until(CALLER, NOON + 299_999)).toBe(NOON + 300_000)
    expect(bans.until(CALLER, NOON + 300_000)).toBeUndefined()
  })

  it('is of one key alone', () => {
    const bans = new Bans(RULES)
    hammer(bans, NOON, 10)

    expect(bans.until({ ...CALLER, account: 'sk_other' }, NOON)).toBeUndefined()
  })

  it('does not come when a request passes in between', () => {
    const bans = new Bans(RULES)

    hammer(bans, NOON, 9)
    bans.passed(CALLER)
    hammer(bans, NOON, 9)

    expect(bans.until(CALLER, NOON)).toBeUndefined()
  })

  it('does not come to one who waits for Retry-After each time', () => {
    const bans = new Bans(RULES)

    for (let minute = 0; minute < 30; minute += 1) hammer(bans, NOON + minute * 60_000, 1)

    expect(bans.until(CALLER, NOON + 30 * 60_000)).toBeUndefined()
  })

  it('starts its count anew after a wait to the very millisecond', () => {
    const bans = new Bans(RULES)
    hammer(bans, NOON, 9)

    hammer(bans, NOON + 60_000, 1)

    expect(bans.until(CALLER, NOON + 60_000)).toBeUndefined()
  })

  it('comes to one who sends a millisecond too early', () => {
    const bans = new Bans(RULES)
    hammer(bans, NOON, 9)

    hammer(bans, NOON + 59_999, 1)

    expect(bans.until(CALLER, NOON + 59_999)).toBeDefined()
  })

  it('doubles each time, up to an hour', () => {
    const bans = new Bans(RULES)
    const lengths: number[] = []

    for (let now = NOON, ban = 0; ban < 7; ban += 1) {
      const until = hammer(bans, now, 10).at(-1) ?? now
      lengths.push((until - now) / 1000)
      now = until
    }

    expect(lengths).toEqual([300, 600, 1200, 2400, 3600, 3600, 3600])
  })

  it('never shortens the wait for the window', () => {
    const bans = new Bans(RULES)
    const day = refusalUntil(NOON + 43_200_000)

    const waits = Array.from({ length: 10 }, () => bans.refused(CALLER, day, NOON))

    expect(waits.at(-1)).toBe(NOON + 43_200_000)
    expect(bans.until(CALLER, NOON)).toBe(NOON + 300_000)
  })

  it('does not grow while it lasts', () => {
    const bans = new Bans(RULES)
    hammer(bans, NOON, 10)

    const wait = bans.refused(CALLER, { by: 'ban', until: NOON + 300_000 }, NOON + 1)

    expect(wait).toBe(NOON + 300_000)
    expect(bans.until(CALLER, NOON + 300_000)).toBeUndefined()
  })

  it('follows the numbers it is given', () => {
    const bans = new Bans({ refusals: 2, seconds: 70, factor: 1, maxSeconds: 100 })

    const [, first] = hammer(bans, NOON, 2)
    const [, second] = hammer(bans, NOON + 70_000, 2)

    expect(first).toBe(NOON + 70_000)
    expect(second).toBe(NOON + 140_000)
  })

  it('comes to nobody when bans are switched off', () => {
    const bans = new Bans(undefined)

    hammer(bans, NOON, 100)

    expect(bans.until(CALLER, NOON)).toBeUndefined()
  })
})

describe('a magic key', () => {
  it.each(['rate-limited', 'day-exhausted'] as const)('%s is never banned', (always) => {
    const bans = new Bans(RULES)
    const caller: Caller = { ...CALLER, always }

    hammer(bans, NOON, 50, caller)

    expect(bans.until(caller, NOON)).toBeUndefined()
  })

  it.each<[rules: BanRules | undefined, seconds: number]>([
    [RULES, 300],
    [{ ...RULES, seconds: 20 }, 20],
    [undefined, 300],
  ])('banned has its whole ban before it at any time, with rules %j', (rules, seconds) => {
    const bans = new Bans(rules)
    const caller: Caller = { ...CALLER, always: 'banned' }

    expect(bans.until(caller, NOON)).toBe(NOON + seconds * 1000)
    expect(bans.until(caller, NOON + 999_999)).toBe(NOON + 999_999 + seconds * 1000)
  })
})
