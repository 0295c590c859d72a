import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { readFilters } from './read-filters.ts'

type Selected = Awaited<ReturnType<typeof readFilters>>

type Filters = NonNullable<OperationHints['filters']>

const BOOK: Schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    year: { type: 'integer' },
    isRare: { type: 'boolean' },
  },
}

/** The conditions of a request with these values of its query parameters. */
function conditionsOf(filters: Filters, query: Record<string, unknown>): unknown {
  const sent = new URLSearchParams(Object.keys(query).map((name) => [name, '']))
  const request = { query: sent.toString() }
  return (readFilters(filters, { request, query, schema: BOOK }) as Selected).where
}

test.each([
  ['title', 'Emma', 'Emma'],
  ['title', 1984, '1984'],
  ['year', 1984, 1984],
  ['year', '1984', 1984],
  ['year', 'long ago', 'long ago'],
  ['isRare', 'true', true],
  ['isRare', false, false],
  ['year', ['1984', '1985'], [1984, 1985]],
])('the property %s and the value %j have the condition %j', (property, value, expected) => {
  expect(conditionsOf({ [property]: property }, { [property]: value })).toEqual({
    [property]: expected,
  })
})

test('a parameter may have another name than its property', () => {
  expect(conditionsOf({ name: 'title' }, { name: 'Emma' })).toEqual({ title: 'Emma' })
})

test('a filter may be a property of a parameter', () => {
  const request = { query: 'filter[title]=Emma' }
  const query = { filter: { title: 'Emma' } }

  expect(readFilters({ 'filter[title]': 'title' }, { request, query, schema: BOOK })).toEqual({
    where: { title: 'Emma' },
  })
})

test('an empty value filters nothing', () => {
  expect(conditionsOf({ title: 'title' }, { title: '' })).toEqual({})
})

test('a hint has the value of a request without the parameter', () => {
  const filters = { title: { property: 'title', ignored: ['all'], default: 'Emma' } }

  expect(conditionsOf(filters, {})).toEqual({ title: 'Emma' })
  expect(conditionsOf(filters, { title: 'Ada' })).toEqual({ title: 'Ada' })
  expect(conditionsOf(filters, { title: 'all' })).toEqual({})
})

test('a default filters nothing', () => {
  const query = { title: 'Emma' }

  expect(readFilters({ title: 'title' }, { request: { query: '' }, query, schema: BOOK })).toEqual({
    where: {},
  })
})

describe('a filter that compares', () => {
  test.each<[string, unknown, object]>([
    ['after', '2026-01-01', { is: 'after', wanted: ['2026-01-01'] }],
    ['from', 7, { is: 'from', wanted: [7] }],
    ['contains', '"em"', { is: 'contains', wanted: ['em'] }],
    ['not', 'Emma', { is: 'not', wanted: ['Emma'] }],
    ['on', '2026-01-01', { is: 'on', wanted: ['2026-01-01'] }],
    ['exists', 'true', { is: 'exists', wanted: [true] }],
    ['missing', true, { is: 'exists', wanted: [false] }],
  ])('%s %j is a test', (is, value, expected) => {
    expect(testsOf({ property: 'title', is }, value)).toEqual([
      { places: [['title']], ...expected },
    ])
  })

  test.each([
    ['after', 'yesterday'],
    ['to', 'x'],
    ['contains', 'title:emma'],
    ['contains', '*'],
    ['exists', 'perhaps'],
  ])('%s %j is not understood, and filters nothing', (is, value) => {
    expect(testsOf({ property: 'title', is }, value)).toEqual([])
  })
})

test('one of the texts between commas is wanted', () => {
  const filters = { years: { property: 'year', is: 'in' } } as const

  expect(conditionsOf(filters, { years: '1984, 1985' })).toEqual({ year: [1984, 1985] })
  expect(conditionsOf(filters, { years: '1984' })).toEqual({ year: 1984 })
})

test('a value that is ignored filters nothing', () => {
  const filters = { title: { property: 'title', ignored: ['all'] } }

  expect(conditionsOf(filters, { title: 'all' })).toEqual({})
  expect(conditionsOf(filters, { title: 'Emma' })).toEqual({ title: 'Emma' })
})

test('the usual value is for requests that do not select by the property in another way', () => {
  const title = { property: 'title', ignored: ['all'], default: 'Emma' }
  const filters: Filters = { title, not_title: { property: 'title', is: 'not' } }

  expect(conditionsOf(filters, { not_title: 'Ada' })).toEqual({})
})

test('an object selects by the properties of another one, and not where the property is none', () => {
  const schema = { type: 'object', properties: { notes: { type: 'object' }, year: {} } }
  const query = { notes: { color: 'red' }, year: { from: 1984 } }
  const filters = { notes: 'notes', year: 'year' }

  expect(readFilters(filters, { request: { query: 'notes=&year=' }, query, schema })).toEqual({
    where: {},
    tests: [{ places: [['notes', 'color']], is: 'equal', wanted: ['red'] }],
  })
})

test('two filters of one property both hold', () => {
  const query = { title: 'Emma', name: 'Ulysses' }
  const filters = { title: 'title', name: 'title' }
  const found = readFilters(filters, { request: { query: 'title=&name=' }, query, schema: BOOK })

  expect(found).toEqual({
    where: { title: 'Emma' },
    tests: [{ places: [['title']], is: 'equal', wanted: ['Ulysses'] }],
  })
})

test('an expression compares, and another text is searched where the hint says so', async () => {
  const ask = async (value: unknown, property: readonly string[]): Promise<unknown> => {
    const request = { query: 'q=' }
    const filters = { q: { property, is: 'expression' as const } }
    return (await readFilters(filters, { request, query: { q: value }, schema: BOOK })).tests
  }
  const year = { places: [['year']], is: 'after', wanted: [1900] }

  expect(await ask('year gt 1900', [])).toEqual([year])
  expect(await ask({ field: 'year', operator: '>', value: 1900 }, [])).toEqual([year])
  expect(await ask('Emma', ['title'])).toEqual([
    { places: [['title']], is: 'contains', wanted: ['Emma'] },
  ])
  expect(await ask('Emma', [])).toEqual([])
  expect(await ask({ colour: 'red' }, ['title'])).toEqual([])
})

/** The tests of a request with one filter. */
function testsOf(filter: object, value: unknown): unknown {
  const filters = { one: filter } as Filters
  const request = { query: 'one=' }
  return (
    (readFilters(filters, { request, query: { one: value }, schema: BOOK }) as Selected).tests ?? []
  )
}
