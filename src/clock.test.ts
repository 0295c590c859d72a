import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Clock } from './clock.ts'
import { UsageError } from './usage-error.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now: NOON })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the clock', () => {
  it('goes with the machine, fake timers included', () => {
    const clock = new Clock()

    const before = clock.now()
    vi.advanceTimersByTime(61_000)

    expect([before, clock.now()]).toEqual([NOON, NOON + 61_000])
  })

  it('runs on from where it was moved', () => {
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

  it('stands still when it is frozen, and moves only when it is told to', () => {
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
    ['a day', '2030-12-05'],
    ['a Date', new Date('2030-12-05T00:00:00Z')],
    ['epoch milliseconds', Date.parse('2030-12-05T00:00:00Z')],
  ])('stands where it was set by %s', (_name, instant) => {
    const clock = new Clock()

    clock.set(instant)
    vi.advanceTimersByTime(5000)

    expect(new Date(clock.now()).toISOString()).toBe('2030-12-05T00:00:00.000Z')
  })

  it('runs on from where it stood', () => {
    const clock = new Clock()
    clock.set('2030-12-05T00:00:00Z')
    vi.advanceTimersByTime(5000)

    clock.resume()
    vi.advanceTimersByTime(1500)

    expect(new Date(clock.now()).toISOString()).toBe('2030-12-05T00:00:01.500Z')
  })

  it('is not moved by being resumed while it runs', () => {
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
    [8.64e15 + 1],
    [new Date('no')],
  ])('cannot be set to %j', (instant) => {
    const clock = new Clock()

    expect(() => clock.set(instant)).toThrow(UsageError)
    expect(() => clock.set(instant)).toThrow('it is no time. Write it as 2030-12-05T00:00:00Z.')
    expect(clock.now()).toBe(NOON)
  })

  it('cannot be advanced by what is no duration', () => {
    const clock = new Clock()

    expect(() => clock.advance('soon')).toThrow(UsageError)
    expect(clock.now()).toBe(NOON)
  })
})
