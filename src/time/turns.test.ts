import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Turns } from './turns.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

test('after long work, what else is waiting runs before the work goes on', async () => {
  const order: string[] = []
  const turns = new Turns()
  setTimeout(() => order.push('other request'), 0)

  vi.advanceTimersByTime(30)
  await turns.yield()
  order.push('long request')

  expect(order).toEqual(['other request', 'long request'])
})

test('after short work, it goes on at once', async () => {
  const order: string[] = []
  const turns = new Turns()
  setTimeout(() => order.push('other request'), 0)

  vi.advanceTimersByTime(10)
  await turns.yield()
  order.push('short request')

  expect(order).toEqual(['short request'])
})
