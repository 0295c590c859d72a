import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createControl } from '../control/control.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { UnroutedRequest } from './node-request.ts'
import { createSandboxServer } from './server.ts'

const KEY = 'sk_very_secret_1234'

const unrouted: UnroutedRequest[] = []
const sandbox = createSandbox()
const server = createSandboxServer(sandbox, {
  control: createControl(sandbox),
  onUnrouted: (request) => unrouted.push(request),
})

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})

afterAll(() => server.close().closeAllConnections())

beforeEach(() => void unrouted.splice(0))

/** Sends a target unchanged, which `fetch` would normalize. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', method, path, headers }).end()
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new TypeError('There is no response')
  return response
}

test.each<[path: string, headers: Record<string, string>, message: string]>([
  ['/worlds/%ZZ/v1/pets', {}, 'Cannot use "%ZZ" as the name of a world: it is not percent'],
  ['/worlds//v1/pets', {}, 'Cannot use "" as the name of a world: it is empty.'],
  ['/worlds/./v1/pets', {}, 'Cannot use "." as the name of a world: URLs drop'],
  [`/worlds/${'x'.repeat(201)}/v1/pets`, {}, 'it has more than 200 characters.'],
  ['/v1/pets?limit=1', { 'X-Sandbox-World': '..' }, 'Cannot use ".." in the header X-Sandbox'],
  ['/worlds/%ZZ/v1/nothing', {}, 'it is not percent-encoded UTF-8.'],
])(
  'onUnrouted gets the request for %s with %o, and why the name of the world is invalid',
  async (path, headers, why) => {
    const { statusCode } = await send('GET', path, headers)

    expect(statusCode).toBe(400)
    expect(unrouted).toEqual([
      { method: 'GET', target: path, status: 400, message: expect.stringContaining(why) },
    ])
    expect(sandbox.journal.find()).toEqual([])
  },
)

test('onUnrouted gets a preflight for a world with an invalid name as a failed preflight', async () => {
  const preflight = { origin: 'http://page.test', method: 'PATCH' }

  await send('OPTIONS', '/worlds/%ZZ/v1/pets', {
    Origin: preflight.origin,
    'Access-Control-Request-Method': preflight.method,
  })

  expect(unrouted).toMatchObject([{ method: 'OPTIONS', status: 400, preflight }])
})

test.each([
  ['/worlds/v1/pets', '/v1'],
  ['/worlds/v1', '/v1'],
  ['/worlds/one/pets', '/worlds/one/v1'],
  ['/worlds/%ZZ/pets', '/v1'],
  ['/v2/pets', '/v1'],
])(
  'for %s, the response and onUnrouted name the same base path of the API: %s',
  async (path, base) => {
    const response = await send('GET', path)

    const { port } = server.address() as AddressInfo
    expect(await json(response)).toMatchObject({
      message: expect.stringContaining(` is at http://127.0.0.1:${port}${base}. `),
    })
    expect(unrouted).toMatchObject([
      {
        target: path,
        message: `nothing is at this path; the API "Pet Adoption Store" is at ${base}`,
      },
    ])
  },
)

test.each([
  ['/worlds/../reset', '/worlds/../reset', 'Cannot use ".." as the name of a world: '],
  [`/keys/${KEY}/..`, '/keys/…', 'a path must not contain \\ or #'],
  [`/keys\\${KEY}`, '/keys/…', 'a path must not contain \\ or #'],
])(
  'onUnrouted gets the control path %s, which URL parsing would change, without a key',
  async (path, shown, why) => {
    const { statusCode } = await send('POST', `/__sandbox${path}`)

    expect(statusCode).toBe(400)
    expect(unrouted).toEqual([
      {
        method: 'POST',
        target: `/__sandbox${shown}`,
        status: 400,
        message: expect.stringContaining(why),
      },
    ])
  },
)
