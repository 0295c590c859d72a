import { describe, expect, it } from 'vitest'
import type { Id } from './record-table.ts'
import { UnmadeTable } from './unmade-records.ts'

/** A table of five records, and the ids of those that were made. */
function openTable(): { readonly table: UnmadeTable; readonly made: Id[] } {
  const made: Id[] = []
  const make = (_at: number, id: Id) => {
    made.push(id)
    return { id, name: `Record ${id}`, size: 10 - Number(id) }
  }
  const ids = [1, 2, 3, 4, 5]
  const table = UnmadeTable.of({
    ...{ ids, make, id: 'id', absent: ['added'] },
    ...{ filters: ['name'], idState: 5 },
  })
  return { table, made }
}

describe('records that are made when they are read', () => {
  it('are counted before they are made', () => {
    const { table, made } = openTable()

    expect(table.count()).toBe(5)
    expect(table.isTaken(3)).toBe(true)
    expect(made).toEqual([])
  })

  it('are those of the page that is read', async () => {
    const { table, made } = openTable()

    const { records, next } = await table.page({ after: 1, limit: 2 })

    expect(records).toMatchObject([{ id: 2, name: 'Record 2' }, { id: 3 }])
    expect(next).toBe(3)
    expect(made).toEqual([2, 3])
    expect(table.page({ after: 1, limit: 2 })).toEqual({ records, next })
  })

  it('stay unmade where a list is sorted by what none of them has', async () => {
    const { table, made } = openTable()
    await table.put(6, { id: 6, added: -1 }, undefined)

    const { records } = await table.page({ sort: { by: 'added' }, limit: 2 })

    expect(records).toMatchObject([{ id: 6 }, { id: 1, name: 'Record 1' }])
    expect(made).toEqual([1])
  })

  it.each([
    { sort: { by: 'size' }, limit: 1 },
    { where: { name: 'Record 5' } },
    { tests: [{ places: [['size']], is: 'to' as const, wanted: [5] }] },
  ])('are all made where their values decide: %j', async (query) => {
    const { table, made } = openTable()

    const { records } = await table.page(query)

    expect(records).toMatchObject([{ id: 5 }])
    expect(made).toHaveLength(5)
  })

  it('can be replaced and removed, and are made once', async () => {
    const { table, made } = openTable()
    const [one, again] = await Promise.all([table.get(1), table.get(1)])

    await table.put(1, { id: 1, name: 'Other' }, one)
    const second = await table.get(2)
    if (second) table.delete(2, second)

    expect(again).toBe(one)
    expect((await table.page({})).records).toMatchObject([
      { name: 'Other' },
      { id: 3 },
      { id: 4 },
      { id: 5 },
    ])
    expect(new Set(made)).toEqual(new Set([1, 2, 3, 4, 5]))
  })

  it('are made for each fork', async () => {
    const { table } = openTable()
    const fork = table.fork()
    const one = await fork.get(1)
    if (one) fork.delete(1, one)

    expect((await table.page({})).records).toHaveLength(5)
    expect((await fork.page({})).records).toHaveLength(4)
  })
})
