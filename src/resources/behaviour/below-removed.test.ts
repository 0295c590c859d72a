import { describe, expect, test } from 'vitest'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const REPO = objectOf({ id: { type: 'integer' }, name: { type: 'string' } })
const NEW_REPO = objectOf(['name'])

/** Repositories below organisations. The list, and one repository, have responses of these statuses. */
function reposWith(list: readonly number[], item: readonly number[] = [200, 404]): DocumentedApi {
  return {
    'GET /orgs/{org}': { shown: objectOf(['login', 'title']), status: [200] },
    'DELETE /orgs/{org}': { status: [204] },
    'GET /orgs/{org}/repos': { shown: listOf(REPO), status: [...list] },
    'POST /orgs/{org}/repos': { sent: NEW_REPO, shown: REPO, status: [201] },
    'GET /orgs/{org}/repos/{repo}': { shown: REPO, status: [...item] },
    'DELETE /orgs/{org}/repos/{repo}': { status: [204, 404] },
  }
}

type Api = Awaited<ReturnType<typeof openApi>>

async function openWithRemovedOrg(api: DocumentedApi): Promise<Api> {
  const opened = await openApi(api)
  await opened.ask('GET /orgs/acme')
  await opened.ask('DELETE /orgs/acme')

  return opened
}

describe('a list below a removed record', () => {
  test.each([
    { statuses: [200, 404], status: 404 },
    { statuses: [200, 410], status: 410 },
    { statuses: [200, 400], status: 200 },
    { statuses: [200], status: 200 },
  ])('with the statuses $statuses is a $status', async ({ statuses, status }) => {
    const { ask } = await openWithRemovedOrg(reposWith(statuses))

    expect((await ask('GET /orgs/acme/repos')).status).toBe(status)
    expect((await ask('GET /orgs/acme')).status).toBe(404)
  })

  test('is empty where requests can add records', async () => {
    const { ask } = await openWithRemovedOrg(reposWith([200]))

    expect((await ask('GET /orgs/acme/repos')).body).toEqual([])
  })

  test('has the first records of an unused collection where requests can add none', async () => {
    const { 'POST /orgs/{org}/repos': _, ...onlyRead } = reposWith([200])
    const { ask } = await openWithRemovedOrg(onlyRead)

    const { body } = await ask<{ id: number }[]>('GET /orgs/acme/repos')

    expect(body).toEqual((await (await openApi(onlyRead)).ask('GET /orgs/acme/repos')).body)
    expect((await ask(`GET /orgs/acme/repos/${body[0]?.id}`)).body).toEqual(body[0])
  })

  test('is there when something was created in it, also after that is removed', async () => {
    const { ask } = await openWithRemovedOrg(reposWith([200, 404]))
    const { body: made } = await ask('POST /orgs/acme/repos', { name: 'api' })
    await ask(`DELETE /orgs/acme/repos/${made.id}`)

    const { status, body } = await ask('GET /orgs/acme/repos')

    expect([status, body]).toEqual([200, []])
    expect((await ask(`GET /orgs/acme/repos/${made.id}`)).status).toBe(404)
  })
})

describe('an item below a removed record', () => {
  test('is a 404 where the document has one', async () => {
    const { ask } = await openWithRemovedOrg(reposWith([200, 404]))

    expect((await ask('GET /orgs/acme/repos/1')).status).toBe(404)
  })

  test('is made where the document has no response for what is missing', async () => {
    const { ask } = await openWithRemovedOrg(reposWith([200, 404], [200]))

    expect((await ask('GET /orgs/acme/repos/77777')).status).toBe(200)
  })
})
