import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** An HTTP response, parsed from the bytes of a TCP connection. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A step that waits until the server has sent something after the previous step. */
export const AWAIT_RESPONSE: unique symbol = Symbol('await a response')

/** Text or bytes to write, milliseconds to wait before the next step, or a wait for a response. */
export type WriteStep = string | Uint8Array | number | typeof AWAIT_RESPONSE

/** Opens a TCP connection. Errors such as a connection reset are ignored; the socket closes after them. */
export function openConnection(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined)
}

/** Writes the steps to a TCP connection and returns all responses until the server closes it. */
export async function exchangeBytes(
  port: number,
  steps: readonly WriteStep[],
): Promise<RawResponse[]> {
  const socket = openConnection(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = once(socket, 'close')
  let received = 0
  for (const step of steps) {
    if (typeof step === 'number') await sleep(step)
    else if (step === AWAIT_RESPONSE) {
      if (chunks.length === received) await Promise.race([once(socket, 'data'), closed])
    } else {
      received = chunks.length
      socket.write(step)
    }
  }
  await closed

  return parseResponses(Buffer.concat(chunks))
}

/** The head of a request: the lines, and the empty line that ends them. */
export function requestHead(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n')
}

function parseResponses(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n') + 4
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end - 4).split('\r\n')
    const headers = new Headers(lines.map(parseHeader))
    const size = Number(headers.get('Content-Length'))
    const body = rest.toString('utf8', end, end + size)
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, body })
    rest = rest.subarray(end + size)
  }
  return responses
}

function parseHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}
