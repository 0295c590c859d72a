import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pass } from 'node:timers/promises'

/** An answer as it came on the line. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Text or bytes to be written, or milliseconds to wait before what follows. */
export type WriteStep = string | Uint8Array | number

/** A bare connection, whose end by a reset is an end like others. */
export function openConnection(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined)
}

/** Writes on a bare connection, and gives all answers that come until the server ends it. */
export async function exchangeBytes(
  port: number,
  pieces: readonly WriteStep[],
): Promise<RawResponse[]> {
  const socket = openConnection(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = once(socket, 'close')
  for (const piece of pieces) {
    if (typeof piece === 'number') await pass(piece)
    else socket.write(piece)
  }
  await ended

  return parseResponses(Buffer.concat(chunks))
}

/** Lines of a head, with its end. */
export function requestHead(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n')
}

function parseResponses(bytes: Buffer): RawResponse[] {
  const answers: RawResponse[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n') + 4
    const [start = '', ...lines] = rest.toString('latin1', 0, end - 4).split('\r\n')
    const headers = new Headers(lines.map(pairOf))
    const size = Number(headers.get('Content-Length'))
    const body = rest.toString('utf8', end, end + size)
    answers.push({ status: Number(start.split(' ')[1]), headers, body })
    rest = rest.subarray(end + size)
  }
  return answers
}

function pairOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}
