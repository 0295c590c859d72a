import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('after long work, what else is waiting runs before the work goes on', async () => {
  const order: string[] = []
  const turns = new Turns()
  setTimeout(() => order.push('other request'), 0)

  work(30)
  await turns.yield()
  order.push('long request')

  expect(order).toEqual(['other request', 'long request'])
})

test('after short work, it goes on at once', async () => {
  const order: string[] = []
  const turns = new Turns()
  setTimeout(() => order.push('other request'), 0)

  await turns.yield()
  order.push('short request')

  expect(order).toEqual(['short request'])
})
