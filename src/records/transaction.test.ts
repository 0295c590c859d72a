import { describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import { performRandom } from '../testing/random-table-operations.ts'
import { StoredRecordsInMemory } from '../testing/stored-records-in-memory.ts'
import { MemoryTable } from './memory-table.ts'
import { type FirstState, MissingCollectionError } from './stored-records.ts'
import { Transaction } from './transaction.ts'

const FILTERS = ['color']
const EMPTY: FirstState = { rows: [], removed: [], ids: 0, filters: FILTERS }
const start = async (): Promise<FirstState> => EMPTY

async function opened(): Promise<StoredRecordsInMemory> {
  const records = new StoredRecordsInMemory()
  await records.open('items@0', EMPTY)
  return records
}

describe('a transaction', () => {
  it('reads what it wrote, and the store has it after the commit', async () => {
    const records = await opened()
    const transaction = new Transaction(records)
    const table = transaction.table('items@0', FILTERS, start)

    await table.put(1, { id: 1, color: 'red' }, undefined, { from: 0, to: 1 })

    expect(await table.get(1)).toEqual({ id: 1, color: 'red' })
    expect((await table.page({ where: { color: 'red' } })).records).toHaveLength(1)
    expect(await records.get('items@0', 1)).toBeUndefined()
    expect(await records.commit(transaction.writes())).toBe(true)
    expect(await records.get('items@0', 1)).toMatchObject({ record: { id: 1, color: 'red' } })
    expect(await records.state('items@0')).toMatchObject({ ids: 1 })
  })

  it('conflicts with another one that changed the same record', async () => {
    const records = await opened()
    const [one, other] = [new Transaction(records), new Transaction(records)]
    await one.table('items@0', FILTERS, start).put(1, { id: 1 }, undefined)
    await other.table('items@0', FILTERS, start).put(1, { id: 1, color: 'red' }, undefined)

    expect(await records.commit(one.writes())).toBe(true)
    expect(await records.commit(other.writes())).toBe(false)
    const again = new Transaction(records, false)
    expect(await again.table('items@0', FILTERS, start).isTaken(1)).toBe(true)
  })

  it('asks nothing for a generated id at first', async () => {
    const records = await opened()
    const table = new Transaction(records).table('items@0', FILTERS, start)
    expect(await table.isTaken(5)).toBe(false)
    records.calls.length = 0

    await table.put(5, { id: 5 }, undefined)

    expect(records.calls).toEqual(['state'])
  })

  it('has no writes after a change that was undone', async () => {
    const transaction = new Transaction(await opened())
    const table = transaction.table('items@0', FILTERS, start)
    const made = await table.put(1, { id: 1 }, undefined)
    await table.delete(1, made ?? {})
    await table.setGeneration(1, 0)

    expect(transaction.writes()).toEqual({})
  })

  it('asks once for what an early reader asked', async () => {
    const records = await opened()
    const transaction = new Transaction(records)
    const early = transaction.scratch().table('items@0', FILTERS)
    const read = [early.get(1), early.page({ limit: 3 })]
    const table = transaction.table('items@0', FILTERS, start)

    await Promise.all([...read, table.get(1), table.page({ limit: 3 })])

    expect(records.calls.toSorted()).toEqual(['get', 'page', 'state'])
  })

  it('opens a collection with its first records when it is first read', async () => {
    const records = new StoredRecordsInMemory()
    const transaction = new Transaction(records)
    const first = { ...EMPTY, ids: 1, rows: [{ id: 1, record: { id: 1 } }] }
    const table = transaction.table('items@0', FILTERS, async () => first)

    expect(await table.get(1)).toEqual({ id: 1 })
    expect(await table.count()).toBe(1)
    await expect(transaction.table('other@0', []).get(1)).rejects.toThrow(MissingCollectionError)
  })
})

describe('random operations in transactions', () => {
  it.each([1, 2, 3, 4, 5, 6])('give what they give in memory (seed %i)', async (seed) => {
    const random = new Random(seed)
    const memory = new MemoryTable(FILTERS, 0)
    const records = await opened()
    let transaction = new Transaction(records)
    for (let at = 0; at < 400; at += 1) {
      const { state } = random
      const table = transaction.table('items@0', FILTERS, start)
      const [mine, theirs] = [new Random(state), new Random(state)]

      expect(await performRandom(table, mine), `step ${at}`).toEqual(
        await performRandom(memory, theirs),
      )
      random.next()
      if (random.next() < 0.3) {
        expect(await records.commit(transaction.writes())).toBe(true)
        transaction = new Transaction(records)
      }
    }
  })
})
