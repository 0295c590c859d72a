import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../client.ts'
import type { ServiceTypes } from '../contract/contract.ts'
import { loadContract } from '../load.ts'
import { openControl, toControlRequest } from '../testing/control.ts'
import { NESTED_DOCUMENT } from '../testing/nested-document.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { UsageError } from '../validation/usage-error.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const folder = useTemporaryDirectory()

async function codeSandbox(hints: object = {}): Promise<Sandbox> {
  const file = join(folder(), 'code.json')
  await writeFile(file, JSON.stringify({ ...NESTED_DOCUMENT, 'x-sandbox': hints }))

  return createSandbox({ contract: await loadContract(file), records: 2 })
}

async function call(
  sandbox: Pick<Sandbox, 'fetch'>,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const response = await sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      ...(body && {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      }),
    }),
  )
  const text = await response.text()
  return { status: response.status, body: text && JSON.parse(text) }
}

function errorOf(task: () => unknown): unknown {
  try {
    return task()
  } catch (error) {
    return error
  }
}

describe('a collection below records', () => {
  it('is opened by its path', async () => {
    const sandbox = await codeSandbox()
    const repo = await sandbox.collection('/orgs/acme/repos').create({ name: 'api' })

    const read = await call(sandbox, 'GET', `/orgs/acme/repos/${repo.id}`)
    const other = await call(sandbox, 'GET', `/orgs/other/repos/${repo.id}`)

    expect(read).toMatchObject({ status: 200, body: { name: 'api' } })
    expect(other.status).toBe(404)
    expect(await sandbox.collection('orgs/acme/repos').count()).toBe(3)
    expect(await sandbox.collection('/orgs').count()).toBe(2)
    expect(sandbox.collections).toEqual(['orgs', 'orgs/{org}/repos'])
  })

  it.each<[name: string, message: string]>([
    ['repos', '"repos" has a collection for each of its parents'],
    ['orgs/{org}/repos', 'such as "/orgs/1/repos"'],
    ['/orgs/acme/repo', 'Did you mean "orgs/acme/repos"?'],
    ['org', 'Did you mean "orgs"?'],
    ['', 'orgs, orgs/{org}/repos'],
  ])('is not opened as "%s", and the error says what to write', async (name, message) => {
    const sandbox = await codeSandbox()

    const error = errorOf(() => sandbox.collection(name))

    expect(error).toBeInstanceOf(UsageError)
    expect(String(error)).toContain(message)
  })

  it('has its records by their ids and by what else a path may name them by', async () => {
    const resources = { '/orgs/{org}/repos': { resource: 'repos', keys: ['name'] } }
    const sandbox = await codeSandbox({ resources })
    const repos = sandbox.collection('/orgs/acme/repos')
    const created = await repos.create({ name: 'api' })

    expect(await repos.get('api')).toEqual(created)
    expect(await repos.get(String(created.id))).toEqual(created)
    expect(await repos.update('api', { name: 'web' })).toEqual({ ...created, name: 'web' })
    expect(await repos.get('api')).toBeUndefined()
    expect(await repos.remove('web')).toBe(true)
    expect(await repos.get(String(created.id))).toBeUndefined()
  })

  it('is a 404 below a removed record until something is created there again', async () => {
    const sandbox = await codeSandbox()
    const [org] = await sandbox.collection('orgs').list()
    const repos = `/orgs/${org?.id}/repos`
    const before = await call(sandbox, 'GET', repos)
    await call(sandbox, 'DELETE', `/orgs/${org?.id}`)

    const removed = await call(sandbox, 'GET', repos)
    const item = await call(sandbox, 'GET', `${repos}/1`)
    const created = await call(sandbox, 'POST', repos, { name: 'again' })
    const after = await call(sandbox, 'GET', repos)

    expect([before.status, removed.status, item.status]).toEqual([200, 404, 404])
    expect([created.status, after.status]).toEqual([201, 200])
    expect(after.body).toEqual([created.body])
  })

  it('is in snapshots by its path, and goes on after a restore', async () => {
    const sandbox = await codeSandbox()
    await call(sandbox, 'POST', '/orgs/acme/repos', { name: 'api' })
    await call(sandbox, 'DELETE', '/orgs/acme/repos/1')
    const saved = await sandbox.snapshot()
    const restored = await codeSandbox()

    await restored.restore(JSON.parse(JSON.stringify(saved)))

    expect(Object.keys(saved.state.records)).toEqual(['orgs/acme/repos'])
    expect(await call(restored, 'GET', '/orgs/acme/repos')).toEqual(
      await call(sandbox, 'GET', '/orgs/acme/repos'),
    )
    expect((await call(restored, 'GET', '/orgs/acme/repos/1')).status).toBe(404)
    expect((await call(restored, 'POST', '/orgs/acme/repos', { name: 'next' })).body).toMatchObject(
      {
        id: 4,
      },
    )
  })

  it('is of its own in each world', async () => {
    const sandbox = await codeSandbox()
    const [one, other] = [sandbox.world('one'), sandbox.world('other')]
    await one.collection('/orgs/acme/repos').create({ name: 'api' })

    expect(await one.collection('/orgs/acme/repos').count()).toBe(3)
    expect(await other.collection('/orgs/acme/repos').count()).toBe(2)
  })
})

describe('the control interface', () => {
  it('has a collection below records at its path, percent-encoded', async () => {
    const { callControl } = openControl({}, await codeSandbox())
    const body = { name: 'api' }

    const created = await callControl('POST', '/records/orgs%2Facme%2Frepos', { body })
    const read = await callControl('GET', '/records/orgs%2Facme%2Frepos/3')
    const listed = await callControl('GET', '/records/%2Forgs%2Facme%2Frepos?name=api')
    const changed = await callControl('PATCH', '/records/orgs%2Facme%2Frepos/3', { body })
    const removed = await callControl('DELETE', '/records/orgs%2Facme%2Frepos/3')

    expect(created.headers.get('Location')).toBe('/__sandbox/records/orgs/acme/repos/3')
    expect(read.body).toMatchObject({ id: 3, name: 'api' })
    expect(listed.body).toEqual([read.body])
    expect([changed.status, removed.status]).toEqual([200, 204])
  })

  it('accepts its path with slashes, in a world, too', async () => {
    const { control } = openControl({}, await codeSandbox())
    const send = async (method: string, path: string, body?: object): Promise<unknown> => {
      const request = toControlRequest(method, `http://localhost/__sandbox${path}`, { body })
      return (await control.fetch(request, { address: '127.0.0.1' })).json()
    }

    const created = await send('POST', '/worlds/w/records/orgs/acme/repos', { name: 'api' })
    const read = await send('GET', '/worlds/w/records/orgs/acme/repos/3')
    const listed = await send('GET', '/worlds/w/records/orgs/acme/repos?name=api')

    expect(created).toMatchObject({ id: 3, name: 'api' })
    expect([read, listed]).toEqual([created, [created]])
  })

  it('lets a client use a collection below records by its path', async () => {
    const { sandbox, control } = openControl({}, await codeSandbox())
    const client = createClient<ServiceTypes>('http://localhost:4010', {
      fetch: (input, init) => control.fetch(new Request(input, init), { address: '127.0.0.1' }),
    })
    const repos = client.collection('/orgs/acme/repos')

    const made = await repos.create({ name: 'api' })
    const changed = await repos.update(3, { name: 'web' })

    expect(made).toMatchObject({ id: 3, name: 'api' })
    expect(await sandbox.collection('/orgs/acme/repos').get(3)).toEqual(changed)
    expect([await repos.count(), await repos.remove(3), await repos.remove(3)]).toEqual([
      ...[3, true, false],
    ])
    expect(await client.collections()).toEqual(sandbox.collections)
    const inProcess = errorOf(() => sandbox.collection('repos'))
    await expect(client.collection('repos').count()).rejects.toEqual(inProcess)
    await expect(client.collection('repos').get(1)).rejects.toEqual(inProcess)
  })

  it('counts the collections below records that were changed, and none that were only read', async () => {
    const { callControl } = openControl({}, await codeSandbox())
    const read = await callControl('GET', '/records/orgs%2Fother%2Frepos')
    await callControl('POST', '/records/orgs%2Facme%2Frepos', { body: { name: 'api' } })

    const all = await callControl('GET', '/records')
    const one = await callControl('GET', '/records?collection=/orgs/acme/repos')

    expect(read.body).toHaveLength(2)
    expect(all.body).toEqual([
      { name: 'orgs', count: 2 },
      { name: 'orgs/{org}/repos', count: 3, opened: [{ name: 'orgs/acme/repos', count: 3 }] },
    ])
    expect(one.body).toEqual([{ name: '/orgs/acme/repos', count: 3 }])
  })

  it.each([
    ['/records/repos', 'such as \\"/orgs/1/repos\\"'],
    ['/records/orgs/acme/repo', 'Did you mean \\"orgs/acme/repos\\"?'],
  ])('says at %s how to write the path', async (path, message) => {
    const { callControl } = openControl({}, await codeSandbox())

    const { status, body } = await callControl('GET', path)

    expect(status).toBe(404)
    expect(JSON.stringify(body)).toContain(message)
  })
})
