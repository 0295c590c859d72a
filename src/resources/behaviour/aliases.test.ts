import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../index.ts'
import { openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer', readOnly: true }
const PROJECT = {
  type: 'object',
  required: ['id', 'name', 'tasks_count'],
  properties: {
    id: ID,
    name: { type: 'string' },
    tasks_count: { type: 'integer', readOnly: true },
  },
}
const TASK = {
  type: 'object',
  required: ['id', 'title', 'project_id'],
  properties: { id: ID, title: { type: 'string' }, project_id: { type: 'integer' } },
}
const COMMENT = {
  type: 'object',
  required: ['id', 'text', 'url'],
  properties: { id: ID, text: { type: 'string' }, url: { type: 'string', example: '/comments/1' } },
}

function json(schema: object, status = 200): object {
  const ok = { description: '', content: { 'application/json': { schema } } }
  return { responses: { [status]: ok, 404: { description: 'There is none.' } } }
}

function takes(...names: readonly string[]): object {
  const all = {
    title: { type: 'string' },
    text: { type: 'string' },
    project_id: { type: 'integer' },
  }
  const properties = Object.fromEntries(
    Object.entries(all).filter(([name]) => names.includes(name)),
  )
  return {
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
  }
}

function listOf(items: object): object {
  return json({ type: 'array', items })
}

function named(...names: readonly string[]): object {
  const schema = { type: 'integer' }
  return { parameters: names.map((name) => ({ name, in: 'path', required: true, schema })) }
}

const GONE = { responses: { 204: { description: '' }, 404: { description: '' } } }

const PROJECTS = {
  '/projects': { get: listOf(PROJECT), post: { ...takes('title'), ...json(PROJECT, 201) } },
  '/projects/{project_id}': { ...named('project_id'), get: json(PROJECT), delete: GONE },
}

/** Tasks with their project, which are read, changed and removed at one path, and listed and created at another one, too. */
const TASKS = {
  '/tasks': { get: listOf(TASK), post: { ...takes('title', 'project_id'), ...json(TASK, 201) } },
  '/tasks/{id}': {
    ...named('id'),
    get: json(TASK),
    patch: { ...takes('title', 'project_id'), ...json(TASK) },
    delete: GONE,
  },
  '/projects/{project_id}/tasks': {
    ...named('project_id'),
    get: listOf(TASK),
    post: { ...takes('title'), ...json(TASK, 201) },
  },
  '/projects/{project_id}/tasks/{id}': {
    ...named('project_id', 'id'),
    get: json(TASK),
    delete: GONE,
  },
}

/** Comments that do not say what they are about. */
const COMMENTS = {
  '/comments/{id}': { ...named('id'), get: json(COMMENT), delete: GONE },
  '/projects/{project_id}/comments': {
    ...named('project_id'),
    get: listOf(COMMENT),
    post: { ...takes('text'), ...json(COMMENT, 201) },
  },
}

interface Answer {
  readonly status: number
  readonly body: ReturnType<typeof JSON.parse>
  readonly location: string | null
}

function sending(sandbox: Sandbox): (target: string, body?: object) => Promise<Answer> {
  return async (target, body) => {
    const [method = '', path = ''] = target.split(' ')
    const headers = { 'Content-Type': 'application/json' }
    const sent = body && { body: JSON.stringify(body), headers }
    const response = await sandbox.fetch(
      new Request(`http://localhost${path}`, { method, ...sent }),
    )
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      location: response.headers.get('Location'),
    }
  }
}

async function open(paths: object): Promise<ReturnType<typeof sending>> {
  return sending(createSandbox({ contract: await loadDocumentOf(paths) }))
}

function idsOf({ body }: Answer): readonly number[] {
  return body.map(({ id }: { readonly id: number }) => id)
}

describe('a record with several paths', () => {
  it('that is created through one path is found by every other one', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })

    const { body, location } = await send('POST /projects/2/tasks', { title: 'New' })

    expect(body).toMatchObject({ title: 'New', project_id: 2 })
    expect(location).toBe(`http://localhost/projects/2/tasks/${body.id}`)
    expect((await send(`GET /tasks/${body.id}`)).body).toEqual(body)
    expect((await send(`GET /projects/2/tasks/${body.id}`)).body).toEqual(body)
    expect((await send('GET /tasks')).body).toContainEqual(body)
    expect((await send('GET /projects/2/tasks')).body).toContainEqual(body)
  })

  it('is not below another parent', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })
    const { body } = await send('POST /projects/2/tasks', { title: 'New' })

    expect(idsOf(await send('GET /projects/3/tasks'))).not.toContain(body.id)
    expect((await send(`GET /projects/3/tasks/${body.id}`)).status).toBe(404)
    expect((await send(`DELETE /projects/3/tasks/${body.id}`)).status).toBe(404)
  })

  it('that is created with its parent in the body is below it', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })

    const { body, location } = await send('POST /tasks', { title: 'New', project_id: 4 })

    expect(location).toBe(`http://localhost/tasks/${body.id}`)
    expect((await send('GET /projects/4/tasks')).body).toContainEqual(body)
  })

  it('has the parent of its path, over what the body says', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })

    const { body } = await send('POST /projects/2/tasks', { title: 'New', project_id: 3 })

    expect(body.project_id).toBe(2)
  })

  it('moves when its parent is changed', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })
    const { body } = await send('POST /projects/2/tasks', { title: 'New' })

    await send(`PATCH /tasks/${body.id}`, { project_id: 3 })

    expect(idsOf(await send('GET /projects/2/tasks'))).not.toContain(body.id)
    expect(idsOf(await send('GET /projects/3/tasks'))).toContain(body.id)
  })

  it.each(['/tasks', '/projects/2/tasks'])(
    'is gone everywhere when it is removed at %s',
    async (path) => {
      const send = await open({ ...PROJECTS, ...TASKS })
      const { body } = await send('POST /projects/2/tasks', { title: 'New' })

      expect((await send(`DELETE ${path}/${body.id}`)).status).toBe(204)

      expect((await send(`GET /tasks/${body.id}`)).status).toBe(404)
      expect((await send(`GET /projects/2/tasks/${body.id}`)).status).toBe(404)
      expect(idsOf(await send('GET /tasks'))).not.toContain(body.id)
      expect(idsOf(await send('GET /projects/2/tasks'))).not.toContain(body.id)
    },
  )

  it('is gone when its parent is removed', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })
    const { body: parent } = await send('POST /projects', { title: 'New' })
    const { body } = await send(`POST /projects/${parent.id}/tasks`, { title: 'New' })

    await send(`DELETE /projects/${parent.id}`)

    expect((await send(`GET /tasks/${body.id}`)).status).toBe(404)
    expect(idsOf(await send('GET /tasks'))).not.toContain(body.id)
    expect((await send(`GET /projects/${parent.id}/tasks`)).status).toBe(404)
  })

  it('is gone when a test removes its parent', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf({ ...PROJECTS, ...TASKS }) })
    const send = sending(sandbox)
    const { body } = await send('POST /projects/2/tasks', { title: 'New' })

    await sandbox.collection('projects').remove(2)

    expect((await send(`GET /tasks/${body.id}`)).status).toBe(404)
  })

  it('is counted by its parent, whichever path creates, moves or removes it', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })
    const countIn = async (id: number): Promise<number> =>
      (await send(`GET /projects/${id}`)).body.tasks_count
    const before = [await countIn(2), await countIn(3)]
    const counts = async (): Promise<number[]> => [
      (await countIn(2)) - (before[0] ?? 0),
      (await countIn(3)) - (before[1] ?? 0),
    ]

    const { body: one } = await send('POST /projects/2/tasks', { title: 'New' })
    await send('POST /tasks', { title: 'New', project_id: 2 })
    const created = await counts()
    await send(`PATCH /tasks/${one.id}`, { project_id: 3 })
    const moved = await counts()
    await send(`DELETE /projects/3/tasks/${one.id}`)

    expect([created, moved, await counts()]).toEqual([
      [2, 0],
      [1, 1],
      [1, 0],
    ])
  })

  it('need not say what its parent is', async () => {
    const send = await open({ ...PROJECTS, ...COMMENTS })

    const { body, location } = await send('POST /projects/2/comments', { text: 'New' })

    expect(Object.keys(body)).toEqual(['id', 'text', 'url'])
    expect(location).toBe(`http://localhost/comments/${body.id}`)
    expect((await send(`GET /comments/${body.id}`)).body).toEqual(body)
    expect(idsOf(await send('GET /projects/2/comments'))).toContain(body.id)
    expect(idsOf(await send('GET /projects/3/comments'))).not.toContain(body.id)
    expect((await send(`DELETE /comments/${body.id}`)).status).toBe(204)
    expect(idsOf(await send('GET /projects/2/comments'))).not.toContain(body.id)
  })
})

describe('the first records of a collection with several paths', () => {
  it('are below the records above, as many as these say', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })
    const { body: projects } = await send('GET /projects')

    for (const { id, tasks_count: count } of projects) {
      const { body } = await send(`GET /projects/${id}/tasks`)
      expect(body).toHaveLength(count)
      for (const task of body) expect((await send(`GET /tasks/${task.id}`)).body).toEqual(task)
    }
  })

  it('are below the records above, where these do not count them', async () => {
    const send = await open({ ...PROJECTS, ...COMMENTS })
    const { body: projects } = await send('GET /projects')

    for (const { id } of projects)
      expect((await send(`GET /projects/${id}/comments`)).body).not.toEqual([])
  })

  it('are none below a new record', async () => {
    const send = await open({ ...PROJECTS, ...TASKS, ...COMMENTS })
    const { body } = await send('POST /projects', { title: 'New' })

    expect((await send(`GET /projects/${body.id}/tasks`)).body).toEqual([])
    expect((await send(`GET /projects/${body.id}/comments`)).body).toEqual([])
  })

  it('are some below a record that nobody created, once', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })

    const { body } = await send('GET /projects/777/tasks')
    const again = await send('GET /projects/777/tasks')
    for (const { id } of body) await send(`DELETE /tasks/${id}`)

    expect(body.length).toBeGreaterThan(2)
    expect(again.body).toEqual(body)
    for (const task of body) expect(task.project_id).toBe(777)
    expect((await send('GET /projects/777/tasks')).body).toEqual([])
  })

  it('do not come back when all of them are removed', async () => {
    const send = await open({ ...PROJECTS, ...TASKS })
    const { body } = await send('GET /projects/1/tasks')

    for (const { id } of body) await send(`DELETE /tasks/${id}`)

    expect((await send('GET /projects/1/tasks')).body).toEqual([])
  })
})

describe('hints for aliases', () => {
  it('switch them off', async () => {
    const off = { ...TASKS['/tasks'], 'x-sandbox': { aliases: false } }
    const send = await open({ ...PROJECTS, ...TASKS, '/tasks': off })

    const { body } = await send('POST /projects/2/tasks', { title: 'New' })

    expect((await send(`GET /projects/2/tasks/${body.id}`)).body).toEqual(body)
    expect((await send('GET /tasks')).body).not.toContainEqual(body)
  })

  it('name a path of another word, and the property with the value of its parameter', async () => {
    const { '/projects/{project_id}/tasks': below, '/tasks': tasks, ...others } = TASKS
    const named = { ...tasks, 'x-sandbox': { aliases: { '/work/{p}/todo': { p: 'project_id' } } } }
    const parameters = [{ name: 'p', in: 'path', required: true, schema: { type: 'integer' } }]
    const todo = { ...below, parameters }
    const send = await open({ ...PROJECTS, ...others, '/tasks': named, '/work/{p}/todo': todo })

    const { body } = await send('POST /work/2/todo', { title: 'New' })

    expect(body).toMatchObject({ title: 'New', project_id: 2 })
    expect((await send(`GET /tasks/${body.id}`)).body).toEqual(body)
    expect((await send('GET /work/2/todo')).body).toContainEqual(body)
  })

  it.each<[fact: string, aliases: object, other: object]>([
    ['of each other', { '/comments': {} }, { '/tasks': {} }],
    ['of themselves', { '/tasks': {} }, {}],
    ['that two paths claim', { '/projects': {} }, { '/projects': {} }],
    ['that do not exist', { '/none/{id}': { id: 'id' } }, {}],
    ['by a parameter that does not exist', { '/projects/{project_id}/tasks': { x: 'y' } }, {}],
  ])('%s are ignored, where they contradict', async (_fact, aliases, other) => {
    const send = await open({
      ...{ ...PROJECTS, ...TASKS, ...COMMENTS },
      '/tasks': { ...TASKS['/tasks'], 'x-sandbox': { aliases } },
      '/comments': { get: listOf(COMMENT), 'x-sandbox': { aliases: other } },
    })

    const { body } = await send('POST /tasks', { title: 'New', project_id: 2 })

    expect((await send(`GET /tasks/${body.id}`)).body).toEqual(body)
    expect((await send('GET /comments')).status).toBe(200)
  })
})

describe('a path for some people', () => {
  it('leads to the records that everybody reads', async () => {
    const person = objectOf(['login', 'name', 'city'])
    const { ask } = await openApi({
      'GET /admin/users': { shown: { type: 'array', items: person } },
      'POST /admin/users': { sent: person, shown: person, status: [201] },
      'DELETE /admin/users/{login}': { status: [204, 404] },
      'GET /users/{login}': { shown: person, status: [200, 404] },
    })
    await ask('POST /admin/users', { login: 'ann', name: 'Ann', city: 'Rome' })

    const { body } = await ask('GET /users/ann')
    await ask('DELETE /admin/users/ann')

    expect(body).toEqual({ login: 'ann', name: 'Ann', city: 'Rome' })
    expect((await ask('GET /users/ann')).status).toBe(404)
  })
})

describe('a search over all parents', () => {
  it.each(['GET /search/issues', 'GET /repos/issues/search'])(
    'has the records below each: %s',
    async (search) => {
      const text = { type: 'string' }
      const issue = objectOf({ number: { type: 'integer' }, title: text, note: text })
      const items = { type: 'array', items: issue }
      const shown = objectOf({ total_count: { type: 'integer' }, items })
      const { ask } = await openApi({
        'GET /repos/{owner}/{repo}': { shown: objectOf(['name']), status: [200, 404] },
        'GET /repos/{owner}/{repo}/issues': { shown: { type: 'array', items: issue } },
        'POST /repos/{owner}/{repo}/issues': {
          sent: objectOf(['title']),
          shown: issue,
          status: [201],
        },
        'GET /repos/{owner}/{repo}/issues/{number}': { shown: issue, status: [200, 404] },
        [search]: { shown, query: { q: { type: 'string' } } },
      })
      const { body: one } = await ask('POST /repos/acme/api/issues', { title: 'Leaking pipe' })
      const { body: two } = await ask('POST /repos/ann/web/issues', { title: 'A leaking tap' })
      await ask('POST /repos/ann/web/issues', { title: 'Noise' })

      const { body } = await ask<object>(`${search}?q=leaking`)

      expect(Object.values(body).flat()).toEqual(expect.arrayContaining([one, two]))
      expect(JSON.stringify(body)).not.toContain('Noise')
    },
  )

  it('is about repositories, which have their owner in their path', async () => {
    const repo = objectOf(['name', 'note', 'owner'])
    const { ask } = await openApi({
      'POST /repos/{owner}': { sent: objectOf(['name', 'note']), shown: repo, status: [201] },
      'GET /repos/{owner}/{name}': { shown: repo, status: [200, 404] },
      'PATCH /repos/{owner}/{name}': { sent: repo, shown: repo },
      'GET /repos/search': {
        shown: objectOf({ data: { type: 'array', items: repo } }),
        query: { q: { type: 'string' } },
      },
    })
    await ask('POST /repos/acme', { name: 'api', note: 'Quite unusual' })

    expect((await ask('GET /repos/search?q=unusual')).body).toEqual({
      data: [{ name: 'api', note: 'Quite unusual', owner: 'acme' }],
    })
  })
})

describe('a list over all parents', () => {
  const named = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
  const inBody = (...names: readonly string[]): object => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    return {
      requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
    }
  }
  const text = (...names: readonly string[]): object => ({
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  })
  const MAP = {
    type: 'object',
    required: ['name', 'namespace', 'note'],
    properties: {
      name: { type: 'string' },
      namespace: { type: 'string' },
      note: { type: 'string' },
    },
  }
  const CLUSTER = {
    '/namespaces': { get: listOf(named), post: { ...inBody('name'), ...json(named, 201) } },
    '/namespaces/{namespace}': { ...text('namespace'), get: json(named), delete: GONE },
    '/namespaces/{namespace}/maps': {
      ...text('namespace'),
      get: listOf(MAP),
      post: { ...inBody('name', 'note'), ...json(MAP, 201) },
    },
    '/namespaces/{namespace}/maps/{name}': {
      ...text('namespace', 'name'),
      get: json(MAP),
      delete: GONE,
    },
    '/maps': {
      get: listOf(MAP),
      post: { ...inBody('name', 'note', 'namespace'), ...json(MAP, 201) },
    },
  }

  it('has those below each', async () => {
    const send = await open(CLUSTER)
    const { body: namespaces } = await send('GET /namespaces')
    const { body: one } = await send('POST /namespaces/new/maps', { name: 'same', note: 'one' })
    const first = namespaces[0].name
    const { body: two } = await send(`POST /namespaces/${first}/maps`, {
      name: 'same',
      note: 'two',
    })

    const { body } = await send('GET /maps')
    const below = (await send(`GET /namespaces/${first}/maps`)).body

    expect(body).toEqual(expect.arrayContaining([one, two, ...below]))
    expect(
      new Set(body.map(({ namespace }: { readonly namespace: string }) => namespace)).size,
    ).toBe(namespaces.length + 1)
  })

  it('creates records below the parent that the body names', async () => {
    const send = await open(CLUSTER)

    const { body, location } = await send('POST /maps', { name: 'm', note: 'n', namespace: 'new' })

    expect(location).toBe('http://localhost/namespaces/new/maps/m')
    expect(body).toEqual({ name: 'm', note: 'n', namespace: 'new' })
    expect((await send('GET /namespaces/new/maps/m')).body).toEqual(body)
    expect((await send('GET /maps')).body).toContainEqual(body)
  })

  it('lacks those below a removed parent', async () => {
    const send = await open(CLUSTER)
    const { body } = await send('POST /namespaces', { name: 'gone' })
    await send(`POST /namespaces/${body.name}/maps`, { name: 'lost', note: 'n' })

    await send(`DELETE /namespaces/${body.name}`)

    const { body: left } = await send('GET /maps')
    expect(left).not.toContainEqual(expect.objectContaining({ name: 'lost' }))
  })
})

describe('the records of an owner', () => {
  const text = { type: 'string' }
  const owner = { type: 'object', properties: { login: text } }
  const ORG = { type: 'object', required: ['id', 'login'], properties: { id: ID, login: text } }
  const REPO = {
    type: 'object',
    required: ['id', 'name', 'owner'],
    properties: { id: ID, name: text, owner },
  }
  const inPath = (...names: readonly string[]): object => ({
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: text })),
  })
  const sends = (...names: readonly string[]): object => {
    const properties = Object.fromEntries(names.map((name) => [name, text]))
    const schema = { type: 'object', required: names, properties }
    return { requestBody: { content: { 'application/json': { schema } } } }
  }
  const HOSTING = {
    '/user': { get: json(ORG), patch: { ...sends('login'), ...json(ORG) } },
    '/user/repos': { get: listOf(REPO), post: { ...sends('name'), ...json(REPO, 201) } },
    '/orgs': { get: listOf(ORG), post: { ...sends('login'), ...json(ORG, 201) } },
    '/orgs/{org}': { ...inPath('org'), get: json(ORG), delete: GONE },
    '/orgs/{org}/repos': {
      ...inPath('org'),
      get: listOf(REPO),
      post: { ...sends('name'), ...json(REPO, 201) },
    },
    '/repos/{owner}/{repo}': { ...inPath('owner', 'repo'), get: json(REPO), delete: GONE },
  }

  it('are read below it', async () => {
    const send = await open(HOSTING)

    const { body, location } = await send('POST /orgs/acme/repos', { name: 'site' })

    expect(location).toMatch(/^http:\/\/localhost\/repos\/acme\/(site|\d+)$/)
    expect((await send('GET /repos/acme/site')).body).toEqual(body)
    expect((await send('GET /orgs/acme/repos')).body).toContainEqual(body)
    expect((await send('GET /orgs/other/repos')).body).not.toContainEqual(body)
    expect((await send('DELETE /repos/acme/site')).status).toBe(204)
    expect((await send('GET /orgs/acme/repos')).body).not.toContainEqual(body)
  })

  it('are those of the owner in the path, and have it, whatever else a list shows of them', async () => {
    const names = ['id', 'name', 'owner', 'size', 'stars', 'forks']
    const whole = {
      type: 'object',
      required: ['id', 'name', 'owner'],
      properties: {
        ...Object.fromEntries(names.map((one) => [one, text])),
        id: ID,
        owner,
        url: text,
      },
    }
    const { url: _, ...less } = whole.properties
    const send = await open({
      ...HOSTING,
      '/orgs/{org}/repos': {
        ...inPath('org'),
        get: listOf({ ...whole, properties: less }),
        post: { ...sends('name', 'size', 'stars', 'visibility', 'license'), ...json(whole, 201) },
      },
      '/repos/{owner}/{repo}': { ...inPath('owner', 'repo'), get: json(whole), delete: GONE },
    })
    const sent = { name: 'site', size: 'S', stars: '0', visibility: 'private', license: 'mit' }

    const { body } = await send('POST /orgs/acme/repos', sent)

    expect(body).toMatchObject({ name: 'site', owner: { login: 'acme' } })
    expect((await send('GET /repos/acme/site')).body).toEqual(body)
  })

  it('have the owner in the path, and not the caller', async () => {
    const user = {
      '/users': { get: listOf(ORG) },
      '/users/{login}': { ...inPath('login'), get: json(ORG) },
    }
    const send = await open({ ...HOSTING, ...user })
    const { body: caller } = await send('GET /user')
    const ownerOf = async (path: string): Promise<unknown> =>
      Object((await send(`POST ${path}`, { name: 'site' })).body.owner).login

    expect(await ownerOf('/orgs/acme/repos')).toBe('acme')
    expect(await ownerOf('/user/repos')).toBe(caller.login)
  })

  it('may be those of the caller', async () => {
    const send = await open(HOSTING)
    const { body: caller } = await send('GET /user')

    const { body } = await send('POST /user/repos', { name: 'mine' })

    expect((await send(`GET /repos/${caller.login}/mine`)).body).toEqual(body)
    expect((await send('GET /user/repos')).body).toContainEqual(body)
  })

  it('may be those of the caller, who is one of the users', async () => {
    const user = { ...ORG, properties: { ...ORG.properties, email: text, city: text } }
    const send = await open({
      ...HOSTING,
      '/user': { get: json(user) },
      '/users': { get: listOf(user) },
      '/users/{username}': { ...inPath('username'), get: json(user) },
      '/users/{username}/repos': { ...inPath('username'), get: listOf(REPO) },
    })
    const { body: caller } = await send('GET /user')

    const { body } = await send('POST /user/repos', { name: 'mine' })

    expect((await send(`GET /repos/${caller.login}/mine`)).body).toEqual(body)
    expect((await send(`GET /users/${caller.login}/repos`)).body).toContainEqual(body)
  })

  it('may be those of the caller, although no path lists these', async () => {
    const { get: _, ...post } = HOSTING['/user/repos']
    const send = await open({ ...HOSTING, '/user/repos': post })
    const { body: caller } = await send('GET /user')

    const { body } = await send('POST /user/repos', { name: 'mine' })

    expect(body).toMatchObject({ name: 'mine', owner: { login: caller.login } })
    expect((await send(`GET /repos/${caller.login}/mine`)).body).toEqual(body)
    expect((await send(`GET /orgs/${caller.login}/repos`)).body).toContainEqual(body)
  })

  it('are none of a new owner, and gone with it', async () => {
    const send = await open(HOSTING)
    const before = await send('GET /orgs/acme/repos')
    await send('POST /orgs', { login: 'acme' })

    const created = await send('GET /orgs/acme/repos')
    await send('POST /orgs/acme/repos', { name: 'site' })
    await send('DELETE /orgs/acme')

    expect(before.body).not.toEqual([])
    expect(created.body).toEqual([])
    expect((await send('GET /repos/acme/site')).status).toBe(404)
    expect((await send('GET /orgs/acme/repos')).status).toBe(404)
  })
})

describe('other forms of a path', () => {
  const TEXT = { type: 'string' }
  const FOLDER = {
    type: 'object',
    required: ['id', 'name', 'slug'],
    properties: { id: ID, name: TEXT, slug: TEXT, parent_id: { type: 'integer', nullable: true } },
  }
  const FILE = {
    type: 'object',
    required: ['id', 'title', 'note', 'projects'],
    properties: {
      ...{ id: ID, title: TEXT, note: TEXT },
      projects: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'integer' }, name: TEXT } },
      },
    },
  }
  const body = (properties: object): object => ({
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
  })
  const FOLDERS = {
    '/folders': {
      get: listOf(FOLDER),
      post: {
        ...body({ name: TEXT, slug: TEXT, parent_id: { type: 'integer' } }),
        ...json(FOLDER, 201),
      },
    },
    '/folders/{id}': { ...named('id'), get: json(FOLDER), delete: GONE },
    '/folders/{id}/items': { ...named('id'), get: listOf(FOLDER) },
    '/folders/by-slug/{slug}': {
      parameters: [{ name: 'slug', in: 'path', required: true, schema: TEXT }],
      get: json(FOLDER),
      delete: GONE,
    },
  }
  const FILES = {
    ...PROJECTS,
    '/files': {
      post: { ...body({ title: TEXT, note: TEXT, projects: {} }), ...json(FILE, 201) },
    },
    '/files/{id}': { ...named('id'), get: json(FILE), delete: GONE },
    '/projects/{project_id}/files': { ...named('project_id'), get: listOf(FILE) },
  }

  it('finds and removes a record by another key', async () => {
    const api = await open(FOLDERS)
    const made = await api('POST /folders', { name: 'Reports', slug: 'reports' })

    const found = await api('GET /folders/by-slug/reports')

    expect(found.body).toEqual(made.body)
    expect((await api('GET /folders/by-slug/others')).status).toBe(404)
    expect((await api('DELETE /folders/by-slug/reports')).status).toBe(204)
    expect((await api(`GET /folders/${made.body.id}`)).status).toBe(404)
  })

  it('lists what is below a record of the same collection', async () => {
    const api = await open(FOLDERS)
    const above = await api('POST /folders', { name: 'Above', slug: 'above' })
    const below = await api('POST /folders', {
      ...{ name: 'Below', slug: 'below', parent_id: above.body.id },
    })

    expect((await api(`GET /folders/${above.body.id}/items`)).body).toEqual([below.body])
    expect((await api(`GET /folders/${below.body.id}/items`)).body).toEqual([])
  })

  it('lists what names a record in a list of ids', async () => {
    const api = await open(FILES)
    const project = await api('POST /projects', { title: 'One' })
    const { id } = project.body

    const file = await api('POST /files', { title: 'A', note: 'B', projects: [id] })

    expect(file.body.projects).toEqual([{ id, name: project.body.name }])
    const path = `GET /projects/${id}/files`
    expect((await api(path)).body).toEqual([file.body])
    await api(`DELETE /files/${file.body.id}`)
    expect((await api(path)).body).toEqual([])
  })
})

it('records name the one above by any of its keys, and go with it', async () => {
  const part = objectOf(['id', 'name', 'shop'])
  const { ask } = await openApi({
    'GET /shops': { shown: { type: 'array', items: objectOf(['id', 'code']) } },
    'POST /shops': { sent: objectOf(['code']), shown: objectOf(['id', 'code']), status: [201] },
    'GET /shops/{shopIdOrCode}': { shown: objectOf(['id', 'code']), status: [200, 404] },
    'DELETE /shops/{shopIdOrCode}': { status: [204, 404] },
    'GET /shops/{shopIdOrCode}/parts': {
      shown: { type: 'array', items: part },
      status: [200, 404],
    },
    'POST /shops/{shopIdOrCode}/parts': {
      ...{ sent: objectOf(['name']), shown: part, status: [201, 404] },
    },
    'POST /parts': { sent: objectOf(['name', 'shop']), shown: part, status: [201] },
    'GET /parts/{id}': { shown: part, status: [200, 404] },
  })

  const { body: shop } = await ask('POST /shops', { code: 'north' })
  const { body: named } = await ask('POST /parts', { name: 'A', shop: 'north' })
  const { body: numbered } = await ask('POST /parts', { name: 'B', shop: shop.id })

  for (const name of ['north', shop.id]) {
    const { body } = await ask<object[]>(`GET /shops/${name}/parts`)
    expect(body).toHaveLength(2)
    expect(body).toEqual(expect.arrayContaining([named, numbered]))
  }
  await ask('DELETE /shops/north')
  expect((await ask(`GET /parts/${named.id}`)).status).toBe(404)
  expect((await ask(`GET /parts/${numbered.id}`)).status).toBe(404)
})
