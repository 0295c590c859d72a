import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request that a server has begun to serve. */
export interface RequestInProgress {
  /** Sends the body, which ends the request. */
  readonly end: (body?: string) => void
  /** Rejects when the connection is closed before the response. */
  readonly response: Promise<{ readonly status: number; readonly body: string }>
}

/**
 * Begins a request, and resolves when the server has it: the server then says 100 (Continue), whatever the response will be and
 * however long it takes.
 */
export async function beginRequest(
  url: string | URL,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<RequestInProgress> {
  const sent = open(url, { method, headers: { ...headers, Expect: '100-continue' }, agent: false })
  const response = responseTo(sent)
  // Who waits for it may do so later.
  response.catch(() => undefined)
  await Promise.race([once(sent, 'continue'), response])

  return { end: (body) => void sent.end(body), response }
}

async function responseTo(sent: ClientRequest): Promise<{ status: number; body: string }> {
  const [message]: IncomingMessage[] = await once(sent, 'response')
  if (!message) throw new Error('There is no response.')

  return { status: message.statusCode ?? 0, body: await text(message) }
}

/** Resolves when a server accepts no more connections. */
export async function untilClosed({ base }: { readonly base: string }): Promise<void> {
  const { hostname, port } = new URL(base)
  const accepts = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => resolve(false))
      socket.on('connect', () => resolve(socket.destroy().destroyed))
    })
  while (await accepts()) await sleep(20)
}
