import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type RequestListener,
} from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { type ControlOptions, createControl } from '../control.ts'
import { createSandbox, type SandboxOptions, type ShippedSandbox } from '../index.ts'
import { createSandboxServer } from '../transports/server.ts'
import { listenOnFreePort } from './free-port.ts'

/** A server that listens on 127.0.0.1. */
export interface ListeningServer {
  readonly server: Server | HttpServer
  /** Closes all connections abruptly. */
  readonly dropConnections: () => void
  readonly port: number
  /** Such as `http://127.0.0.1:4010`. */
  readonly origin: string
}

/** A sandbox that is served over HTTP with its control interface. */
export interface ServedSandbox extends ListeningServer {
  readonly sandbox: ShippedSandbox
}

/** How to serve a sandbox. */
export interface ServedOptions {
  readonly sandbox?: Omit<SandboxOptions, 'contract'>
  /** `false`: no control interface. */
  readonly control?: ControlOptions | false
  /** Default: a free port. */
  readonly port?: number
}

const closers: (() => Promise<void>)[] = []

/** Closes the servers that a test has left open. */
export async function stopServers(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()))
}

export async function serveSandbox(options: ServedOptions = {}): Promise<ServedSandbox> {
  const { control: controlOptions, port } = options
  const sandbox = createSandbox(options.sandbox)
  const control = controlOptions === false ? undefined : createControl(sandbox, controlOptions)
  const listening = await listen(createSandboxServer(sandbox, { control }), port)
  closers.push(async () => control?.close())

  return { sandbox, ...listening }
}

/** Serves another HTTP service. */
export function serveHttp(listener: RequestListener): Promise<ListeningServer> {
  return listen(createHttpServer(listener))
}

/** Serves TCP connections, which need not use HTTP. */
export function serveTcp(listener: (socket: Socket) => void): Promise<ListeningServer> {
  return listen(createServer(listener))
}

/** Closes a server and all its connections. */
export async function closeServer({ server, dropConnections }: ListeningServer): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  dropConnections()
  await closed
}

/** Listens on a port that no outgoing connection gets, so that another server can listen on it after this one. */
async function listen(server: Server | HttpServer, given?: number): Promise<ListeningServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  const port = given ?? (await listenOnFreePort(server))
  if (given !== undefined) await once(server.listen(port, '127.0.0.1'), 'listening')
  const listening: ListeningServer = {
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    dropConnections: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  closers.push(() => closeServer(listening))
  return listening
}
