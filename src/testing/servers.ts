import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type RequestListener,
} from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { type ControlOptions, createControl } from '../control.ts'
import { createSandbox, type SandboxOptions, type ShippedSandbox } from '../index.ts'
import { createSandboxServer } from '../transports/server.ts'

/** Something that listens. */
export interface ListeningServer {
  readonly server: Server | HttpServer
  /** Breaks all connections. */
  readonly dropConnections: () => void
  readonly port: number
  /** As `http://127.0.0.1:4010`. */
  readonly origin: string
}

/** A sandbox on HTTP with its control interface. */
export interface ServedSandbox extends ListeningServer {
  readonly sandbox: ShippedSandbox
}

/** How a sandbox is served. */
export interface ServedOptions {
  readonly sandbox?: Omit<SandboxOptions, 'contract'>
  /** `false` for none. */
  readonly control?: ControlOptions | false
  /** Any free one when left out. */
  readonly port?: number
}

const closers: (() => Promise<void>)[] = []

/** Ends what a test left listening. */
export async function stopServers(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()))
}

export async function serveSandbox(options: ServedOptions = {}): Promise<ServedSandbox> {
  const { control: leave, port = 0 } = options
  const sandbox = createSandbox(options.sandbox)
  const control = leave === false ? undefined : createControl(sandbox, leave)
  const listening = await listen(createSandboxServer(sandbox, { control }), port)
  closers.push(async () => control?.close())

  return { sandbox, ...listening }
}

/** A server of something else. */
export function serveHttp(listener: RequestListener): Promise<ListeningServer> {
  return listen(createHttpServer(listener), 0)
}

/** A server that need not speak HTTP. */
export function serveTcp(listener: (socket: Socket) => void): Promise<ListeningServer> {
  return listen(createServer(listener), 0)
}

/** Ends one of those servers, and all of its connections. */
export async function closeServer({ server, dropConnections }: ListeningServer): Promise<void> {
  if (!server.listening) return
  const ended = once(server, 'close')
  server.close()
  dropConnections()
  await ended
}

async function listen(server: Server | HttpServer, port: number): Promise<ListeningServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: given } = server.address() as AddressInfo
  const listening: ListeningServer = {
    server,
    port: given,
    origin: `http://127.0.0.1:${given}`,
    dropConnections: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
  closers.push(() => closeServer(listening))
  return listening
}
