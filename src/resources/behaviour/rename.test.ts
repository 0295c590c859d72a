import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const BRANCH = objectOf(['name', 'state'])
const BUILD = objectOf(['id', 'text'])
const BRANCHES: DocumentedApi = {
  'GET /branches': { shown: listOf(BRANCH), query: { name: { type: 'string' } } },
  'POST /branches': { sent: BRANCH, shown: BRANCH, status: [201, 409] },
  'GET /branches/{name}': { shown: BRANCH, status: [200, 404] },
  'PATCH /branches/{name}': { sent: BRANCH, shown: BRANCH, status: [200, 404] },
  'PUT /branches/{name}': { sent: BRANCH, shown: BRANCH, status: [200, 404] },
  'DELETE /branches/{name}': { status: [204, 404] },
  'GET /branches/{name}/builds': { shown: listOf(BUILD), status: [200, 404] },
  'POST /branches/{name}/builds': { sent: objectOf(['text']), shown: BUILD, status: [201, 404] },
}

test('a record whose name a client has changed is found by both names, with what is below it', async () => {
  const { ask } = await openApi(BRANCHES)
  await ask('POST /branches', { name: 'main', state: 'open' })
  const { body: build } = await ask('POST /branches/main/builds', { text: 'First' })

  const { body: renamed } = await ask('PATCH /branches/main', { name: 'trunk' })

  expect(renamed).toEqual({ name: 'trunk', state: 'open' })
  expect((await ask('GET /branches/trunk')).body).toEqual(renamed)
  expect((await ask('GET /branches/main')).body).toEqual(renamed)
  expect((await ask<object[]>('GET /branches')).body).toContainEqual(renamed)
  expect((await ask('GET /branches/trunk/builds')).body).toEqual([build])
  expect((await ask('GET /branches?name=trunk')).body).toEqual([renamed])
})

test('a changed name stays in later changes, and may become the first one again', async () => {
  const { ask } = await openApi(BRANCHES)
  await ask('POST /branches', { name: 'main', state: 'open' })
  await ask('PUT /branches/main', { name: 'trunk', state: 'open' })

  const changed = await ask('PATCH /branches/trunk', { state: 'closed' })
  const back = await ask('PATCH /branches/trunk', { name: 'main' })

  expect(changed.body).toEqual({ name: 'trunk', state: 'closed' })
  expect(back.body).toEqual({ name: 'main', state: 'closed' })
  expect((await ask('GET /branches/trunk')).status).toBe(404)
})

test('a name that another record has is taken: a creation is refused, and a change keeps the name and notes it', async () => {
  const { ask, sandbox } = await openApi(BRANCHES)
  await ask('POST /branches', { name: 'main' })
  await ask('POST /branches', { name: 'next' })
  await ask('PATCH /branches/main', { name: 'trunk' })

  const created = await ask('POST /branches', { name: 'trunk' })
  const changed = await ask('PATCH /branches/next', { name: 'trunk', state: 'open' })

  expect(created.status).toBe(409)
  expect(created.body.message).toContain('the id trunk')
  expect(changed.body).toEqual({ name: 'next', state: 'open' })
  expect(sandbox.journal.exchanges.at(-1)?.notes).toEqual([
    { kind: 'overruled-property', place: 'body.name' },
  ])
})

test('a removed record is found by none of its names', async () => {
  const { ask } = await openApi(BRANCHES)
  await ask('POST /branches', { name: 'main' })
  await ask('PATCH /branches/main', { name: 'trunk' })

  await ask('DELETE /branches/trunk')

  expect((await ask('GET /branches/trunk')).status).toBe(404)
  expect((await ask('GET /branches/main')).status).toBe(404)
})

test('an id that a client can never choose stays as in the path, which is noted', async () => {
  const book = objectOf(['id', 'title'])
  const { ask, sandbox } = await openApi({
    'GET /books': { shown: listOf(book) },
    'POST /books': { sent: objectOf(['title']), shown: book, status: [201] },
    'GET /books/{id}': { shown: book, status: [200, 404] },
    'PUT /books/{id}': { sent: book, shown: book, status: [200, 404] },
  })
  const { body: made } = await ask('POST /books', { title: 'One' })

  const { body } = await ask(`PUT /books/${made.id}`, { id: 'mine', title: 'Two' })

  expect(body).toEqual({ id: made.id, title: 'Two' })
  expect(sandbox.journal.exchanges.at(-1)?.notes).toEqual([
    { kind: 'overruled-property', place: 'body.id' },
  ])
})
