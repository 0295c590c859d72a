import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { listOperation } from '../testing/list-operation.ts'
import { inferSort, sortableNames } from './sorting.ts'

const TEXT: Schema = { type: 'string' }
const DIRECTION: Schema = { type: 'string', enum: ['asc', 'desc'] }
const BOOK: Schema = { type: 'object', properties: { title: TEXT, addedAt: TEXT } }

function sortOf(query: Readonly<Record<string, Schema>>): unknown {
  return inferSort(listOperation(query, { type: 'array' }), BOOK)
}

test.each(['sort', 'sort_by', 'orderBy', '$orderby', 'ordering', 'order'])(
  '%s names the property by which a list is sorted',
  (by) => {
    expect(sortOf({ [by]: TEXT })).toEqual({ by })
  },
)

test.each([
  ['sort', 'order'],
  ['sort', 'direction'],
  ['sort_by', 'sort_order'],
  ['orderBy', 'sort'],
])('%s names the property, and %s the direction', (by, direction) => {
  expect(sortOf({ [by]: TEXT, [direction]: DIRECTION })).toEqual({ by, direction })
})

test.each([
  [['title', 'other']],
  [['-added_at', 'added_at']],
  [['title:asc', 'title:desc']],
  [['title_asc', 'title_desc']],
])('one of the values %j names a property', (values) => {
  expect(sortOf({ sort: { type: 'string', enum: values } })).toEqual({ by: 'sort' })
})

test('a list of properties sorts', () => {
  expect(sortOf({ sort: { type: 'array', items: TEXT } })).toEqual({ by: 'sort' })
})

test.each<[string, Schema]>([
  ['sort_direction', TEXT],
  ['_order', TEXT],
  ['descending', { type: 'boolean' }],
  ['reverse', { type: 'boolean' }],
])(
  '%s is the direction beside a parameter that sorts, although it lists no values',
  (name, schema) => {
    expect(sortOf({ sort: TEXT, [name]: schema })).toEqual({ by: 'sort', direction: name })
    expect(Object(sortOf({ [name]: schema })).direction).toBeUndefined()
  },
)

test.each<[Record<string, Schema>]>([
  [{ 'sort[title]': DIRECTION, 'sort[addedAt]': DIRECTION }],
  [{ sort: { type: 'object', properties: { title: DIRECTION } } }],
])('the parameters of a group may each sort by one property: %j', (query) => {
  expect(sortOf(query)).toEqual({ by: 'sort' })
})

test('a place in an object may be sorted by, also in the attributes of a record', () => {
  const inner = { type: 'object', properties: { title: TEXT } }
  const record = { type: 'object', properties: { attributes: inner, author: inner } }
  const operation = listOperation({ sort: { type: 'string', enum: ['title'] } }, { type: 'array' })

  expect(inferSort(operation, record)).toEqual({ by: 'sort' })
  expect([...sortableNames(record)]).toEqual(
    expect.arrayContaining([
      ['title', '/attributes/title'],
      ['authortitle', '/author/title'],
    ]),
  )
})

test('a moment is also called by what happened', () => {
  const record = { type: 'object', properties: { created_at: { type: 'string', format: 'date' } } }

  expect(sortableNames(record).get('created')).toBe('created_at')
})

test('a direction alone sorts by the id', () => {
  expect(sortOf({ order: DIRECTION })).toEqual({ by: 'order' })
})

test.each<[string, Record<string, Schema>]>([
  ['values that name no property', { sort: { type: 'string', enum: ['best', 'worst'] } }],
  ['a number', { order: { type: 'integer' } }],
  ['another name', { arrange: TEXT }],
])('a parameter with %s sorts nothing', (_case, query) => {
  expect(sortOf(query)).toBeUndefined()
})

test('values without the name of a property mean an order', () => {
  const values = [
    'newest',
    'oldest',
    'added',
    '-added',
    'added_desc',
    'date_asc',
    'alphabetical',
    'best',
  ]

  expect(sortOf({ sort: { type: 'string', enum: values } })).toEqual({
    by: 'sort',
    values: {
      newest: '-addedAt',
      oldest: 'addedAt',
      added: 'addedAt',
      '-added': '-addedAt',
      added_desc: '-addedAt',
      date_asc: 'addedAt',
      alphabetical: 'title',
    },
  })
})

describe('the description says the order of a list without parameters', () => {
  test.each([
    'Books are sorted by creation date, with the most recent books appearing first.',
    'Lists books, newest first.',
    'Books in reverse chronological order.',
    'Sorted in descending chronological order.',
    'All books are returned, starting with the most recently added ones.',
    'By default, sorted by created_at in descending order.',
  ])('%s', (description) => {
    const operation = listOperation({}, { type: 'array' })

    expect(inferSort(operation, BOOK, { describe: () => description })).toEqual({
      default: '-addedAt',
    })
  })

  test.each([
    ['Ordered by title, then by id.', 'title'],
    ['The books of this shelf only, by title ascending.', 'title'],
    ['All books, by `title` (character codes) descending.', '-title'],
    ['All books, by descending title.', '-title'],
    ['Books are sorted by their `title` in descending order.', '-title'],
    ['In ascending order of the title.', 'title'],
    ['Those of the shelf, in ascending order of their titles.', 'title'],
    ['Books are listed by `added_at`, the latest first.', '-addedAt'],
    ['Sorted by creation date.', 'addedAt'],
    ['Default order is by `title`, ascending.', 'title'],
    ['Only books of this shelf, by `added_at`, the oldest first.', 'addedAt'],
    ['Order: by addedAt, then by title, ascending.', 'addedAt'],
    ['Order: title descending, those of the same title by id ascending.', '-title'],
    ['All books that the shelf has, by `title`, descending.', '-title'],
    ['Books of this shelf, the latest `added_at` first.', '-addedAt'],
    ['The books of this shelf only, latest `added_at` first, then by id.', '-addedAt'],
    ['Books of this shelf, in the order in which they were added.', 'addedAt'],
  ])('%s', (description, order) => {
    const operation = listOperation({}, { type: 'array' })

    expect(inferSort(operation, BOOK, { describe: () => description })).toEqual({ default: order })
  })

  test('the default of a direction is that of the order', () => {
    const operation = listOperation({ order: { ...DIRECTION, default: 'desc' } }, { type: 'array' })

    expect(inferSort(operation, BOOK, { describe: () => 'Ordered by title.' })).toEqual({
      by: 'order',
      default: '-title',
    })
  })

  test.each([
    'Lists the latest books.',
    'The first page has the newest version of the books.',
    'All books. Equal values come by ascending title.',
    'Lists books by ascending `id`.',
    'All books, by descending publisher.',
  ])('%s says none', (description) => {
    const operation = listOperation({}, { type: 'array' })

    expect(inferSort(operation, BOOK, { describe: () => description })).toBeUndefined()
  })

  test('a value sorts by the property that the description says first', () => {
    const values = { ...TEXT, enum: ['title', '-title'] }
    const describe = (name?: string): string =>
      name === undefined ? '' : '`title` sorts by addedAt first, then by title.'

    expect(
      inferSort(listOperation({ sort: values }, { type: 'array' }), BOOK, { describe }),
    ).toEqual({ by: 'sort', values: { title: 'addedAt', '-title': '-addedAt' } })
  })

  test('a default of the parameter is stronger', () => {
    const sort = { ...TEXT, default: 'title' }
    const operation = listOperation({ sort }, { type: 'array' })

    expect(inferSort(operation, BOOK, { describe: () => 'Newest first.' })).toEqual({ by: 'sort' })
  })
})

test('what has no time of a creation begins with what has happened last', () => {
  const message = {
    type: 'object',
    properties: { text: TEXT, sent_at: { ...TEXT, format: 'date-time' } },
  }
  const list = listOperation({}, { type: 'array' })

  expect(inferSort(list, message, { describe: () => 'Messages, newest first.' })).toEqual({
    default: '-sent_at',
  })
})

test.each<[record: Record<string, Schema>, values: object]>([
  [
    { id: { type: 'integer' }, size: { type: 'integer' } },
    { newest: '-id', oldest: 'id' },
  ],
  [{ id: { type: 'string' } }, { newest: '{added}', oldest: '-{added}' }],
  [
    { id: { type: 'integer' }, created_at: { type: 'string', format: 'date-time' } },
    { newest: '-created_at', oldest: 'created_at' },
  ],
])('the newest and oldest of %j are %j', (record, values) => {
  const sort = { type: 'string', enum: ['newest', 'oldest'] }
  const operation = listOperation({ sort }, { type: 'array' })
  const schema = { type: 'object', properties: record }

  expect(inferSort(operation, schema)).toMatchObject({ by: 'sort', values })
})

test('records without a time of their creation are in the order in which they were added', () => {
  const sort = { type: 'string', enum: ['created', '-created_at', 'title'] }
  const list = listOperation({ sort }, { type: 'array' })
  const record = { properties: { id: { type: 'string' }, title: { type: 'string' } } }

  expect(inferSort(list, record)?.values).toEqual({
    ...{ created: '-{added}', '-created_at': '{added}' },
  })
})
