import { describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer' }
const TEXT = { type: 'string' }
const USER = { ...objectOf({ id: ID, login: TEXT, city: TEXT }), required: ['id', 'login'] }
const SIMPLE_USER = { ...objectOf({ id: ID, login: TEXT, city: TEXT }), required: ['id'] }
const POST = {
  ...objectOf({ id: ID, text: TEXT, owner: SIMPLE_USER, created_by_id: ID, user: TEXT }),
  required: ['id', 'text', 'owner', 'created_by_id'],
}

function answers(schema: object, status = 200): object {
  return {
    responses: {
      [status]: { description: '', content: { 'application/json': { schema } } },
      404: { description: '' },
    },
  }
}

function sends(schema: object): object {
  return { requestBody: { content: { 'application/json': { schema } } } }
}

const PARAMETERS = [{ name: 'id', in: 'path', required: true, schema: ID }]
const PATHS = {
  '/users': { get: answers({ type: 'array', items: USER }) },
  '/users/{id}': {
    parameters: PARAMETERS,
    get: answers(USER),
    delete: { responses: { 204: { description: '' } } },
  },
  '/me': {
    get: answers(USER),
    patch: { ...sends(objectOf(['city'])), ...answers(USER) },
  },
  '/posts': { post: { ...sends(objectOf(['text'])), ...answers(POST, 201) } },
  '/posts/{id}': { parameters: PARAMETERS, get: answers(POST) },
}

async function open(
  paths: object = PATHS,
  options: SandboxOptions = {},
  hints?: object,
): Promise<Sandbox> {
  const contract = await loadDocumentOf(paths, {
    ...(hints && { 'x-sandbox': hints }),
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
  })
  return createSandbox({ ...options, contract })
}

async function ask(
  sandbox: Sandbox,
  target: string,
  { token = 'one', body }: { readonly token?: string; readonly body?: object } = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const [method = '', path = ''] = target.split(' ')
  const response = await sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, body: await response.json().catch(() => ({})) }
}

describe('the record of the caller', () => {
  test('is one of the users', async () => {
    const sandbox = await open()

    const { body } = await ask(sandbox, 'GET /me')

    expect((await ask(sandbox, `GET /users/${body.id}`)).body).toEqual(body)
  })

  test('is changed under both paths', async () => {
    const sandbox = await open()

    const { body } = await ask(sandbox, 'PATCH /me', { body: { city: 'Bern' } })

    expect(body).toMatchObject({ city: 'Bern' })
    expect((await ask(sandbox, 'GET /me')).body).toEqual(body)
    expect((await ask(sandbox, `GET /users/${body.id}`)).body).toEqual(body)
  })

  test('is the same one for the same credential, in each sandbox', async () => {
    const [one, other] = [await open(), await open()]
    const tokens = Array.from({ length: 20 }, (_, at) => `token-${at}`)

    const ids = await Promise.all(
      tokens.map(async (token) => (await ask(one, 'GET /me', { token })).body.id),
    )
    const again = await Promise.all(
      tokens.map(async (token) => (await ask(other, 'GET /me', { token })).body.id),
    )

    expect(again).toEqual(ids)
    expect(new Set(ids).size).toBeGreaterThan(3)
  })

  test('is that of the user of a configured key, from the option, the document or a later change', async () => {
    const { body: third } = await ask(await open(), 'GET /users/3')
    const given = await open(PATHS, { keys: { ada: { user: 3 } } })
    const documented = await open(PATHS, {}, { keys: { ada: { user: '3' } } })
    const later = await open()
    later.setKey('ada', { user: 3 })

    for (const sandbox of [given, documented, later]) {
      const { body } = await ask(sandbox, 'POST /posts', { token: 'ada', body: { text: 'Hello' } })

      expect((await ask(sandbox, 'GET /me', { token: 'ada' })).body).toEqual(third)
      expect(body).toMatchObject({ owner: third, created_by_id: 3 })
      expect(sandbox.keys).toEqual([{ key: 'ada', user: '3' }])
    }
  })

  test('follows the key through a snapshot, and when its user changes', async () => {
    const one = await open(PATHS, { keys: { ada: { user: 3 } } })
    const other = await open()

    await other.restore(await one.snapshot())

    expect((await ask(other, 'GET /me', { token: 'ada' })).body).toMatchObject({ id: 3 })
    other.setKey('ada', { user: 5 })
    expect((await ask(other, 'GET /me', { token: 'ada' })).body).toMatchObject({ id: 5 })
  })

  test('is gone for the key of a user who was removed', async () => {
    const sandbox = await open(PATHS, { keys: { ada: { user: 3 } } })

    await ask(sandbox, 'DELETE /users/3')

    expect((await ask(sandbox, 'GET /me', { token: 'ada' })).status).toBe(404)
  })

  test('has the id of the user of its key, also where no user exists yet', async () => {
    const sandbox = await open(
      { ...PATHS, '/me': { get: { responses: { 200: Object(answers(USER)).responses[200] } } } },
      { keys: { ada: { user: 3 } }, records: { users: [] } },
    )

    expect((await ask(sandbox, 'GET /me', { token: 'ada' })).body).toMatchObject({ id: 3 })
    await sandbox.collection('users').create({ id: 3, login: 'ada' })
    expect((await ask(sandbox, 'GET /me', { token: 'ada' })).body).toMatchObject({ login: 'ada' })
  })

  test('costs nothing for credentials that are new', async () => {
    const sandbox = await open()
    await ask(sandbox, 'GET /users')
    const before = await sandbox.snapshot()

    for (let at = 0; at < 30; at += 1) await ask(sandbox, 'GET /me', { token: `new-${at}` })

    expect(await sandbox.snapshot()).toEqual(before)
  })

  test('is gone when it was removed', async () => {
    const sandbox = await open()
    const { body } = await ask(sandbox, 'GET /me')

    await ask(sandbox, `DELETE /users/${body.id}`)

    expect((await ask(sandbox, 'GET /me')).status).toBe(404)
  })
})

describe('what a caller creates', () => {
  test('has the record of the caller where the schema is that of a user, and its id', async () => {
    const sandbox = await open()
    const { body: me } = await ask(sandbox, 'PATCH /me', { body: { city: 'Bern' } })

    const { body } = await ask(sandbox, 'POST /posts', { body: { text: 'Hello' } })

    expect(body).toMatchObject({ owner: me, created_by_id: me.id })
    expect((await ask(sandbox, `GET /posts/${body.id}`)).body).toEqual(body)
  })

  test('differs for another caller', async () => {
    const sandbox = await open()
    const tokens = ['one', 'two', 'three', 'four', 'five']

    const owners = await Promise.all(
      tokens.map((token) => ask(sandbox, 'POST /posts', { token, body: { text: 'Hello' } })),
    )
    const own = await Promise.all(tokens.map((token) => ask(sandbox, 'GET /me', { token })))

    expect(owners.map(({ body }) => body.created_by_id)).toEqual(own.map(({ body }) => body.id))
  })
})

test.each<[why: string, paths: object]>([
  ['without a collection of users', { '/me': PATHS['/me'] }],
  [
    'with another schema than the users',
    { ...PATHS, '/users/{id}': { parameters: PARAMETERS, get: answers(objectOf(['id', 'name'])) } },
  ],
  ['with a hint', { ...PATHS, '/me': { ...PATHS['/me'], 'x-sandbox': { caller: false } } }],
])('a path of the caller is a single record %s', async (_why, paths) => {
  const sandbox = await open(paths)

  const { body } = await ask(sandbox, 'PATCH /me', { body: { city: 'Bern' } })

  expect((await ask(sandbox, 'GET /me', { token: 'other' })).body).toEqual(body)
})

test('a hint says that another path leads to the record of the caller', async () => {
  const { '/me': me, ...paths } = PATHS
  const sandbox = await open({
    ...paths,
    '/session': { ...me, 'x-sandbox': { caller: '/users/{id}' } },
  })

  const { body } = await ask(sandbox, 'PATCH /session', { body: { city: 'Bern' } })

  expect((await ask(sandbox, `GET /users/${body.id}`)).body).toEqual(body)
})

test('first records belong to users that exist', async () => {
  const sandbox = await open()

  const { body } = await ask(sandbox, 'GET /posts/1')

  const { status, body: user } = await ask(sandbox, `GET /users/${body.created_by_id}`)
  expect(status).toBe(200)
  expect(user.id).toBe(body.created_by_id)
})

describe('a path below the record of the caller', () => {
  const ALBUM = objectOf({ id: ID, title: TEXT, user_id: ID })
  const ALBUMS = {
    ...PATHS,
    '/users/{id}/albums': { parameters: PARAMETERS, get: answers({ type: 'array', items: ALBUM }) },
    '/me/albums': {
      get: answers({ type: 'array', items: ALBUM }),
      post: { ...sends(objectOf(['title'])), ...answers(ALBUM, 201) },
    },
    '/me/albums/{album}': {
      parameters: [{ ...PARAMETERS[0], name: 'album' }],
      get: answers(ALBUM),
      delete: { responses: { 204: { description: '' } } },
    },
  }

  test('has the records of the path below one of the users', async () => {
    const sandbox = await open(ALBUMS)
    const { body: me } = await ask(sandbox, 'GET /me')

    const { body: album } = await ask(sandbox, 'POST /me/albums', { body: { title: 'Mine' } })
    const at = `GET /users/${me.id}/albums`

    expect(album).toMatchObject({ title: 'Mine', user_id: me.id })
    expect((await ask(sandbox, `GET /me/albums/${album.id}`)).body).toEqual(album)
    expect((await ask(sandbox, at)).body).toContainEqual(album)
    expect((await ask(sandbox, 'GET /me/albums')).body).toEqual((await ask(sandbox, at)).body)
    await ask(sandbox, `DELETE /me/albums/${album.id}`)
    expect((await ask(sandbox, at)).body).not.toContainEqual(album)
  })

  test('has those of each caller', async () => {
    const sandbox = await open(ALBUMS, { keys: { ann: { user: 1 }, bob: { user: 2 } } })

    const { body } = await ask(sandbox, 'POST /me/albums', { token: 'ann', body: { title: 'A' } })

    expect((await ask(sandbox, 'GET /me/albums', { token: 'bob' })).body).not.toContainEqual(body)
    expect((await ask(sandbox, 'GET /users/1/albums', { token: 'bob' })).body).toContainEqual(body)
  })
})

describe('a text in paths that names the caller', () => {
  const text = { name: 'id', in: 'path', required: true, schema: TEXT }
  const described = { ...text, description: 'The id of a person, or `self` for the caller.' }
  const user = { ...objectOf(['id', 'city', 'team']), required: ['id', 'city', 'team'] }
  const group = { ...objectOf({ id: ID, title: TEXT }), required: ['id', 'title'] }
  const paths = (collection: string, parameter: object): object => ({
    [collection]: { get: answers({ type: 'array', items: user }) },
    [`${collection}/{id}`]: {
      ...{ parameters: [parameter], get: answers(user) },
      patch: { ...sends(objectOf(['city'])), ...answers(user) },
    },
    [`${collection}/{id}/groups`]: {
      ...{ parameters: [parameter], get: answers({ type: 'array', items: group }) },
      post: { ...sends(objectOf(['title'])), ...answers(group, 201) },
    },
  })

  test.each([
    ['me', '/users', text],
    ['self', '/people', described],
  ])('is %s at %s, and leads to what is below its record', async (word, collection, parameter) => {
    const sandbox = await open(paths(collection, parameter))

    const { body: own } = await ask(sandbox, `GET ${collection}/${word}`)
    const { body: group } = await ask(sandbox, `POST ${collection}/${word}/groups`, {
      body: { title: 'Chess' },
    })
    await ask(sandbox, `PATCH ${collection}/${word}`, { body: { city: 'Rome' } })

    const { body: groups } = await ask(sandbox, `GET ${collection}/${own.id}/groups`)
    expect(own.id).not.toBe(word)
    expect(groups).toContainEqual(group)
    expect((await ask(sandbox, `GET ${collection}/${own.id}`)).body.city).toBe('Rome')
  })

  test('names the caller in requests, and who creates and completes a record', async () => {
    const done = { type: 'boolean' }
    const task = objectOf({
      id: ID,
      assignee: user,
      created_by: user,
      completed_by: user,
      done,
    })
    const sandbox = await open({
      ...paths('/users', { ...text, description: 'The string "me", or the id of a user.' }),
      '/tasks': { post: { ...sends(objectOf({ assignee: TEXT })), ...answers(task, 201) } },
      '/tasks/{id}': { parameters: PARAMETERS, get: answers(task) },
    })
    const { body: me } = await ask(sandbox, 'GET /users/me')

    const { body } = await ask(sandbox, 'POST /tasks', { body: { assignee: 'me' } })

    const { id, ...others } = body
    expect(others).toEqual({ assignee: me, created_by: me, done: false })
    expect((await ask(sandbox, `GET /tasks/${id}`)).body).toEqual(body)
  })

  test('is none where neither the path nor a description is about callers', async () => {
    const sandbox = await open(paths('/horses', text))

    expect((await ask(sandbox, 'GET /horses/me')).status).toBe(404)
  })
})

describe('a credential with the path of a record', () => {
  const account = { ...objectOf({ id: ID, plan: TEXT }), required: ['id', 'plan'] }
  const paths = {
    ...PATHS,
    '/accounts': { get: answers({ type: 'array', items: account }) },
    '/accounts/{id}': { parameters: PARAMETERS, get: answers(account) },
    '/account': { get: answers(account), 'x-sandbox': { caller: '/accounts/{id}' } },
  }

  test('is the caller in its collection, where others have callers, too', async () => {
    const sandbox = await open(paths, { keys: { sk_b: { user: '/users/5' } } })
    sandbox.setKey('sk_a', { user: '/accounts/7' })
    const shown = async (path: string, key: string) => {
      const response = await sandbox.fetch(
        new Request(`http://localhost${path}`, { headers: { Authorization: `Bearer ${key}` } }),
      )
      return (await response.json()).id
    }

    const [account, again] = [await shown('/account', 'sk_a'), await shown('/account', 'sk_b')]

    expect(account).toBe(7)
    expect(await shown('/me', 'sk_b')).toBe(5)
    expect(again).toBe(await shown('/account', 'sk_b'))
  })

  test('must be in a collection of the document', async () => {
    const sandbox = await open(paths)

    expect(() => sandbox.setKey('sk_a', { user: '/acounts/7' })).toThrow('Did you mean')
    await expect(open(paths, { keys: { sk_a: { user: '/usrs/7' } } })).rejects.toThrow(
      'Did you mean',
    )
  })
})
