import { Agent, type IncomingMessage, request as open } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Fetch } from './replay.ts'

/** Sends requests to a port of this machine by plain HTTP, while they name the host of their own address. */
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
      headers: pairs(message.rawHeaders),
    })
  }
}

function pairs(list: readonly string[]): [string, string][] {
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : []))
}
