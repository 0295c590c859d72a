import { afterEach, describe } from 'vitest'
import type { Sandbox, SandboxOptions } from '../index.ts'
import { findBrowser } from './browser.ts'
import {
  type Capability,
  failOnUndeclared,
  failOnUnused,
  requiredCapabilities,
} from './capabilities.ts'
import {
  type Connection,
  connectByHttp,
  connectByMsw2,
  connectByMsw3,
  connectByWorker,
  connectInProcess,
} from './connections.ts'
import { expectValidExchange } from './contract-validator.ts'
import { SUPPORTS_MSW_3 } from './modern-node.ts'
import type { Fetch } from './replay.ts'

/** When the clock of an opened sandbox stands still: noon, with a minute and half a day still to go. */
const NOON = '2027-03-01T12:00:00Z'

/** A way to reach a sandbox. */
interface Transport {
  readonly name: string
  readonly connect: (options?: SandboxOptions) => Promise<Connection>
  /** What it does not carry: examples that need it are not defined for it. */
  readonly lacks: readonly Capability[]
  /** Whether it can be had here. */
  readonly isAvailable: boolean
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
export interface OpenedSandbox {
  readonly sandbox: Sandbox
  readonly base: string
  readonly request: SendRequest
  readonly fetch: Fetch
}

/** Opens a sandbox for the running test; it is closed when the test ends. */
export type OpenSandbox = (options?: SandboxOptions) => Promise<OpenedSandbox>

/** Answers that are not what the document says, and are meant to be. */
const SPOILT = /^forced:(?:malformed|truncated)$/

const CARRIES_ALL = { lacks: [], isAvailable: true } as const satisfies Partial<Transport>

const BY_MSW_3: Transport = {
  ...CARRIES_ALL,
  name: 'by MSW 3',
  connect: connectByMsw3,
  lacks: ['unknown paths', 'many requests'],
}

/**
 * Every example runs through each of these that carries what it needs. In Chromium one page and its worker are kept for
 * the whole run, and each example gets a new sandbox inside that page, so that it takes milliseconds and not seconds.
 * MSW 2's worker does: what that of MSW 3 answers is held to the same bytes by the parity tests.
 */
const TRANSPORTS: readonly Transport[] = [
  { ...CARRIES_ALL, name: 'in process', connect: connectInProcess },
  { ...CARRIES_ALL, name: 'over HTTP', connect: connectByHttp },
  {
    ...CARRIES_ALL,
    name: 'by MSW 2',
    connect: connectByMsw2,
    lacks: ['unknown paths', 'many requests'],
  },
  // Where Node is older than MSW 3 asks for, the parity tests run it in a newer one.
  ...(SUPPORTS_MSW_3 ? [BY_MSW_3] : []),
  {
    name: 'by a Service Worker',
    connect: connectByWorker,
    lacks: ['unknown paths', 'forbidden headers', 'many requests'],
    isAvailable: findBrowser() !== undefined,
  },
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
export function describeEachTransport(name: string, examples: (open: OpenSandbox) => void): void {
  describeEachTransportWith([], name, examples)
}

/**
 * Describes what holds by every transport that carries what these examples need. An example that asks for more fails,
 * and so does one that asks for less.
 *
 * @example
 * describeEachTransportWith(['unknown paths'], 'Errors', (open) => {
 *   it('answers 404 to a path that there is not', async () => {
 *     const { request } = await open()
 *
 *     const response = await request('GET', '/dogs')
 *
 *     expect(response.status).toBe(404)
 *   })
 * })
 */
export function describeEachTransportWith(
  needs: readonly Capability[],
  name: string,
  examples: (open: OpenSandbox) => void,
): void {
  for (const { connect, lacks, ...transport } of TRANSPORTS) {
    if (needs.some((need) => lacks.includes(need))) continue
    describe.skipIf(!transport.isAvailable)(
      `${name}, ${transport.name}`,
      // The first example in a page waits for the page.
      { timeout: 30_000 },
      () => {
        const connections: Connection[] = []
        const met = new Set<Capability>()

        afterEach(async ({ task }) => {
          const found = new Set(met)
          met.clear()
          await Promise.all(connections.splice(0).map(({ close }) => close?.()))
          // One that failed may not have come to what it needs.
          if (task.result?.state !== 'pass') return
          failOnUndeclared(needs, found)
          failOnUnused(needs, found)
        })

        examples(async (options) => {
          const connection = await connect(options)
          connections.push(connection)
          const { base, sandbox } = connection
          sandbox.clock.set(NOON)
          const fetch = checkedFetch(connection, needs, met)

          return { sandbox, base, fetch, request: requester(base, fetch) }
        })
      },
    )
  }
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

function requester(base: string, fetch: Fetch): SendRequest {
  return (method, path, options) => fetch(toRequest(method, base + path, options))
}

/** Answers are checked against the document, and then given on unread. What requests need is added to `met`. */
function checkedFetch(
  connection: Connection,
  needs: readonly Capability[],
  met: Set<Capability>,
): Fetch {
  const { base, fetch } = connection
  let sent = 0

  return async (request) => {
    const { method, url } = request
    sent += 1
    for (const need of requiredCapabilities(request, connection, sent)) met.add(need)
    failOnUndeclared(needs, met)
    const response = await fetch(request)
    const { pathname } = new URL(url)
    const basePath = new URL(base).pathname
    const isBelowBase = pathname === basePath || pathname.startsWith(`${basePath}/`)
    const isSpoilt = SPOILT.test(response.headers.get('X-Sandbox-Reason') ?? '')
    if (isBelowBase && response.type !== 'error' && !isSpoilt) {
      expectValidExchange({
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
