import { expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { loadMarks } from '../../testing/marks-document.ts'
import { type JsonObject, type JsonResponse, readJson } from '../../testing/responses.ts'

type Ask = <Body = JsonObject>(target: string, body?: object) => Promise<JsonResponse<Body>>

/** A sandbox as two callers see it. */
async function open(): Promise<readonly [ann: Ask, ben: Ask]> {
  const sandbox = createSandbox({ contract: await loadMarks() })
  const as =
    (token: string): Ask =>
    async (target, body) => {
      const [method = '', path = ''] = target.split(' ')
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const sent = body && { body: JSON.stringify(body) }
      const request = new Request(`http://localhost${path}`, { method, headers, ...sent })
      return readJson(await sandbox.fetch(request))
    }
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(as)
  const logins = await Promise.all(all.map(async (ask) => (await ask('GET /user')).body.login))
  const other = all[logins.findIndex((login) => login !== logins[0])]
  const [first] = all
  if (!first || !other) throw new Error('all tokens are of one user')
  return [first, other]
}

test('what a caller stars is starred for that caller alone', async () => {
  const [ann, ben] = await open()
  await ann('POST /repos/acme', { name: 'api' })
  const starred = async (ask: Ask) => [
    (await ask('GET /user/starred/acme/api')).status,
    (await ask<JsonObject[]>('GET /user/starred')).body.map((one) => one.full_name),
  ]

  const before = await starred(ann)
  const added = await ann('PUT /user/starred/acme/api')
  await ann('PUT /user/starred/acme/api')
  const after = [await starred(ann), await starred(ben)]
  const { body: repo } = await ben('GET /repos/acme/api')
  const removed = await ann('DELETE /user/starred/acme/api')

  expect(before).toEqual([404, []])
  expect([added.status, removed.status]).toEqual([204, 204])
  expect(after).toEqual([
    [204, ['acme/api']],
    [404, []],
  ])
  expect(repo).toMatchObject({ full_name: 'acme/api', stargazers_count: 1 })
  expect(Object.keys(repo).filter((name) => name.startsWith('x-'))).toEqual([])
  expect(await starred(ann)).toEqual([404, []])
  expect((await ann('GET /repos/acme/api')).body.stargazers_count).toBe(0)
})

test('a list below another user shows what that user has starred', async () => {
  const [ann, ben] = await open()
  const { body: user } = await ann('GET /user')
  const { body: other } = await ben('GET /user')
  await ann('POST /repos/acme', { name: 'api' })
  await ann('PUT /user/starred/acme/api')
  const starredBy = async (login: unknown) =>
    (await ben<JsonObject[]>(`GET /users/${login}/starred`)).body.map((one) => one.full_name)

  expect(await starredBy(user.login)).toEqual(['acme/api'])
  expect(await starredBy(other.login)).toEqual([])
})

test('a removed record is starred no longer', async () => {
  const [ann] = await open()
  await ann('POST /repos/acme', { name: 'api' })
  await ann('PUT /user/starred/acme/api')

  await ann('DELETE /repos/acme/api')

  expect((await ann('GET /user/starred')).body).toEqual([])
  expect((await ann('PUT /user/starred/acme/api')).status).toBe(404)
})

test('a record shows each caller its own mark, and counts those of all', async () => {
  const [ann, ben] = await open()
  const { body: created } = await ann('POST /posts', { title: 'One' })
  const path = `/posts/${created.id}`
  const seen = async (ask: Ask) => {
    const { liked, likes_count } = (await ask(`GET ${path}`)).body
    return [liked, likes_count]
  }

  const { body: shown } = await ann(`POST ${path}/like`)
  const one = [await seen(ann), await seen(ben)]
  await ben(`POST ${path}/like`)
  await ann(`DELETE ${path}/like`)
  const list = (await ben<JsonObject[]>('GET /posts')).body.find(({ id }) => id === created.id)

  expect(shown).toEqual({ ...created, liked: true, likes_count: 1 })
  expect(one).toEqual([
    [true, 1],
    [false, 1],
  ])
  expect([await seen(ann), await seen(ben)]).toEqual([
    [false, 1],
    [true, 1],
  ])
  expect(list).toMatchObject({ liked: true, likes_count: 1 })
})

test('an opposite at a path of its own takes a mark back', async () => {
  const [ann] = await open()
  const pinned = async () => (await ann('GET /posts/1')).body.pinned

  await ann('PUT /posts/1/pin')
  const before = await pinned()
  await ann('PUT /posts/1/unpin')

  expect([before, await pinned()]).toEqual([true, false])
})
