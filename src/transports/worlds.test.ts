import { once } from 'node:events'
import express, { type Express } from 'express'
import { getResponse } from 'msw'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Contract, createSandbox, type Sandbox } from '../index.ts'
import { sendRawRequest } from '../testing/raw-request.ts'
import { idsOf } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import { toExpress } from './express.ts'
import { toHandlers } from './msw.ts'

async function serve(app: Express): Promise<string> {
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

function add(address: string): Promise<Response> {
  return fetch(toRequest('POST', address, { body: { name: 'Rex', categoryId: 1 } }))
}

/** The shipped contract with another base path, and with another path for its collection. */
function moved(basePath: string, collection = '/pets'): Contract {
  const { contract } = createSandbox()
  const operations = contract.operations.map((operation) => ({
    ...operation,
    path: operation.path.replace('/pets', collection),
  }))
  const { pets } = contract.resources ?? {}
  if (!pets) throw new TypeError('The contract has no pets')
  const resources = { pets: { ...pets, path: collection, item: `${collection}/{petId}` } }

  return { ...contract, basePath, operations, resources }
}

async function ask(sandbox: Sandbox, path: string): Promise<number> {
  const { status } = await sandbox.fetch(toRequest('GET', `http://localhost${path}`))
  return status
}

describe('worlds', () => {
  it('have paths below the mount path of an Express app, also in links', async () => {
    const sandbox = createSandbox({ records: 2 })
    const origin = await serve(express().use('/mock', toExpress(sandbox)))

    const response = await add(`${origin}/mock/worlds/one/v1/pets`)

    expect(response.headers.get('Location')).toBe(`${origin}/mock/worlds/one/v1/pets/3`)
    expect(await idsOf(await fetch(toRequest('GET', `${origin}/mock/v1/pets`)))).toEqual([1, 2])
  })

  it('can be used as Express handlers', async () => {
    const sandbox = createSandbox({ records: 2 })
    const origin = await serve(express().use(toExpress(sandbox.world('one'))))

    const response = await add(`${origin}/v1/pets`)

    expect(response.headers.get('Location')).toBe(`${origin}/v1/pets/3`)
    expect(sandbox.worlds.list()).toEqual([
      { name: 'default', requests: 0 },
      { name: 'one', requests: 1 },
    ])
  })

  it('can be used as MSW handlers', async () => {
    const sandbox = createSandbox({ records: 2 })
    const handlers = toHandlers(sandbox.world('one'), { baseUrl: 'https://api.example/v1' })
    const body = { name: 'Rex', categoryId: 1 }

    const response = await getResponse(
      handlers,
      toRequest('POST', 'https://api.example/v1/pets', { body }),
    )

    expect(response?.headers.get('Location')).toBe('https://api.example/v1/pets/3')
    expect(await sandbox.collection('pets').count()).toBe(2)
    expect(await sandbox.world('one').collection('pets').count()).toBe(3)
  })

  it('have paths when the API has no base path', async () => {
    const sandbox = createSandbox({ contract: moved('') })

    expect(await ask(sandbox, '/worlds/one/pets')).toBe(200)
    expect(await ask(sandbox, '/pets')).toBe(200)
    expect(sandbox.worlds.list()).toMatchObject([{ requests: 1 }, { requests: 1 }])
  })

  it('do not hide a collection named worlds of the API', async () => {
    const sandbox = createSandbox({ contract: moved('', '/worlds') })

    expect(await ask(sandbox, '/worlds/7')).toBe(200)
    expect(await ask(sandbox, '/worlds/one/worlds')).toBe(404)
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  it('have paths beside an API whose base path starts with /worlds', async () => {
    const sandbox = createSandbox({ contract: moved('/worlds/v1') })

    expect(await ask(sandbox, '/worlds/v1/pets')).toBe(200)
    expect(await ask(sandbox, '/worlds/one/worlds/v1/pets')).toBe(200)
    expect(sandbox.worlds.list()).toMatchObject([{ requests: 1 }, { name: 'one', requests: 1 }])
  })

  it.each(['..', '.', '', '%2e%2e', '.%2E', '%zz', '%ff', '%ED%A0%80', 'x'.repeat(201)])(
    'cannot be named %s in a path: the response is a 400, and no world is created',
    async (name) => {
      const sandbox = createSandbox()

      const response = await sendRawRequest(sandbox, [`GET /worlds/${name}/v1/pets HTTP/1.1`])

      expect(response.status).toBe(400)
      expect(response.headers.get('X-Sandbox-Reason')).toBe('invalid-request')
      expect(await response.json()).toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('as the name of a world: '),
        status: 400,
      })
      expect(sandbox.worlds.list()).toHaveLength(1)
    },
  )

  it.each<[value: string, why: string]>([
    ['', 'it is empty'],
    ['.', 'URLs drop the segments'],
    ['%2E%2e', 'URLs drop the segments'],
    [
      '100%',
      'it is not percent-encoded UTF-8. Send one name as encodeURIComponent(name) makes it.',
    ],
    ['ä', 'it is not percent-encoded UTF-8'],
    ['one, two', 'it has a comma, as a list of names has'],
    ['x'.repeat(201), 'it has more than 200 characters'],
  ])(
    'cannot be chosen by the header value "%s": the response is a 400, and no world is created',
    async (value, why) => {
      const sandbox = createSandbox()

      const lines = ['GET /v1/pets HTTP/1.1', `X-Sandbox-World: ${value}`]
      const response = await sendRawRequest(sandbox, lines)

      expect(response.status).toBe(400)
      const { message } = await response.json()
      expect(message).toContain(` in the header X-Sandbox-World as the name of a world: ${why}`)
      expect(sandbox.worlds.list()).toHaveLength(1)
    },
  )

  it('cannot be chosen by two headers', async () => {
    const sandbox = createSandbox()

    const lines = ['GET /v1/pets HTTP/1.1', 'X-Sandbox-World: one', 'X-Sandbox-World: two']
    const { status } = await sendRawRequest(sandbox, lines)

    expect(status).toBe(400)
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  it('are chosen by the path when the header names another one', async () => {
    const sandbox = createSandbox()
    const headers = { 'X-Sandbox-World': 'two' }

    await sandbox.fetch(toRequest('GET', 'http://localhost/worlds/one/v1/pets', { headers }))
    await sandbox.fetch(toRequest('GET', 'http://localhost/worlds/default/v1/pets', { headers }))

    expect(sandbox.worlds.list()).toEqual([
      { name: 'default', requests: 1 },
      { name: 'one', requests: 1 },
    ])
  })

  it('that a header chooses have links with the path of the request', async () => {
    const origin = await serve(express().use('/mock', toExpress(createSandbox({ records: 2 }))))

    const request = toRequest('POST', `${origin}/mock/v1/pets`, {
      headers: { 'X-Sandbox-World': 'a%20%2F%20b' },
      body: { name: 'Rex', categoryId: 1 },
    })
    const response = await fetch(request)

    expect(response.headers.get('Location')).toBe(`${origin}/mock/v1/pets/3`)
  })

  it('that headers choose are limited in number', async () => {
    const sandbox = createSandbox({ worlds: 2 })

    for (const name of ['one', 'two', 'three']) {
      const headers = { 'X-Sandbox-World': name }
      await sandbox.fetch(toRequest('GET', 'http://localhost/v1/pets', { headers }))
    }

    expect(sandbox.worlds.list().map(({ name }) => name)).toEqual(['default', 'two', 'three'])
    expect(sandbox.worlds.dropped).toEqual(['one'])
  })

  it('with handlers of their own ignore the header', async () => {
    const sandbox = createSandbox()
    const world = sandbox.world('one')
    const origin = await serve(express().use(toExpress(world)))
    const headers = { 'X-Sandbox-World': 'two' }

    await fetch(toRequest('GET', `${origin}/v1/pets`, { headers }))
    await world.fetch(toRequest('GET', 'http://localhost/v1/pets', { headers }))
    const request = toRequest('GET', 'http://localhost/v1/pets', { headers })
    await getResponse(toHandlers(world), request)

    expect(world.journal.last).toBe(3)
    expect(sandbox.worlds.list()).toHaveLength(2)
  })

  it.each([
    ['https://api.example/v1', 'https://api.example/worlds/a%20b/v1/pets'],
    ['*/api', 'https://api.example/worlds/a%20b/api/pets'],
    ['/api', 'https://api.example/worlds/a%20b/api/pets'],
    [undefined, 'https://api.example/worlds/a%20b/v1/pets'],
  ])('have paths in MSW handlers with the base URL %s', async (baseUrl, address) => {
    const sandbox = createSandbox()
    const handlers = toHandlers(sandbox, baseUrl === undefined ? {} : { baseUrl })

    const response = await getResponse(handlers, toRequest('GET', `${address}?limit=1`))

    expect(response?.headers.get('Link')).toContain(`<${address}?limit=1&cursor=`)
    expect(sandbox.worlds.list()).toMatchObject([{ requests: 0 }, { name: 'a b', requests: 1 }])
  })

  it.each(['/worlds/one/../v1/pets', '/worlds/one', '/worlds', '/worlds/', '/worlds/one/v1x/pets'])(
    'are not created by the path %s, which gets a 404',
    async (target) => {
      const sandbox = createSandbox()

      const response = await sendRawRequest(sandbox, [`GET ${target} HTTP/1.1`])

      expect(response.status).toBe(404)
      expect(sandbox.worlds.list()).toHaveLength(1)
    },
  )
})
