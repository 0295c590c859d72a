import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Delivery } from '../http/message.ts'
import { realNow } from '../time/clock.ts'

/** Connections whose clients wait for a response that never comes. */
const unanswered = new WeakSet<object>()

/** Leaves a connection open without a response, until the client disconnects or the server closes. */
export function leaveUnanswered(socket: object): void {
  unanswered.add(socket)
}

/** Functions that end the streams on connections. */
const streaming = new WeakMap<object, () => void>()

/** Says how the stream on a connection ends when the server closes; `undefined` when it has ended. */
export function setStream(socket: object, end: (() => void) | undefined): void {
  if (end) streaming.set(socket, end)
  else streaming.delete(socket)
}

/** Makes a server close these connections with its idle ones, and end streams. Otherwise they would keep it open. */
export function closeUnanswered(server: Server): void {
  const sockets = trackSockets(server)
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const socket of sockets) {
      if (unanswered.has(socket)) socket.destroy()
      streaming.get(socket)?.()
    }
  }
}

/** The open connections of a server. The set changes as connections open and close. */
export function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** What tells over which connection a request came, and for whom. */
interface ConnectedRequest {
  readonly httpVersionMajor?: number
  readonly socket: object
  readonly headers: { readonly [name: string]: string | string[] | undefined }
}

/** Headers of proxies, whose connections are not those of clients, and of browsers, in which requests wait for a free connection. */
const INDIRECT = ['via', 'forwarded', 'x-forwarded-for', 'x-real-ip', 'sec-fetch-site']

/** Calls a function after this turn of the event loop. It is the original, which fake timers of a test do not replace. */
export const afterTurn: typeof setImmediate = setImmediate

/** Numbers the connections of servers from 1, and notes when they are opened. */
export class Connections {
  readonly #numbers = new WeakMap<object, number>()
  readonly #opened = new WeakMap<object, number>()
  readonly #watched = new WeakMap<object, number>()
  #count = 0
  #busySince: number | undefined
  #hasWorked = false

  /** How a request comes now. HTTP/2 sends requests before the responses to earlier ones on the same connection. */
  deliveryOf({ httpVersionMajor = 1, socket, headers }: ConnectedRequest): Delivery {
    const received = realNow()
    this.#noteWork(received)
    if (httpVersionMajor > 1 || INDIRECT.some((name) => headers[name] !== undefined)) {
      return { received }
    }
    const known = this.#numbers.get(socket)
    if (known !== undefined) return { received, connection: known }
    this.#count += 1
    this.#numbers.set(socket, this.#count)

    return { received, connection: this.#count, opened: this.#openedAt(socket, received) }
  }

  /** When a connection was opened. Those of a server that no request had reached were opened before its first request. */
  #openedAt(socket: object, now: number): number {
    const server = 'server' in socket ? socket.server : undefined
    if (!(server instanceof EventEmitter)) return now
    const watchedSince = this.#watched.get(server) ?? now
    if (!this.#watched.has(server)) {
      this.#watched.set(server, now)
      // Connections that the server accepts while it is busy had to wait for that.
      server.on('connection', (one: object) => this.#opened.set(one, this.#noteWork(realNow())))
    }
    return this.#opened.get(socket) ?? watchedSince
  }

  /** Notes that a request or a connection comes, and returns since when the server has worked without a pause. */
  #noteWork(now: number): number {
    this.#hasWorked = true
    if (this.#busySince === undefined) {
      this.#busySince = now
      this.#watchTurn()
    }
    return this.#busySince
  }

  /** Ends the time of work after a turn without any. The event loop does not sleep in a turn before which this is called. */
  #watchTurn(): void {
    afterTurn(() => {
      if (this.#hasWorked) this.#watchTurn()
      else this.#busySince = undefined
      this.#hasWorked = false
    })
  }
}
