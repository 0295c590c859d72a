import { once } from 'node:events'
import type { Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../index.ts'
import {
  exchangeBytes,
  openConnection,
  requestHead,
  type WriteStep,
} from '../testing/raw-connection.ts'
import { createSandboxServer } from './server.ts'

const START = ['Host: x', 'Authorization: Bearer sk_sandbox_pro']
const REX = '{"name":"Rex","categoryId":1}'
const TYPE = 'Content-Type: application/json'
const GET = requestHead('GET /v1/pets/1 HTTP/1.1', ...START)
const SLOW = requestHead('GET /v1/pets/1 HTTP/1.1', ...START, 'Prefer: outcome=slow')
const POST = ['POST /v1/pets HTTP/1.1', ...START, TYPE]
const ADD = requestHead(...POST, `Content-Length: ${REX.length}`) + REX
const CHUNKED = requestHead(...POST, 'Transfer-Encoding: chunked')
const WITHOUT_KEY = requestHead(
  'POST /v1/pets HTTP/1.1',
  'Host: x',
  TYPE,
  'Transfer-Encoding: chunked',
)
const CONNECT = requestHead('CONNECT a.test:443 HTTP/1.1', 'Host: x')
const GARBAGE = 'garbage\r\n\r\n'

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
    if (server.listening) await once(server, 'close')
  }
})

async function listen(sandbox: Sandbox): Promise<{ server: Server; port: number }> {
  const server = createSandboxServer(sandbox)
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()

  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

describe('an unreadable request is refused after the responses to earlier requests:', () => {
  it.each<[what: string, steps: WriteStep[], statuses: number[]]>([
    ['in the same packet as a request', [ADD + GARBAGE], [201, 400]],
    ['after a slow response', [SLOW, GARBAGE], [200, 400]],
    ['once, and everything after it is ignored', [SLOW, GARBAGE, 50, GARBAGE], [200, 400]],
    ['after several requests', [GET + SLOW + ADD + GARBAGE], [200, 200, 201, 400]],
    ['an invalid body after a slow response', [SLOW, CHUNKED, 50, 'zz\r\n'], [200, 400]],
    ['an invalid body', [CHUNKED, 50, 'zz\r\n'], [400]],
    ['an invalid body in the same packet as its head', [`${CHUNKED}zz\r\n`], [400]],
    [
      'an invalid body of a request that got a 401 has no second response',
      [WITHOUT_KEY, 500, 'zz\r\n'],
      [401],
    ],
    ['CONNECT after a slow response', [SLOW, CONNECT], [200, 405]],
  ])('%s', async (_what, steps, statuses) => {
    const sandbox = createSandbox({ records: 1 })
    const { port } = await listen(sandbox)

    const responses = await exchangeBytes(port, steps)

    expect(responses.map(({ status }) => status)).toEqual(statuses)
    expect(await sandbox.collection('pets').count()).toBe(statuses.includes(201) ? 2 : 1)
  })

  it('a request after one with Connection: close gets no response', async () => {
    const { port } = await listen(createSandbox())
    const last = requestHead('GET /v1/pets/1 HTTP/1.1', ...START, 'Connection: close')

    const responses = await exchangeBytes(port, [last + GET])

    expect(responses.map(({ status }) => status)).toEqual([200])
  })

  it('the server can close while a refused client keeps its side of the connection open', async () => {
    const { server, port } = await listen(createSandbox())
    const socket = openConnection(port)
    socket.allowHalfOpen = true
    socket.resume().write(GARBAGE)
    await once(socket, 'end')

    server.close()
    await once(server, 'close')

    socket.destroy()
  })
})

describe('a request', () => {
  it('can have thousands of headers before its API key', async () => {
    const { port } = await listen(createSandbox())
    const many = Array<string>(2500).fill('a:b')

    const responses = await exchangeBytes(port, [
      requestHead(
        'GET /v1/pets/1 HTTP/1.1',
        'Connection: close',
        'Host: x',
        ...many,
        ...START.slice(1),
      ),
    ])

    expect(responses.map(({ status }) => status)).toEqual([200])
  })

  it.each(['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'identity'])(
    'with Transfer-Encoding: %s is refused and changes nothing',
    async (coding) => {
      const sandbox = createSandbox({ records: 0 })
      const { port } = await listen(sandbox)
      const body = `${REX.length.toString(16)}\r\n${REX}\r\n0\r\n\r\n`

      const [response] = await exchangeBytes(port, [
        requestHead(...POST, 'Connection: close', `Transfer-Encoding: ${coding}`) + body,
      ])

      expect(response?.status).toBe(400)
      expect(JSON.parse(response?.body ?? '')).toMatchObject({
        code: 'invalid_request',
        status: 400,
      })
      expect(await sandbox.collection('pets').count()).toBe(0)
    },
  )
})

it('sent responses are garbage-collected while their connection is open', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const { server, port } = await listen(createSandbox())
  const references: WeakRef<object>[] = []
  server.on('request', (_, response) => references.push(new WeakRef(response)))
  const socket = openConnection(port)

  socket.write(GET + GET + GET)
  await expect.poll(() => references.length).toBe(3)

  const remaining = (): number => {
    collectGarbage()
    return references.filter((reference) => reference.deref()).length
  }
  await expect.poll(remaining).toBe(0)
  expect(socket.closed).toBe(false)
  socket.destroy()
})
