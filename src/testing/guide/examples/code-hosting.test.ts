import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'

const folder = import.meta.dirname
const contract = await loadContract(join(folder, 'code-hosting.yaml'), {
  overlays: [join(folder, 'code-hosting-hints.yaml')],
})
const sandbox = createSandbox({ contract })

beforeEach(() => sandbox.reset())

function send(method: string, path: string, body?: object): Promise<Response> {
  return sandbox.fetch(
    new Request(`https://code.example/api/orgs/acme${path}`, {
      method,
      headers: { Authorization: 'Bearer my-token', 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
}

/** Creates an issue, and returns its number. */
async function createIssue(repo: string, title: string): Promise<number> {
  const created = await send('POST', `/repos/${repo}/issues`, { title })
  const { number } = await created.json()
  return number
}

test('a repository is found by its name', async () => {
  const created = await send('POST', '/repos', { name: 'api' })
  const found = await send('GET', '/repos/api')

  expect(created.status).toBe(201)
  expect(await found.json()).toEqual(await created.json())
})

test('each repository counts its issues', async () => {
  await send('POST', '/repos', { name: 'api' })
  await send('POST', '/repos', { name: 'web' })
  const { length } = await (await send('GET', '/repos/api/issues?per_page=100')).json()

  const first = await createIssue('api', 'One')
  const second = await createIssue('api', 'Two')

  expect([first, second]).toEqual([length + 1, length + 2])
  expect(await (await send('GET', `/repos/api/issues/${second}`)).json()).toMatchObject({
    title: 'Two',
    state: 'open',
    locked: false,
  })
  expect((await send('GET', `/repos/web/issues/${second}`)).status).toBe(404)
})

test('a locked issue cannot be changed', async () => {
  const number = await createIssue('api', 'One')
  const locked = await send('PUT', `/repos/api/issues/${number}/lock`)

  const refused = await send('PATCH', `/repos/api/issues/${number}`, { state: 'closed' })

  expect(locked.status).toBe(204)
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({
    message: 'locked is true, and must be false.',
  })
})

test('a client reads all open issues by following Link', async () => {
  for (const title of ['One', 'Two', 'Three']) await createIssue('api', title)
  const titles: string[] = []
  for (let path: string | undefined = '/repos/api/issues?state=open&per_page=2'; path; ) {
    const response: Response = await send('GET', path)
    for (const { title } of await response.json()) titles.push(title)
    const link = response.headers.get('Link') ?? ''
    path = /orgs\/acme([^>]+)>; rel="next"/.exec(link)?.[1]
  }

  expect(titles).toEqual(expect.arrayContaining(['One', 'Two', 'Three']))
})

test('with a repository, its issues are gone', async () => {
  await send('POST', '/repos', { name: 'api' })
  await createIssue('api', 'One')

  await send('DELETE', '/repos/api')

  expect((await send('GET', '/repos/api')).status).toBe(404)
  expect((await send('GET', '/repos/api/issues')).status).toBe(404)
})
