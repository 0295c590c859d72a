import { describe, expect, it, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, type OpenedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const ID = { type: 'integer' }
const TEXT = { type: 'string' }
const TIME = { type: 'string', format: 'date-time' }
const NOW = '2030-12-05T12:00:00.000Z'
const LATER = '2030-12-05T12:01:00.000Z'

const ISSUE = {
  ...objectOf({
    id: ID,
    title: TEXT,
    state: { type: 'string', enum: ['closed', 'open'], example: 'closed' },
    comments_count: { type: 'integer', example: 12 },
    locked: { type: 'boolean' },
    created_at: { ...TIME, example: '2019-01-01T00:00:00Z' },
    updated_at: { ...TIME, example: '2019-01-01T00:00:00Z' },
    closed_at: { type: ['string', 'null'], format: 'date-time', example: '2019-02-01T00:00:00Z' },
    merged_at: { ...TIME, example: '2019-02-01T00:00:00Z' },
    self: TEXT,
  }),
  required: ['id', 'title', 'state', 'comments_count', 'created_at', 'closed_at'],
}
const COMMENT = { ...objectOf({ id: ID, body: TEXT }), required: ['id', 'body'] }
const ISSUES: DocumentedApi = {
  'GET /issues': { shown: listOf(ISSUE) },
  'POST /issues': { sent: objectOf(['title', 'state']), shown: ISSUE, status: [201] },
  'GET /issues/{issue}': { shown: ISSUE, status: [200, 404] },
  'PATCH /issues/{issue}': { sent: objectOf(['title']), shown: ISSUE, status: [200, 404] },
  'GET /issues/{issue}/comments': { shown: listOf(COMMENT) },
  'POST /issues/{issue}/comments': { sent: objectOf(['body']), shown: COMMENT, status: [201] },
  'DELETE /issues/{issue}/comments/{comment}': { status: [204, 404] },
}

const STATES = { type: 'string', enum: ['ACTIVE', 'PENDING_ACTIVATION', 'DELETED'] }
const FACTOR = {
  ...objectOf({ id: TEXT, kind: { enum: ['sms', 'totp'] }, status: STATES, name: TEXT }),
  required: ['id', 'kind', 'status'],
}

const EXAMPLE = { id: 'f1', kind: 'sms', status: 'PENDING_ACTIVATION' }

/** The API with an example of the response that creates a record. */
function factors(creation: object): DocumentedApi {
  return {
    'GET /factors': { shown: listOf(FACTOR) },
    'POST /factors': { sent: objectOf(['name']), shown: FACTOR, status: [201], ...creation },
    'GET /factors/{factorId}': { shown: FACTOR, status: [200, 404] },
  }
}

async function openIssues(): Promise<OpenedApi> {
  const api = await openApi(ISSUES)
  api.sandbox.clock.set(NOW)
  return api
}

describe('a new record', () => {
  it('has what the service sets, whatever the examples say', async () => {
    const { ask } = await openIssues()

    const { body } = await ask('POST /issues', { title: 'Leak' })

    expect(body).toEqual({
      ...{ id: expect.any(Number), title: 'Leak', state: 'open', comments_count: 0 },
      ...{ locked: false, created_at: NOW, updated_at: NOW, closed_at: null },
      self: expect.stringMatching(new RegExp(`/issues/${body.id}$`)),
    })
    expect((await ask(`GET /issues/${body.id}`)).body).toEqual(body)
  })

  it('has the state and the kind that the response of its creation shows, if no request has them', async () => {
    const example = { id: 'f1', kind: 'totp', status: 'PENDING_ACTIVATION', name: 'n' }
    const { ask } = await openApi(factors({ example }))

    const { body } = await ask('POST /factors', { name: 'Phone' })

    expect(body).toEqual({ ...example, id: body.id, name: 'Phone' })
  })

  it.each<[why: string, creation: object]>([
    ['its request has it, too', { sentExample: { status: 'PENDING_ACTIVATION' } }],
    ['its request may have it', { sent: objectOf({ name: TEXT, status: STATES }) }],
    ['it is one of an end', { example: { status: 'DELETED' } }],
    ['it is shown by the schema', { example: undefined, shown: { ...FACTOR, example: EXAMPLE } }],
  ])('does not have the state of that example when %s', async (_why, creation) => {
    const { ask } = await openApi(factors({ example: EXAMPLE, ...creation }))

    const { body } = await ask('POST /factors', { name: 'Phone' })

    expect(body.status).toBe('ACTIVE')
  })

  it('has the state of an example that is a beginning, where the schema of another response shows it', async () => {
    const status = { type: 'string', enum: ['pending', 'verified', 'failed', 'not_started'] }
    const domain = (one: Schema): Schema => ({
      ...objectOf({ id: TEXT, name: TEXT, status: one }),
      required: ['id', 'status'],
    })
    const { ask } = await openApi({
      'GET /domains': { shown: listOf(domain(status)) },
      'POST /domains': { sent: objectOf(['name']), shown: domain(status), status: [201] },
      'GET /domains/{id}': { shown: domain({ ...status, example: 'not_started' }) },
    })

    const { body } = await ask('POST /domains', { name: 'example.com' })

    expect(body.status).toBe('not_started')
  })

  it('has the first state that other requests may set, where its schema shows one of them only as an example', async () => {
    const hook = objectOf({ id: TEXT, url: TEXT, status: { type: 'string', example: 'enabled' } })
    const changed = objectOf({ status: { type: 'string', enum: ['enabled', 'disabled'] } })
    const { ask } = await openApi({
      'GET /hooks': { shown: listOf(hook) },
      'POST /hooks': { sent: objectOf(['url']), shown: objectOf(['id']), status: [201] },
      'GET /hooks/{hookId}': { shown: hook, status: [200, 404] },
      'PATCH /hooks/{hookId}': { sent: changed, shown: hook, status: [200, 404] },
    })

    const { body } = await ask('POST /hooks', { url: 'https://example.com' })
    const read = await ask(`GET /hooks/${body.id}`)

    expect(read.body).toEqual({ id: body.id, url: 'https://example.com', status: 'enabled' })
  })

  it('has what the client sent instead', async () => {
    const { ask } = await openIssues()

    const { body } = await ask('POST /issues', { title: 'Leak', state: 'closed' })

    expect(body).toMatchObject({ state: 'closed', created_at: NOW })
  })

  it('has no records below it', async () => {
    const { ask } = await openIssues()
    const { body: issue } = await ask('POST /issues', { title: 'Leak' })

    const comments = `/issues/${issue.id}/comments`

    expect((await ask(`GET ${comments}`)).body).toEqual([])
    const { body: comment } = await ask(`POST ${comments}`, { body: 'Fixed' })
    expect((await ask(`GET ${comments}`)).body).toEqual([comment])
  })

  it('has records below it where no request can add some', async () => {
    const { ask } = await openApi({
      'POST /repos': { sent: objectOf(['name']), shown: objectOf({ id: ID }), status: [201] },
      'GET /repos/{repo}': { shown: objectOf({ id: ID }), status: [200, 404] },
      'GET /repos/{repo}/commits': { shown: listOf(objectOf(['sha'])) },
      'GET /repos/{repo}/commits/{sha}': { shown: objectOf(['sha']), status: [200, 404] },
    })
    const { body: repo } = await ask('POST /repos', { name: 'docs' })

    const { body: commits } = await ask<readonly unknown[]>(`GET /repos/${repo.id}/commits`)

    expect(commits.length).toBeGreaterThan(0)
  })

  it('has a link to itself that leads to it', async () => {
    const { ask, sandbox } = await openIssues()

    const { body } = await ask('POST /issues', { title: 'Leak' })

    const followed = await sandbox.fetch(new Request(String(body.self)))
    expect(await followed.json()).toEqual(body)
  })
})

test('a full name says what the path says, and a renamed record has its new one', async () => {
  const repo = {
    ...objectOf({ id: ID, name: TEXT, full_name: { ...TEXT, example: 'octo/Hello' }, owner: TEXT }),
    required: ['id', 'name', 'full_name'],
  }
  const { ask } = await openApi({
    'GET /repos/{owner}/{repo}': { shown: repo, status: [200, 404] },
    'PATCH /repos/{owner}/{repo}': { sent: objectOf(['name']), shown: repo },
    'POST /repos/{owner}': { sent: objectOf(['name']), shown: repo, status: [201] },
  })

  const { body } = await ask('POST /repos/acme', { name: 'api' })
  const { body: renamed } = await ask('PATCH /repos/acme/api', { name: 'core' })

  expect(body).toMatchObject({ full_name: 'acme/api', owner: 'acme' })
  expect(renamed).toEqual({ ...body, name: 'core', full_name: 'acme/core' })
})

describe('the count of the records below a record', () => {
  it('is true from the start, and changes with them', async () => {
    const { ask } = await openIssues()
    const { body: issues } =
      await ask<readonly { id: number; comments_count: number }[]>('GET /issues')

    for (const { id, comments_count } of issues.slice(1, 5)) {
      const comments = `/issues/${id}/comments`
      const { body: list } = await ask<readonly { id: number }[]>(`GET ${comments}`)
      expect(list).toHaveLength(comments_count)
      const { body: comment } = await ask(`POST ${comments}`, { body: 'Fixed' })
      const { body: more } = await ask(`GET /issues/${id}`)
      expect(more.comments_count).toBe(comments_count + 1)
      await ask(`DELETE ${comments}/${comment.id}`)
      expect((await ask(`GET /issues/${id}`)).body.comments_count).toBe(comments_count)
    }
  })

  it('is true whatever was read first', async () => {
    const [one, other] = [await openIssues(), await openIssues()]
    const { body: before } = await one.ask<readonly unknown[]>('GET /issues/3/comments')

    const { body: issue } = await other.ask('GET /issues/3')

    expect(before).toHaveLength(Number(issue.comments_count))
  })

  it('changes with records that a test adds and removes', async () => {
    const { ask, sandbox } = await openIssues()
    const { body: issue } = await ask('POST /issues', { title: 'Leak' })
    const comments = sandbox.collection(`issues/${issue.id}/comments`)
    const countOf = async () => (await ask(`GET /issues/${issue.id}`)).body.comments_count

    const comment = await comments.create({ body: 'Fixed' })
    const afterCreation = await countOf()
    await comments.remove(Number(comment.id))

    expect([afterCreation, await countOf()]).toEqual([1, 0])
  })
})

describe('a list in a record of the records below it', () => {
  const TRACK = objectOf({ id: { type: 'integer' }, title: { type: 'string' } })
  const ALBUM = {
    ...objectOf({ id: { type: 'integer' }, name: { type: 'string' }, tracks: listOf(TRACK) }),
    required: ['id', 'name', 'tracks'],
  }
  const ALBUMS: DocumentedApi = {
    'GET /albums': { shown: listOf(ALBUM) },
    'POST /albums': { sent: objectOf({ name: {}, tracks: listOf(TRACK) }), shown: ALBUM },
    'GET /albums/{id}': { shown: ALBUM },
    'POST /albums/{id}/tracks': { sent: objectOf(['title']), shown: TRACK },
    'PATCH /albums/{id}/tracks/{track}': { sent: objectOf(['title']), shown: TRACK },
    'DELETE /albums/{id}/tracks/{track}': { status: [204] },
  }

  it('has what is added, changed and removed there', async () => {
    const { ask } = await openApi(ALBUMS)
    const { body: album } = await ask('POST /albums', { name: 'Blue' })
    const path = `/albums/${album.id}`
    const tracks = async (): Promise<unknown> => (await ask(`GET ${path}`)).body.tracks
    expect(album.tracks).toEqual([])

    const { body: first } = await ask(`POST ${path}/tracks`, { title: 'Carey' })
    const { body: second } = await ask(`POST ${path}/tracks`, { title: 'River' })
    expect(await tracks()).toEqual([first, second])
    await ask(`PATCH ${path}/tracks/${first.id}`, { title: 'California' })
    expect(await tracks()).toEqual([{ ...first, title: 'California' }, second])
    await ask(`DELETE ${path}/tracks/${first.id}`)
    expect(await tracks()).toEqual([second])
  })

  it('has those that a test adds, changes and removes', async () => {
    const { ask, sandbox } = await openApi(ALBUMS)
    const { body: album } = await ask('POST /albums', { name: 'Blue' })
    const below = sandbox.collection(`/albums/${album.id}/tracks`)
    const tracks = async (): Promise<unknown> => (await ask(`GET /albums/${album.id}`)).body.tracks

    const track = await below.create({ title: 'Carey' })
    expect(await tracks()).toEqual([track])
    await below.update(Number(track.id), { title: 'River' })
    expect(await tracks()).toEqual([{ ...track, title: 'River' }])
    await below.remove(Number(track.id))
    expect(await tracks()).toEqual([])
  })
})

test('a list of ids of other records is empty in a new record', async () => {
  const server = {
    ...objectOf({ id: { type: 'integer' }, servers: listOf({ type: 'integer', example: 42 }) }),
    required: ['id', 'servers'],
  }
  const { ask } = await openApi({
    'GET /servers': { shown: listOf(objectOf(['id'])) },
    'GET /servers/{id}': { shown: objectOf(['id']) },
    'GET /networks/{id}': { shown: server },
    'POST /networks': { sent: objectOf(['name']), shown: server },
  })

  expect((await ask('POST /networks', { name: 'inner' })).body.servers).toEqual([])
})

test('the figures about a new record are 0, and count the records below it', async () => {
  const COUNT = { type: 'integer' }
  const stats = {
    ...objectOf({ member_count: COUNT, click_rate: { type: 'number' }, last_sent: TIME }),
    required: ['member_count', 'click_rate'],
  }
  const list = { ...objectOf({ id: ID, name: TEXT, stats }), required: ['id', 'name', 'stats'] }
  const { ask } = await openApi({
    'GET /lists': { shown: listOf(list) },
    'POST /lists': { sent: objectOf(['name']), shown: list, status: [201] },
    'GET /lists/{list}': { shown: list, status: [200, 404] },
    'GET /lists/{list}/members': { shown: listOf(COMMENT) },
    'POST /lists/{list}/members': { sent: objectOf(['body']), shown: COMMENT, status: [201] },
    'DELETE /lists/{list}/members/{member}': { status: [204, 404] },
  })
  const { body } = await ask('POST /lists', { name: 'News' })
  const figures = async () => (await ask(`GET /lists/${body.id}`)).body.stats

  const { body: member } = await ask(`POST /lists/${body.id}/members`, { body: 'Ada' })
  const withMember = await figures()
  await ask(`DELETE /lists/${body.id}/members/${member.id}`)

  expect(body.stats).toEqual({ member_count: 0, click_rate: 0 })
  expect(withMember).toEqual({ member_count: 1, click_rate: 0 })
  expect(await figures()).toEqual(body.stats)
})

describe('a record that the collection started with', () => {
  it('has records below it, also after a change', async () => {
    const { ask } = await openIssues()
    const { body: issues } =
      await ask<readonly { id: number; comments_count: number }[]>('GET /issues')
    const first = issues.find((one) => one.comments_count > 0)
    const comments = `GET /issues/${first?.id}/comments`
    const before = (await ask<readonly unknown[]>(comments)).body

    await ask(`PATCH /issues/${first?.id}`, { title: 'Leak' })

    expect((await ask(comments)).body).toEqual(before)
  })
})

test('a property whose name contains a slash has the value of its rule', async () => {
  const shown = objectOf({ id: ID, 'item/like_count': { type: 'integer' } })
  const { ask } = await openApi({
    'POST /notes': { sent: objectOf(['text']), shown, status: [201] },
    'GET /notes/{id}': { shown, status: [200, 404] },
  })

  expect((await ask('POST /notes', { text: 'Milk' })).body).toMatchObject({ 'item/like_count': 0 })
})

test('a change moves the time of the change, and nothing else that the service sets', async () => {
  const { ask, sandbox } = await openIssues()
  const { body: issue } = await ask('POST /issues', { title: 'Leak' })
  sandbox.clock.advance('60s')

  const { body } = await ask(`PATCH /issues/${issue.id}`, { title: 'Fixed' })

  expect(body).toEqual({ ...issue, title: 'Fixed', updated_at: LATER })
})

describe.each<[form: string, schema: Schema, now: unknown]>([
  ['a date and time', TIME, NOW],
  ['a date', { type: 'string', format: 'date' }, '2030-12-05'],
  ['Unix time', { type: 'integer' }, 1_922_702_400],
  ['milliseconds', { type: 'integer', example: 1_700_000_000_000 }, 1_922_702_400_000],
  ['text', TEXT, NOW],
  ['the text of a date', { ...TEXT, example: '2020-01-01' }, '2030-12-05'],
  [
    'the text of RFC 2822',
    { ...TEXT, example: 'Tue, 18 Aug 2015 16:55:44 +0000' },
    'Thu, 05 Dec 2030 12:00:00 +0000',
  ],
])('the time of the creation as %s', (_form, schema, now) => {
  test.each(['created_at', '/attributes/created_at'])('is in %s', async (place) => {
    const created = objectOf({ created_at: schema })
    const parts: Record<string, Schema> = place.startsWith('/')
      ? { attributes: created }
      : { created_at: schema }
    const shown = objectOf({ id: ID, ...parts })
    const { ask, sandbox } = await openApi({
      'POST /notes': { sent: objectOf({ attributes: objectOf(['text']) }), shown, status: [201] },
      'GET /notes/{id}': { shown, status: [200, 404] },
    })
    sandbox.clock.set(NOW)

    const { body } = await ask('POST /notes', { attributes: { text: 'Milk' } })

    expect(place.startsWith('/') ? Object(body.attributes).created_at : body.created_at).toBe(now)
  })
})

test.each<[name: string, schema: Schema, first: unknown, second: unknown]>([
  ['version', { type: 'integer' }, 1, 2],
  ['revision', { type: 'integer', default: 0 }, 0, 1],
  ['lock_version', { type: 'integer' }, 1, 2],
  ['etag', TEXT, expect.stringMatching(/^[0-9a-f]{12}$/), expect.stringMatching(/^[0-9a-f]{12}$/)],
])('each change of a record moves its %s', async (name, schema, first, second) => {
  const shown = { ...objectOf(['title']), required: ['id', name] }
  const record = { ...shown, properties: { ...shown.properties, id: ID, [name]: schema } }
  const { ask } = await openApi({
    'POST /notes': { sent: objectOf(['title']), shown: record, status: [201] },
    'GET /notes/{id}': { shown: record, status: [200, 404] },
    'PATCH /notes/{id}': { sent: objectOf(['title']), shown: record },
  })

  const { body: note } = await ask('POST /notes', { title: 'Milk' })
  const { body: changed } = await ask(`PATCH /notes/${note.id}`, { title: 'Bread' })
  const { body: read } = await ask(`GET /notes/${note.id}`)

  expect(note[name]).toEqual(first)
  expect(changed[name]).toEqual(second)
  expect(changed[name]).not.toBe(note[name])
  expect(read).toEqual(changed)
})

describe('what follows from the state of a record', () => {
  const USER = { ...objectOf({ id: ID, login: TEXT, email: TEXT }), required: ['id', 'login'] }
  const TASK = {
    ...objectOf({
      id: ID,
      title: TEXT,
      state: { type: 'string', enum: ['closed', 'open'] },
      completed: { type: 'boolean' },
      closed_at: { type: ['string', 'null'], format: 'date-time' },
      completed_at: TIME,
      closed_by: { ...USER, type: ['object', 'null'] },
    }),
    required: ['id', 'title', 'state', 'closed_at', 'closed_by'],
  }
  const LIST = objectOf({ id: ID, open_tasks_count: { type: 'integer' } })
  const TASKS: DocumentedApi = {
    'GET /user': { shown: USER },
    'GET /users': { shown: listOf(USER) },
    'GET /users/{id}': { shown: USER, status: [200, 404] },
    'POST /lists': { sent: objectOf(['name']), shown: LIST, status: [201] },
    'GET /lists/{list}': { shown: LIST, status: [200, 404] },
    'GET /lists/{list}/tasks': { shown: listOf(TASK) },
    'POST /lists/{list}/tasks': { sent: objectOf({ title: TEXT }), shown: TASK, status: [201] },
    'PATCH /lists/{list}/tasks/{task}': {
      sent: objectOf({ state: TEXT, completed: { type: 'boolean' }, closed_at: TEXT }),
      shown: TASK,
    },
    'DELETE /lists/{list}/tasks/{task}': { status: [204, 404] },
  }

  it('has the time and the caller while a change says so, and not after', async () => {
    const { ask, sandbox } = await openApi(TASKS)
    sandbox.clock.set(NOW)
    const { body: me } = await ask('GET /user')
    const { body: list } = await ask('POST /lists', {})
    const { body: task } = await ask(`POST /lists/${list.id}/tasks`, { title: 'Leak' })
    const change = async (changes: object) =>
      (await ask(`PATCH /lists/${list.id}/tasks/${task.id}`, changes)).body

    const closed = await change({ state: 'closed', completed: true })
    sandbox.clock.set(LATER)
    const later = await change({ state: 'closed' })
    const reopened = await change({ state: 'open', completed: false })

    expect(task).toMatchObject({ state: 'open', closed_at: null, closed_by: null })
    expect(closed).toMatchObject({ closed_at: NOW, completed_at: NOW, closed_by: me })
    expect(later).toEqual(closed)
    expect(reopened).toMatchObject({ closed_at: null, closed_by: null })
    expect(reopened).not.toHaveProperty('completed_at')
  })

  it('keeps its time in a later end, and loses it at a new beginning', async () => {
    const status = { type: 'string', enum: ['open', 'shipped', 'delivered'] }
    const PARCEL = objectOf({ id: ID, status, shipped_at: { type: ['string', 'null'] } })
    const { ask, sandbox } = await openApi({
      'POST /parcels': { sent: objectOf(['name']), shown: PARCEL, status: [201] },
      'PATCH /parcels/{id}': { sent: objectOf({ status }), shown: PARCEL },
    })
    sandbox.clock.set(NOW)
    const { body: parcel } = await ask('POST /parcels', {})
    const change = async (to: string) =>
      (await ask(`PATCH /parcels/${parcel.id}`, { status: to })).body.shipped_at

    const times = [await change('shipped')]
    sandbox.clock.set(LATER)
    times.push(await change('delivered'), await change('open'), await change('delivered'))

    expect(times).toEqual([NOW, NOW, null, null])
  })

  it('is a state of any text that only the query of a list has', async () => {
    const task = objectOf({ id: ID, state: TEXT, closed_at: TIME, completed: TIME })
    const list = objectOf({ id: ID, open_tasks_count: { type: 'integer' } })
    const { ask, sandbox } = await openApi({
      'POST /lists': { sent: objectOf(['name']), shown: list, status: [201] },
      'GET /lists/{list}': { shown: list, status: [200, 404] },
      'GET /lists/{list}/tasks': {
        shown: listOf(task),
        query: { state: { enum: ['closed', 'open', 'all'] } },
      },
      'POST /lists/{list}/tasks': { sent: objectOf(['name']), shown: task, status: [201] },
      'PATCH /lists/{list}/tasks/{task}': { sent: objectOf(['state']), shown: task },
    })
    sandbox.clock.set(NOW)
    const { body: made } = await ask('POST /lists', {})
    const { body: open } = await ask(`POST /lists/${made.id}/tasks`, {})
    const { body: before } = await ask(`GET /lists/${made.id}`)

    const { body: closed } = await ask(`PATCH /lists/${made.id}/tasks/${open.id}`, {
      state: 'closed',
    })

    expect(open).toEqual({ id: 1, state: 'open' })
    expect(closed).toEqual({ id: 1, state: 'closed', closed_at: NOW })
    expect(before).toMatchObject({ open_tasks_count: 1 })
    expect((await ask(`GET /lists/${made.id}`)).body).toMatchObject({ open_tasks_count: 0 })
  })

  it('has its time also where a request replaces the record, which keeps what is read-only', async () => {
    const done = { type: ['string', 'null'], format: 'date-time', readOnly: true }
    const task = objectOf({ id: ID, completed: { type: 'boolean' }, completed_at: done })
    const { ask, sandbox } = await openApi({
      'POST /tasks': { sent: task, shown: task, status: [201] },
      'PUT /tasks/{task}': { sent: task, shown: task },
    })
    sandbox.clock.set(NOW)
    const { body: open } = await ask('POST /tasks', { completed: false })

    const { body } = await ask(`PUT /tasks/${open.id}`, { completed: true, completed_at: null })

    expect(open).toMatchObject({ completed_at: null })
    expect(body).toMatchObject({ completed: true, completed_at: NOW })
  })

  it('leaves a time that the client sends', async () => {
    const { ask } = await openApi(TASKS)
    const { body: list } = await ask('POST /lists', {})
    const { body: task } = await ask(`POST /lists/${list.id}/tasks`, { title: 'Leak' })

    const sent = { state: 'closed', closed_at: LATER }
    const { body } = await ask(`PATCH /lists/${list.id}/tasks/${task.id}`, sent)

    expect(body).toMatchObject({ closed_at: LATER })
  })

  it('moves the count of those in a state', async () => {
    const { ask } = await openApi(TASKS)
    const { body: list } = await ask('POST /lists', {})
    const { body: task } = await ask(`POST /lists/${list.id}/tasks`, { title: 'Leak' })
    const { body: other } = await ask(`POST /lists/${list.id}/tasks`, { title: 'Drip' })
    const count = async () => (await ask(`GET /lists/${list.id}`)).body.open_tasks_count

    const counts = [await count()]
    await ask(`PATCH /lists/${list.id}/tasks/${task.id}`, { state: 'closed' })
    counts.push(await count())
    await ask(`DELETE /lists/${list.id}/tasks/${task.id}`)
    counts.push(await count())
    await ask(`DELETE /lists/${list.id}/tasks/${other.id}`)

    expect([...counts, await count()]).toEqual([2, 1, 1, 0])
  })
})

test('links lead to the collections below a record, and to the record above it', async () => {
  const link = objectOf({ href: { type: 'string', format: 'uri' } })
  const links = objectOf({ self: link, lines: link, help: link })
  const order = {
    ...objectOf({ id: { type: 'string' }, _links: links }),
    required: ['id', '_links'],
  }
  const up = objectOf({ self: link, order: link })
  const line = { ...objectOf({ id: { type: 'string' }, links: up }), required: ['id', 'links'] }
  const { ask } = await openApi({
    'GET /orders': { shown: listOf(order) },
    'GET /orders/{orderId}': { shown: order, status: [200, 404] },
    'POST /orders': { sent: objectOf(['title']), shown: order, status: [201] },
    'POST /orders/{orderId}/lines': { sent: objectOf(['sku']), shown: line, status: [201] },
    'GET /orders/{orderId}/lines': { shown: listOf(line) },
    'GET /orders/{orderId}/lines/{lineId}': { shown: line, status: [200, 404] },
  })
  const { body } = await ask('POST /orders', { title: 'Tea' })
  const own = `http://localhost/orders/${body.id}`

  const { body: added } = await ask(`POST /orders/${body.id}/lines`, { sku: 'a' })

  expect(body._links).toMatchObject({ self: { href: own }, lines: { href: `${own}/lines` } })
  expect(added.links).toMatchObject({
    self: { href: `${own}/lines/${added.id}` },
    order: { href: own },
  })
})

test('a list in a record shows the records of the only collection below that ends with its name', async () => {
  const record = { ...objectOf(['id', 'value']), required: ['id', 'value'] }
  const zone = objectOf({ id: { type: 'string' }, records: listOf(record) })
  const { ask } = await openApi({
    'POST /zones': { sent: objectOf(['name']), shown: zone, status: [201] },
    'GET /zones/{zoneId}': { shown: zone, status: [200, 404] },
    'POST /zones/{zoneId}/dns_records': { sent: objectOf(['value']), shown: record, status: [201] },
    'GET /zones/{zoneId}/dns_records/{id}': { shown: record, status: [200, 404] },
  })
  const { body } = await ask('POST /zones', { name: 'example.com' })
  const { body: added } = await ask(`POST /zones/${body.id}/dns_records`, { value: 'a' })

  expect(body.records).toEqual([])
  expect((await ask(`GET /zones/${body.id}`)).body.records).toEqual([added])
})
