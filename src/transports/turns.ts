import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Reply } from '../message.ts'

/** So many milliseconds a client has to take its refusal off the line, and to close. */
const LINGER = 1000

/** The last two responses of a connection, until they are sent: what is held longer is not collected while it is young. */
interface Turn {
  before?: ServerResponse | undefined
  last?: ServerResponse | undefined
}

/**
 * Refuses what cannot be read on a connection, in its turn: the requests before it are answered first (RFC 9112, section
 * 9.3.2), and no request is answered twice.
 */
export class Turns {
  readonly #turns = new WeakMap<Duplex, Turn>()
  readonly #refused = new WeakSet<Duplex>()

  /** A request was read, and is to be answered. */
  take(last: ServerResponse): void {
    const turn = this.#turnOf(last.req.socket)
    turn.before = turn.last
    turn.last = last
    last.on('close', () => {
      if (turn.before === last) turn.before = undefined
      // Of a request whose body is still coming, that may turn out to be what cannot be read.
      if (turn.last === last && last.req.complete) turn.last = undefined
    })
  }

  #turnOf(socket: Duplex): Turn {
    const known = this.#turns.get(socket)
    if (known) return known
    const turn = {}
    this.#turns.set(socket, turn)
    return turn
  }

  /** Nothing more is read on a connection. Asks for the reply when it is sent, if it is. */
  refuse(socket: Duplex, reply: () => Reply): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    // Of a connection that it hands over, Node listens to errors no more, and one that nobody hears ends the process.
    socket.on('error', () => undefined)
    const { before, last } = this.#turnOf(socket)
    const end = (): void => close(socket, reply())

    if (!last || last.req.complete) {
      settled(last, end)
      return
    }
    // Its own body is what cannot be read; it may have been answered without it.
    settled(before, () => {
      if (last.headersSent) settled(last, () => close(socket))
      else end()
    })
  }
}

/** Calls `then` when a response is sent, or will never be. */
function settled(response: ServerResponse | undefined, then: () => void): void {
  if (!response || response.closed || response.writableFinished) then()
  else response.once('close', then)
}

/** Answers on a bare connection, where Node made no response to write to, and ends it. */
function close(socket: Duplex, reply?: Reply): void {
  if (!socket.writable) return void socket.destroy()
  socket.end(reply && textOf(reply))
  setTimeout(() => socket.destroy(), LINGER).unref()
}

function textOf({ status, headers, body }: Reply): string {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)

  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
