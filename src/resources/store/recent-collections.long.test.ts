import { expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const REPO = { ...objectOf({ id: { type: 'integer' }, name: TEXT }), required: ['id', 'name'] }
const API: DocumentedApi = {
  'GET /orgs': { shown: listOf(REPO) },
  'GET /orgs/{org}': { shown: REPO },
  'GET /orgs/{org}/repos': { shown: listOf(REPO) },
  'POST /orgs/{org}/repos': { sent: objectOf(['name']), shown: REPO, status: [201] },
  'GET /orgs/{org}/repos/{repo}': { shown: REPO },
  'PATCH /orgs/{org}/repos/{repo}': { sent: objectOf(['name']), shown: REPO },
}

/** More collections than are kept. */
const MANY = Array.from({ length: 300 }, (_, at) => at)

test('what was only read is not kept, and is the same when it is read again', async () => {
  const { ask, sandbox } = await openApi(API)
  const orgs = await ask('GET /orgs')
  const list = await ask('GET /orgs/one/repos')
  const item = await ask('GET /orgs/one/repos/77777')
  const org = await ask('GET /orgs/88888')

  for (const at of MANY) await ask(`GET /orgs/other-${at}/repos`)

  expect((await ask('GET /orgs/one/repos')).body).toEqual(list.body)
  expect((await ask('GET /orgs/one/repos/77777')).body).toEqual(item.body)
  expect((await ask('GET /orgs/88888')).body).toEqual(org.body)
  expect((await ask('GET /orgs')).body).toEqual(orgs.body)
  expect(Object.keys((await sandbox.snapshot()).state.records)).toEqual(['orgs'])
})

test('what was changed is kept, however many collections are read after it', async () => {
  const { ask, sandbox } = await openApi(API)
  const { body: made } = await ask('POST /orgs/one/repos', { name: 'api' })
  const { body: changed } = await ask('PATCH /orgs/two/repos/77777', { name: 'web' })

  for (const at of MANY) await ask(`GET /orgs/other-${at}/repos`)

  expect((await ask(`GET /orgs/one/repos/${made.id}`)).body).toEqual(made)
  expect((await ask('GET /orgs/two/repos/77777')).body).toEqual(changed)
  expect((await ask('GET /orgs/two/repos')).body).toContainEqual(changed)
  const { records } = (await sandbox.snapshot()).state
  const below = Object.keys(records).filter((name) => name.includes('/'))
  expect(below.sort()).toEqual(['orgs/one/repos', 'orgs/two/repos'])
})

test('a request that is under way when a collection is dropped does not lose its change', async () => {
  const { ask } = await openApi(API)

  const all = [
    ask('POST /orgs/one/repos', { name: 'first' }),
    ...MANY.map((at) => ask(`GET /orgs/other-${at}/repos`)),
    ask('POST /orgs/one/repos', { name: 'second' }),
  ]
  await Promise.all(all)

  const names = (await ask<{ name: string }[]>('GET /orgs/one/repos')).body.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['first', 'second']))
})
