import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { Clock } from './clock.ts'
import type { Duration } from './duration.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now: NOON })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the clock', () => {
  it('shows the time of the machine, also with fake timers', () => {
    const clock = new Clock()

    const before = clock.now()
    vi.advanceTimersByTime(61_000)

    expect([before, clock.now()]).toEqual([NOON, NOON + 61_000])
  })

  it('runs on after it is advanced', () => {
    const clock = new Clock()

    clock.advance('1h')
    vi.advanceTimersByTime(1000)
    clock.advance(500)

    expect(clock.now()).toBe(NOON + 3_601_500)
  })

  it('can be moved back', () => {
    const clock = new Clock()

    clock.advance(-1000)

    expect(clock.now()).toBe(NOON - 1000)
  })

  it('stops when it is frozen, and can be advanced', () => {
    const clock = new Clock()

    clock.freeze()
    vi.advanceTimersByTime(5000)
    const frozen = clock.now()
    clock.advance('2s')

    expect(frozen).toBe(NOON)
    expect(clock.now()).toBe(NOON + 2000)
  })

  it.each<[name: string, instant: number | string | Date]>([
    ['text', '2030-12-05T00:00:00Z'],
    ['text with an offset', '2030-12-05T01:00:00+01:00'],
    ['a date without a time', '2030-12-05'],
    ['a Date', new Date('2030-12-05T00:00:00Z')],
    ['epoch milliseconds', Date.parse('2030-12-05T00:00:00Z')],
  ])('stops at the time that it is set to by %s', (_name, instant) => {
    const clock = new Clock()

    clock.set(instant)
    vi.advanceTimersByTime(5000)

    expect(new Date(clock.now()).toISOString()).toBe('2030-12-05T00:00:00.000Z')
  })

  it('runs on from the time at which it is resumed', () => {
    const clock = new Clock()
    clock.set('2030-12-05T00:00:00Z')
    vi.advanceTimersByTime(5000)

    clock.resume()
    vi.advanceTimersByTime(1500)

    expect(new Date(clock.now()).toISOString()).toBe('2030-12-05T00:00:01.500Z')
  })

  it('does not change when it is resumed while it runs', () => {
    const clock = new Clock()
    clock.advance('1h')

    clock.resume()
    clock.resume()

    expect(clock.now()).toBe(NOON + 3_600_000)
  })

  it.each<[instant: number | string | Date]>([
    [''],
    ['tomorrow'],
    ['2030-13-05'],
    [Number.NaN],
    [new Date('no')],
  ])('cannot be set to %j', (instant) => {
    const clock = new Clock()

    expect(() => clock.set(instant)).toThrow(UsageError)
    expect(() => clock.set(instant)).toThrow('it is not a date, or a time with its time zone')
    expect(clock.now()).toBe(NOON)
  })

  it('cannot be advanced by an invalid duration', () => {
    const clock = new Clock()

    // @ts-expect-error: the duration is invalid.
    expect(() => clock.advance('soon')).toThrow(UsageError)
    expect(clock.now()).toBe(NOON)
  })

  it('stops at the end of the year 9999, and at the start of 1970', () => {
    const clock = new Clock()
    clock.set('9999-12-31T23:59:59Z')
    clock.resume()
    vi.advanceTimersByTime(5000)
    const last = clock.now()
    clock.set(0)
    clock.resume()
    vi.setSystemTime(NOON - 5000)

    expect(new Date(last).toISOString()).toBe('9999-12-31T23:59:59.999Z')
    expect(clock.now()).toBe(0)
  })

  it.each<Duration>(['99999999d', '5000000d5000000d', 1e300, '-99999d'])(
    'cannot be advanced by %s, to before 1970 or after 9999',
    (duration) => {
      const clock = new Clock()

      expect(() => clock.advance(duration)).toThrow(
        `Cannot move the clock by ${duration}: from 2027-03-01T12:00:00.000Z, that is not between 1970 and 9999.`,
      )
      expect(clock.now()).toBe(NOON)
    },
  )

  it.each<[instant: number | Date, time: string]>([
    [-1, '1969-12-31T23:59:59.999Z'],
    [new Date('+010000-01-01T00:00:00Z'), '+010000-01-01T00:00:00.000Z'],
    [253_402_300_800_000, '+010000-01-01T00:00:00.000Z'],
  ])('cannot be set to %s, which is not between 1970 and 9999', (instant, time) => {
    expect(() => new Clock().set(instant)).toThrow(
      `Cannot set the clock to "${time}": it is not between 1970 and 9999.`,
    )
  })
})
