import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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

function expectCompleteResponse({ status, headers, body }: RawResponse): void {
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

async function waitForNoConnections(server: Server): Promise<void> {
  while ((await connectionsOf(server)) > 0) await sleep(5)
}

describe.each([
  ['the server', (sandbox: Sandbox) => createSandboxServer(sandbox)],
  ['an Express app', (sandbox: Sandbox) => createServer(express().use(toExpress(sandbox)))],
])('a TCP connection to %s', (name, create) => {
  const sandbox = createSandbox({ records: 1 })
  const server = create(sandbox)
  let port = 0

  beforeAll(async () => {
    port = await portOf(server)
  })

  /** After each test the server still responds, and has no open connections. */
  afterEach(async () => {
    expect((await exchangeBytes(port, [GET])).map(({ status }) => status)).toEqual([200])
    await waitForNoConnections(server)
  })

  afterAll(() => {
    server.close()
  })

  it.each(WELL_FORMED)(
    'gets the expected responses for $name',
    async ({ steps, statuses, created = 0 }) => {
      const before = await sandbox.collection('pets').count()

      const responses = await exchangeBytes(port, steps)

      expect(responses.map(({ status }) => status)).toEqual(statuses)
      for (const response of name === 'the server' ? responses : [])
        expectCompleteResponse(response)
      expect(await sandbox.collection('pets').count()).toBe(before + created)
    },
  )

  const refused =
    name === 'the server' ? [...MALFORMED, ...UNKNOWN_CODINGS, ...INVALID_HOSTS] : MALFORMED
  it.each(refused)(
    'gets a refusal for $name, which changes nothing',
    async ({ steps, statuses }) => {
      const before = await sandbox.snapshot()

      const responses = await exchangeBytes(port, steps)

      expect(responses.map(({ status }) => status)).toEqual(statuses)
      for (const response of name === 'the server' ? responses : [])
        expectCompleteResponse(response)
      expect((await sandbox.snapshot()).state.records).toEqual(before.state.records)
    },
  )

  it.each(INCOMPLETE)('that is closed by the client after %j changes nothing', async (text) => {
    const before = await sandbox.snapshot()
    const socket = openConnection(port)
    socket.write(text)
    await sleep(20)

    socket.destroy()
    await waitForNoConnections(server)

    expect((await sandbox.snapshot()).state.records).toEqual(before.state.records)
  })

  it('gets a response after the client has half-closed it', async () => {
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

  it('serves requests while a thousand clients send malformed ones, and exits cleanly on a signal', async () => {
    const { base, stop } = await startCommand(['--log', 'silent'])
    const port = Number(new URL(base).port)
    const texts = [...WELL_FORMED, ...MALFORMED, ...INVALID_HOSTS]
      .flatMap(({ steps }) =>
        steps.filter((step) => typeof step === 'string' || step instanceof Uint8Array),
      )
      .concat(INCOMPLETE)
    const sockets: Socket[] = []
    for (let index = 0; index < CLIENTS; index += 1) {
      const socket = openConnection(port).resume()
      socket.write(texts[index % texts.length] ?? '')
      sockets.push(socket)
    }
    await Promise.all(sockets.map((socket) => socket.connecting && once(socket, 'connect')))

    const responses = await Promise.all(
      Array.from({ length: 50 }, () => exchangeBytes(port, [GET])),
    )
    for (const socket of sockets) socket.destroy()
    const [after] = await exchangeBytes(port, [GET])
    const { code, stderr } = await stop()

    expect(responses.flat().map(({ status }) => status)).toEqual(Array<number>(50).fill(200))
    expect(after?.status).toBe(200)
    expect([code, stderr]).toEqual([0, ''])
  }, 30_000)

  it('serves a thousand concurrent clients', async () => {
    const { base, stop } = await startCommand(['--log', 'silent'])
    const port = Number(new URL(base).port)

    const responses = await Promise.all(
      Array.from({ length: CLIENTS }, () => exchangeBytes(port, [GET])),
    )
    const { code } = await stop()

    expect(responses.flat()).toHaveLength(CLIENTS)
    expect(new Set(responses.flat().map(({ status }) => status))).toEqual(new Set([200]))
    expect(code).toBe(0)
  }, 30_000)
})
