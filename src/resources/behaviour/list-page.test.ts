import { beforeAll, describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../../contract/contract.ts'
import type { EnvelopeFigure, OperationHints, PagingHints } from '../../contract/hints.ts'
import { Problem } from '../../http/problem.ts'
import { exampleResource } from '../../testing/example-resource.ts'
import { listOperation } from '../../testing/list-operation.ts'
import { createRecords, type Records } from '../store/records.ts'
import { type ListedPage, type ListRequest, listPage } from './list-page.ts'

const INTEGER: Schema = { type: 'integer' }
const TEXT: Schema = { type: 'string' }
const BASE = 'https://example.com/v1'

const PAGES: PagingHints = { style: 'page', parameter: 'page', size: 'size' }
const OFFSETS: PagingHints = { style: 'offset', parameter: 'skip', size: 'size' }
const CURSORS: PagingHints = { style: 'cursor', parameter: 'cursor', size: 'size' }
const AFTER: PagingHints = { style: 'after', parameter: 'after', before: 'before', size: 'size' }

/** Seven books with the ids 1 to 7. The later ones have titles that come first. */
let records: Records

beforeAll(async () => {
  const resource = exampleResource({ title: TEXT, shelf: TEXT })
  records = createRecords({ ...resource, filters: ['shelf'], sorts: ['title'] }, 1)
  for (const [index, title] of [...'gfedcba'].entries())
    await records.create({ title, shelf: index < 3 ? 'low' : 'high' })
})

/** What each request of a test has besides its query. */
interface Given {
  readonly paging?: PagingHints | undefined
  readonly envelope?: OperationHints['envelope']
  readonly operation?: Operation
}

const QUERY = { page: INTEGER, skip: INTEGER, cursor: TEXT, after: TEXT, before: TEXT }
const OPERATION = listOperation(
  { ...QUERY, size: { ...INTEGER, maximum: 3 }, sort: TEXT, shelf: TEXT },
  { type: 'array' },
)
const REFUSING: Operation = {
  ...OPERATION,
  responses: [...OPERATION.responses, { status: 400 }],
}
const EVERYTHING = { '/total': 'total', '/last': 'lastUrl' } as const

async function pageOf(query: string, { paging, envelope, operation }: Given): Promise<ListedPage> {
  const list: ListRequest = {
    request: { base: BASE, path: '/books', query },
    operation: operation ?? OPERATION,
    hints: {
      ...(paging && { paging }),
      ...(envelope && { envelope }),
      filters: { shelf: 'shelf' },
      sort: { by: 'sort' },
    },
    query: Object.fromEntries(new URLSearchParams(query)),
    records,
  }
  return await listPage(list)
}

function idsOf({ records: listed }: ListedPage): readonly unknown[] {
  return listed.map(({ id }) => id)
}

/** The ids of the pages that the links of a figure lead to, beginning with a query. */
async function follow(query: string, figure: EnvelopeFigure, given: Given): Promise<unknown[]> {
  const pages: unknown[] = []
  for (let next: unknown = `${BASE}/books?${query}`; typeof next === 'string'; ) {
    const page = await pageOf(new URL(next).search.slice(1), given)
    pages.push(idsOf(page))
    next = page.figure(figure)
  }
  return pages
}

describe.each([
  ['pages', PAGES],
  ['offsets', OFFSETS],
  ['cursors', CURSORS],
  ['cursors in both directions', { ...CURSORS, before: 'before' } satisfies PagingHints],
  ['ids', AFTER],
])('a list with %s', (_style, paging) => {
  const given: Given = { paging, envelope: EVERYTHING }

  test('has each record on one page', async () => {
    expect(await follow('size=3', 'nextUrl', given)).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })

  test('has a page before each but the first', async () => {
    const second = (await pageOf('size=2', given)).figure('nextUrl')
    const third = (await pageOf(new URL(String(second)).search.slice(1), given)).figure('nextUrl')

    const pages = await follow(new URL(String(third)).search.slice(1), 'previousUrl', given)

    expect(pages).toEqual([
      [5, 6],
      [3, 4],
      [1, 2],
    ])
  })

  test('keeps filters and the order in its links', async () => {
    const pages = await follow('size=2&shelf=high&sort=title', 'nextUrl', given)

    expect(pages).toEqual([
      [7, 6],
      [5, 4],
    ])
  })

  test('says how many records there are', async () => {
    const page = await pageOf('size=2&shelf=low', given)

    expect(page.figure('total')).toBe(3)
  })

  test('has a first page', async () => {
    const next = (await pageOf('size=3', given)).figure('nextUrl')
    const second = await pageOf(new URL(String(next)).search.slice(1), given)

    const first = await pageOf(new URL(String(second.figure('firstUrl'))).search.slice(1), given)

    expect(idsOf(first)).toEqual([1, 2, 3])
    expect([first.figure('isFirst'), second.figure('isFirst')]).toEqual([true, false])
    expect([first.figure('hasMore'), first.figure('isLast')]).toEqual([true, false])
  })
})

test.each<[string, Given['paging'], Partial<Record<EnvelopeFigure, unknown>>]>([
  [
    'page=2&size=3',
    PAGES,
    { page: 2, pages: 3, lastPage: 3, nextPage: 3, previousPage: 1, size: 3, count: 3, offset: 3 },
  ],
  ['page=3&size=3', PAGES, { page: 3, nextPage: null, nextUrl: null, hasMore: false, count: 1 }],
  ['page=1&size=3', PAGES, { previousPage: null, hasPrevious: false, nextCursor: 2 }],
  [
    'page=0&size=3',
    { style: 'page', parameter: 'page', size: 'size', first: 0 },
    { page: 0, lastPage: 2, previousPage: null, lastUrl: `${BASE}/books?page=2&size=3` },
  ],
  ['page=9&size=3', PAGES, { count: 0, isEmpty: true, hasMore: false, total: 7, firstId: null }],
  ['skip=2&size=2', OFFSETS, { offset: 2, page: 2, nextCursor: 4, previousCursor: 0 }],
  [
    'skip=1&size=2',
    { style: 'offset', parameter: 'skip', size: 'size', first: 1 },
    { offset: 1, firstId: 1, nextCursor: 3 },
  ],
  ['after=2&size=2', AFTER, { firstId: 3, lastId: 4, nextCursor: 4, previousCursor: 3 }],
  ['before=4&size=2', AFTER, { firstId: 2, lastId: 3, hasMore: true, isLast: false }],
  ['before=3&size=2', AFTER, { firstId: 1, hasMore: false, hasPrevious: false }],
  [
    'size=2',
    { style: 'offset', size: 'size' },
    { count: 2, total: 7, hasMore: true, nextUrl: null },
  ],
  ['', undefined, { total: 7, count: 7, size: 7, page: 1, pages: 1, nextCursor: null }],
])(
  'the page of the query "%s" with the paging %j has the figures %j',
  async (query, paging, figures) => {
    const page = await pageOf(query, { paging, envelope: EVERYTHING })

    const found = Object.keys(figures).map((name) => [name, page.figure(name as EnvelopeFigure)])

    expect(Object.fromEntries(found)).toEqual(figures)
  },
)

test('a page may be read by an offset, too, where the request names no page', async () => {
  const paging: PagingHints = { ...PAGES, offset: 'skip' }
  const idsOf = async (query: string): Promise<readonly unknown[]> =>
    (await pageOf(query, { paging })).records.map(({ id }) => id)

  expect(await idsOf('skip=1&size=2')).toEqual([2, 3])
  expect(await idsOf('skip=1&size=2&page=2')).toEqual([3, 4])
  expect(await idsOf('skip=-1&size=2')).toEqual([1, 2])
  expect(await idsOf('skip=9&size=2')).toEqual([])
})

test('a page without a size has 20 records, or as many as the document allows', async () => {
  expect(idsOf(await pageOf('', { paging: PAGES }))).toEqual([1, 2, 3])
})

test('a list without paging has all records', async () => {
  expect(idsOf(await pageOf('page=2&size=2', {}))).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('records are counted only for a figure that needs it', async () => {
  const page = await pageOf('size=2', { paging: CURSORS, envelope: { '/next': 'nextCursor' } })

  expect(page.figure('total')).toBeUndefined()
})

test('a list without an envelope has its links in the Link header', async () => {
  const page = await pageOf('page=2&size=3', { paging: PAGES })

  expect(page.readHeaders()).toEqual({
    Link: [
      `<${BASE}/books?page=3&size=3>; rel="next"`,
      `<${BASE}/books?page=1&size=3>; rel="prev"`,
      `<${BASE}/books?page=1&size=3>; rel="first"`,
    ].join(', '),
  })
})

test('a Link header that the document has names the last page', async () => {
  const [response] = OPERATION.responses
  const header = { name: 'Link', required: false, schema: TEXT, validate: () => true }
  const operation = { ...OPERATION, responses: [{ status: 200, ...response, headers: [header] }] }

  const page = await pageOf('page=3&size=3', { paging: PAGES, envelope: EVERYTHING, operation })

  expect(page.readHeaders().Link).toContain(`<${BASE}/books?page=3&size=3>; rel="last"`)
})

test('a cursor stays valid when its record is removed', async () => {
  const own = createRecords(records.resource, 1)
  for (const title of ['c', 'b', 'a']) await own.create({ title })
  const list = (query: string): ListRequest => ({
    request: { base: BASE, path: '/books', query },
    operation: OPERATION,
    hints: { paging: CURSORS, envelope: EVERYTHING, sort: { by: 'sort' } },
    query: Object.fromEntries(new URLSearchParams(query)),
    records: own,
  })
  const first = await listPage(list('sort=title&size=1'))
  await own.remove(3)

  const second = await listPage(list(`sort=title&size=1&cursor=${first.figure('nextCursor')}`))

  expect(idsOf(second)).toEqual([2])
})

test('an id that is a number may be sent as text', async () => {
  const resource = { ...records.resource, idSchema: TEXT }
  const own: ListRequest['records'] = {
    name: 'books',
    resource,
    get: (id) => records.get(id),
    page: (query) => records.page(query),
    count: (where) => records.count(where),
  }
  const list = { request: { base: BASE, path: '/books', query: 'after=5' }, operation: OPERATION }

  const found = await listPage({
    ...list,
    hints: { paging: AFTER },
    query: { after: '5' },
    records: own,
  })

  expect(idsOf(found)).toEqual([6, 7])
})

test('a cursor that is a number is an offset', async () => {
  const operation = listOperation({ cursor: INTEGER, size: INTEGER }, { type: 'array' })

  const page = await pageOf('cursor=3&size=2', { paging: CURSORS, operation })

  expect(idsOf(page)).toEqual([4, 5])
  expect([page.figure('nextCursor'), page.figure('previousCursor')]).toEqual([5, 1])
})

test.each([
  ['cursor=unknown', CURSORS],
  ['after=99', AFTER],
  ['before=99', AFTER],
  ['page=second', PAGES],
])('the query "%s" is refused where the document has a 400', async (query, paging) => {
  const refused = pageOf(query, { paging, operation: REFUSING })

  await expect(refused).rejects.toBeInstanceOf(Problem)
})

test.each([
  ['cursor=unknown', CURSORS, [1, 2, 3]],
  ['page=second', PAGES, [1, 2, 3]],
  ['after=4.5', AFTER, [5, 6, 7]],
])('where it has none, the query "%s" selects the best page', async (query, paging, ids) => {
  expect(idsOf(await pageOf(query, { paging }))).toEqual(ids)
})

test.each([
  ['cursor', CURSORS],
  ['after', AFTER],
])('the documented example of %s selects the first page', async (name, paging) => {
  const parameters = REFUSING.parameters.map((one) => ({ ...one, example: 'documented' }))

  const page = await pageOf(`${name}=documented`, {
    paging,
    operation: { ...REFUSING, parameters },
  })

  expect(idsOf(page)).toEqual([1, 2, 3])
})
