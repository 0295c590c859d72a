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

  vi.advanceTimersByTime(5)
  await turns.yield()
  order.push('short request')

  expect(order).toEqual(['short request'])
})

test('after long work, a pause is over before the work goes on', async () => {
  const order: string[] = []
  const turns = new Turns(async () => {
    await new Promise<void>((resolve) => setTimeout(resolve, 20))
    order.push('pause')
  })

  await turns.yield()
  order.push('short work')
  vi.advanceTimersByTime(30)
  await turns.yield()
  order.push('long work')

  expect(order).toEqual(['short work', 'pause', 'long work'])
})

test('what else is waiting runs after each turn, however many take long at once', async () => {
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    const turns = new Turns()
    for (let turn = 1; turn <= 3; turn += 1) {
      order.push(name)
      vi.advanceTimersByTime(30)
      await turns.yield()
    }
  }
  let isOver = false
  const answer = (): void => {
    order.push('other request')
    if (!isOver) setImmediate(answer)
  }
  const all = Promise.all(['a', 'b', 'c'].map(work))
  setImmediate(answer)
  await all
  isOver = true

  const turns = order.slice(3).join(' ')
  expect(turns.replaceAll('other request', '').replaceAll(' ', '')).toBe('abcabc')
  expect(turns).not.toMatch(/\b[abc] [abc]\b/)
})
