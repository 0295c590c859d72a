import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { MEBIBYTE } from '../http/body-limits.ts'
import { http } from '../transports/node-http.ts'
import type { EventReceiver, ReceivedEvent } from '../verify/session/event-addresses.ts'
import { unguessableWord } from '../verify/test-data/unguessable.ts'
import { listen } from './listen.ts'

/** So many requests are kept. Further ones are answered only. */
const MAX_EVENTS = 1000
/** So much of a body is kept. */
const MAX_BODY_BYTES = MEBIBYTE
/** How long a request may take, in milliseconds. */
const MAX_REQUEST_MS = 10_000
const MAX_CONNECTIONS = 64

/** No event comes any more when none has come for so long, in milliseconds. */
const QUIET_MS = 300
/** The longest wait for that. */
const MAX_QUIET_MS = 3000

/** Listens at a free port of a host for the events of a service, and answers each with a 204. */
export async function listenForEvents(host: string): Promise<EventReceiver> {
  const received: ReceivedEvent[] = []
  // Other programs of this machine do not know the path.
  const path = `/${unguessableWord()}`
  let latest = Date.now()
  const server = http.createServer((request, response) => {
    void readEvent(request, path, response).then((event) => {
      latest = Date.now()
      if (event && received.length < MAX_EVENTS) received.push(event)
    })
  })
  server.requestTimeout = MAX_REQUEST_MS
  server.headersTimeout = MAX_REQUEST_MS
  server.maxConnections = MAX_CONNECTIONS
  const origin = await listen(server, host, 0)

  return {
    url: origin + path,
    received,
    quiet: async (signal) => {
      const start = Date.now()
      latest = start
      while (!signal?.aborted) {
        const now = Date.now()
        const end = Math.min(latest + QUIET_MS, start + MAX_QUIET_MS)
        if (now >= end) return
        await sleep(end - now, undefined, { ...(signal && { signal }) }).catch(() => undefined)
      }
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads a request and answers it; `undefined` when it is not for the receiver, or ends early. */
async function readEvent(
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
): Promise<ReceivedEvent | undefined> {
  const { method = '', url = '' } = request
  const isOwn = url.startsWith(`${path}/`)
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of request) {
      size += part.length
      if (size > MAX_BODY_BYTES) break
      parts.push(part)
    }
  } catch {
    return undefined
  }
  const isCut = size > MAX_BODY_BYTES
  response.writeHead(isOwn ? 204 : 404, isCut ? { Connection: 'close' } : {}).end()
  if (!isOwn) return undefined
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)

  return {
    method,
    target: url.slice(path.length),
    headers,
    text: Buffer.concat(parts).toString(),
    isCut,
  }
}
