import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { openApi } from '../testing/documented-api.ts'
import { listOperation } from '../testing/list-operation.ts'
import { listOf, objectOf } from '../testing/operation-on.ts'
import { inferFilters, type ListContext } from './filters.ts'

const TEXT: Schema = { type: 'string' }
const MOMENT: Schema = { type: 'string', format: 'date-time' }
const BOOK: Schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: TEXT,
    authorId: { type: 'integer' },
    status: { type: 'string', enum: ['lent', 'shelved'] },
    isRare: { type: 'boolean' },
    addedAt: { type: 'string', format: 'date-time' },
    updated_at: { type: 'integer' },
    price: { type: 'number' },
    editor: { type: 'object', properties: { id: { type: 'integer' }, name: TEXT, born: TEXT } },
    labels: { type: 'array', items: { type: 'object', properties: { name: TEXT, color: TEXT } } },
    owner: { oneOf: [{ type: 'string' }, { type: 'object', properties: { id: TEXT } }] },
    language: TEXT,
    tags: { type: 'array', items: TEXT },
    shelf: { type: 'object', properties: { row: TEXT } },
    loansCount: { type: 'integer' },
    notes: { type: 'object', additionalProperties: TEXT },
    sort: TEXT,
    limit: { type: 'integer' },
  },
}

test('the name of a reference selects by all keys of it, and by those of the list with its plural', () => {
  const user = { type: 'object', properties: { id: { type: 'integer' }, login: TEXT } }
  const milestone = { type: 'object', properties: { id: TEXT, number: { type: 'integer' } } }
  const assignees = { type: 'array', items: user }
  const issue = { type: 'object', properties: { assignee: user, assignees, milestone } }
  const operation = listOperation({ assignee: TEXT, milestone: TEXT }, { type: 'array' })

  expect(inferFilters(operation, issue)).toEqual({
    assignee: {
      property: ['/assignee/id', '/assignee/login', '/assignees/id', '/assignees/login'],
    },
    milestone: { property: ['/milestone/id', '/milestone/number'] },
  })
})

test('a search in the "first or last name" is one in the first name and in the last name', () => {
  const person = { type: 'object', properties: { firstName: TEXT, lastName: TEXT, note: TEXT } }
  const describe = (): string => 'Only members whose first or last name contains this text.'

  expect(inferFilters(listOperation({ q: TEXT }, { type: 'array' }), person, { describe })).toEqual(
    {
      q: { property: ['firstName', 'lastName'], is: 'contains' },
    },
  )
})

function filtersOf(query: Readonly<Record<string, Schema>>, others?: ListContext): unknown {
  return inferFilters(listOperation(query, { type: 'array' }), BOOK, others)
}

test.each([
  ['note_selector', { property: 'notes', is: 'labels' }],
  ['noteSelector', { property: 'notes', is: 'labels' }],
  ['selector', undefined],
  ['title_selector', undefined],
])('a selector compares the values in the object that it names: %s', (name, expected) => {
  expect(filtersOf({ [name]: TEXT })).toEqual(expected && { [name]: expected })
})

test('a name selects by the texts in the list that it is about', () => {
  expect(filtersOf({ tag_name: TEXT, color_name: TEXT })).toEqual({ tag_name: 'tags' })
})

test('a selector with a usual name, or a description of one, is about the labels of any kind', () => {
  const labels: Schema = { type: 'object', additionalProperties: TEXT }
  const server: Schema = { type: 'object', properties: { id: TEXT, labels } }
  const by = (name: string, description = ''): unknown =>
    inferFilters(listOperation({ [name]: TEXT }, { type: 'array' }), server, {
      describe: () => description,
    })

  expect(by('label_selector')).toEqual({ label_selector: { property: 'labels', is: 'labels' } })
  expect(by('tagSelector')).toEqual({ tagSelector: { property: 'labels', is: 'labels' } })
  expect(by('labels', 'A label selector, such as `env=prod`')).toEqual({
    labels: { property: 'labels', is: 'labels' },
  })
  expect(by('labels')).toBeUndefined()
})

test.each([
  ['title', TEXT, 'title'],
  ['author_id', { type: 'integer' }, 'authorId'],
  ['author-id', TEXT, 'authorId'],
  ['filter[title]', TEXT, 'title'],
  ['filter.title', TEXT, 'title'],
  ['filter[title][eq]', TEXT, 'title'],
  ['query[filter][title][exact]', TEXT, 'title'],
  ['where[status]', TEXT, 'status'],
  ['is_rare', { type: 'boolean' }, 'isRare'],
  ['rare', { type: 'boolean' }, 'isRare'],
  ['isRare', TEXT, 'isRare'],
  ['status', { type: 'array', items: TEXT }, 'status'],
  ['statuses', { type: 'array', items: TEXT }, 'status'],
  ['statuses[]', { type: 'string', enum: ['lent', 'shelved'] }, 'status'],
  ['ids', { type: 'array', items: { type: 'integer' } }, 'id'],
])('%s with the schema %j filters by %s', (name, schema, property) => {
  expect(filtersOf({ [name]: schema })).toEqual({ [name]: property })
})

test('ids are those of the records, whatever the property is called', () => {
  expect(filtersOf({ IDs: { type: 'array', items: TEXT } }, { id: 'title' })).toEqual({ IDs: 'id' })
  const named = { ...BOOK, properties: { BookID: TEXT, title: TEXT } }
  const operation = listOperation({ IDs: { type: 'array', items: TEXT } }, { type: 'array' })
  expect(inferFilters(operation, named, { id: 'BookID' })).toEqual({ IDs: 'BookID' })
})

test.each([
  ['a text', TEXT],
  ['a list of texts', { type: 'array', items: TEXT }],
  ['an object of any properties', { type: 'object' }],
])('a filter that is %s compares properties', (_what, schema) => {
  expect(filtersOf({ filter: schema })).toEqual({ filter: { property: [], is: 'expression' } })
})

test('a filter that contains itself has one filter for each of its properties', async () => {
  const again = { $ref: '#/paths/~1books/get/parameters/0/schema' }
  const where = objectOf({ title: TEXT, and: again, or: again, not: again })
  const { sandbox } = await openApi({ 'GET /books': { query: { where }, shown: listOf(BOOK) } })

  expect(sandbox.contract.operations[0]?.hints?.filters).toEqual({ 'where[title]': 'title' })
})

test('a filter with properties has one filter for each of them that a record has', () => {
  const filters = filtersOf({
    filter: { type: 'object', properties: { title: TEXT, unknown: TEXT } },
  })

  expect(filters).toEqual({ 'filter[title]': 'title' })
})

test.each([
  ['has another name', 'name', TEXT],
  ['has a property with an object', 'shelf', TEXT],
  ['has other values than the property', 'status', { type: 'string', enum: ['all', 'none'] }],
  ['is a number where the property is a text', 'title', { type: 'integer' }],
  ['sorts', 'sort', TEXT],
  ['compares what cannot be compared', 'filter[status][starts_with]', TEXT],
  ['may be no time', 'from', TEXT],
  ['is a time that may be of several events', 'since', { type: 'string', format: 'date-time' }],
])('a parameter that %s filters nothing', (_case, name, schema) => {
  expect(filtersOf({ [name]: schema })).toBeUndefined()
})

test('a parameter of paging filters nothing, even when a property has its name', () => {
  const paging = { style: 'offset', size: 'limit' } as const

  expect(filtersOf({ limit: { type: 'integer' } }, { paging })).toBeUndefined()
})

test('a required parameter shows all records for a value that none has', () => {
  const operation = listOperation({ title: TEXT }, { type: 'array' })
  const parameters = operation.parameters.map((one) => ({ ...one, required: true }))

  expect(inferFilters({ ...operation, parameters }, BOOK)).toEqual({
    title: { property: 'title', unknown: 'all' },
  })
})

describe('names that compare', () => {
  test.each<[string, Schema, unknown]>([
    ['added_after', MOMENT, { property: 'addedAt', is: 'after' }],
    ['added_at.on_or_after', MOMENT, { property: 'addedAt', is: 'from' }],
    ['added_at.on_or_before', MOMENT, { property: 'addedAt', is: 'to' }],
    ['added_before', MOMENT, { property: 'addedAt', is: 'before' }],
    ['added_at[gte]', MOMENT, { property: 'addedAt', is: 'from' }],
    ['addedAt[$lte]', TEXT, { property: 'addedAt', is: 'to' }],
    ['added__lt', TEXT, { property: 'addedAt', is: 'before' }],
    ['addedSince', TEXT, { property: 'addedAt', is: 'from' }],
    ['filter[added_at][gt]', TEXT, { property: 'addedAt', is: 'after' }],
    ['modified_since', TEXT, { property: 'updated_at', is: 'from' }],
    ['start_date', TEXT, { property: 'addedAt', is: 'from' }],
    ['to_date', { type: 'string', format: 'date' }, { property: 'addedAt', is: 'to' }],
    ['price.gt', { type: 'number' }, { property: 'price', is: 'after' }],
    ['min_price', { type: 'number' }, { property: 'price', is: 'from' }],
    ['priceMax', TEXT, { property: 'price', is: 'to' }],
    ['title_contains', TEXT, { property: 'title', is: 'contains' }],
    ['title__isw', TEXT, { property: 'title', is: 'starts' }],
    ['title[starts_with]', TEXT, { property: 'title', is: 'starts' }],
    ['title__n', TEXT, { property: 'title', is: 'not' }],
    ['id.in', TEXT, { property: 'id', is: 'in' }],
    ['ids', TEXT, { property: 'id', is: 'in' }],
    ['statuses', TEXT, { property: 'status', is: 'in' }],
    ['added_since_date', TEXT, { property: 'addedAt', is: 'from' }],
    ['from', MOMENT, { property: 'addedAt', is: 'from' }],
    ['addedAt', MOMENT, { property: 'addedAt', is: 'on' }],
    ['added_on', TEXT, { property: 'addedAt', is: 'on' }],
    ['min_loans', { type: 'integer' }, { property: 'loansCount', is: 'from' }],
    ['has_owner', { type: 'boolean' }, { property: 'owner', is: 'exists' }],
    ['exists[owner]', { type: 'boolean' }, { property: 'owner', is: 'exists' }],
    ['owner__isnull', { type: 'boolean' }, { property: 'owner', is: 'missing' }],
  ])('%s with the schema %j filters by %j', (name, schema, expected) => {
    expect(filtersOf({ [name]: schema })).toEqual({ [name]: expected })
  })

  test.each([
    ['loans_to', { type: 'integer' }, 'Only books whose `price` is this or less.', 'price'],
    ['loans_from', MOMENT, 'Only books with addedAt on this day or later.', 'addedAt'],
    ['loans_to', { type: 'integer' }, 'Only books with a price of this or less.', 'loansCount'],
  ] as const)(
    '%s is about the property that its description spells: %s, %s',
    (name, schema, description, property) => {
      const found = filtersOf({ [name]: schema }, { describe: () => description })

      expect(found).toMatchObject({ [name]: { property } })
    },
  )

  test('are those of the properties of a parameter', () => {
    const range = {
      type: 'object',
      properties: { gt: { type: 'integer' }, lte: { type: 'integer' } },
    }
    const filters = filtersOf({ updated_at: { anyOf: [range, { type: 'integer' }] } })

    expect(filters).toEqual({
      updated_at: 'updated_at',
      'updated_at[gt]': { property: 'updated_at', is: 'after' },
      'updated_at[lte]': { property: 'updated_at', is: 'to' },
    })
  })
})

describe('the values of a filter may be', () => {
  test.each<[string, string, Schema, unknown]>([
    ['an item of a list', 'tag', TEXT, 'tags'],
    ['a name in a list of objects', 'label', TEXT, '/labels/name'],
    ['the id in an object', 'editor_id', { type: 'integer' }, '/editor/id'],
    ['the names of an object', 'editor', TEXT, { property: ['/editor/id', '/editor/name'] }],
    ['a property of an object', 'editor.born', TEXT, '/editor/born'],
    ['an id or an object with it', 'owner', TEXT, { property: ['owner', '/owner/id'] }],
    ['the id of what is named', 'languageId', TEXT, 'language'],
    ['a property of the only object with it', 'row', TEXT, '/shelf/row'],
    ['properties of an object', 'notes', { type: 'object' }, 'notes'],
  ])('%s', (_case, name, schema, expected) => {
    expect(filtersOf({ [name]: schema })).toEqual({ [name]: expected })
  })
})

test.each<[Schema, readonly unknown[]]>([
  [{ type: 'string', enum: ['LENT', 'shelved', 'all'] }, ['all']],
  [{ type: 'array', items: { type: 'string', enum: ['lent', '*'] } }, ['*']],
])('a value that the property cannot have filters nothing: %j', (schema, ignored) => {
  expect(filtersOf({ status: schema })).toEqual({ status: { property: 'status', ignored } })
})

test.each([
  ['Filter by status.', { property: 'status', default: 'lent' }],
  ['The status of the books (default: lent)', { property: 'status', default: 'lent' }],
  ['The status of the books', 'status'],
])('a default filters where the description states it: %s', (description, expected) => {
  const schema = { type: 'string', enum: ['lent', 'shelved'], default: 'lent' }

  expect(filtersOf({ status: schema }, { describe: () => description })).toEqual({
    status: expected,
  })
})

test('a default filters where another value is for every record', () => {
  const schema = { type: 'string', enum: ['lent', 'shelved', 'all'], default: 'lent' }
  const status = { property: 'status', ignored: ['all'], default: 'lent' }

  expect(filtersOf({ status: schema })).toEqual({ status })
  expect(filtersOf({ status: { ...schema, default: 'all' } })).toEqual({
    status: { property: 'status', ignored: ['all'] },
  })
  expect(filtersOf({ status: { ...schema, enum: ['lent', 'shelved'] } })).toEqual({
    status: 'status',
  })
})

test('a list that shows little of its records is filtered by all that they have', () => {
  const operation = listOperation({ shelf: TEXT }, { type: 'array' })
  const shown = { type: 'object', properties: { title: TEXT } }
  const known = { type: 'object', properties: { title: TEXT, shelf: TEXT } }

  expect(inferFilters(operation, shown, { known })).toEqual({ shelf: 'shelf' })
  expect(inferFilters(operation, shown)).toBeUndefined()
})

test('a search is in all texts that people write', () => {
  const is = 'contains'
  const property = ['title', 'language', 'sort']

  expect(filtersOf({ q: TEXT })).toEqual({ q: { property, is } })
})

test('a search in a language of queries, and a filter that no property is called as, compare properties', () => {
  const describe = () => 'A query in the Lucene syntax.'
  const property = ['title', 'language', 'sort']

  expect(filtersOf({ q: TEXT }, { describe })).toEqual({ q: { property, is: 'expression' } })
  expect(filtersOf({ $filter: TEXT })).toEqual({ $filter: { property: [], is: 'expression' } })
})

test.each([
  ['title', 'Partial match of the title.', { property: 'title', is: 'contains' }],
  ['title', 'Part of the title (case-insensitive).', { property: 'title', is: 'contains' }],
  ['title', 'Titles that begin with this text.', { property: 'title', is: 'starts' }],
  ['language', 'A language, or `all`.', { property: 'language', ignored: ['all'] }],
  ['addedAt', 'Books that were added on or after this date.', { property: 'addedAt', is: 'from' }],
  ['addedAt', 'Books that were added before this date.', { property: 'addedAt', is: 'to' }],
  ['words', 'Text to search for.', { property: ['title', 'language', 'sort'], is: 'contains' }],
])('what %s means may be in its description: %s', (name, description, expected) => {
  expect(filtersOf({ [name]: TEXT }, { describe: () => description })).toEqual({ [name]: expected })
})

test('a range of times in one text filters nothing', () => {
  const describe = () => 'A range such as 2026-01-01..2026-02-01.'

  expect(filtersOf({ addedAt: TEXT }, { describe })).toBeUndefined()
})

test('a filter may be by a record that a relationship leads to', () => {
  const data = { type: 'object', properties: { type: TEXT, id: TEXT } }
  const author = { type: 'object', properties: { data } }
  const relationships = { type: 'object', properties: { author } }
  const record = { type: 'object', properties: { id: TEXT, relationships } }
  const operation = listOperation({ 'filter[author]': TEXT }, { type: 'array' })

  expect(inferFilters(operation, record)).toEqual({
    'filter[author]': '/relationships/author/data/id',
  })
})

test('the description says which time is meant', () => {
  const describe = () => 'Only books that were updated after this time.'

  expect(filtersOf({ since: TEXT }, { describe })).toEqual({
    since: { property: 'updated_at', is: 'from' },
  })
})

test.each([
  ['Only stays that start on this day or later.', 'starts_on'],
  ['Only stays that end on this day or later.', 'ends_on'],
  ['The start date of the range.', 'created_at'],
  ['A day.', 'created_at'],
])('a date with the description %j compares %s', (description, property) => {
  const day: Schema = { type: 'string', format: 'date' }
  const stay = {
    type: 'object',
    properties: { starts_on: day, ends_on: day, created_at: MOMENT },
  } as const
  const operation = listOperation({ from: day }, { type: 'array' })

  const filters = inferFilters(operation, stay, { describe: () => description })

  expect(filters).toEqual({ from: { property, is: 'from' } })
})

const FLAG: Schema = { type: 'boolean' }
const TRANSACTION: Schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    memo: TEXT,
    approved: FLAG,
    archived: FLAG,
    hidden: FLAG,
    state: { type: 'string', enum: ['open', 'closed'] },
    category_id: { type: 'string', format: 'uuid' },
    assignee: { type: 'object', properties: { id: TEXT } },
    deleted_at: MOMENT,
  },
}

test.each([
  [
    'type',
    ['unapproved', 'uncategorized'],
    { unapproved: { approved: { not: true } }, uncategorized: { category_id: '{absent}' } },
  ],
  [
    'filter',
    ['approved', 'closed', 'all'],
    { approved: { approved: true }, closed: { state: 'closed' } },
  ],
  [
    'view',
    ['deleted', 'active'],
    { deleted: { deleted_at: { exists: true } }, active: { archived: { not: true } } },
  ],
  ['only', ['unassigned'], { unassigned: { assignee: '{absent}' } }],
])('words select what the records are: %s', (name, words, values) => {
  const operation = listOperation({ [name]: { type: 'string', enum: words } }, { type: 'array' })

  const { [name]: filter } = inferFilters(operation, TRANSACTION) ?? {}

  expect(filter).toEqual({
    property: [],
    values,
    ...(words.includes('all') && { ignored: ['all'] }),
  })
})

test('words of which most are about nothing that records have select nothing', () => {
  const words: Schema = { type: 'string', enum: ['approved', 'wide', 'narrow'] }
  const operation = listOperation({ view: words }, { type: 'array' })

  expect(inferFilters(operation, TRANSACTION)).toBeUndefined()
})

test.each([
  ['include_archived', FLAG, { archived: { not: true } }],
  ['includeHidden', FLAG, { hidden: { not: true } }],
  ['with_deleted_items', FLAG, { deleted_at: '{absent}' }],
  ['include_archived', { type: 'boolean', default: true }, undefined],
  ['include_archived', TEXT, undefined],
  ['include_memo', FLAG, undefined],
] as const)('a list leaves out what only a flag includes: %s of %j', (name, schema, left) => {
  const operation = listOperation({ [name]: schema }, { type: 'array' })
  const [property] = Object.keys(left ?? {})

  expect(inferFilters(operation, TRANSACTION)).toEqual(
    left && {
      [name]: { property: [property], values: { false: left }, ignored: [true], default: false },
    },
  )
})

test('the groups of a search may have names and be deep in its body', () => {
  const exact: Schema = { type: 'object', properties: { exact: TEXT } }
  const states: Schema = { type: 'object', properties: { states: { type: 'array', items: TEXT } } }
  const filter: Schema = { type: 'object', properties: { memo: exact, state_filter: states } }
  const query: Schema = { type: 'object', properties: { filter } }

  expect(inferFilters(listOperation({ query }, { type: 'array' }), TRANSACTION)).toEqual({
    'query[filter][memo][exact]': 'memo',
    'query[filter][state_filter][states]': 'state',
  })
})

test('words are about the properties of a part of the record, too', () => {
  const attributes: Schema = { type: 'object', properties: { archived: FLAG, title: TEXT } }
  const record: Schema = { type: 'object', properties: { id: TEXT, attributes } }
  const words: Schema = { type: 'string', enum: ['archived', 'unarchived'] }

  expect(inferFilters(listOperation({ view: words }, { type: 'array' }), record)).toEqual({
    view: {
      property: [],
      values: {
        archived: { '/attributes/archived': true },
        unarchived: { '/attributes/archived': { not: true } },
      },
    },
  })
})

test.each([
  ['shelfId', undefined],
  ['shop', { place: '/shelf/place' }],
])(
  'an object with a %s is another record, whose properties are no filters: %s',
  (name, expected) => {
    const shelf: Schema = { type: 'object', properties: { [name]: TEXT, place: TEXT } }
    const record: Schema = { type: 'object', properties: { id: TEXT, shelf } }

    expect(inferFilters(listOperation({ place: TEXT }, { type: 'array' }), record)).toEqual(
      expected,
    )
  },
)
