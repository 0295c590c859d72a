import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'
import type { JsonObject } from '../../testing/responses.ts'

const REPO = objectOf({
  id: { type: 'integer' },
  name: { type: 'string' },
  org: { type: 'string' },
})
const NEW_REPO = objectOf(['name'])
const AT = '/orgs/{org}/repos'
const REPOS: DocumentedApi = {
  'GET /orgs/{org}': { shown: objectOf(['login', 'title']), status: [200, 404] },
  'DELETE /orgs/{org}': { status: [204] },
  [`GET ${AT}`]: { shown: listOf(REPO), status: [200, 404] },
  [`POST ${AT}`]: { sent: NEW_REPO, shown: REPO, status: [201] },
  [`GET ${AT}/{repo}`]: { shown: REPO, status: [200, 404] },
  [`PATCH ${AT}/{repo}`]: { sent: NEW_REPO, shown: REPO, status: [200, 404] },
  [`DELETE ${AT}/{repo}`]: { status: [204, 404] },
}

describe('a collection below a record', () => {
  test('has what is created, changed and removed in it, and nothing of another one', async () => {
    const { ask } = await openApi(REPOS)

    const { body: made, headers } = await ask('POST /orgs/acme/repos', { name: 'api' })
    const address = `/orgs/acme/repos/${made.id}`

    expect(made).toEqual({ id: expect.any(Number), name: 'api', org: 'acme' })
    expect(headers.get('location')).toBe('http://localhost/orgs/acme/repos/api')
    expect((await ask(`GET ${address}`)).body).toEqual(made)
    expect((await ask('GET /orgs/acme/repos')).body).toContainEqual(made)
    expect((await ask('GET /orgs/other/repos')).body).not.toContainEqual(made)
    expect((await ask(`PATCH ${address}`, { name: 'web' })).body).toEqual({ ...made, name: 'web' })
    expect((await ask('GET /orgs/acme/repos')).body).toContainEqual({ ...made, name: 'web' })
    expect((await ask(`DELETE ${address}`)).status).toBe(204)
    expect((await ask(`GET ${address}`)).status).toBe(404)
    expect((await ask('GET /orgs/acme/repos')).body).not.toContainEqual({ ...made, name: 'web' })
  })

  test('needs no record above it, and makes none', async () => {
    const { ask } = await openApi(REPOS)

    expect((await ask('GET /orgs/new/repos')).body).not.toEqual([])
    expect((await ask('GET /orgs/new')).status).toBe(404)
  })

  test('has the ids of its parents in the properties that are called so', async () => {
    const { ask } = await openApi(REPOS)

    const { body } = await ask<{ org: string }[]>('GET /orgs/acme/repos')

    expect(body.map(({ org }) => org)).toEqual(body.map(() => 'acme'))
  })

  test('that no request adds to is empty below a new record, if it has what happens to that', async () => {
    const part = objectOf({ id: { type: 'integer' }, text: { type: 'string' } })
    const { ask } = await openApi({
      'POST /apps': { sent: objectOf(['name']), shown: REPO, status: [201] },
      'GET /apps/{id}': { shown: REPO, status: [200, 404] },
      'GET /apps/{id}/deployments': { shown: listOf(part) },
      'GET /apps/{id}/regions': { shown: listOf(part) },
    })
    const { body } = await ask('POST /apps', { name: 'web' })
    const count = async (path: string): Promise<number> =>
      (await ask<readonly object[]>(`GET ${path}`)).body.length

    expect(await count(`/apps/${body.id}/deployments`)).toBe(0)
    expect(await count(`/apps/${body.id}/regions`)).toBeGreaterThan(0)
    expect(await count('/apps/1/deployments')).toBeGreaterThan(0)
  })

  test('is gone with the record above it', async () => {
    const { ask, sandbox } = await openApi(REPOS)
    const [first] = await sandbox.collection('orgs').list()
    const path = `/orgs/${first?.login}`
    await ask(`POST ${path}/repos`, { name: 'api' })

    expect((await ask(`DELETE ${path}`)).status).toBe(204)

    expect((await ask(`GET ${path}`)).status).toBe(404)
    expect((await ask(`GET ${path}/repos`)).status).toBe(404)
  })

  test('has the records of percent-encoded parents', async () => {
    const { ask } = await openApi(REPOS)

    const { body: made } = await ask('POST /orgs/a%2Fb/repos', { name: 'api' })

    expect(made.org).toBe('a/b')
    expect((await ask(`GET /orgs/a%2Fb/repos/${made.id}`)).body).toEqual(made)
  })
})

describe('two levels of parameters without words between them', () => {
  test('are a record and a collection', async () => {
    const shown = objectOf(['name', 'owner'])
    const { ask } = await openApi({
      'GET /repos/{owner}': { shown: listOf(shown) },
      'GET /repos/{owner}/{name}': { shown, status: [200, 404] },
      'PUT /repos/{owner}/{name}': { sent: shown, shown, status: [200, 201] },
    })

    const { status, body } = await ask('PUT /repos/acme/api', { owner: 'acme' })

    expect([status, body]).toEqual([201, { name: 'api', owner: 'acme' }])
    expect((await ask('GET /repos/acme')).body).toContainEqual(body)
    expect((await ask('GET /repos/acme/none')).status).toBe(404)
  })
})

const BOOK = objectOf({ id: { type: 'integer' }, title: { type: 'string' } })
const NEW_BOOK = objectOf(['title'])

type Wrap = (content: Schema) => Schema

/** A body with a record or a list in an envelope. */
interface Enveloped extends JsonObject {
  readonly data?: JsonObject
  readonly book?: JsonObject
  readonly books?: JsonObject
  readonly result?: Enveloped
}

/** Takes the record or the list out of a body. */
type Open = (body: Enveloped) => JsonObject | undefined

describe.each<[string, Wrap, Wrap, Open]>([
  ['no envelope', (one) => one, (many) => many, (body) => body],
  [
    'an envelope with a usual name',
    (data) => objectOf({ data }),
    (data) => objectOf({ data, has_more: { type: 'boolean' } }),
    ({ data }) => data,
  ],
  [
    'an envelope with the name of the records',
    (book) => objectOf({ book }),
    (books) => objectOf({ books, total: { type: 'integer' } }),
    ({ book, books }) => book ?? books,
  ],
  [
    'two envelopes',
    (book) => objectOf({ result: objectOf({ book }), success: { type: 'boolean' } }),
    (books) => objectOf({ result: objectOf({ books }), success: { type: 'boolean' } }),
    ({ result }) => result?.book ?? result?.books,
  ],
])('records in %s', (_case, one, many, open) => {
  test('are listed, created, read, changed and removed', async () => {
    const { ask } = await openApi({
      'GET /books': { shown: many(listOf(BOOK)) },
      'POST /books': { sent: NEW_BOOK, shown: one(BOOK), status: [201] },
      'GET /books/{bookId}': { shown: one(BOOK), status: [200, 404] },
      'PATCH /books/{bookId}': { sent: NEW_BOOK, shown: one(BOOK) },
      'DELETE /books/{bookId}': { status: [204] },
    })

    const made = open((await ask('POST /books', { title: 'Emma' })).body)
    const path = `/books/${made?.id}`
    const changed = { ...made, title: 'Persuasion' }

    expect(made).toEqual({ id: expect.any(Number), title: 'Emma' })
    expect(open((await ask('GET /books')).body)).toContainEqual(made)
    expect(open((await ask(`PATCH ${path}`, { title: 'Persuasion' })).body)).toEqual(changed)
    expect(open((await ask(`GET ${path}`)).body)).toEqual(changed)
    await ask(`DELETE ${path}`)
    expect((await ask(`GET ${path}`)).status).toBe(404)
    expect(open((await ask('GET /books')).body)).not.toContainEqual(changed)
  })
})

interface Resource {
  readonly id: string
  readonly attributes: object
}

test('records of JSON:API keep their attributes, in requests and responses', async () => {
  const attributes = objectOf(['title', 'subtitle'])
  const resource = objectOf({ type: { const: 'books' }, id: { type: 'string' }, attributes })
  const data = { ...resource, required: ['type', 'id', 'attributes'] }
  const sent = objectOf({ data: objectOf({ type: { const: 'books' }, attributes }) })
  const { ask } = await openApi({
    'GET /books': { shown: objectOf({ data: listOf(data), links: objectOf(['self']) }) },
    'POST /books': { sent, shown: objectOf({ data }), status: [201] },
    'GET /books/{id}': { shown: objectOf({ data }), status: [200, 404] },
    'PATCH /books/{id}': { sent, shown: objectOf({ data }) },
  })
  const attributesOf = (title: string): { data: object } => ({
    data: { type: 'books', attributes: { title, subtitle: 'A novel' } },
  })

  const { data: made } = (await ask<{ data: Resource }>('POST /books', attributesOf('Emma'))).body

  expect(made).toEqual({ ...made, ...attributesOf('Emma').data })
  expect((await ask(`GET /books/${made.id}`)).body.data).toEqual(made)
  expect((await ask('GET /books')).body.data).toContainEqual(made)
  const change = { data: { type: 'books', attributes: { title: 'Persuasion' } } }
  const { data: changed } = (await ask<{ data: Resource }>(`PATCH /books/${made.id}`, change)).body
  expect(changed.attributes).toEqual({ title: 'Persuasion', subtitle: 'A novel' })
})
