import { describe, expect, it } from 'vitest'
import { type IdPageQuery, RecordIndex } from './record-index.ts'
import type { Id, StoredRecord } from './record-table.ts'

interface Item extends StoredRecord {
  readonly id: Id
  readonly color?: string
  readonly size?: number
  readonly tags?: readonly string[]
}

function indexOf(...records: readonly Item[]): RecordIndex<Item> {
  const index = new RecordIndex<Item>(['color', 'size', 'tags'])
  for (const record of records) index.add(record.id, record)
  return index
}

function idsOf(index: RecordIndex<Item>, query: IdPageQuery = {}): Id[] {
  return index.page(query).records.map(({ id }) => id)
}

/** An index of one color by turns, and a count of how often its records were read. */
function countedIndex(length: number): { index: RecordIndex<Item>; reads: () => number } {
  let reads = 0
  const index = new RecordIndex<Item>(['color'])
  for (let id = 1; id <= length; id += 1) {
    const color = id % 2 === 0 ? 'red' : 'blue'
    const record = {
      id,
      get color() {
        reads += 1
        return color
      },
    }
    index.add(id, record)
  }
  reads = 0
  return { index, reads: () => reads }
}

describe('the index', () => {
  it('has records in ascending order of their ids, whatever the order of their creation', () => {
    const index = indexOf({ id: 10 }, { id: 9 }, { id: 2 }, { id: 100 })

    expect(idsOf(index)).toEqual([2, 9, 10, 100])
  })

  it('orders string ids as strings', () => {
    const index = indexOf({ id: 'b' }, { id: 'a' }, { id: 'c' })

    expect(idsOf(index)).toEqual(['a', 'b', 'c'])
  })

  it('distinguishes the id 1 from the id "1"', () => {
    const index = indexOf({ id: 1 }, { id: 2 }, { id: 3 })

    expect(index.get('1')).toBeUndefined()
    expect(index.get('banana')).toBeUndefined()
    expect(index.get(2)).toEqual({ id: 2 })
  })

  it('has no records when it is new', () => {
    const index = indexOf()

    expect(index.size).toBe(0)
    expect(index.get(1)).toBeUndefined()
    expect(index.page({ limit: 5 })).toEqual({ records: [] })
    expect(index.page({ where: { color: 'red' }, after: 7 })).toEqual({ records: [] })
  })

  it('removes a record from every list', () => {
    const red: Item = { id: 2, color: 'red', tags: ['a', 'b'] }
    const index = indexOf({ id: 1, color: 'red' }, red, { id: 3, color: 'blue' })

    index.remove(2, red)

    expect(index.get(2)).toBeUndefined()
    expect(index.size).toBe(2)
    expect(idsOf(index)).toEqual([1, 3])
    expect(idsOf(index, { where: { color: 'red' } })).toEqual([1])
    expect(idsOf(index, { where: { tags: 'b' } })).toEqual([])
  })
})

describe('a page', () => {
  const index = indexOf(
    { id: 1, color: 'red', size: 1 },
    { id: 2, color: 'blue', size: 1 },
    { id: 3, color: 'red', size: 2, tags: ['old', 'rare'] },
    { id: 4, color: 'blue', size: 2 },
    { id: 5, color: 'red', size: 1, tags: ['rare'] },
    { id: 6 },
  )

  it.each<[name: string, query: IdPageQuery, ids: readonly number[], next?: number]>([
    ['of everything', {}, [1, 2, 3, 4, 5, 6]],
    ['cut by its limit', { limit: 2 }, [1, 2], 2],
    ['that is exactly full', { limit: 6 }, [1, 2, 3, 4, 5, 6]],
    ['one short of full', { limit: 5 }, [1, 2, 3, 4, 5], 5],
    ['after a record', { after: 2, limit: 2 }, [3, 4], 4],
    ['after the last record', { after: 6, limit: 2 }, []],
    ['after more than there are', { after: 99, limit: 2 }, []],
    ['after a record that is gone', { after: 0, limit: 1 }, [1], 1],
    ['of one color', { where: { color: 'red' } }, [1, 3, 5]],
    ['of one color, cut', { where: { color: 'red' }, limit: 2 }, [1, 3], 3],
    ['of one color, filled by its last record', { where: { color: 'red' }, limit: 3 }, [1, 3, 5]],
    ['of one color, after a record of another', { where: { color: 'red' }, after: 2 }, [3, 5]],
    ['of a color that no record has', { where: { color: 'green' } }, []],
    ['of two conditions', { where: { color: 'red', size: 1 } }, [1, 5]],
    ['of two conditions, cut', { where: { color: 'red', size: 1 }, limit: 1 }, [1], 1],
    ['of any of several colors', { where: { color: ['red', 'blue'] }, limit: 4 }, [1, 2, 3, 4], 4],
    ['of a value within a list', { where: { tags: 'rare' } }, [3, 5]],
    ['of any of several values within a list', { where: { tags: ['old', 'none'] } }, [3]],
    ['of a property without an index', { where: { id: 4 } }, [4]],
    ['of records that lack a property', { where: { color: undefined } }, [6]],
    ['of none', { limit: 0 }, []],
    ['of fewer than none', { limit: -1 }, []],
  ])('%s has the matching records, and says whether more follow', (_name, query, ids, next) => {
    const page = index.page(query)

    expect(page.records.map(({ id }) => id)).toEqual(ids)
    expect(page.next).toBe(next)
  })

  it('reads only its own records, however many there are', () => {
    const costs = [100, 10_000].map((length) => {
      const { index, reads } = countedIndex(length)
      index.page({ where: { color: 'red' }, after: length / 2, limit: 20 })
      return reads()
    })

    expect(costs[1]).toBe(costs[0])
    expect(costs[0]).toBeLessThanOrEqual(21)
  })

  it.each<[where: StoredRecord]>([[{ color: 'red', size: 1 }], [{ size: 1, color: 'red' }]])(
    'reads the list of the rarer condition of %j',
    (where) => {
      let reads = 0
      const index = new RecordIndex<Item>(['color', 'size'])
      for (let id = 1; id <= 1000; id += 1) {
        const record = {
          id,
          color: 'red',
          get size() {
            reads += 1
            return id === 500 ? 1 : 2
          },
        }
        index.add(id, record)
      }
      reads = 0

      const { records } = index.page({ where })

      expect(records.map(({ id }) => id)).toEqual([500])
      expect(reads).toBe(1)
    },
  )
})

describe('a fork of the index', () => {
  const red: Item = { id: 1, color: 'red', tags: ['a', 'b'] }
  const blue: Item = { id: 2, color: 'blue', tags: ['b'] }

  it('has the identical records', () => {
    const fork = indexOf(red, blue).fork()

    expect(fork.size).toBe(2)
    expect(fork.get(1)).toBe(red)
    expect(idsOf(fork, { where: { tags: 'b' } })).toEqual([1, 2])
  })

  it("and its source do not have each other's changes", () => {
    const source = indexOf(red, blue)
    const fork = source.fork()

    source.remove(1, red)
    source.add(3, { id: 3, color: 'green' })
    fork.remove(2, blue)
    fork.add(2, { id: 2, color: 'red' })

    expect([idsOf(source), idsOf(fork)]).toEqual([
      [2, 3],
      [1, 2],
    ])
    const asked = ['red', 'blue', 'green'].map((color) => ({ where: { color } }))
    expect(asked.map((query) => idsOf(source, query))).toEqual([[], [2], [3]])
    expect(asked.map((query) => idsOf(fork, query))).toEqual([[1, 2], [], []])
    expect(idsOf(source, { where: { tags: 'b' } })).toEqual([2])
    expect(idsOf(fork, { where: { tags: 'b' } })).toEqual([1])
  })

  it('can be forked again, before and after it changed', () => {
    const source = indexOf(red)
    const first = source.fork()
    const untouched = first.fork()
    first.add(2, blue)
    const second = first.fork()
    second.remove(1, red)

    expect([source, first, untouched, second].map((index) => idsOf(index))).toEqual([
      [1],
      [1, 2],
      [1],
      [2],
    ])
    expect(idsOf(untouched, { where: { color: 'blue' } })).toEqual([])
  })
})

describe('values of a filter', () => {
  it.each<[name: string, values: readonly unknown[]]>([
    ['numbers and texts', [1, '1']],
    ['booleans and texts', [true, 'true']],
    ['null, none and texts', [null, undefined, 'null', 'undefined', '']],
    ['numbers out of order', [Number.NaN, 2, 10, -1]],
  ])('that are %s are told apart', (_name, values) => {
    const index = new RecordIndex<StoredRecord>(['value'])
    for (const [at, value] of values.entries()) index.add(at, { value })

    const found = values.map((value) => index.page({ where: { value } }).records)

    expect(found).toEqual(values.map((value) => [{ value }]))
  })

  it('may be objects and null', () => {
    const index = new RecordIndex<StoredRecord>(['value'])
    const record = { value: { toString: 'no function' } }

    index.add(1, record)
    index.remove(1, record)

    expect(index.page({ where: record })).toEqual({ records: [] })
  })
})
