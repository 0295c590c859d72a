import type { AddressInfo } from 'node:net'
import { afterEach, describe, TestRunner } from 'vitest'
import { Routes } from '../contract/match.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import { createSandboxServer } from '../transports/server.ts'
import { findBrowser } from './browser.ts'
import { bundleForNode } from './bundle.ts'
import * as mswModule from './connect-by-msw.ts'
import { expectToKeepContract } from './contract-validator.ts'
import { RUNS_MSW_3 } from './modern-node.ts'
import { type OpenedPage, openPage } from './page.ts'
import { openInPage } from './page-sandbox.ts'

/** When the clock of an opened sandbox stands still: noon, with a minute and half a day still to go. */
export const NOON = '2027-03-01T12:00:00Z'

/** Sends a web request and gives the answer. */
export type Fetch = (request: Request) => Promise<Response>

/** A sandbox as it is reached by one transport. */
interface Connection {
  readonly sandbox: Sandbox
  /** As `http://127.0.0.1:4010/v1`. */
  readonly base: string
  readonly fetch: Fetch
  /** Frees what the connection holds. */
  readonly close?: () => void | Promise<void>
}

/** A way to reach a sandbox. An example that asks for what it cannot carry is skipped there, and reported so. */
interface Transport {
  readonly name: string
  readonly connect: (options?: SandboxOptions) => Promise<Connection>
  /** Whether it can be had here. */
  readonly isAvailable: boolean
  /** Whether the sandbox hears of paths that the contract does not have. MSW leaves them unhandled. */
  readonly answersUnknownPaths: boolean
  /** Whether it sends the headers that browsers keep for themselves. */
  readonly sendsEveryHeader: boolean
  /** Requests that an example may send. A page takes seconds for hundreds, and shows nothing new by them. */
  readonly mostRequests: number
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

/** Headers that pages cannot set (Fetch, "forbidden request-header"), of those that examples do. */
const FORBIDDEN = /^(?:access-control-request-|origin$|cookie$|host$|content-length$)/

/**
 * Every example runs through each of these. In Chromium, one page and its worker are
 * kept for the whole run, and each example gets a new sandbox inside that page, so that it takes milliseconds. MSW 3's
 * worker tells the trace of the parity tests alone: it differs from MSW 2's by no line that a request goes through.
 */
const TRANSPORTS: readonly Transport[] = [
  {
    name: 'in process',
    connect: connectInProcess,
    isAvailable: true,
    answersUnknownPaths: true,
    sendsEveryHeader: true,
    mostRequests: Number.POSITIVE_INFINITY,
  },
  {
    name: 'over HTTP',
    connect: connectByHttp,
    isAvailable: true,
    answersUnknownPaths: true,
    sendsEveryHeader: true,
    mostRequests: Number.POSITIVE_INFINITY,
  },
  {
    name: 'by MSW 2',
    connect: connectByMsw2,
    isAvailable: true,
    answersUnknownPaths: false,
    sendsEveryHeader: true,
    mostRequests: Number.POSITIVE_INFINITY,
  },
  {
    name: 'by MSW 3',
    connect: connectByMsw3,
    isAvailable: RUNS_MSW_3,
    answersUnknownPaths: false,
    sendsEveryHeader: true,
    mostRequests: Number.POSITIVE_INFINITY,
  },
  {
    name: 'by a Service Worker',
    connect: connectByWorker,
    isAvailable: findBrowser() !== undefined,
    answersUnknownPaths: false,
    sendsEveryHeader: false,
    mostRequests: 100,
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
export function describeEachTransport(name: string, examples: (open: Open) => void): void {
  for (const transport of TRANSPORTS) {
    describe.skipIf(!transport.isAvailable)(
      `${name}, ${transport.name}`,
      { timeout: 60_000 },
      () => {
        const connections: Connection[] = []

        afterEach(async () => {
          await Promise.all(connections.splice(0).map(({ close }) => close?.()))
        })

        examples(async (options) => {
          const connection = await transport.connect(options)
          connections.push(connection)
          const { base, sandbox } = connection
          sandbox.clock.set(NOON)
          const fetch = checkedFetch(connection, transport)

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

/** Answers are checked against the document, and then given on unread. */
function checkedFetch({ base, fetch, sandbox }: Connection, transport: Transport): Fetch {
  let sent = 0

  return async (request) => {
    const { method, url } = request
    sent += 1
    if (sent > transport.mostRequests) skip('a page takes too long for so many requests')
    if (!(transport.answersUnknownPaths || isKnown(url, base, sandbox))) {
      skip(`${transport.name}, unknown paths stay unhandled`)
    }
    if (
      !transport.sendsEveryHeader &&
      [...request.headers.keys()].some((name) => FORBIDDEN.test(name))
    ) {
      skip('a page cannot set such headers')
    }
    const response = await fetch(request)
    const { pathname } = new URL(url)
    const basePath = new URL(base).pathname
    const isBelowBase = pathname === basePath || pathname.startsWith(`${basePath}/`)
    if (isBelowBase && response.type !== 'error') {
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

/** Ends the running example, which is reported as skipped. */
function skip(why: string): void {
  TestRunner.getCurrentTest()?.context.skip(why)
}

/** Whether the contract has a path; a slash at its end is MSW's to ignore, and the sandbox's to refuse. */
function isKnown(url: string, base: string, { contract }: Sandbox): boolean {
  if (!url.startsWith(base)) return false
  const path = url.slice(base.length).replace(/\?.*/, '').replace(/\/$/, '')
  try {
    return new Routes(contract).methods(path) !== ''
  } catch {
    return false
  }
}

async function connectInProcess(options?: SandboxOptions): Promise<Connection> {
  const sandbox = createSandbox(options)
  return { sandbox, base: `http://localhost${sandbox.contract.basePath}`, fetch: sandbox.fetch }
}

async function connectByHttp(options?: SandboxOptions): Promise<Connection> {
  const sandbox = createSandbox(options)
  const { port, close } = await listen(sandbox)
  return { sandbox, base: `http://127.0.0.1:${port}${sandbox.contract.basePath}`, fetch, close }
}

async function connectByMsw2(options?: SandboxOptions): Promise<Connection> {
  return connectByLine(mswModule, options)
}

async function connectByMsw3(options?: SandboxOptions): Promise<Connection> {
  msw3 ??= bundleForNode('connect-by-msw', 'msw3').then((file) => import(file))
  return connectByLine(await msw3, options)
}

type MswModule = typeof mswModule

let msw3: Promise<MswModule> | undefined

function connectByLine(line: MswModule, options?: SandboxOptions): Connection {
  const sandbox = line.createSandbox(options)
  const base = newBase(sandbox)
  const { stop } = line.connectByMsw(sandbox, base)
  // MSW puts its own fetch in place of Node's, so the name is looked up anew.
  return { sandbox, base, fetch: (request) => fetch(request), close: stop }
}

/** Never closed from here: its browser ends with the run. */
let opened: Promise<OpenedPage> | undefined

async function connectByWorker(options?: SandboxOptions): Promise<Connection> {
  opened ??= openPage('msw')
  const { page } = await opened
  const base = newBase(createSandbox(options))
  const { sandbox, send } = await openInPage(page, base, options)
  return { sandbox, base, fetch: send, close: () => page.evaluate(() => sandboxPage.close()) }
}

let count = 0

/** An example may open several sandboxes, and MSW tells them apart by their addresses. */
function newBase({ contract }: Sandbox): string {
  count += 1
  return `http://sandbox-${count}.test${contract.basePath}`
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
