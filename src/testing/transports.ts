import { afterEach, describe, inject } from 'vitest'
import type { RunKind } from '../../.config/vitest.config.ts'
import type { Sandbox, SandboxOptions } from '../index.ts'
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
import { connectByStore } from './store-sandbox.ts'

/** The time of the stopped clock of an opened sandbox: one minute and half a day before the end of the quota windows. */
const NOON = '2027-03-01T12:00:00Z'

/** A way to send requests to a sandbox. */
export interface Transport {
  readonly name: string
  readonly connect: (options?: SandboxOptions) => Promise<Connection>
  /** The capabilities that it does not have. Tests that declare one of them are not defined for it. */
  readonly lacks: readonly Capability[]
  /** The kind of run whose examples it carries. */
  readonly runKind: RunKind
}

/** The optional parts of a request. */
export interface RequestOptions {
  /** The API key. Default: `sk_sandbox_free`. `null`: none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array
  /** The content type of the body. Default: `application/json`. `null`: none. */
  readonly type?: string | null
}

/** Sends a request to a path after the base URL, such as `request('GET', '/pets?limit=5')`. */
export type SendRequest = (
  method: string,
  path: string,
  options?: RequestOptions,
) => Promise<Response>

/** A sandbox, and functions that send requests to it. Its clock stands at {@link NOON}. */
export interface OpenedSandbox {
  readonly sandbox: Sandbox
  readonly base: string
  readonly request: SendRequest
  readonly fetch: Fetch
}

/** Opens a sandbox for the current test. It is closed after the test. */
export type OpenSandbox = (options?: SandboxOptions) => Promise<OpenedSandbox>

/** The reasons of responses that violate the document on purpose. */
const INVALID_ON_PURPOSE = /^forced:(?:malformed|truncated)$/

const FULL = { lacks: [], runKind: 'test' } as const satisfies Partial<Transport>

const BY_MSW_3: Transport = {
  ...FULL,
  name: 'by MSW 3',
  connect: connectByMsw3,
  lacks: ['unknown paths', 'many requests'],
  runKind: 'long',
}

/**
 * A test runs through each of these transports that has the capabilities it declares: in `npm test` in process and over HTTP, in
 * `npm run test:long` through MSW in Node, and in the runs of browsers and of stores through theirs. In Chromium all tests share one page
 * with its Service Worker, and each test gets a new sandbox in that page, which takes milliseconds instead of seconds.
 * The Service Worker is that of MSW 2. The parity tests compare that of MSW 3.
 */
export const TRANSPORTS: readonly Transport[] = [
  { ...FULL, name: 'in process', connect: connectInProcess },
  { ...FULL, name: 'over HTTP', connect: connectByHttp, lacks: ['many requests'] },
  {
    ...FULL,
    name: 'by MSW 2',
    connect: connectByMsw2,
    lacks: ['unknown paths', 'many requests'],
    runKind: 'long',
  },
  // On Node 20, the parity tests run MSW 3 in a newer Node.
  ...(SUPPORTS_MSW_3 ? [BY_MSW_3] : []),
  {
    name: 'by a Service Worker',
    connect: connectByWorker,
    lacks: ['unknown paths', 'forbidden headers', 'many requests'],
    runKind: 'browser',
  },
  {
    ...FULL,
    name: 'by two servers on one store',
    connect: connectByStore,
    runKind: 'store',
  },
]

/**
 * Defines tests for every transport. Each response is checked against openapi.yaml.
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
 * Defines tests for every transport that has these capabilities. A test that uses other capabilities fails, and so does a test
 * that does not use all of them.
 *
 * @example
 * describeEachTransportWith(['unknown paths'], 'Errors', (open) => {
 *   it('returns 404 for an unknown path', async () => {
 *     const { request } = await open()
 *
 *     const response = await request('GET', '/dogs')
 *
 *     expect(response.status).toBe(404)
 *   })
 * })
 */
export function describeEachTransportWith(
  declared: readonly Capability[],
  name: string,
  examples: (open: OpenSandbox) => void,
): void {
  for (const { connect, lacks, ...transport } of TRANSPORTS) {
    if (transport.runKind !== inject('runKind')) continue
    if (declared.some((capability) => lacks.includes(capability))) continue
    describe(`${name}, ${transport.name}`, { timeout: 120_000 }, () => {
      // The first test in the page waits for the page, and a thousand requests to a store take long on a loaded machine.
      const connections: Connection[] = []
      const used = new Set<Capability>()

      afterEach(async ({ task }) => {
        const usedByTest = new Set(used)
        used.clear()
        await Promise.all(connections.splice(0).map(({ close }) => close?.()))
        // A test that failed may have ended before it used all capabilities.
        if (task.result?.state !== 'pass') return
        failOnUndeclared(declared, usedByTest)
        failOnUnused(declared, usedByTest)
      })

      examples(async (options) => {
        const connection = await connect(options)
        connections.push(connection)
        const { base, sandbox } = connection
        sandbox.clock.set(NOON)
        const fetch = checkedFetch(connection, declared, used)

        return { sandbox, base, fetch, request: requester(base, fetch) }
      })
    })
  }
}

/** Creates a request to `address`, with the defaults of the options. */
export function toRequest(method: string, address: string, options: RequestOptions = {}): Request {
  const { key = 'sk_sandbox_free', type = 'application/json', body, raw } = options
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const headers = new Headers()
  if (key !== null) headers.set('Authorization', `Bearer ${key}`)
  if (text !== undefined && type !== null) headers.set('Content-Type', type)
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  // As bytes, because a text body sets a content type itself.
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text

  return new Request(address, { method, headers, ...(bytes && { body: Uint8Array.from(bytes) }) })
}

function requester(base: string, fetch: Fetch): SendRequest {
  return (method, path, options) => fetch(toRequest(method, base + path, options))
}

/** Checks each response against the document and returns it unread. Adds the capabilities of each request to `used`. */
function checkedFetch(
  connection: Connection,
  declared: readonly Capability[],
  used: Set<Capability>,
): Fetch {
  const { base, fetch } = connection
  let sent = 0

  return async (request) => {
    const { method, url } = request
    sent += 1
    for (const one of requiredCapabilities(request, connection, sent)) used.add(one)
    failOnUndeclared(declared, used)
    const response = await fetch(request)
    const { pathname } = new URL(url)
    const basePath = new URL(base).pathname
    const isInApi = pathname === basePath || pathname.startsWith(`${basePath}/`)
    const isInvalidOnPurpose = INVALID_ON_PURPOSE.test(
      response.headers.get('X-Sandbox-Reason') ?? '',
    )
    if (isInApi && response.type !== 'error' && !isInvalidOnPurpose) {
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
