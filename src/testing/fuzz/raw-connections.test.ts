import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pass } from 'node:timers/promises'
import express from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { toExpress } from '../../express.ts'
import { createSandbox, type Sandbox } from '../../index.ts'
import { createSandboxServer } from '../../transports/server.ts'
import { startCommand, stopCommands } from '../command.ts'
import { exchangeBytes, openConnection, type RawResponse, requestHead } from '../raw-connection.ts'
import { INCOMPLETE, INVALID_HOSTS, MALFORMED, UNKNOWN_CODINGS, WELL_FORMED } from './raw-cases.ts'

const CLIENTS = 1000

const GET = requestHead(
  'GET /v1/pets/1 HTTP/1.1',
  'Host: x',
  'Authorization: Bearer sk_sandbox_enterprise',
  'Connection: close',
)

function expectWhole({ status, headers, body }: RawResponse): void {
  if (status === 100) return
  const names = ['Limit', 'Remaining', 'Reset']
  if (headers.get('X-Sandbox-Reason') !== 'not-found') {
    for (const name of names) expect(headers.get(`X-RateLimit-${name}`)).toMatch(/^\d+$/)
  }
  if (status < 400) return
  const message = expect.any(String)
  expect(JSON.parse(body)).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message, status })
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

async function untilLeft(server: Server): Promise<void> {
  while ((await connectionsOf(server)) > 0) await pass(5)
}

describe.each([
  ['the server', (sandbox: Sandbox) => createSandboxServer(sandbox)],
  ['an Express app', (sandbox: Sandbox) => createServer(express().use(toExpress(sandbox)))],
])('on a bare connection to %s', (name, create) => {
  const sandbox = createSandbox({ records: 1 })
  const server = create(sandbox)
  let port = 0

  beforeAll(async () => {
    port = await portOf(server)
  })

  /** Every test leaves a server that answers and holds no connection. */
  afterEach(async () => {
    expect((await exchangeBytes(port, [GET])).map(({ status }) => status)).toEqual([200])
    await untilLeft(server)
  })

  afterAll(() => {
    server.close()
  })

  it.each(WELL_FORMED)('$what: the answer is right', async ({ steps, statuses, adds = 0 }) => {
    const before = await sandbox.collection('pets').count()

    const answers = await exchangeBytes(port, steps)

    expect(answers.map(({ status }) => status)).toEqual(statuses)
    for (const answer of name === 'the server' ? answers : []) expectWhole(answer)
    expect(await sandbox.collection('pets').count()).toBe(before + adds)
  })

  const refused =
    name === 'the server' ? [...MALFORMED, ...UNKNOWN_CODINGS, ...INVALID_HOSTS] : MALFORMED
  it.each(refused)('$what: refused, and nothing is changed', async ({ steps, statuses }) => {
    const before = await sandbox.snapshot()

    const answers = await exchangeBytes(port, steps)

    expect(answers.map(({ status }) => status)).toEqual(statuses)
    for (const answer of name === 'the server' ? answers : []) expectWhole(answer)
    expect((await sandbox.snapshot()).state.records).toEqual(before.state.records)
  })

  it.each(INCOMPLETE)('a client that leaves after %j leaves nothing', async (text) => {
    const before = await sandbox.snapshot()
    const socket = openConnection(port)
    socket.write(text)
    await pass(20)

    socket.destroy()
    await untilLeft(server)

    expect((await sandbox.snapshot()).state.records).toEqual(before.state.records)
  })

  it('a client that has said all it will say is answered', async () => {
    const socket = openConnection(port)
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })

    socket.end(GET.replace('Connection: close\r\n', ''))
    await once(socket, 'close')

    expect(text).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

describe('the command', () => {
  afterEach(stopCommands)

  it('answers while a thousand clients say all that is wrong, and ends at once when it is told', async () => {
    const { base, stop } = await startCommand(['--log', 'silent'])
    const port = Number(new URL(base).port)
    const texts = [...WELL_FORMED, ...MALFORMED, ...INVALID_HOSTS]
      .flatMap(({ steps }) => steps.filter((step) => typeof step !== 'number'))
      .concat(INCOMPLETE)
    const sockets: Socket[] = []
    for (let at = 0; at < CLIENTS; at += 1) {
      const socket = openConnection(port).resume()
      socket.write(texts[at % texts.length] ?? '')
      sockets.push(socket)
    }
    await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect')))

    const answers = await Promise.all(Array.from({ length: 50 }, () => exchangeBytes(port, [GET])))
    for (const socket of sockets) socket.destroy()
    const [after] = await exchangeBytes(port, [GET])
    const { code, stderr } = await stop()

    expect(answers.flat().map(({ status }) => status)).toEqual(Array<number>(50).fill(200))
    expect(after?.status).toBe(200)
    expect([code, stderr]).toEqual([0, ''])
  }, 30_000)

  it('answers each of a thousand clients that ask at the same time', async () => {
    const { base, stop } = await startCommand(['--log', 'silent'])
    const port = Number(new URL(base).port)

    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, () => exchangeBytes(port, [GET])),
    )
    const { code } = await stop()

    expect(answers.flat()).toHaveLength(CLIENTS)
    expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200]))
    expect(code).toBe(0)
  }, 30_000)
})
