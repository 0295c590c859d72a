import { describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import type { Id, Page } from '../../records/record-table.ts'
import { ADDED } from '../hidden-properties.ts'
import type { Resource } from '../resource.ts'
import { createRecords, type Records } from '../store/records.ts'
import { UnitedRecords } from './united-records.ts'

const SCHEMA: Schema = { type: 'object', properties: { id: { type: 'integer' } } }

const ANIMALS: Resource = {
  ...{ name: 'animals', path: '/zoos/{zoo}/animals', id: 'id', idSchema: { type: 'integer' } },
  ...{ schema: SCHEMA, validate: () => true, isValidated: true, filters: [], hidden: new Set() },
}

/** Three collections of two records each, as one list, and the names of those that were opened. */
async function unite(): Promise<{ readonly united: UnitedRecords; readonly opened: string[] }> {
  const opened: string[] = []
  const collections: Records[] = []
  for (const zoo of ['north', 'south', 'west']) {
    const records = createRecords(ANIMALS, 1, `zoos/${zoo}/animals`)
    await records.restore({ rows: [{ id: 1 }, { id: 2 }] })
    collections.push(records)
  }
  const openers = collections.map((one) => ({
    name: one.name,
    open: () => {
      opened.push(one.name)
      return one
    },
  }))
  return { united: new UnitedRecords('animals', ANIMALS, openers), opened }
}

describe('a list of the records of several collections', () => {
  it('opens only the collections of its page', async () => {
    const { united, opened } = await unite()

    const { records } = await united.page({ limit: 1 })

    expect(records).toEqual([{ id: 1 }])
    expect(opened).toEqual(['zoos/north/animals'])
  })

  it('goes on after the last record of a page, although others have its id', async () => {
    const { united } = await unite()

    const first = await united.page({ limit: 3 })
    const second = await united.page({ limit: 3, after: first.next })

    expect([first.records, second.records].map((page) => page.map(({ id }) => id))).toEqual([
      [1, 2, 1],
      [2, 1, 2],
    ])
  })

  it('begins with what clients added, the latest first, on pages of any size', async () => {
    const collections = await Promise.all(
      ['north', 'south', 'west'].map(async (zoo, at) => {
        const records = createRecords(ANIMALS, 1, `zoos/${zoo}/animals`)
        const added = [7, 8].map((id) => ({ id: `${zoo}-${id}`, [ADDED]: -id * (at + 1) }))
        await records.restore({ rows: [{ id: 1 }, ...(at === 1 ? [] : added), { id: 2 }] })
        return { name: records.name, open: () => records, isChanged: at !== 1 }
      }),
    )
    const united = new UnitedRecords('animals', ANIMALS, collections)

    for (const limit of [1, 2, 3, 5, 20]) {
      const ids: unknown[] = []
      let after: Id | undefined
      do {
        const page: Page = await united.page({ limit, after, sort: { by: ADDED } })
        ids.push(...page.records.map(({ id }) => id))
        after = page.next
      } while (after !== undefined)

      expect(ids).toEqual(['west-8', 'west-7', 'north-8', 'north-7', 1, 2, 1, 2, 1, 2])
    }
    const { records } = await united.page({ skip: 3, limit: 4, sort: { by: ADDED } })
    expect(records.map(({ id }) => id)).toEqual(['north-7', 1, 2, 1])
  })

  it('counts the records of all collections', async () => {
    const { united } = await unite()

    expect(await united.count()).toBe(6)
  })
})
