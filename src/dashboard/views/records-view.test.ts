import { expect, test } from 'vitest'
import { filterSetting, readSettings, toWhere } from './record-filters.tsx'
import { cellText, columnsOf, sortRecords } from './record-table.tsx'
import { toRows } from './records-view.tsx'

const property = (name: string, schema = {}) => ({ name, schema, required: false, readOnly: false })

test('collections below records follow their template', () => {
  const opened = [{ name: 'orgs/acme/repos', count: 2 }]
  const collections = [
    { name: 'orgs', count: 1 },
    { name: 'orgs/{org}/repos', count: 2, opened },
  ]

  expect(toRows(collections, '').map(({ kind }) => kind)).toEqual(['plain', 'template', 'opened'])
  expect(toRows(collections, 'ACME')).toEqual([{ ...opened[0], kind: 'opened' }])
})

test('collections are listed before their records are counted', () => {
  expect(toRows([{ name: 'orgs' }, { name: 'orgs/{org}/repos' }], '')).toEqual([
    { name: 'orgs', count: undefined, kind: 'plain' },
    { name: 'orgs/{org}/repos', count: undefined, kind: 'template' },
  ])
})

test('the id is the first column, and objects are the last ones', () => {
  const properties = [
    property('address', { type: 'object' }),
    property('name', { type: 'string' }),
    property('id', { type: 'integer' }),
  ]

  expect(columnsOf({ id: 'id', properties })).toEqual(['id', 'name', 'address'])
})

test('a long value is cut in its cell', () => {
  expect(cellText('x'.repeat(1000))).toHaveLength(201)
  expect(cellText({ a: null })).toBe('{"a":null}')
  expect(cellText(undefined)).toBe('–')
})

test('filters are settings of the address, and values of the properties', () => {
  const { page, filters } = readSettings({ page: '0', ...filterSetting('size', '5'), text: 'a' })

  expect(page).toBe(1)
  expect(filters).toEqual({ size: '5' })
  expect(toWhere(filters, { properties: [property('size', { type: 'integer' })] })).toEqual({
    size: 5,
  })
})

test('records are sorted by numbers and texts, and those without a value come last', () => {
  const records = [{ id: 1 }, { id: 2, size: 10 }, { id: 3, size: null }, { id: 4, size: 9 }]
  const idsBy = (isDescending: boolean) =>
    sortRecords(records, { name: 'size', isDescending }).map(({ id }) => id)

  expect(idsBy(false)).toEqual([4, 2, 1, 3])
  expect(idsBy(true)).toEqual([2, 4, 1, 3])
  expect(readSettings({ record: '', add: 'yes' })).not.toHaveProperty('record')
  expect(readSettings({ sort: '-size' }).sort).toEqual({ name: 'size', isDescending: true })
  const names = [{ name: 'b' }, { name: 'item 10' }, { name: 'item 9' }, { name: 'A' }]
  expect(sortRecords(names, { name: 'name', isDescending: false }).map(({ name }) => name)).toEqual(
    ['A', 'b', 'item 9', 'item 10'],
  )
})
