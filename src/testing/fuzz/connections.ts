import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as open, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { toExpress } from '../../express.ts'
import type { Sandbox, SandboxOptions } from '../../index.ts'
import type { Awaitable } from '../../records/awaitable.ts'
import type { Snapshot } from '../../sandbox/snapshot.ts'
import { createSandboxServer } from '../../transports/server.ts'
import { headersOf } from '../send-to-port.ts'
import { openBalancedServers } from '../store-sandbox.ts'
import type { ModelRecord } from './record.ts'
import type { FuzzRequest } from './request.ts'

/** A response with its body as text. */
export interface FuzzResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A connection to a sandbox through one transport. */
export interface FuzzConnection {
  readonly origin: string
  readonly send: (request: FuzzRequest) => Promise<FuzzResponse>
  readonly close: () => Promise<void>
}

/** The world of a sequence, in this process or elsewhere. */
export interface FuzzWorld {
  readonly clock: {
    set(milliseconds: number): Awaitable<void>
    advance(milliseconds: number): Awaitable<void>
  }
  collection(path: `/${string}`): { list(): Promise<readonly ModelRecord[]> }
  snapshot(): Promise<Snapshot>
  restore(snapshot: Snapshot): Promise<void>
  reset(): Awaitable<void>
}

/** A new world, and a connection to it. */
export interface OpenedWorld {
  readonly world: FuzzWorld
  readonly connection: FuzzConnection
}

/** Uses `sandbox.fetch`. GET and HEAD have no body, because the Fetch API forbids it. */
export async function connectInProcess(sandbox: Sandbox): Promise<FuzzConnection> {
  const origin = 'http://127.0.0.1:4010'
  return {
    origin,
    send: async ({ method, target, headers, body }) => {
      const takesBody = method !== 'GET' && method !== 'HEAD'
      const init = {
        method,
        headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
      }
      const sent = body && takesBody ? { ...init, body: Uint8Array.from(body) } : init
      const response = await sandbox.fetch(new Request(origin + target, sent))
      return { status: response.status, headers: response.headers, body: await response.text() }
    },
    close: async () => undefined,
  }
}

/** Starts the server of `pet-sandbox serve`. */
export function connectToServer(sandbox: Sandbox): Promise<FuzzConnection> {
  return connectByHttp(createSandboxServer(sandbox))
}

/** Starts an Express app with the handler of the sandbox and a handler of its own. */
export function connectToExpress(sandbox: Sandbox): Promise<FuzzConnection> {
  const app = express()
  app.use(toExpress(sandbox))
  app.use((_request, response) => {
    response.status(404).json({ code: 'not_found', message: 'Nothing here', status: 404 })
  })
  return connectByHttp(createServer(app))
}

/** Starts two servers on the store of this run, which answer every other request. */
export async function connectToStore(options: SandboxOptions): Promise<OpenedWorld> {
  const { client, nextPort, close } = await openBalancedServers({ sandbox: options })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const connection: FuzzConnection = {
    origin: 'http://127.0.0.1:4010',
    send: (request) => exchange(agent, nextPort(), request),
    close: async () => {
      agent.destroy()
      await close()
    },
  }
  return { world: client, connection }
}

async function connectByHttp(server: Server): Promise<FuzzConnection> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })

  return {
    origin: `http://127.0.0.1:${port}`,
    send: (request) => exchange(agent, port, request),
    close: async () => {
      agent.destroy()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function exchange(
  agent: Agent,
  port: number,
  { method, target, headers, body }: FuzzRequest,
): Promise<FuzzResponse> {
  const sent = open({ agent, port, host: '127.0.0.1', method, path: target })
  for (const name of new Set(headers.map(([one]) => one))) {
    const values = headers.filter(([one]) => one === name).map(([, value]) => value)
    sent.setHeader(name, values.length === 1 ? (values[0] ?? '') : values)
  }
  if (body) sent.setHeader('content-length', body.length)
  sent.end(body)
  const [message]: IncomingMessage[] = await once(sent, 'response')
  if (!message) throw new TypeError('There was no response')
  const text = (await buffer(message)).toString()

  return { status: message.statusCode ?? 0, headers: headersOf(message), body: text }
}
