import { describe, expect, it } from 'vitest'
import { frozen } from '../testing/frozen.ts'
import type { MeteredCaller } from './callers.ts'
import {
  addUsage,
  type CountedRequest,
  DAY,
  decideQuota,
  MINUTE,
  type Quota,
  UNUSED,
  type Usage,
  usageAt,
  windowEnd,
} from './quota.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const MIDNIGHT = Date.parse('2027-03-02T00:00:00Z')
const CALLER: MeteredCaller = {
  account: 'sk_small',
  plan: { name: 'small', minute: 2, day: 100 },
  key: 'valid',
}

/** The usage at noon. */
function used(minute: number, day: number): Usage {
  return {
    minute: { window: Math.floor(NOON / MINUTE), used: minute },
    day: { window: Math.floor(NOON / DAY), used: day },
  }
}

/** Decides twice, by values that cannot be changed, and expects the same decision. */
function decide(usage: Usage, more: Partial<CountedRequest> = {}): ReturnType<typeof decideQuota> {
  const request = frozen({
    caller: CALLER,
    now: NOON,
    cost: 1 as const,
    bannedUntil: undefined,
    isEnforced: true,
    ...more,
  })
  const first = decideQuota(frozen(usage), request)

  expect(decideQuota(frozen(usage), request)).toEqual(first)
  return first
}

describe('a request is counted', () => {
  it.each<[name: string, usage: Usage, more: Partial<CountedRequest>, after: Usage]>([
    ['in windows of its time', UNUSED, {}, used(1, 1)],
    ['after earlier ones of the windows', used(1, 7), {}, used(2, 8)],
    [
      'in a new minute',
      used(2, 7),
      { now: NOON + MINUTE },
      { minute: { window: used(0, 0).minute.window + 1, used: 1 }, day: used(0, 8).day },
    ],
    ['unless it costs nothing', used(1, 7), { cost: 0 }, used(1, 7)],
    ['unless the minute is spent', used(2, 7), {}, used(2, 7)],
    ['unless the day is spent', used(1, 100), {}, used(1, 100)],
    ['unless its caller is banned', used(1, 7), { bannedUntil: NOON + 1 }, used(1, 7)],
    ['unless quotas are switched off', used(1, 7), { isEnforced: false }, used(1, 7)],
  ])('%s', (_name, usage, more, after) => {
    expect(decide(usage, more).usage).toEqual(after)
  })
})

describe('a request is refused', () => {
  it.each<[name: string, usage: Usage, more: Partial<CountedRequest>, refusal: Quota['refusal']]>([
    ['not while there are requests left', used(1, 99), {}, undefined],
    ['until the end of a spent minute', used(2, 7), {}, { by: 'minute', until: NOON + MINUTE }],
    ['until the end of a spent day', used(1, 100), {}, { by: 'day', until: MIDNIGHT }],
    [
      'until the end of the day when both are spent',
      used(2, 100),
      {},
      { by: 'day', until: MIDNIGHT },
    ],
    [
      'until the end of a ban',
      used(0, 0),
      { bannedUntil: NOON + 5 },
      { by: 'ban', until: NOON + 5 },
    ],
    [
      'until the end of a ban that outlasts a spent minute',
      used(2, 7),
      { bannedUntil: NOON + MINUTE },
      { by: 'ban', until: NOON + MINUTE },
    ],
    [
      'until the end of a spent minute that outlasts a ban',
      used(2, 7),
      { bannedUntil: NOON + 5 },
      { by: 'ban', until: NOON + MINUTE, outlastedBy: 'minute' },
    ],
    ['not when quotas are switched off', used(2, 100), { isEnforced: false }, undefined],
    [
      'by a ban, also when quotas are switched off',
      used(2, 100),
      { isEnforced: false, bannedUntil: NOON + 5 },
      { by: 'ban', until: NOON + 5 },
    ],
  ])('%s', (_name, usage, more, refusal) => {
    expect(decide(usage, more).quota.refusal).toEqual(refusal)
  })
})

describe('usage', () => {
  it('is the same object while its windows last', () => {
    const usage = frozen(used(1, 7))

    expect(usageAt(usage, CALLER, NOON + MINUTE - 1)).toBe(usage)
  })

  it.each([
    ['rate-limited', used(2, 7)],
    ['day-exhausted', used(1, 100)],
  ] as const)('of the magic key %s is always spent', (always, expected) => {
    expect(usageAt(frozen(used(1, 7)), { ...CALLER, always }, NOON)).toEqual(expected)
  })

  it('has the requests that are added', () => {
    expect(addUsage(frozen(used(1, 7)), { day: 3 })).toEqual(used(1, 10))
  })
})

describe('the end of a window', () => {
  it.each([
    [0, MINUTE, MINUTE],
    [MINUTE - 1, MINUTE, MINUTE],
    [MINUTE, MINUTE, 2 * MINUTE],
    [-1, MINUTE, 0],
    [NOON, DAY, MIDNIGHT],
  ])('from %i, of %i milliseconds, is %i', (now, length, end) => {
    expect(windowEnd(now, length)).toBe(end)
  })
})
