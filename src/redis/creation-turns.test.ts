import { expect, test } from 'vitest'
import { CreationTurns } from './creation-turns.ts'

test('creations in a collection take turns, and each gets the ids that the one before left', async () => {
  const turns = new CreationTurns()
  const since = turns.sequence
  const first = await turns.take('pets', since)
  const order: string[] = []
  const second = turns.take('pets', since).then((turn) => {
    order.push('second')
    return turn
  })
  order.push('first')

  first.end(8)

  expect((await second).ids).toBe(8)
  expect(first.ids).toBeUndefined()
  expect(order).toEqual(['first', 'second'])
})

test('creations in other collections do not wait', async () => {
  const turns = new CreationTurns()
  await turns.take('pets', turns.sequence)

  const other = await turns.take('categories', turns.sequence)

  expect(other.ids).toBeUndefined()
})

test('a creation that began to read after the latest one is not told its ids', async () => {
  const turns = new CreationTurns()
  const first = await turns.take('pets', turns.sequence)
  first.end(8)

  const later = await turns.take('pets', turns.sequence)

  expect(later.ids).toBeUndefined()
})

test('a turn that created nothing leaves no ids', async () => {
  const turns = new CreationTurns()
  const since = turns.sequence
  const first = await turns.take('pets', since)
  first.end()

  expect((await turns.take('pets', since)).ids).toBeUndefined()
  expect(turns.sequence).toBe(since)
})
