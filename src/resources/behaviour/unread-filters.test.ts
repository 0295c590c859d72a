import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const ISSUE = objectOf({
  id: TEXT,
  title: TEXT,
  state: { type: 'string', enum: ['open', 'closed'] },
  due_on: { type: 'string', format: 'date' },
})

interface Told {
  readonly notes: readonly string[]
  readonly source: string | null
}

async function toldOf(query: string): Promise<Told> {
  const { ask, sandbox } = await openApi({
    'GET /issues': {
      shown: listOf(ISSUE),
      query: { q: TEXT, state: TEXT, due_after: TEXT, mood: TEXT, page: { type: 'integer' } },
    },
    'GET /issues/{id}': { shown: ISSUE },
  })
  await ask(`GET /issues?${query}`)
  const { headers } = await ask(`GET /issues?${query}`)
  const [first, again] = sandbox.journal.exchanges.map(({ notes }) =>
    notes.map(({ kind, place }) => `${kind} ${place}`),
  )
  expect(again).toEqual(first)
  return { notes: first ?? [], source: headers.get('X-Sandbox-Source') }
}

test.each([
  ['a parameter of which nothing says what it selects', 'mood=blue', ['query.mood']],
  ['a value that is no moment', 'due_after=soon', ['query.due_after']],
  ['words that no record has, beside others', 'q=state:open+mood:blue', ['query.q=mood:blue']],
  ['a text in another language', 'q=mood:blue+(x)', ['query.q']],
  ['nothing of what selects or pages', 'q=leak&state=open&due_after=2026-01-01&page=1', []],
])('the journal of a list notes %s', async (_, query, places) => {
  expect((await toldOf(query)).notes).toEqual(places.map((place) => `unread-filter ${place}`))
})

test.each([
  [
    'what selects nothing',
    'mood=blue&q=state:open+mood:%22very%20blue%22',
    'mood q=mood:very%20blue',
  ],
  ['what the document does not have', 'colour=red', 'colour'],
])('X-Sandbox-Source of a list has %s', async (_, query, unread) => {
  expect((await toldOf(query)).source).toBe(`record; unread="${unread}"`)
})

test('X-Sandbox-Source of a list is the source alone where all of its query was read', async () => {
  expect((await toldOf('q=leak&state=open')).source).toBe('record')
})

const FREE = { type: 'object' }

async function listedFor(query: string): Promise<{ titles: unknown; source: string | null }> {
  const { ask } = await openApi(
    {
      'GET /books': { shown: listOf(BOOK), query: { page: FREE, filter: FREE, q: FREE } },
      'GET /books/{id}': { shown: BOOK },
    },
    {
      records: {
        books: ['Emma', 'Evelina', 'Persuasion'].map((title, at) => ({
          ...{ id: String(at), title },
          pages: 100 * (at + 1),
        })),
      },
    },
  )
  const { body, headers } = await ask<readonly { title: string }[]>(`GET /books?${query}`)
  return {
    titles: body.map(({ title }) => title).join(' '),
    source: headers.get('X-Sandbox-Source'),
  }
}

const BOOK = objectOf({ id: TEXT, title: TEXT, pages: { type: 'integer' } })

test.each([
  ['page[size]=2', 'Emma Evelina'],
  ['page[size]=2&page[number]=2', 'Persuasion'],
  ['filter[title]=Emma', 'Emma'],
  ['filter[title_eq]=Emma', 'Emma'],
  ['filter[title_cont]=el', 'Evelina'],
  ['filter[title_not_eq]=Emma', 'Evelina Persuasion'],
  ['filter[pages_gt]=100', 'Evelina Persuasion'],
  ['filter[pages_lteq]=200', 'Emma Evelina'],
  ['filter[title_in]=Emma,Persuasion', 'Emma Persuasion'],
  ['filter[title][like]=el', 'Evelina'],
  ['q[title_start]=E&q[pages_gteq]=200', 'Evelina'],
])('objects of which nothing is described select records: %s', async (query, titles) => {
  expect(await listedFor(query)).toEqual({ titles, source: 'record' })
})

test.each([
  ['filter[title]=Emma&filter[mood]=blue', 'Emma', 'filter%5Bmood%5D'],
  ['filter[title_near]=Emma', 'Emma Evelina Persuasion', 'filter%5Btitle_near%5D'],
  ['page[colour]=red', 'Emma Evelina Persuasion', 'page%5Bcolour%5D'],
])('what such objects have that is not understood is told: %s', async (query, titles, unread) => {
  expect(await listedFor(query)).toEqual({ titles, source: `record; unread="${unread}"` })
})

test('X-Sandbox-Source and the journal say why a list stays empty', async () => {
  const never = { type: 'string', minLength: 9, maxLength: 3 }
  const shown = { ...objectOf({ id: TEXT, code: never }), required: ['code'] }
  const { ask, sandbox } = await openApi({
    'GET /books': { shown: listOf(shown) },
    'GET /books/{id}': { shown },
  })
  const { body, headers } = await ask('GET /books')

  const reason = 'books.code: no text has at least 9 and at most 3 characters'
  expect(body).toEqual([])
  expect(headers.get('X-Sandbox-Source')).toBe(`record; empty="${reason}"`)
  expect(sandbox.journal.exchanges[0]?.notes).toEqual([{ kind: 'unmade-records', place: reason }])
})

test('what X-Sandbox-Source tells is cut before a percent-encoded character', async () => {
  const { source } = await toldOf(`mood=blue&${'%C3%A4'.repeat(200)}=1`)

  expect(source).toMatch(/%[\dA-F]{2}"$/)
})

test('an object that a query has as JSON text selects by each of its properties', async () => {
  const { ask } = await openApi({
    'GET /books': { shown: listOf(BOOK), query: { filter: objectOf({ title: TEXT, id: TEXT }) } },
    'POST /books': { sent: BOOK, shown: BOOK, status: [201] },
    'GET /books/{id}': { shown: BOOK },
  })
  await ask('POST /books', { title: 'Emma' })

  const { body } = await ask(`GET /books?filter=${encodeURIComponent('{"title":"Emma"}')}`)

  expect(body).toEqual([expect.objectContaining({ title: 'Emma' })])
})

test('what a request without a body has in its query is repeated by the answer of an operation without records', async () => {
  const { ask } = await openApi({
    'POST /ping': { shown: BOOK, query: { title: TEXT, pages: { type: 'integer' } } },
  })

  expect((await ask('POST /ping?title=Emma&pages=3')).body).toMatchObject({
    title: 'Emma',
    pages: 3,
  })
})

test('an operation without records of which the document describes only errors says so', async () => {
  const { ask, sandbox } = await openApi({ 'POST /ping': { sent: BOOK, status: [400] } })

  const { status, headers } = await ask('POST /ping', { title: 'Emma' })

  expect([status, headers.get('X-Sandbox-Source')]).toEqual([400, 'generated; only="errors"'])
  expect(sandbox.journal.exchanges[0]?.sourceReason).toMatch(/describes only errors/)
})
