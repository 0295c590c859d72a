import { describe, expect, it } from 'vitest'
import { frozen } from '../testing/frozen.ts'
import {
  addBan,
  type BanHistory,
  type BanRules,
  bannedUntil,
  decideBan,
  endRefusals,
} from './ban.ts'
import type { Caller } from './caller.ts'

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
