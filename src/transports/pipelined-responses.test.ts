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
const PIECES = requestHead(...POST, 'Transfer-Encoding: chunked')
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

describe('what cannot be read is refused in its turn:', () => {
  it.each<[what: string, pieces: WriteStep[], statuses: number[]]>([
    ['after a request of the same packet', [ADD + GARBAGE], [201, 400]],
    ['after an answer that takes its time', [SLOW, GARBAGE], [200, 400]],
    ['once, however much more comes', [SLOW, GARBAGE, 50, GARBAGE], [200, 400]],
    ['after each of several requests', [GET + SLOW + ADD + GARBAGE], [200, 200, 201, 400]],
    ['a body, after the request before', [SLOW, PIECES, 50, 'zz\r\n'], [200, 400]],
    ['a body alone', [PIECES, 50, 'zz\r\n'], [400]],
    ['a body in the packet of its head', [`${PIECES}zz\r\n`], [400]],
    ['a body, not at all, once its request is refused', [WITHOUT_KEY, 50, 'zz\r\n'], [401]],
    ['CONNECT', [SLOW, CONNECT], [200, 405]],
  ])('%s', async (_what, pieces, statuses) => {
    const sandbox = createSandbox({ records: 1 })
    const { port } = await listen(sandbox)

    const answers = await exchangeBytes(port, pieces)

    expect(answers.map(({ status }) => status)).toEqual(statuses)
    expect(await sandbox.collection('pets').count()).toBe(statuses.includes(201) ? 2 : 1)
  })

  it('nothing follows the answer to a request that asked for the end of the connection', async () => {
    const { port } = await listen(createSandbox())
    const last = requestHead('GET /v1/pets/1 HTTP/1.1', ...START, 'Connection: close')

    const answers = await exchangeBytes(port, [last + GET])

    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  it('a client that stays after its refusal is left', async () => {
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
  it('may have thousands of headers, its key the last', async () => {
    const { port } = await listen(createSandbox())
    const many = Array<string>(2500).fill('a:b')

    const answers = await exchangeBytes(port, [
      requestHead(
        'GET /v1/pets/1 HTTP/1.1',
        'Connection: close',
        'Host: x',
        ...many,
        ...START.slice(1),
      ),
    ])

    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  it.each(['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'identity'])(
    'whose body is sent as %s is refused and changes nothing',
    async (coding) => {
      const sandbox = createSandbox({ records: 0 })
      const { port } = await listen(sandbox)
      const body = `${REX.length.toString(16)}\r\n${REX}\r\n0\r\n\r\n`

      const [answer] = await exchangeBytes(port, [
        requestHead(...POST, 'Connection: close', `Transfer-Encoding: ${coding}`) + body,
      ])

      expect(answer?.status).toBe(400)
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'invalid_request', status: 400 })
      expect(await sandbox.collection('pets').count()).toBe(0)
    },
  )
})

it('lets go of responses that were sent, while their connection stays', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { server, port } = await listen(createSandbox())
  const responses: WeakRef<object>[] = []
  server.on('request', (_, response) => responses.push(new WeakRef(response)))
  const line = openConnection(port)

  line.write(GET + GET + GET)
  await expect.poll(() => responses.length).toBe(3)

  const held = (): number => {
    collect()
    return responses.filter((one) => one.deref()).length
  }
  await expect.poll(held).toBe(0)
  expect(line.closed).toBe(false)
  line.destroy()
})
