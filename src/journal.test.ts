import { describe, expect, it } from 'vitest'
import { type Exchange, type ExchangeListener, Journal } from './journal.ts'

const ENTRY: Omit<Exchange, 'id'> = {
  time: 0,
  method: 'GET',
  target: '/pets',
  plan: 'free',
  status: 200,
  remaining: 59,
  notes: [],
  milliseconds: 1,
}

function journalOf(size: number, entries: number): Journal {
  const journal = new Journal(size, new Set())
  for (let count = 0; count < entries; count += 1) journal.add(ENTRY)
  return journal
}

describe('the journal', () => {
  it.each<[size: number, entries: number, ids: readonly number[]]>([
    [3, 0, []],
    [3, 2, [1, 2]],
    [3, 3, [1, 2, 3]],
    [3, 4, [2, 3, 4]],
    [3, 5, [3, 4, 5]],
    [3, 6, [4, 5, 6]],
    [3, 100, [98, 99, 100]],
    [1, 5, [5]],
    [0, 0, []],
    [0, 5, []],
  ])('of %i keeps of %i exchanges the latest, oldest first', (size, entries, ids) => {
    const { exchanges } = journalOf(size, entries)

    expect(exchanges.map(({ id }) => id)).toEqual(ids)
  })

  it('gives a list that later exchanges leave alone', () => {
    const journal = journalOf(3, 2)
    const { exchanges } = journal

    journal.add(ENTRY)

    expect(exchanges).toHaveLength(2)
  })

  it.each([0, 2])('of %i tells every listener of each exchange, in order', (size) => {
    const told: string[] = []
    const listeners = new Set<ExchangeListener>([
      ({ id }) => told.push(`one ${id}`),
      ({ id }) => told.push(`other ${id}`),
    ])
    const journal = new Journal(size, listeners)

    for (let count = 0; count < 3; count += 1) journal.add(ENTRY)

    expect(told).toEqual(['one 1', 'other 1', 'one 2', 'other 2', 'one 3', 'other 3'])
  })
})
