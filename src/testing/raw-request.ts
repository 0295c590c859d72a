import { once } from 'node:events'
import { connect } from 'node:net'
import type { Sandbox } from '../index.ts'
import { listen } from './connections.ts'

/**
 * Serves a sandbox, writes `lines` on a bare connection to it, and gives the answer: for requests that the Fetch API
 * would put right. The lines are the request's head; a `Host` and the end of the connection are added.
 */
export async function sendRawRequest(
  sandbox: Sandbox,
  lines: readonly string[],
  body = '',
): Promise<Response> {
  const { port, close } = await listen(sandbox)
  try {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    const [first = '', ...headers] = lines
    socket.write([first, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', body].join('\r\n'))
    await once(socket, 'close')

    return toResponse(Buffer.concat(chunks).toString())
  } finally {
    await close()
  }
}

function toResponse(text: string): Response {
  const end = text.indexOf('\r\n\r\n')
  const [status = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return new Response(text.slice(end + 4), { status: Number(status.split(' ')[1]), headers })
}
