import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'
import type { JsonObject } from '../../testing/responses.ts'

const ID = { type: 'integer' }
const TEXT = { type: 'string' }
const TIME = { type: 'string', format: 'date-time' }
const SHORT = { ...objectOf({ id: ID, title: TEXT, cover: TEXT }), required: ['id', 'cover'] }
const LONG = {
  ...objectOf({ id: ID, title: TEXT, summary: TEXT, pages: { type: 'integer' } }),
  required: ['id', 'title', 'summary', 'pages'],
}
const SENT = objectOf(['title'])
const BOOKS: DocumentedApi = {
  'GET /books': { shown: listOf(SHORT) },
  'POST /books': { sent: SENT, shown: SHORT, status: [201] },
  'GET /books/{id}': { shown: LONG, status: [200, 404] },
  'PATCH /books/{id}': { sent: SENT, shown: LONG, status: [200, 404] },
}

function bookIn(list: readonly JsonObject[], id: unknown): unknown {
  return list.find((one) => one.id === id)
}

describe('a property that only one response shows', () => {
  test('stays the same over reads and updates', async () => {
    const { ask } = await openApi(BOOKS)
    const { body: made } = await ask('POST /books', { title: 'Emma' })
    const path = `/books/${made.id}`

    const { body: long } = await ask(`GET ${path}`)
    const changed = (await ask(`PATCH ${path}`, { title: 'Persuasion' })).body

    expect(made).toEqual({ id: made.id, title: 'Emma', cover: expect.any(String) })
    expect(long).toEqual({ ...long, id: made.id, title: 'Emma' })
    expect(long).not.toHaveProperty('cover')
    expect(changed).toEqual({ ...long, title: 'Persuasion' })
    expect((await ask(`GET ${path}`)).body).toEqual(changed)
    expect(bookIn((await ask<JsonObject[]>('GET /books')).body, made.id)).toEqual({
      ...made,
      title: 'Persuasion',
    })
  })

  test('is the same when no response showed it before an update', async () => {
    const { ask } = await openApi(BOOKS)
    const { body: made } = await ask('POST /books', { title: 'Emma' })

    await ask(`PATCH /books/${made.id}`, { title: 'Persuasion' })

    expect(bookIn((await ask<JsonObject[]>('GET /books')).body, made.id)).toEqual({
      ...made,
      title: 'Persuasion',
    })
  })

  test('is that of the same seed in another sandbox', async () => {
    const [one, other] = [await openApi(BOOKS, { seed: 3 }), await openApi(BOOKS, { seed: 3 })]

    expect((await one.ask('GET /books')).body).toEqual((await other.ask('GET /books')).body)
    expect((await one.ask('GET /books/2')).body).toEqual((await other.ask('GET /books/2')).body)
  })
})

test('a list and a read show the same values of a record', async () => {
  const { ask } = await openApi(BOOKS)

  for (const { id, title } of (await ask<JsonObject[]>('GET /books')).body)
    expect((await ask(`GET /books/${id}`)).body.title).toBe(title)
})

test('properties that clients only write are in no response', async () => {
  const sent = objectOf({ name: TEXT, password: { ...TEXT, writeOnly: true } })
  const shown = objectOf({ id: ID, name: TEXT })
  const { ask } = await openApi({
    'GET /users': { shown: listOf(shown) },
    'POST /users': { sent, shown, status: [201] },
    'GET /users/{id}': { shown },
    'PATCH /users/{id}': { sent, shown },
  })
  const user = { name: 'Jane', password: 'secret' }

  const { body: made } = await ask('POST /users', user)

  expect(made).toEqual({ id: made.id, name: 'Jane' })
  expect((await ask(`PATCH /users/${made.id}`, user)).body).toEqual(made)
  expect((await ask(`GET /users/${made.id}`)).body).toEqual(made)
  expect((await ask('GET /users')).body).toContainEqual(made)
})

test('properties that clients only write inside of others are in no response', async () => {
  const secret = { ...TEXT, writeOnly: true }
  const sent = objectOf({
    config: objectOf({ url: TEXT, secret }),
    keys: listOf(objectOf({ name: TEXT, pin: secret })),
  })
  const shown = objectOf({
    id: ID,
    config: objectOf({ url: TEXT }),
    keys: listOf(objectOf({ name: TEXT })),
  })
  const { ask } = await openApi({
    'GET /hooks': { shown: listOf(shown) },
    'POST /hooks': { sent, shown, status: [201] },
    'GET /hooks/{id}': { shown },
  })

  const { body: made } = await ask('POST /hooks', {
    config: { url: 'a', secret: 'hidden' },
    keys: [{ name: 'b', pin: 'hidden' }],
  })

  expect(made).toEqual({ id: made.id, config: { url: 'a' }, keys: [{ name: 'b' }] })
  expect((await ask(`GET /hooks/${made.id}`)).body).toEqual(made)
  expect((await ask('GET /hooks')).body).toContainEqual(made)
})

test('a request of which each part may contain all of it again is looked through once', async () => {
  const whole = { $ref: '#/paths/~1parts/post/requestBody/content/application~1json/schema' }
  const names = [...'abcdefghijkl']
  const sent = objectOf({ ...Object.fromEntries(names.map((one) => [one, whole])) })
  const { ask } = await openApi({
    'POST /parts': { sent, shown: objectOf({ id: ID }), status: [201] },
    'GET /parts/{id}': { shown: objectOf({ id: ID, a: {} }) },
  })

  const { body: made } = await ask('POST /parts', { a: { b: { c: {} } } })

  expect((await ask(`GET /parts/${made.id}`)).body.a).toEqual({ b: { c: {} } })
})

test('a property that only clients write in requests, and that a response has, is shown', async () => {
  const sent = objectOf({ name: { ...TEXT, writeOnly: true }, pin: { ...TEXT, writeOnly: true } })
  const shown = objectOf({ id: ID, name: TEXT, pin: { ...TEXT, writeOnly: true } })
  const { ask } = await openApi({
    'POST /users': { sent, shown: objectOf({ id: ID }), status: [201] },
    'GET /users/{id}': { shown },
  })

  const { body: made } = await ask('POST /users', { name: 'Jane', pin: '1234' })

  expect((await ask(`GET /users/${made.id}`)).body).toEqual({ id: made.id, name: 'Jane' })
})

test('a value that the schema of a response forbids is replaced there only', async () => {
  const strict = objectOf({ id: ID, title: { type: 'string', minLength: 10 } })
  const { ask } = await openApi({ ...BOOKS, 'GET /books': { shown: listOf(strict) } })

  const { body: made } = await ask('POST /books', { title: 'Emma' })

  expect((await ask('GET /books')).status).toBe(200)
  expect((await ask(`GET /books/${made.id}`)).body.title).toBe('Emma')
})

describe('the times of a record', () => {
  const shown = {
    ...objectOf({ id: ID, title: TEXT, created_at: TIME, updatedAt: TIME }),
    required: ['id', 'created_at', 'updatedAt'],
  }
  const api: DocumentedApi = {
    'GET /books': { shown: listOf(shown) },
    'POST /books': { sent: SENT, shown, status: [201] },
    'GET /books/{id}': { shown },
    'PATCH /books/{id}': { sent: SENT, shown },
  }

  test('are those of the clock', async () => {
    const { ask, sandbox } = await openApi(api)
    sandbox.clock.set('2030-01-01T00:00:00Z')
    sandbox.clock.freeze()

    const { body: made } = await ask('POST /books', { title: 'Emma' })
    sandbox.clock.advance('1h')
    const { body: changed } = await ask(`PATCH /books/${made.id}`, { title: 'Persuasion' })

    expect([made.created_at, made.updatedAt]).toEqual(Array(2).fill('2030-01-01T00:00:00.000Z'))
    expect([changed.created_at, changed.updatedAt]).toEqual([
      '2030-01-01T00:00:00.000Z',
      '2030-01-01T01:00:00.000Z',
    ])
    expect((await ask(`GET /books/${made.id}`)).body).toEqual(changed)
  })

  test('are seconds where the document has integers', async () => {
    const seconds = objectOf({ id: ID, created: { type: 'integer' } })
    const { ask, sandbox } = await openApi({
      'POST /books': { sent: SENT, shown: seconds, status: [201] },
      'GET /books/{id}': { shown: seconds },
    })
    sandbox.clock.set('2030-01-01T00:00:00Z')
    sandbox.clock.freeze()

    const { body } = await ask('POST /books', { title: 'Emma' })

    expect(body.created).toBe(Date.parse('2030-01-01T00:00:00Z') / 1000)
  })
})

describe('an id in an object of the record', () => {
  interface Pod {
    readonly metadata: { readonly name: string }
  }
  const shown = objectOf({ metadata: objectOf(['name', 'namespace']), spec: objectOf(['image']) })
  const api: DocumentedApi = {
    'GET /spaces/{namespace}/pods': { shown: objectOf({ items: listOf(shown) }) },
    'POST /spaces/{namespace}/pods': { sent: shown, shown, status: [201] },
    'GET /spaces/{namespace}/pods/{name}': { shown, status: [200, 404] },
    'PUT /spaces/{namespace}/pods/{name}': { sent: shown, shown, status: [200, 404] },
    'DELETE /spaces/{namespace}/pods/{name}': { status: [204, 404] },
  }

  test('is that of the path', async () => {
    const { ask } = await openApi(api)

    const { body } = await ask<{ items: Pod[] }>('GET /spaces/a/pods')
    const [pod] = body.items

    const path = `/spaces/a/pods/${encodeURIComponent(pod?.metadata.name ?? '')}`
    expect((await ask(`GET ${path}`)).body).toEqual(pod)
  })

  test('can be chosen by the client', async () => {
    const { ask } = await openApi(api)
    const pod = { metadata: { name: 'web' }, spec: { image: 'nginx' } }

    const { body: made } = await ask<Pod>('POST /spaces/a/pods', pod)

    expect(made.metadata.name).toBe('web')
    expect((await ask('GET /spaces/a/pods/web')).body).toEqual(made)
    expect((await ask('GET /spaces/a/pods')).body.items).toContainEqual(made)
    expect((await ask('GET /spaces/b/pods/web')).status).toBe(404)
  })
})

test('a value that only the request allows is replaced in a response, whose schema has no type', async () => {
  const shown = { properties: { id: ID, pages: { type: 'integer', maximum: 100 } } }
  const { ask } = await openApi({
    'POST /books': { sent: objectOf({ pages: { type: 'integer' } }), shown, status: [201] },
    'GET /books/{id}': { shown, status: [200, 404] },
  })

  const { body } = await ask('POST /books', { pages: 500 })

  expect(body).toEqual({ id: expect.any(Number), pages: expect.any(Number) })
  expect((await ask(`GET /books/${body.id}`)).body).toEqual(body)
})

test('what is around a list is that of its sandbox, also where another one has the same contract', async () => {
  const list = { ...objectOf({ data: listOf(SHORT), note: TEXT }), required: ['data', 'note'] }
  const { sandbox } = await openApi({ 'GET /books': { shown: list } })
  const noteOf = async (seed: number) => {
    const { contract } = sandbox
    const response = await createSandbox({ contract, seed }).fetch(
      new Request('http://localhost/books'),
    )
    return (await response.json()).note
  }
  const notes = [await noteOf(1), await noteOf(2), await noteOf(1)]

  expect(notes[1]).not.toBe(notes[0])
  expect(notes[2]).toBe(notes[0])
})

test.each([
  'Only returned when the token is created.',
  'The secret. It is shown once.',
  'This value will never be displayed again.',
])(
  'a secret that is described as %j is in the response of its creation alone',
  async (description) => {
    const said = { ...TEXT, description }
    const token = { ...objectOf({ id: ID, name: TEXT, token: said }), required: ['id', 'name'] }
    const { ask } = await openApi({
      'GET /keys': { shown: listOf(token) },
      'POST /keys': { sent: objectOf(['name']), shown: token, status: [201] },
      'GET /keys/{id}': { shown: token, status: [200, 404] },
      'POST /keys/{id}/rotate': { shown: token },
    })

    const { body: created } = await ask('POST /keys', { name: 'ci' })
    const { body: rotated } = await ask(`POST /keys/${created.id}/rotate`)

    const { token: secret, ...rest } = created
    expect(secret).toBeTypeOf('string')
    expect(rotated.token).not.toBe(secret)
    expect((await ask(`GET /keys/${created.id}`)).body).toEqual(rest)
    const { body: all } = await ask<readonly JsonObject[]>('GET /keys')
    expect(all.some((one) => 'token' in one)).toBe(false)
  },
)

test('a record with an object of what was sent and one of its state shows both, and a list the state as a text', async () => {
  const sent = objectOf({ image: TEXT, user: TEXT, shell: TEXT, tty: { type: 'boolean' } })
  const status = { type: 'string', enum: ['created', 'running', 'exited'] }
  const state = objectOf({ status, running: { type: 'boolean' } })
  const { ask } = await openApi({
    'GET /runs': { shown: listOf(objectOf({ id: TEXT, image: TEXT, state: TEXT })) },
    'POST /runs': { sent, shown: objectOf({ id: TEXT }), status: [201] },
    'GET /runs/{id}': { shown: objectOf({ id: TEXT, config: sent, state }), status: [200, 404] },
    'POST /runs/{id}/start': { status: [204, 404] },
  })

  const { body: made } = await ask('POST /runs', { image: 'web', tty: true })
  const { body: first } = await ask(`GET /runs/${made.id}`)
  await ask(`POST /runs/${made.id}/start`)
  const { body: started } = await ask(`GET /runs/${made.id}`)
  const { body: list } = await ask<JsonObject[]>('GET /runs')

  expect(first).toMatchObject({ config: { image: 'web', tty: true } })
  expect(first).toMatchObject({ state: { status: 'created', running: false } })
  expect(started).toMatchObject({ state: { status: 'running', running: true } })
  expect(bookIn(list, made.id)).toMatchObject({ image: 'web', state: 'running' })
})
