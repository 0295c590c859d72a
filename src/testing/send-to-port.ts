import { Agent, type IncomingMessage, request as open } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Fetch } from './replay.ts'

/** Sends requests to a port of this machine over HTTP. The `Host` header is the host of the request's URL. */
export function sendToPort(port: number): Fetch {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  return async (request) => {
    const { host, pathname, search } = new URL(request.url)
    const body = new Uint8Array(await request.arrayBuffer())
    const headers = { ...Object.fromEntries(request.headers), host, 'content-length': body.length }
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = open({ agent, port, method: request.method, path: pathname + search, headers })
      sent.on('response', resolve).on('error', reject).end(body)
    })
    const content = await buffer(message)

    return new Response(content.length > 0 ? Uint8Array.from(content) : null, {
      status: message.statusCode ?? 0,
      headers: headersOf(message),
    })
  }
}

/** The headers of a message; a repeated header keeps all its values. */
export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  return headers
}
