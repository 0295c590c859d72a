import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer' } as const
const TEXT = { type: 'string' } as const
const MOMENT = { type: ['string', 'null'], format: 'date-time' }
const NOTE = objectOf({ id: ID, title: TEXT, trashed_at: MOMENT, pages_count: ID })
const PAGE = objectOf({ id: ID, text: TEXT })
const NOTES: DocumentedApi = {
  'GET /notes': { shown: listOf(NOTE) },
  'POST /notes': { sent: objectOf(['title']), shown: NOTE, status: [201] },
  'GET /notes/trash': { shown: listOf(NOTE) },
  'DELETE /notes/trash': { status: [204] },
  'GET /notes/{id}': { shown: NOTE, status: [200, 404] },
  'DELETE /notes/{id}': { status: [204, 404] },
  'POST /notes/{id}/restore': { shown: NOTE, status: [200, 404] },
  'GET /notes/{id}/pages': { shown: listOf(PAGE) },
  'POST /notes/{id}/pages': { sent: objectOf(['text']), shown: PAGE, status: [201, 404] },
  'GET /notes/{id}/pages/{page_id}': { shown: PAGE, status: [200, 404] },
}

function without(api: DocumentedApi, ...names: readonly string[]): DocumentedApi {
  return Object.fromEntries(Object.entries(api).filter(([name]) => !names.includes(name)))
}

type Note = { readonly id: number; readonly trashed_at: string | null }

async function openWithTrashed(api: DocumentedApi = NOTES) {
  const { ask } = await openApi(api)
  const { body: note } = await ask<Note>('POST /notes', { title: 'One' })
  await ask(`POST /notes/${note.id}/pages`, { text: 'First' })
  const { status } = await ask(`DELETE /notes/${note.id}`)
  const idsAt = async (path: string) => (await ask<Note[]>(`GET ${path}`)).body.map(({ id }) => id)

  return { ask, note, status, idsAt }
}

test('a removed record is in the trash, and nowhere else', async () => {
  const { ask, note, status, idsAt } = await openWithTrashed()

  const { body } = await ask<Note[]>('GET /notes/trash')

  expect(status).toBe(204)
  expect(body).toEqual([{ ...note, trashed_at: expect.any(String), pages_count: 1 }])
  expect(await idsAt('/notes')).not.toContain(note.id)
  expect((await ask(`GET /notes/${note.id}`)).status).toBe(404)
  expect((await ask(`DELETE /notes/${note.id}`)).status).toBe(404)
})

test('nothing below a record in the trash is found until something is added there, as below a removed record', async () => {
  const { ask, note } = await openWithTrashed()
  const path = `/notes/${note.id}/pages`

  const found = await ask(`GET ${path}/1`)
  const added = await ask(`POST ${path}`, { text: 'Second' })
  const shown = await ask(`GET ${path}/${added.body.id}`)

  expect([found.status, added.status, shown.status]).toEqual([404, 201, 200])
  expect((await ask(`GET /notes/${note.id}`)).status).toBe(404)
  expect((await ask<Note[]>('GET /notes')).body.map(({ id }) => id)).not.toContain(note.id)
})

test('a restored record is as it was, with what is below it', async () => {
  const { ask, note, idsAt } = await openWithTrashed()

  const { body } = await ask(`POST /notes/${note.id}/restore`)

  expect(body).toMatchObject({ ...note, trashed_at: null, pages_count: 1 })
  expect((await ask(`GET /notes/${note.id}`)).body).toEqual(body)
  expect((await ask(`GET /notes/${note.id}/pages`)).body).toMatchObject([{ text: 'First' }])
  expect(await idsAt('/notes')).toContain(note.id)
  expect(await idsAt('/notes/trash')).toEqual([])
})

test('an emptied trash restores nothing, and leaves the other records', async () => {
  const { ask, note, idsAt } = await openWithTrashed()
  const others = await idsAt('/notes')

  await ask('DELETE /notes/trash')

  expect(await idsAt('/notes/trash')).toEqual([])
  expect((await ask(`POST /notes/${note.id}/restore`)).status).toBe(404)
  expect(await idsAt('/notes')).toEqual(others)
})

test('the first records are not in the trash, and do not say so', async () => {
  const { ask } = await openApi(NOTES)

  const { body } = await ask<Note[]>('GET /notes')

  expect(body.length).toBeGreaterThan(1)
  expect(body.every(({ trashed_at }) => trashed_at === null)).toBe(true)
})

test('a removal beside an action that archives is none to the trash, unless it says so', async () => {
  const { 'GET /notes/trash': _, 'DELETE /notes/trash': _emptied, ...others } = NOTES
  const archive = { 'POST /notes/{id}/archive': { shown: NOTE } }
  const removal = { status: [204, 404], summary: 'Move a note to the trash' } as const
  const gone = await openWithTrashed({ ...others, ...archive })
  const kept = await openWithTrashed({ ...others, ...archive, 'DELETE /notes/{id}': removal })

  expect((await gone.ask(`POST /notes/${gone.note.id}/restore`)).status).toBe(404)
  expect((await kept.ask(`POST /notes/${kept.note.id}/restore`)).status).toBe(200)
})

test.each([
  ['a list shows it', NOTES, true],
  ['an action restores', without(NOTES, 'GET /notes/trash', 'DELETE /notes/trash'), true],
  [
    'nothing brings records back',
    without(NOTES, 'GET /notes/trash', 'DELETE /notes/trash', 'POST /notes/{id}/restore'),
    false,
  ],
])('a document has a trash where %s, whose operations alone are read', async (_, api, hasTrash) => {
  const { sandbox } = await openApi({ ...api, 'GET /books': { shown: listOf(PAGE) } })
  const { contract } = sandbox
  const books = contract.operations.find(({ path }) => path === '/books')
  Object.defineProperty(books, 'hints', {
    get: () => {
      throw new Error('These hints are not needed.')
    },
  })

  expect(contract.hasTrash).toBe(hasTrash)
})
