import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TIME = { type: 'string', format: 'date-time' }
const TEXT = { type: 'string' }
const NOW = '2030-12-05T12:00:00.000Z'
const LATER = '2030-12-05T12:01:00.000Z'

const NOTE: Schema = {
  ...objectOf({
    id: { type: 'integer' },
    title: TEXT,
    colour: TEXT,
    comments_count: { type: 'integer' },
    created_at: TIME,
    updated_at: TIME,
  }),
  required: ['id', 'title'],
}
const NEW_NOTE: Schema = { ...objectOf(['title', 'colour']), required: ['title'] }
const CHANGE: Schema = objectOf(['title', 'colour'])
const COMMENT: Schema = objectOf({ id: { type: 'integer' }, body: TEXT })

/** The operations on notes, with a PUT that sends a schema. */
function notes(sent: Schema, more: DocumentedApi = {}): DocumentedApi {
  return {
    'GET /notes': { shown: listOf(NOTE) },
    'POST /notes': { sent: NEW_NOTE, shown: NOTE, status: [201] },
    'GET /notes/{id}': { shown: NOTE, status: [200, 404] },
    'PUT /notes/{id}': { sent, shown: NOTE, status: [200, 404] },
    'GET /notes/{id}/comments': { shown: listOf(COMMENT) },
    'POST /notes/{id}/comments': { sent: objectOf(['body']), shown: COMMENT, status: [201] },
    ...more,
  }
}

/** The note before and after a change, a minute later. */
async function changed(
  api: DocumentedApi,
  body: object,
  method = 'PUT',
): Promise<readonly [before: object, after: object]> {
  const { ask, sandbox } = await openApi(api)
  sandbox.clock.set(NOW)
  const { body: before } = await ask('POST /notes', { title: 'Tea', colour: 'green' })
  sandbox.clock.advance('60s')
  const { body: after } = await ask(`${method} /notes/${before.id}`, body)
  expect((await ask(`GET /notes/${before.id}`)).body).toEqual(after)

  return [before, after]
}

const PATCH: DocumentedApi = { 'PATCH /notes/{id}': { sent: CHANGE, shown: NOTE } }

describe('a PUT', () => {
  test.each<[why: string, api: DocumentedApi]>([
    ['that sends what a creation does', notes(NEW_NOTE)],
    ['beside a PATCH', notes(CHANGE, PATCH)],
  ])('%s replaces the record', async (_why, api) => {
    const [before, after] = await changed(api, { title: 'Milk' })

    const { colour: _, ...kept } = { colour: '', ...before }
    expect(after).toEqual({ ...kept, title: 'Milk', updated_at: LATER })
  })

  test('replaces an object in the record, and keeps what no request can have of it', async () => {
    const sent = { ...objectOf({ form: objectOf(['title', 'colour']) }), required: ['form'] }
    const note = objectOf({ id: { type: 'integer' }, form: objectOf(['title', 'colour', 'rank']) })
    const { ask } = await openApi({
      'GET /notes': { shown: listOf(note) },
      'POST /notes': { sent, shown: note, status: [201] },
      'GET /notes/{id}': { shown: note },
      'PUT /notes/{id}': { sent, shown: note },
    })
    const { form } = (await ask('GET /notes/1')).body

    const { body } = await ask('PUT /notes/1', { form: { title: 'Milk' } })

    expect(form).toMatchObject({ rank: expect.any(String), colour: expect.any(String) })
    expect(body).toEqual({ id: 1, form: { title: 'Milk', rank: Object(form).rank } })
  })

  test('that requires less than a creation changes what it has of the record', async () => {
    const [before, after] = await changed(notes(CHANGE), { title: 'Milk' })

    expect(after).toEqual({ ...before, title: 'Milk', updated_at: LATER })
  })

  test('that sends the whole record keeps what the service sets', async () => {
    const [before, after] = await changed(notes(NOTE, PATCH), {
      ...{ id: 987, title: 'Milk', colour: 'white', comments_count: 12 },
      ...{ created_at: '2001-01-01T00:00:00Z', updated_at: '2001-01-01T00:00:00Z' },
    })

    expect(after).toEqual({ ...before, title: 'Milk', colour: 'white', updated_at: LATER })
  })

  test('that leaves out what the service sets keeps it', async () => {
    const [before, after] = await changed(notes(NOTE, PATCH), { id: 987, title: 'Milk' })

    const { colour: _, ...kept } = { colour: '', ...before }
    expect(after).toEqual({ ...kept, title: 'Milk', updated_at: LATER })
  })

  test('whose schema has the time of the creation without the id sets it', async () => {
    const sent = objectOf({ title: TEXT, created_at: TIME })
    const then = '2001-01-01T00:00:00Z'

    const [before, after] = await changed(notes(sent), { created_at: then })

    expect(after).toEqual({ ...before, created_at: then, updated_at: LATER })
  })

  test('adds a record where the document has a 201', async () => {
    const put = { sent: CHANGE, shown: NOTE, status: [200, 201, 404] }
    const { ask } = await openApi(notes(CHANGE, { 'PUT /notes/{id}': put }))

    const { status } = await ask('PUT /notes/987654', { title: 'Milk' })

    expect(status).toBe(201)
    expect((await ask('GET /notes/987654')).body).toMatchObject({ id: 987_654, title: 'Milk' })
  })
})

test.each([
  ['PUT /notes/{id}', [201, 204], 204],
  ['PUT /notes/{id}', [201, 202, 404], 202],
  ['PUT /notes/{id}', [201], 201],
  ['PUT /notes', [200, 201], 200],
] as const)(
  'a %s with the statuses %o adds a record with a 201, and changes it with a %i',
  async (operation, status, changed) => {
    const sent = objectOf({ id: { type: 'integer' }, title: TEXT })
    const { ask } = await openApi(notes(CHANGE, { [operation]: { sent, shown: NOTE, status } }))
    const target = operation.replace('{id}', '987654')
    const put = async (title: string) => (await ask(target, { id: 987_654, title })).status

    expect([await put('Milk'), await put('Bread')]).toEqual([201, changed])
    expect((await ask('GET /notes/987654')).body).toMatchObject({ id: 987_654, title: 'Bread' })
  },
)

test.each(['POST', 'PATCH'])(
  'a %s on a record changes what it has of the record',
  async (method) => {
    const api = notes(CHANGE, { [`${method} /notes/{id}`]: { sent: CHANGE, shown: NOTE } })

    const [before, after] = await changed(api, { title: 'Milk' }, method)

    expect(after).toEqual({ ...before, title: 'Milk', updated_at: LATER })
  },
)

test('a PUT without a body adds what its path names, where no POST adds anything', async () => {
  const member = objectOf({ login: { type: 'string' }, name: { type: 'string' } })
  const { ask } = await openApi({
    'GET /teams/{id}/members': { shown: listOf(member) },
    'GET /teams/{id}/members/{login}': { shown: member, status: [200, 404] },
    'PUT /teams/{id}/members/{login}': { status: [204] },
    'DELETE /teams/{id}/members/{login}': { status: [204, 404] },
  })

  const before = await ask('GET /teams/7/members/ada')
  const added = [await ask('PUT /teams/7/members/ada'), await ask('PUT /teams/7/members/ada')]

  expect([before.status, ...added.map(({ status }) => status)]).toEqual([404, 204, 204])
  expect((await ask('GET /teams/7/members/ada')).body).toMatchObject({ login: 'ada' })
  const { body } = await ask<{ readonly login: string }[]>('GET /teams/7/members')
  expect(body.filter(({ login }) => login === 'ada')).toHaveLength(1)
  await ask('DELETE /teams/7/members/ada')
  expect((await ask('GET /teams/7/members/ada')).status).toBe(404)
})
