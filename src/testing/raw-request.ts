import type { Sandbox } from '../index.ts'
import { listen } from './connections.ts'
import { exchangeBytes, requestHead } from './raw-connection.ts'

/**
 * Serves a sandbox over HTTP, writes one request to a TCP connection and returns the response. It sends requests that the
 * Fetch API would correct or reject. `lines` is the request line and the headers; `Host` and `Connection: close` are added.
 */
export async function sendRawRequest(
  sandbox: Sandbox,
  [requestLine = '', ...headers]: readonly string[],
  body = '',
): Promise<Response> {
  const { port, close } = await listen(sandbox)
  try {
    const head = requestHead(requestLine, 'Host: 127.0.0.1', 'Connection: close', ...headers)
    const [response] = await exchangeBytes(port, [head + body])
    if (!response) throw new TypeError('The server closed the connection without a response')

    return new Response(response.body, { status: response.status, headers: response.headers })
  } finally {
    await close()
  }
}
