import { setTimeout } from 'node:timers/promises'
import { type CoreResponse, PIECE_INTERVAL, piecesOf } from '../http/message.ts'
import { unwritable } from '../http/problem.ts'
import { leaveUnanswered, setStream } from './connections.ts'

/** The parts of an Express response that the handler uses. */
export interface ExpressResponse {
  readonly headersSent: boolean
  /** Gives the socket. The response has none while it waits for the responses to earlier requests. */
  readonly req: {
    readonly socket: {
      readonly destroyed: boolean
      resetAndDestroy(): unknown
      destroy(): unknown
    }
  }
  setHeader(name: string, value: string): unknown
  getHeaderNames(): string[]
  removeHeader(name: string): unknown
  /** Of an attempt to write another response; empty for the usual one of the status. */
  statusMessage: string
  writeHead(status: number, headers: Record<string, string | number | string[]>): unknown
  /** Sends the head before there is a body. */
  flushHeaders(): void
  /** Whether the response is over. */
  readonly closed: boolean
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  write(chunk: Uint8Array, written?: () => void): unknown
  end(body: string | Uint8Array): unknown
}

/** Writes a response. One that Node cannot write becomes a 500, or closes the connection: it never ends the process. */
export function send(answer: CoreResponse, response: ExpressResponse): void {
  try {
    write(answer, response)
  } catch (error) {
    sendUnwritable(error, response)
  }
}

/** Writes a response when there is one. */
export function sendLater(answer: Promise<CoreResponse>, response: ExpressResponse): void {
  answer.then(
    (known) => send(known, response),
    (error: unknown) => sendUnwritable(error, response),
  )
}

/** Writes a 500 without what is common to all responses, because that may be what cannot be written. */
export function sendUnwritable(error: unknown, response: ExpressResponse): void {
  console.error(error)
  const { socket } = response.req
  if (response.headersSent) return void socket.destroy()
  try {
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    response.statusMessage = ''
    write(unwritable(), response)
  } catch {
    socket.destroy()
  }
}

/** Node omits the body for HEAD. Throws for a response that it cannot write. */
export function write(
  { status, headers, body, fault, stream }: CoreResponse,
  response: ExpressResponse,
): void {
  if (fault === 'reset') return void response.req.socket.resetAndDestroy()
  if (fault === 'empty') return void response.req.socket.destroy()
  if (fault === 'timeout') return void leaveUnanswered(response.req.socket)
  const cookies = headers['Set-Cookie']?.split('\n')
  const sent = cookies ? { ...headers, 'Set-Cookie': cookies } : headers
  response.writeHead(
    status,
    body.length > 0 ? { ...sent, 'Content-Length': Buffer.byteLength(body) } : sent,
  )
  if (stream) return void writeStream(stream(), response, fault === 'truncated')
  if (!fault) return void response.end(body)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (fault === 'slow-bytes') return void writePieces(piecesOf(bytes), response)
  const half = bytes.subarray(0, bytes.length / 2)
  response.write(half, () => response.req.socket.destroy())
}

/** Writes a body in pieces, with a pause before each. */
async function writePieces(
  pieces: readonly Uint8Array[],
  response: ExpressResponse,
): Promise<void> {
  const { socket } = response.req
  for (const piece of pieces) {
    await setTimeout(PIECE_INTERVAL)
    if (socket.destroyed) return
    await new Promise<void>((resolve) => void response.write(piece, () => resolve()))
  }
  response.end('')
}

/**
 * Writes a body while it arises, which is cancelled when the client disconnects. `isCut`: the connection is closed after the first part.
 */
export async function writeStream(
  stream: ReadableStream<Uint8Array>,
  response: ExpressResponse,
  isCut = false,
): Promise<void> {
  response.flushHeaders()
  const reader = stream.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  response.once('close', cancel)
  const { socket } = response.req
  setStream(socket, cancel)
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    // The client may have disconnected before the response began. Then there is no event, and an endless body would never end.
    if (response.closed) return cancel()
    if (isCut) return void response.write(read.value, () => socket.destroy())
    if (response.write(read.value)) continue
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.off('drain', goOn)
        response.off('close', goOn)
        resolve()
      }
      response.once('drain', goOn)
      response.once('close', goOn)
    })
  }
  setStream(socket, undefined)
  response.end('')
}
