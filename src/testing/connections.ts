import type { AddressInfo } from 'node:net'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import type { ServedSandbox } from '../sandbox/router.ts'
import { createSandboxServer, type ServerExtras } from '../transports/server.ts'
import { bundleForNode } from './bundle.ts'
import * as msw2 from './connect-by-msw.ts'
import { openInPage } from './page-sandbox.ts'
import type { OpenedPage } from './page-server.ts'
import type { Fetch } from './replay.ts'

/** A sandbox, and how to send requests to it through one transport. */
export interface Connection {
  readonly sandbox: Sandbox
  /** The base URL, such as `http://127.0.0.1:4010/v1`. */
  readonly base: string
  readonly fetch: Fetch
  /** Releases the resources of the connection. */
  readonly close?: () => void | Promise<void>
}

export async function connectInProcess(options?: SandboxOptions): Promise<Connection> {
  const sandbox = createSandbox(options)
  return { sandbox, base: `http://localhost${sandbox.contract.basePath}`, fetch: sandbox.fetch }
}

export async function connectByHttp(options?: SandboxOptions): Promise<Connection> {
  const sandbox = createSandbox(options)
  const { port, close } = await listen(sandbox)
  return { sandbox, base: `http://127.0.0.1:${port}${sandbox.contract.basePath}`, fetch, close }
}

export async function connectByMsw2(options?: SandboxOptions): Promise<Connection> {
  return connectByMsw(msw2, options)
}

export async function connectByMsw3(options?: SandboxOptions): Promise<Connection> {
  msw3 ??= bundleForNode('connect-by-msw', 3).then((file) => import(file))
  return connectByMsw(await msw3, options)
}

let msw3: Promise<typeof msw2> | undefined

function connectByMsw(msw: typeof msw2, options?: SandboxOptions): Connection {
  const sandbox = msw.createSandbox(options)
  const base = createBaseUrl(sandbox)
  const { stop } = msw.connectByMsw(sandbox, base)
  // MSW replaces the global fetch, so it is looked up for each request.
  return { sandbox, base, fetch: (request) => fetch(request), close: stop }
}

/** It stays open until the browser exits at the end of the run. */
let opened: Promise<OpenedPage> | undefined

export async function connectByWorker(options?: SandboxOptions): Promise<Connection> {
  // Loading what drives a browser takes most of a second, which the other transports need not wait for.
  opened ??= import('./page.ts').then(({ openPage }) => openPage(2))
  const { page } = await opened
  const base = createBaseUrl(createSandbox(options))
  const { sandbox, send, close } = openInPage(page, base, options)
  // An AbortSignal cannot be sent to the page.
  const fetch: Fetch = (request) => Promise.race([send(request), rejectWhenAborted(request)])
  return { sandbox, base, fetch, close }
}

function rejectWhenAborted({ signal }: Request): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

let count = 0

/** A base URL for one sandbox: a test may open several, and MSW distinguishes them by URL. */
function createBaseUrl({ contract }: Sandbox): string {
  count += 1
  return `http://sandbox-${count}.test${contract.basePath}`
}

/** Serves a sandbox as `pet-sandbox serve` does, on a free port. */
export async function listen(
  sandbox: ServedSandbox,
  extras?: ServerExtras,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createSandboxServer(sandbox, extras)
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
