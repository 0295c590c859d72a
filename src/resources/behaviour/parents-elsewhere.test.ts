import { expect, test } from 'vitest'
import { type DocumentedApi, openApi, pathsOf } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'
import { explainOperations } from './explain-operations.ts'

const PROJECT = objectOf(['key', 'name'])
const FLAG = objectOf(['key', 'kind'])
const SENT = objectOf(['key', 'kind'])

const PROJECTS: DocumentedApi = {
  'GET /projects': { shown: listOf(PROJECT) },
  'POST /projects': { sent: PROJECT, shown: PROJECT, status: [201] },
  'GET /projects/{projectKey}': { shown: PROJECT, status: [200, 404] },
  'DELETE /projects/{projectKey}': { status: [204, 404] },
}

function flagsAt(path: string): DocumentedApi {
  return {
    [`GET ${path}`]: { shown: listOf(FLAG), status: [200, 404] },
    [`POST ${path}`]: { sent: SENT, shown: FLAG, status: [201, 404] },
    [`GET ${path}/{flagKey}`]: { shown: FLAG, status: [200, 404] },
    [`DELETE ${path}/{flagKey}`]: { status: [204, 404] },
  }
}

type Ask = Awaited<ReturnType<typeof openApi>>['ask']

/** What happens at `/flags/web`, or below `/projects/web`, whose project is created, removed and created again. */
async function lifeBelow(ask: Ask, flags: string): Promise<unknown> {
  const never = (await ask(`GET ${flags.replace('web', 'ghost')}`)).status
  const created = await ask('POST /projects', { key: 'web', name: 'Web' })
  const atFirst = (await ask(`GET ${flags}`)).body
  const made = await ask(`POST ${flags}`, { key: 'dark', kind: 'boolean' })
  const listed = (await ask(`GET ${flags}`)).body
  const read = (await ask(`GET ${flags}/dark`)).body
  await ask('DELETE /projects/web')
  const gone = [(await ask(`GET ${flags}`)).status, (await ask(`GET ${flags}/dark`)).status]
  await ask('POST /projects', { key: 'web', name: 'Web' })
  const again = (await ask(`GET ${flags}`)).body

  return { never, created: created.status, atFirst, made: made.status, listed, read, gone, again }
}

test('what a parameter puts below a record of another path lives and ends with that record, as below its own path', async () => {
  const [other, nested] = await Promise.all(
    ['/flags/{projectKey}', '/projects/{projectKey}/flags'].map((path) =>
      openApi({ ...PROJECTS, ...flagsAt(path) }),
    ),
  )

  const life = other && (await lifeBelow(other.ask, '/flags/web'))

  expect(life).toEqual(nested && (await lifeBelow(nested.ask, '/projects/web/flags')))
  expect(life).toMatchObject({
    atFirst: [],
    listed: [{ key: 'dark', kind: 'boolean' }],
    gone: [404, 404],
    again: [],
  })
})

test('a further key of the record above leads to the same collection', async () => {
  const project = objectOf({ id: { type: 'integer' }, key: { type: 'string' } })
  const { ask } = await openApi({
    'POST /projects': { sent: objectOf(['key']), shown: project, status: [201] },
    'GET /projects/{projectIdOrKey}': { shown: project, status: [200, 404] },
    ...flagsAt('/flags/{projectIdOrKey}'),
  })
  const { body } = await ask('POST /projects', { key: 'web' })

  await ask('POST /flags/web', { key: 'dark', kind: 'boolean' })

  expect((await ask(`GET /flags/${body.id}`)).body).toEqual([{ key: 'dark', kind: 'boolean' }])
})

test("what is below a record of the caller's own list lives and ends with that record", async () => {
  const { ask } = await openApi({
    'GET /users/@me/projects': { shown: listOf(PROJECT) },
    'POST /users/@me/projects': { sent: PROJECT, shown: PROJECT, status: [201] },
    'GET /users/@me/projects/{projectKey}': { shown: PROJECT, status: [200, 404] },
    'DELETE /users/@me/projects/{projectKey}': { status: [204, 404] },
    ...flagsAt('/projects/{projectKey}/flags'),
  })

  await ask('POST /users/@me/projects', { key: 'web', name: 'Web' })
  const atFirst = (await ask('GET /projects/web/flags')).body
  await ask('DELETE /users/@me/projects/web')

  expect(atFirst).toEqual([])
  expect((await ask('GET /projects/web/flags')).status).toBe(404)
})

interface OtherPath {
  readonly kind: string
  readonly list: string
  readonly others?: DocumentedApi
  readonly type?: string
}

test.each<OtherPath>([
  { kind: 'of another collection', list: '/flags/{groupKey}' },
  { kind: 'of the collection before it', list: '/project/{projectKey}' },
  {
    kind: 'of a record at its own path',
    list: '/flags/{projectKey}/rules',
    others: { 'GET /flags/{projectKey}': { shown: FLAG } },
  },
  { kind: 'of another type', list: '/flags/{projectKey}', type: 'integer' },
  {
    kind: 'after a path with a list of its own',
    list: '/flags/{projectKey}',
    others: { 'GET /flags': { shown: listOf(FLAG) } },
  },
])('a parameter $kind names no record of the other path', async ({ list, others, type }) => {
  const path = type === undefined ? {} : { projectKey: { type } }

  const reason = await reasonOf(list, {
    ...PROJECTS,
    [`GET ${list}`]: { shown: listOf(FLAG), path },
    [`GET ${list}/{flagKey}`]: { shown: FLAG, path },
    ...others,
  })

  expect(reason).not.toContain('below the record of /projects')
})

test('the explanation of a list names the record above it', async () => {
  const path = '/flags/{projectKey}'

  expect(await reasonOf(path, { ...PROJECTS, ...flagsAt(path) })).toBe(
    'GET on the collection /flags/{projectKey}, below the record of /projects that {projectKey} names',
  )
})

/** Why the GET of a path is answered as it is. */
async function reasonOf(path: string, api: DocumentedApi): Promise<string | undefined> {
  const explained = explainOperations(await loadDocumentOf(pathsOf(api)))
  return explained.find((one) => one.method === 'GET' && one.path === path)?.reason
}
