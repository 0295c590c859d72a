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

async function notesOf(query: string): Promise<readonly string[]> {
  const { ask, sandbox } = await openApi({
    'GET /issues': {
      shown: listOf(ISSUE),
      query: { q: TEXT, state: TEXT, due_after: TEXT, mood: TEXT, page: { type: 'integer' } },
    },
    'GET /issues/{id}': { shown: ISSUE },
  })
  await ask(`GET /issues?${query}`)
  await ask(`GET /issues?${query}`)
  const [first, again] = sandbox.journal.exchanges.map(({ notes }) =>
    notes.map(({ kind, place }) => `${kind} ${place}`),
  )
  expect(again).toEqual(first)
  return first ?? []
}

test.each([
  ['a parameter of which nothing says what it selects', 'mood=blue', ['query.mood']],
  ['a value that is no moment', 'due_after=soon', ['query.due_after']],
  ['words that no record has, beside others', 'q=state:open+mood:blue', ['query.q=mood:blue']],
  ['a text in another language', 'q=mood:blue+(x)', ['query.q']],
  ['nothing of what selects or pages', 'q=leak&state=open&due_after=2026-01-01&page=1', []],
])('the journal of a list notes %s', async (_, query, places) => {
  expect(await notesOf(query)).toEqual(places.map((place) => `unread-filter ${place}`))
})
