import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreClock } from './redis-connection.ts'

/** What the clock of the store shows at the start of a test. */
const START = 1_800_000_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Notes a reply that told a time, and was read some milliseconds after its command was sent. */
function read(clock: StoreClock, time: number, milliseconds: number): void {
  const sentAt = performance.now()
  vi.advanceTimersByTime(milliseconds)
  clock.set('world', time, sentAt)
}

test('the time of the store is estimated from the reply that was read soonest', () => {
  const clock = new StoreClock(false)

  read(clock, START, 1)
  // The store had this time when a second of the three was over.
  read(clock, START + 1001, 3000)

  expect(clock.estimate('world')).toBe(START + 3000)
})

test('the estimate becomes later with a reply that was read sooner', () => {
  const clock = new StoreClock(false)

  read(clock, START, 3000)
  read(clock, START + 3001, 1)

  expect(clock.estimate('world')).toBe(START + 3001)
})

test('the estimate follows a clock of the store that is set back', () => {
  const clock = new StoreClock(false)

  read(clock, START, 1)
  read(clock, START - 60_000, 1)

  expect(clock.estimate('world')).toBe(START - 60_000)
})
