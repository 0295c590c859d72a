import { describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import { RecordIndex, sortKey } from './record-index.ts'
import { countOf, pageOf } from './record-pages.ts'
import type { Id, PageQuery, StoredRecord } from './record-table.ts'

interface Row extends StoredRecord {
  readonly id: Id
  readonly color: string
  readonly size: unknown
}

/** Whole numbers below `sides` that look random and are the same in each run. */
function dice(seed: number): (sides: number) => number {
  const random = new Random(seed)
  return (sides) => Math.floor(random.next() * sides)
}

const SIZES = [-2, -1.5, 0, 1, 1e9, 'a', 'b\0', 'b', '', '\0', true, false, null, undefined]
const COLORS = ['red', 'green', 'blue']

/** What a page has, found by sorting and filtering all records. */
function expectedPage(rows: readonly Row[], query: PageQuery): readonly Row[] {
  const { where = {}, sort = {}, after, before, skip = 0, limit = rows.length } = query
  const keyOf = (row: Pick<Row, 'id'> & { readonly value: unknown }): string =>
    sortKey(sort.by === undefined ? 0 : row.value, row.id)
  const sign = sort.descending ? -1 : 1
  const compare = (one: string, other: string): number => (one < other ? -sign : sign)
  const keyed = rows.map((row) => ({ row, key: keyOf({ id: row.id, value: row.size }) }))
  const place = before ?? after
  const start = typeof place === 'object' ? keyOf({ value: undefined, ...place }) : undefined
  const isOnPage = (key: string): boolean =>
    start === undefined ||
    (key !== start && compare(key, start) === (before === undefined ? 1 : -1))
  const matching = keyed
    .filter(
      ({ row, key }) => (where.color === undefined || row.color === where.color) && isOnPage(key),
    )
    .sort((one, other) => compare(one.key, other.key))
    .map(({ row }) => row)
  if (before === undefined) return matching.slice(skip, skip + limit)
  const end = Math.max(0, matching.length - skip)
  return matching.slice(Math.max(0, end - limit), end)
}

function anyRow(below: (sides: number) => number): Row {
  const id = below(2) === 0 ? below(1500) : `id${below(50)}`
  const color = below(40) === 0 ? 'rare' : (COLORS[below(3)] ?? '')

  return { id, color, size: SIZES[below(SIZES.length)] }
}

function anyQuery(below: (sides: number) => number): PageQuery {
  const place = { id: below(1500), value: SIZES[below(SIZES.length)] }

  return {
    ...(below(2) === 0 && { where: { color: [...COLORS, 'rare'][below(4)] } }),
    sort: { ...(below(3) > 0 && { by: 'size' }), descending: below(2) === 0 },
    ...[{}, { after: place }, { before: place }][below(3)],
    skip: [0, 3, 400][below(3)] ?? 0,
    ...(below(4) > 0 && { limit: 1 + below(30) }),
  }
}

describe('a page', () => {
  it.each([1, 2, 3])('is that of sorting and filtering all records (seed %d)', (seed) => {
    const below = dice(seed)
    const index = new RecordIndex<Row>(['color'])
    const rows = new Map<Id, Row>()
    for (let step = 0; step < 4000; step += 1) {
      const row = anyRow(below)
      const present = rows.get(row.id)
      if (present) index.remove(row.id, present)
      else index.add(row.id, row)
      if (present) rows.delete(row.id)
      else rows.set(row.id, row)
      if (step % 10 > 0) continue
      const query = anyQuery(below)

      expect(pageOf(index, query).records).toEqual(expectedPage([...rows.values()], query))
    }
  })

  it('reads only its own records, however many there are', () => {
    const costs = [100, 10_000].map((length) => {
      let reads = 0
      const index = new RecordIndex<StoredRecord>(['color'])
      for (let id = 1; id <= length; id += 1) {
        const size = id % 7
        const record = {
          get color() {
            reads += 1
            return 'red'
          },
          get size() {
            reads += 1
            return size
          },
        }
        index.add(id, record)
      }
      pageOf(index, { sort: { by: 'size' }, limit: 1 })
      reads = 0
      pageOf(index, { sort: { by: 'size' }, skip: length / 2, limit: 20 })
      pageOf(index, { where: { color: 'red' }, skip: length / 2, limit: 20 })
      countOf(index, { where: { color: 'red' } })
      return reads
    })

    expect(costs[1]).toBe(costs[0])
    expect(costs[0]).toBeLessThanOrEqual(60)
  })
})

describe('the key of a value', () => {
  it('is in the order of the values, then of the ids', () => {
    const pairs: readonly (readonly [value: unknown, id: Id])[] = [
      [Number.NEGATIVE_INFINITY, 1],
      [-1e300, 1],
      [-2, 1],
      [-0.5, 1],
      [0, 1],
      [0, 2],
      [0, 10],
      [0, 'a'],
      [1e-9, 1],
      [3, 1],
      [20, 1],
      [Number.POSITIVE_INFINITY, 1],
      ['', 1],
      ['\0', 1],
      ['\0\0', 1],
      ['A', 1],
      ['a', 9],
      ['a', '9'],
      ['a', '9\0'],
      ['a\0', 1],
      ['aa', 1],
      ['b', 1],
      [false, 1],
      [true, 1],
      [null, 1],
      [undefined, 2],
      [{}, 3],
    ]
    const keys = pairs.map(([value, id]) => sortKey(value, id))

    expect([...keys].sort()).toEqual(keys)
    expect(new Set(keys).size).toBe(keys.length)
    expect(sortKey(-0, 1)).toBe(sortKey(0, 1))
  })
})
