import { expect, test } from 'vitest'
import { type OpenedApi, openApi } from '../../testing/documented-api.ts'

const TEXT = { type: 'string' }
const REPO = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: TEXT },
}
const NEW_REPO = { type: 'object', required: ['name'], properties: { name: TEXT } }

interface Repo {
  readonly id: number
  readonly name: string
}

interface RepoItem {
  readonly data: Repo
}

interface RepoList {
  readonly data: readonly Repo[]
  readonly total: number
  readonly next: string
}

/** Repositories in envelopes that name their organisation. */
function openRepos(): Promise<OpenedApi> {
  const envelope = { org: TEXT, total: { type: 'integer' }, next: { type: ['string', 'null'] } }
  const list = { data: { type: 'array', items: REPO }, ...envelope }
  const item = {
    type: 'object',
    required: ['org', 'data'],
    properties: { org: TEXT, data: REPO },
  }
  const path = { repo: { type: 'integer' } }
  return openApi({
    'GET /orgs/{org}/repos': {
      query: { page: { type: 'integer' }, size: { type: 'integer' } },
      shown: { type: 'object', required: Object.keys(list), properties: list },
    },
    'POST /orgs/{org}/repos': { sent: NEW_REPO, shown: item, status: [201] },
    'GET /orgs/{org}/repos/{repo}': { shown: item, path, status: [200, 404] },
    'PATCH /orgs/{org}/repos/{repo}': { sent: NEW_REPO, shown: item, path },
    'DELETE /orgs/{org}/repos/{repo}': { path, status: [204] },
  })
}

test('a list that is read again is the same until a record changes', async () => {
  const { ask } = await openRepos()

  const { body: first } = await ask<RepoList>('GET /orgs/acme/repos')
  const { body: again } = await ask<RepoList>('GET /orgs/acme/repos')
  const { body: created } = await ask<RepoItem>('POST /orgs/acme/repos', { name: 'api' })
  const { body: later } = await ask<RepoList>('GET /orgs/acme/repos?size=100')
  await ask(`PATCH /orgs/acme/repos/${created.data.id}`, { name: 'web' })
  const { body: last } = await ask<RepoList>('GET /orgs/acme/repos?size=100')

  expect(again).toEqual(first)
  expect(later.total).toBe(first.total + 1)
  expect(later.data).toContainEqual({ id: created.data.id, name: 'api' })
  expect(last.data).toContainEqual({ id: created.data.id, name: 'web' })
})

test('the same records have the links of each request', async () => {
  const { ask } = await openRepos()

  const { body: first } = await ask<RepoList>('GET /orgs/acme/repos?size=2')
  const { body: same } = await ask<RepoList>('GET /orgs/acme/repos?size=2&page=1')

  expect(same.data).toEqual(first.data)
  expect([first.next, same.next].map((link) => new URL(link).search)).toEqual([
    '?size=2&page=2',
    '?size=2&page=2',
  ])
  const { body: second } = await ask<RepoList>('GET /orgs/acme/repos?page=2&size=2')
  expect(new URL(second.next).search).toBe('?page=3&size=2')
})

test('a record that is read again shows its latest change', async () => {
  const { ask } = await openRepos()
  const [before, again] = [await ask('GET /orgs/acme/repos/1'), await ask('GET /orgs/acme/repos/1')]

  await ask('PATCH /orgs/acme/repos/1', { name: 'web' })
  const { body: after } = await ask<RepoItem>('GET /orgs/acme/repos/1')
  await ask('DELETE /orgs/acme/repos/1')
  const gone = await ask('GET /orgs/acme/repos/1')

  expect(again.body).toEqual(before.body)
  expect(after.data.name).toBe('web')
  expect(gone.status).toBe(404)
})

test('an envelope names the parent of its own request', async () => {
  const { ask } = await openRepos()

  const answers = [
    await ask('GET /orgs/acme/repos'),
    await ask('GET /orgs/other/repos'),
    await ask('GET /orgs/acme/repos/1'),
    await ask('GET /orgs/other/repos/1'),
  ]

  expect(answers.map(({ body }) => body.org)).toEqual(['acme', 'other', 'acme', 'other'])
})

test('what is generated in an envelope does not depend on the request that came first', async () => {
  const shown = {
    type: 'object',
    required: ['data', 'server'],
    properties: { data: { type: 'array', items: REPO }, server: { type: 'string' } },
  }
  const api = {
    'GET /orgs/{org}/repos': { shown },
    'GET /orgs/{org}/repos/{repo}': { shown: REPO },
  }
  const [one, other] = [await openApi(api), await openApi(api)]

  const { body: first } = await one.ask('GET /orgs/acme/repos')
  await other.ask('GET /orgs/other/repos')
  const { body: second } = await other.ask('GET /orgs/acme/repos')

  expect(second).toEqual(first)
})
