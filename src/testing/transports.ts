import type { AddressInfo } from 'node:net'
import { afterEach, describe } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import { createSandboxServer } from '../transports/server.ts'
import { expectToKeepContract } from './contract-validator.ts'

/** When the clock of an opened sandbox stands still: noon, with a minute and half a day still to go. */
const NOON = '2027-03-01T12:00:00Z'

/** Sends a web request and gives the answer. */
export type Fetch = (request: Request) => Promise<Response>

/** A sandbox as it is reached by one transport. */
interface Connection {
  /** As `http://127.0.0.1:4010/v1`. */
  readonly base: string
  readonly fetch: Fetch
  /** Frees what the transport holds. */
  readonly close?: () => Promise<void>
}

/** A way to reach a sandbox. */
interface Transport {
  readonly name: string
  readonly connect: (sandbox: Sandbox) => Promise<Connection>
}

/** What a request may say besides its method and path. */
export interface RequestOptions {
  /** The API key; `sk_sandbox_free` when left out, none when `null`. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array
  /** The content type of a body; `application/json` when left out, none when `null`. */
  readonly type?: string | null
}

/** Sends a request to a path below the base address, as `request('GET', '/pets?limit=5')`. */
export type SendRequest = (
  method: string,
  path: string,
  options?: RequestOptions,
) => Promise<Response>

/** A sandbox, and the ways to ask it. Its clock stands still at {@link NOON}. */
export interface Opened {
  readonly sandbox: Sandbox
  readonly base: string
  readonly request: SendRequest
  readonly fetch: Fetch
}

/** Opens a sandbox for the running test; it is closed when the test ends. */
export type Open = (options?: SandboxOptions) => Promise<Opened>

/** Every example runs through each of these. */
const TRANSPORTS: readonly Transport[] = [
  { name: 'in process', connect: connectInProcess },
  { name: 'over HTTP', connect: connectByHttp },
]

/**
 * Describes what holds by every transport. Each response that the examples get is checked against openapi.yaml.
 *
 * @example
 * describeEachTransport('Authentication', (open) => {
 *   it('refuses a request without a key', async () => {
 *     const { request } = await open()
 *
 *     const response = await request('GET', '/pets', { key: null })
 *
 *     expect(response.status).toBe(401)
 *   })
 * })
 */
export function describeEachTransport(name: string, examples: (open: Open) => void): void {
  describe.each(TRANSPORTS.map(toRow))(`${name}, %s`, (_, connect) => {
    const connections: Connection[] = []

    afterEach(async () => {
      await Promise.all(connections.splice(0).map(({ close }) => close?.()))
    })

    examples(async (options) => {
      const sandbox = createSandbox(options)
      sandbox.clock.set(NOON)
      const connection = await connect(sandbox)
      connections.push(connection)
      const fetch = checkedFetch(connection)

      return { sandbox, base: connection.base, fetch, request: requester(connection.base, fetch) }
    })
  })
}

/** The whole of a request to `address`, with what the options leave out filled in. */
export function toRequest(method: string, address: string, options: RequestOptions = {}): Request {
  const { key = 'sk_sandbox_free', type = 'application/json', body, raw } = options
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const headers = new Headers()
  if (key !== null) headers.set('Authorization', `Bearer ${key}`)
  if (text !== undefined && type !== null) headers.set('Content-Type', type)
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  // As bytes, since a body of text brings a content type of its own.
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text

  return new Request(address, { method, headers, ...(bytes && { body: Uint8Array.from(bytes) }) })
}

function toRow({ name, connect }: Transport): [string, Transport['connect']] {
  return [name, connect]
}

function requester(base: string, fetch: Fetch): SendRequest {
  return (method, path, options) => fetch(toRequest(method, base + path, options))
}

/** Answers are checked against the document, and then given on unread. */
function checkedFetch({ base, fetch }: Connection): Fetch {
  return async (request) => {
    const { method, url } = request
    const response = await fetch(request)
    const { pathname } = new URL(url)
    const basePath = new URL(base).pathname
    const isBelowBase = pathname === basePath || pathname.startsWith(`${basePath}/`)
    if (isBelowBase) {
      expectToKeepContract({
        method,
        path: pathname.slice(basePath.length),
        status: response.status,
        headers: response.headers,
        body: await response.clone().text(),
      })
    }
    return response
  }
}

async function connectInProcess(sandbox: Sandbox): Promise<Connection> {
  return { base: `http://localhost${sandbox.contract.basePath}`, fetch: sandbox.fetch }
}

async function connectByHttp(sandbox: Sandbox): Promise<Connection> {
  const { port, close } = await listen(sandbox)
  return { base: `http://127.0.0.1:${port}${sandbox.contract.basePath}`, fetch, close }
}

/** Serves a sandbox as `pet-sandbox serve` does, on any free port. */
export async function listen(
  sandbox: Sandbox,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createSandboxServer(sandbox)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
