import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'

/** Milliseconds that a client has to read its refusal, and to close the connection. */
const LINGER = 1000

/** With what a connection was ended on which something could not be read. */
const refusals = new WeakMap<object, Problem>()

/** The problem that was answered, in place of all else, to what could not be read on a connection. */
export function problemOfSocket(socket: object): Problem | undefined {
  return refusals.get(socket)
}

/** The last two responses of a connection, until they are sent: held longer, they would be costly to collect. */
interface LatestResponses {
  before?: ServerResponse | undefined
  last?: ServerResponse | undefined
}

/**
 * Refuses what cannot be read on a connection when its turn comes: the requests before it are answered first (RFC 9112,
 * section 9.3.2), and none is answered twice.
 */
export class PipelinedResponses {
  readonly #turns = new WeakMap<Duplex, LatestResponses>()
  readonly #refused = new WeakSet<Duplex>()

  /** Whether a connection was refused: nothing that comes on it is a request any more. */
  hasRefused(socket: Duplex): boolean {
    return this.#refused.has(socket)
  }

  /** Notes a request that was read, by its response. */
  take(last: ServerResponse): void {
    const turn = this.#turnOf(last.req.socket)
    turn.before = turn.last
    turn.last = last
    last.on('close', () => {
      if (turn.before === last) turn.before = undefined
      // A request whose body is still coming is kept: the body may turn out to be what cannot be read.
      if (turn.last === last && last.req.complete) turn.last = undefined
    })
  }

  #turnOf(socket: Duplex): LatestResponses {
    const known = this.#turns.get(socket)
    if (known) return known
    const turn = {}
    this.#turns.set(socket, turn)
    return turn
  }

  /** Ends a connection on which nothing more can be read, with a problem whose reply is made when its turn comes, if it does. */
  refuse(socket: Duplex, problem: Problem, toReply: (problem: Problem) => CoreResponse): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    // Node no longer listens for errors of a connection that it hands over, and one that nobody hears ends the process.
    socket.on('error', () => undefined)
    const { before, last } = this.#turnOf(socket)
    const end = (): void => {
      if (socket.writable) refusals.set(socket, problem)
      close(socket, toReply(problem))
    }

    if (!last || last.req.complete) {
      whenClosed(last, end)
      return
    }
    // Its own body is what cannot be read; it may have been answered without it.
    whenClosed(before, () => {
      if (last.headersSent) whenClosed(last, () => close(socket))
      else end()
    })
  }
}

/** Calls `then` once a response is sent, or never will be. */
function whenClosed(response: ServerResponse | undefined, then: () => void): void {
  if (!response || response.closed || response.writableFinished) then()
  else response.once('close', then)
}

/** Answers on a bare connection, where Node made no response to write to, and ends it. */
function close(socket: Duplex, response?: CoreResponse): void {
  if (!socket.writable) return void socket.destroy()
  socket.end(response && textOf(response))
  setTimeout(() => socket.destroy(), LINGER).unref()
}

function textOf({ status, headers, body }: CoreResponse): string {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)

  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
