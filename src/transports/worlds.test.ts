import { once } from 'node:events'
import express, { type Express } from 'express'
import { getResponse } from 'msw'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Contract, createSandbox, type Sandbox } from '../index.ts'
import { idsOf } from '../testing/answers.ts'
import { sendRaw } from '../testing/raw-http.ts'
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

/** The contract that ships, elsewhere. */
function moved(basePath: string, collection = '/pets'): Contract {
  const { contract } = createSandbox()
  const operations = contract.operations.map((operation) => ({
    ...operation,
    path: operation.path.replace('/pets', collection),
  }))
  return { ...contract, basePath, operations }
}

async function ask(sandbox: Sandbox, path: string): Promise<number> {
  const { status } = await sandbox.fetch(toRequest('GET', `http://localhost${path}`))
  return status
}

describe('worlds', () => {
  it('are below where an Express app mounts the sandbox, links too', async () => {
    const sandbox = createSandbox({ records: 2 })
    const origin = await serve(express().use('/mock', toExpress(sandbox)))

    const response = await add(`${origin}/mock/worlds/one/v1/pets`)

    expect(response.headers.get('Location')).toBe(`${origin}/mock/worlds/one/v1/pets/3`)
    expect(await idsOf(await fetch(toRequest('GET', `${origin}/mock/v1/pets`)))).toEqual([1, 2])
  })

  it('are handlers of Express each', async () => {
    const sandbox = createSandbox({ records: 2 })
    const origin = await serve(express().use(toExpress(sandbox.world('one'))))

    const response = await add(`${origin}/v1/pets`)

    expect(response.headers.get('Location')).toBe(`${origin}/v1/pets/3`)
    expect(sandbox.worlds.list()).toEqual([
      { name: 'default', requests: 0 },
      { name: 'one', requests: 1 },
    ])
  })

  it('are handlers of MSW each', async () => {
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

  it('are there for an API without a base path', async () => {
    const sandbox = createSandbox({ contract: moved('') })

    expect(await ask(sandbox, '/worlds/one/pets')).toBe(200)
    expect(await ask(sandbox, '/pets')).toBe(200)
    expect(sandbox.worlds.list()).toMatchObject([{ requests: 1 }, { requests: 1 }])
  })

  it('leave an API its own collection of worlds', async () => {
    const sandbox = createSandbox({ contract: moved('', '/worlds') })

    expect(await ask(sandbox, '/worlds/7')).toBe(200)
    expect(await ask(sandbox, '/worlds/one/worlds')).toBe(404)
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  it('leave an API its base path of worlds, and are there beside it', async () => {
    const sandbox = createSandbox({ contract: moved('/worlds/v1') })

    expect(await ask(sandbox, '/worlds/v1/pets')).toBe(200)
    expect(await ask(sandbox, '/worlds/one/worlds/v1/pets')).toBe(200)
    expect(sandbox.worlds.list()).toMatchObject([{ requests: 1 }, { name: 'one', requests: 1 }])
  })

  const NAMES = [
    '..',
    '.',
    '',
    '%2f',
    '%2e%2e',
    '%00',
    '__proto__',
    'a%20b',
    'ä',
    'x'.repeat(10_000),
  ]

  it.each(NAMES)(
    'cannot be called %s on a bare connection: a 400, and nothing is made',
    async (name) => {
      const sandbox = createSandbox()

      const response = await sendRaw(sandbox, [`GET /worlds/${name}/v1/pets HTTP/1.1`])

      expect(response.status).toBe(400)
      expect(response.headers.get('X-Sandbox-Reason')).toBe('invalid-request')
      expect(await response.json()).toMatchObject({ code: 'invalid_request', status: 400 })
      expect(sandbox.worlds.list()).toHaveLength(1)
    },
  )

  it.each(['/worlds/one/../v1/pets', '/worlds/one', '/worlds', '/worlds/', '/worlds/one/v1x/pets'])(
    'are not made by %s on a bare connection, which is a 404',
    async (target) => {
      const sandbox = createSandbox()

      const response = await sendRaw(sandbox, [`GET ${target} HTTP/1.1`])

      expect(response.status).toBe(404)
      expect(sandbox.worlds.list()).toHaveLength(1)
    },
  )
})
