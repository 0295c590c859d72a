import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, type OpenedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const COUNT = { type: 'integer' }

/** A collection with the usual operations, and with items below its records. */
function api(item: string, shown: Schema, sent: Schema): DocumentedApi {
  const [collection = ''] = item.split('/{')
  const part = objectOf({ id: COUNT, text: TEXT })
  return {
    [`GET ${collection}`]: { shown: listOf(shown) },
    [`POST ${collection}`]: { sent, shown, status: [201] },
    [`GET ${item}`]: { shown, status: [200, 404] },
    [`PATCH ${item}`]: { sent, shown, status: [200, 404] },
    [`DELETE ${item}`]: { status: [204, 404] },
    [`GET ${item}/parts`]: { shown: listOf(part), status: [200, 404] },
    [`POST ${item}/parts`]: { sent: objectOf({ text: TEXT }), shown: part, status: [201] },
    [`GET ${item}/parts/{partId}`]: { shown: part, status: [200, 404] },
  }
}

const ORGS = api(
  '/orgs/{org}',
  objectOf({ id: COUNT, login: TEXT, title: TEXT }),
  objectOf({ login: TEXT, title: TEXT }),
)
const PROJECTS = api(
  '/projects/{projectIdOrKey}',
  objectOf({ id: TEXT, key: TEXT, title: TEXT }),
  objectOf({ key: TEXT, title: TEXT }),
)
const ARTICLES = api(
  '/articles/{articleId}',
  objectOf({ id: COUNT, slug: TEXT, title: TEXT }),
  objectOf({ slug: TEXT, title: TEXT }),
)

/** A collection with a new record, and the two keys of it. */
interface Created extends OpenedApi {
  readonly path: string
  readonly made: { readonly [name: string]: unknown }
  readonly keys: readonly [string, string]
}

async function created(name: 'orgs' | 'projects' | 'articles'): Promise<Created> {
  const [documented, key] = {
    orgs: [ORGS, 'login'] as const,
    projects: [PROJECTS, 'key'] as const,
    articles: [ARTICLES, 'slug'] as const,
  }[name]
  const opened = await openApi(documented)
  const path = `/${name}`
  const { body: made } = await opened.ask(`POST ${path}`, { [key]: 'acme', title: 'Acme' })

  return { ...opened, path, made, keys: [String(made.id), String(made[key])] }
}

describe.each(['orgs', 'projects', 'articles'] as const)('a record of %s with two keys', (name) => {
  test('is read, changed and removed by each of them', async () => {
    const { ask, path, made, keys } = await created(name)
    const [id, text] = keys

    expect(text).toBe('acme')
    expect((await ask(`GET ${path}/${id}`)).body).toEqual(made)
    expect((await ask(`GET ${path}/${text}`)).body).toEqual(made)
    expect((await ask(`PATCH ${path}/${id}`, { title: 'One' })).body).toMatchObject({ id: made.id })
    expect((await ask(`PATCH ${path}/${text}`, { title: 'Two' })).status).toBe(200)
    expect((await ask(`GET ${path}/${id}`)).body).toEqual({ ...made, title: 'Two' })
    expect((await ask<object[]>(`GET ${path}`)).body).toContainEqual({ ...made, title: 'Two' })
    expect((await ask(`DELETE ${path}/${id}`)).status).toBe(204)
    expect((await ask(`GET ${path}/${text}`)).status).toBe(404)
    expect((await ask(`GET ${path}/${id}`)).status).toBe(404)
  })

  test('has one collection below it, whichever key the path has', async () => {
    const { ask, path, keys } = await created(name)
    const [id, text] = keys

    const { body: part } = await ask(`POST ${path}/${id}/parts`, { text: 'By id' })
    const { body: other } = await ask(`POST ${path}/${text}/parts`, { text: 'By text' })

    expect((await ask(`GET ${path}/${text}/parts`)).body).toEqual([part, other])
    expect((await ask(`GET ${path}/${id}/parts`)).body).toEqual([part, other])
    expect((await ask(`GET ${path}/${text}/parts/${part.id}`)).body).toEqual(part)
    await ask(`DELETE ${path}/${id}`)
    expect((await ask(`GET ${path}/${text}/parts`)).status).toBe(404)
  })
})

test('the Location of a record with several keys leads to it by the one of the path', async () => {
  const { ask } = await openApi(ORGS)

  const { headers, body } = await ask('POST /orgs', { login: 'acme' })
  const address = new URL(headers.get('location') ?? '').pathname

  expect(address).toBe('/orgs/acme')
  expect((await ask(`GET ${address}`)).body).toEqual(body)
  expect((await ask('GET /orgs/acme')).body).toEqual(body)
})

test('a record is found by its new text after it was renamed, with what is below it', async () => {
  const { ask } = await openApi(ORGS)
  const { body: made } = await ask('POST /orgs', { login: 'acme' })
  const { body: part } = await ask('POST /orgs/acme/parts', { text: 'Wheel' })

  const { body: renamed } = await ask('PATCH /orgs/acme', { login: 'globex' })

  expect(renamed).toEqual({ ...made, login: 'globex' })
  expect((await ask('GET /orgs/globex')).body).toEqual(renamed)
  expect((await ask('GET /orgs/globex/parts')).body).toEqual([part])
  expect((await ask('GET /orgs/acme')).status).toBe(404)
})

test('a key that was changed finds the record, and the earlier one does not', async () => {
  const { ask } = await openApi(PROJECTS)
  const { body: made } = await ask('POST /projects', { key: 'WEB', title: 'Web' })

  await ask('PATCH /projects/WEB', { key: 'SITE' })

  expect((await ask('GET /projects/SITE')).body).toEqual({ ...made, key: 'SITE' })
  expect((await ask('GET /projects/WEB')).status).toBe(404)
})

test('tests and the control interface name collections by any key of the records above', async () => {
  const { ask, sandbox } = await openApi(ORGS)
  const { body: made } = await ask('POST /orgs', { login: 'acme' })
  const { body: part } = await ask(`POST /orgs/acme/parts`, { text: 'One' })

  expect(await sandbox.collection(`orgs/${made.id}/parts`).list()).toEqual([part])
})

test('first records differ in each key', async () => {
  const { ask } = await openApi(ORGS)

  const { body } = await ask<{ id: number; login: string }[]>('GET /orgs')

  expect(new Set(body.map(({ id }) => id)).size).toBe(body.length)
  expect(new Set(body.map(({ login }) => login)).size).toBe(body.length)
})

test('a key that the description of the parameter offers finds the record, and what is below it', async () => {
  const app = { ...objectOf(['id', 'uid', 'name']), required: ['id', 'name'] }
  const said = { type: 'string', description: 'The ID or UID of the app' } as const
  const { ask } = await openApi({
    'GET /apps': { shown: listOf(app) },
    'POST /apps': { sent: objectOf(['uid', 'name']), shown: app, status: [201] },
    'GET /apps/{app_id}': { shown: app, path: { app_id: said }, status: [200, 404] },
    'GET /apps/{app_id}/hooks': { shown: listOf(objectOf(['id', 'url'])), path: { app_id: said } },
    'POST /apps/{app_id}/hooks': {
      ...{ sent: objectOf(['url']), shown: objectOf(['id', 'url']), status: [201] },
      path: { app_id: said },
    },
  })

  const { body: created } = await ask('POST /apps', { uid: 'tour', name: 'Tour' })
  const { body: hook } = await ask(`POST /apps/${created.id}/hooks`, { url: 'https://a.example' })
  const found = await ask('GET /apps/tour')
  const hooks = await ask('GET /apps/tour/hooks')

  expect(found.body).toEqual(created)
  expect(hooks.body).toEqual([hook])
})

test('a key in an object of the record that the description offers finds the record, and what is below it', async () => {
  const profile = objectOf(['login', 'city'])
  const user = { ...objectOf({ id: TEXT, profile }), required: ['id', 'profile'] }
  const path = { userId: { type: 'string', description: 'An ID or login of a user' } }
  const { ask } = await openApi({
    'GET /staff': { shown: listOf(user) },
    'POST /staff': { sent: objectOf({ profile }), shown: user, status: [201] },
    'GET /staff/{userId}': { shown: user, path, status: [200, 404] },
    'GET /staff/{userId}/hooks': { shown: listOf(objectOf(['id', 'url'])), path },
    'POST /staff/{userId}/hooks': {
      ...{ sent: objectOf(['url']), shown: objectOf(['id', 'url']), status: [201], path },
    },
  })

  const { body: created } = await ask('POST /staff', { profile: { login: 'ada', city: 'Rome' } })
  const { body: hook } = await ask(`POST /staff/${created.id}/hooks`, { url: 'https://a.example' })

  expect((await ask('GET /staff/ada')).body).toEqual(created)
  expect((await ask('GET /staff/ada/hooks')).body).toEqual([hook])
  expect((await ask('GET /staff/Rome')).status).toBe(404)
})

test('a record that the collection started with gives way to a new one with its further key', async () => {
  const { ask } = await openApi(PROJECTS)
  const { body: listed } = await ask<readonly { readonly key: string }[]>('GET /projects')
  const [{ key } = { key: '' }] = listed

  const { status, body } = await ask('POST /projects', { key, title: 'Mine' })

  expect([status, body]).toMatchObject([201, { key, title: 'Mine' }])
  expect((await ask(`GET /projects/${key}`)).body).toEqual(body)
  expect((await ask<unknown[]>('GET /projects')).body).toHaveLength(listed.length)
})

test('new records with the same further key are two records', async () => {
  const { ask } = await openApi({
    ...{
      'GET /users': PROJECTS['GET /projects'] ?? {},
      'POST /users': PROJECTS['POST /projects'] ?? {},
    },
    'GET /users/{userIdOrKey}': PROJECTS['GET /projects/{projectIdOrKey}'] ?? {},
  })

  const { body: first } = await ask('POST /users', { key: 'acme', title: 'One' })
  const { body: second } = await ask('POST /users', { key: 'acme', title: 'Two' })

  expect(second.id).not.toBe(first.id)
  expect((await ask(`GET /users/${first.id}`)).body).toEqual(first)
})

test('of two examples with the same further key, one record has it', async () => {
  const example = { id: 'p-1', key: 'acme', title: 'Acme' }
  const { ask } = await openApi({
    ...PROJECTS,
    'GET /projects': { ...PROJECTS['GET /projects'], example: [{ ...example, id: 'p-2' }] },
    'GET /projects/{projectIdOrKey}': { ...PROJECTS['GET /projects/{projectIdOrKey}'], example },
  })

  const { body: listed } = await ask<readonly { readonly key: string }[]>('GET /projects')
  await ask('DELETE /projects/acme')

  expect(listed).toContainEqual(expect.objectContaining({ id: 'p-2' }))
  expect(listed.filter(({ key }) => key === 'acme')).toEqual([example])
  expect((await ask('GET /projects/acme')).status).toBe(404)
})

describe('a path that names records by a text, where the records below name them by their id', () => {
  const owner = objectOf({ id: COUNT, slug: TEXT, title: TEXT, products_count: COUNT })
  const product = objectOf({ id: COUNT, title: TEXT, category_id: COUNT })
  const CATEGORIES: DocumentedApi = {
    'GET /categories': { shown: listOf(owner) },
    'POST /categories': { sent: objectOf(['slug', 'title']), shown: owner, status: [201, 409] },
    'GET /categories/{slug}': { shown: owner, status: [200, 404] },
    'PATCH /categories/{slug}': {
      sent: objectOf(['slug']),
      shown: owner,
      status: [200, 404],
    },
    'GET /categories/{slug}/products': { shown: listOf(product) },
    'POST /categories/{slug}/products': {
      sent: objectOf(['title']),
      shown: product,
      status: [201],
    },
  }
  const PRODUCTS: DocumentedApi = {
    'POST /products': {
      sent: objectOf({ title: TEXT, category_id: COUNT }),
      shown: product,
      status: [201],
    },
    'GET /products/{id}': { shown: product, status: [200, 404] },
  }

  test.each([
    ['without another path to these', {}],
    ['with another path to these', PRODUCTS],
  ])('shows and creates those with its id, %s', async (_, others) => {
    const { ask } = await openApi({ ...CATEGORIES, ...others })

    const { body: made, headers } = await ask('POST /categories', {
      slug: 'garden',
      title: 'Garden',
    })
    const { body: rake } = await ask('POST /categories/garden/products', { title: 'Rake' })
    const listed = await ask<readonly object[]>('GET /categories/garden/products')
    await ask('PATCH /categories/garden', { slug: 'yard' })
    const renamed = await ask('GET /categories/yard')

    expect(headers.get('location')).toMatch(/\/categories\/garden$/)
    expect(rake.category_id).toBe(made.id)
    expect(listed.body).toEqual([rake])
    expect(renamed.body).toEqual({ ...made, slug: 'yard', products_count: 1 })
    expect((await ask('GET /categories/yard/products')).body).toEqual([rake])
  })

  test('shows what requests elsewhere created with its id', async () => {
    const { ask } = await openApi({ ...CATEGORIES, ...PRODUCTS })
    const { body: made } = await ask('POST /categories', { slug: 'garden', title: 'Garden' })

    const { body } = await ask('POST /products', { title: 'Rake', category_id: made.id })

    expect((await ask('GET /categories/garden/products')).body).toEqual([body])
  })

  test('finds one of them only, so that a second one with the name is a conflict', async () => {
    const { ask } = await openApi(CATEGORIES)
    await ask('POST /categories', { slug: 'garden', title: 'Garden' })

    const { status } = await ask('POST /categories', { slug: 'garden', title: 'Another' })

    expect(status).toBe(409)
  })

  test('stays that of the records where it is a number, which counts from 1', async () => {
    const board = objectOf({ id: COUNT, number: COUNT, title: TEXT })
    const card = objectOf({ id: COUNT, title: TEXT, board_id: COUNT })
    const path = { board_number: COUNT }
    const { ask } = await openApi({
      'GET /teams/{team}/boards': { shown: listOf(board) },
      'POST /teams/{team}/boards': { sent: objectOf(['title']), shown: board, status: [201] },
      'GET /teams/{team}/boards/{board_number}': { shown: board, status: [200, 404], path },
      'GET /teams/{team}/boards/{board_number}/cards': { shown: listOf(card), path },
    })

    const { body: first } = await ask('POST /teams/red/boards', { title: 'Plan' })
    const { body: second } = await ask('POST /teams/red/boards', { title: 'Done' })

    expect(Number(second.number)).toBe(Number(first.number) + 1)
    expect((await ask(`GET /teams/red/boards/${second.number}`)).body).toEqual(second)
  })

  test('finds what a person did, who is an author there', async () => {
    const user = objectOf({ id: COUNT, username: TEXT })
    const post = objectOf({ id: COUNT, title: TEXT, author_id: COUNT })
    const { ask } = await openApi({
      'GET /users': { shown: listOf(user) },
      'POST /users': { sent: objectOf(['username']), shown: user, status: [201] },
      'GET /users/{username}': { shown: user, status: [200, 404] },
      'GET /users/{username}/posts': { shown: listOf(post) },
      'GET /posts': { shown: listOf(post) },
      'POST /posts': {
        sent: objectOf({ title: TEXT, author_id: COUNT }),
        shown: post,
        status: [201],
      },
      'GET /posts/{id}': { shown: post, status: [200, 404] },
    })
    const { body: ann } = await ask('POST /users', { username: 'ann' })

    const { body } = await ask('POST /posts', { title: 'Hello', author_id: ann.id })
    const first = await ask<readonly { author_id: number }[]>('GET /posts')
    const users = await ask<readonly { id: number }[]>('GET /users')

    expect((await ask('GET /users/ann/posts')).body).toEqual([body])
    expect(users.body.map(({ id }) => id)).toContain(first.body[0]?.author_id)
  })
})

describe('a word that the description of a path offers instead of an id', () => {
  const flag = { type: 'boolean' }
  const version = objectOf({ id: TEXT, title: TEXT, is_default: flag })
  const file = objectOf({ id: TEXT, name: TEXT })
  const said = {
    ...TEXT,
    description: 'The ID of a version, or `latest`, or "default" for the one that is used.',
  }
  const open = (path: object = said): Promise<OpenedApi> =>
    openApi({
      'GET /versions': { shown: listOf(version) },
      'POST /versions': {
        sent: objectOf({ title: TEXT, is_default: flag }),
        shown: version,
        status: [201],
      },
      'GET /versions/{version}': { shown: version, status: [200, 404], path: { version: path } },
      'GET /versions/{version}/files': { shown: listOf(file), status: [200, 404] },
      'POST /versions/{version}/files': {
        sent: objectOf({ name: TEXT }),
        shown: file,
        status: [201],
      },
    })

  test('names the record that was added last, and what is below it', async () => {
    const { ask } = await open()
    await ask('POST /versions', { title: 'One', is_default: false })
    const { body: two } = await ask('POST /versions', { title: 'Two', is_default: false })
    const { body: added } = await ask('POST /versions/latest/files', { name: 'a' })

    expect((await ask('GET /versions/latest')).body).toEqual(two)
    expect((await ask(`GET /versions/${two.id}/files`)).body).toEqual([added])
  })

  test('names the record with a flag, or else the first one', async () => {
    const { ask } = await open()
    const { body: all } = await ask<readonly object[]>('GET /versions')
    const first = all.find((one) => 'is_default' in one && one.is_default)
    expect((await ask('GET /versions/default')).body).toEqual(first ?? all[0])

    const { body } = await ask('POST /versions', { title: 'One', is_default: true })

    expect((await ask('GET /versions/default')).body).toEqual(first ?? body)
  })

  test.each([
    ['is only an example', { ...TEXT, description: 'The ID of a version, e.g. "latest".' }],
    ['is not said', TEXT],
  ])('names nothing where it %s', async (_, path) => {
    const { ask } = await open(path)

    expect((await ask('GET /versions/latest')).status).toBe(404)
  })
})

test.each([
  ['a number', COUNT],
  ['a text', TEXT],
])('{tag} finds releases by their tag_name, whose id is %s', async (_what, id) => {
  const release = objectOf({ id, tag_name: TEXT, title: TEXT })
  const { ask } = await openApi(
    api('/releases/{tag}', release, objectOf({ tag_name: TEXT, title: TEXT })),
  )

  const { body: made } = await ask('POST /releases', { tag_name: 'v1.2', title: 'First' })
  const { body } = await ask('GET /releases/v1.2')

  expect(body).toEqual(made)
})
