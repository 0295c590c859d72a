import type { AddressInfo } from 'node:net'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import { createSandboxServer } from '../transports/server.ts'
import { bundleForNode } from './bundle.ts'
import * as msw2 from './connect-by-msw.ts'
import { type OpenedPage, openPage } from './page.ts'
import { openInPage } from './page-sandbox.ts'
import type { Fetch } from './replay.ts'

/** A sandbox as it is reached by one transport. */
export interface Connection {
  readonly sandbox: Sandbox
  /** As `http://127.0.0.1:4010/v1`. */
  readonly base: string
  readonly fetch: Fetch
  /** Frees what the connection holds. */
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
  return connectByLine(msw2, options)
}

export async function connectByMsw3(options?: SandboxOptions): Promise<Connection> {
  msw3 ??= bundleForNode('connect-by-msw', 'msw3').then((file) => import(file))
  return connectByLine(await msw3, options)
}

let msw3: Promise<typeof msw2> | undefined

function connectByLine(line: typeof msw2, options?: SandboxOptions): Connection {
  const sandbox = line.createSandbox(options)
  const base = newBase(sandbox)
  const { stop } = line.connectByMsw(sandbox, base)
  // MSW puts its own fetch in place of Node's, so the name is looked up anew.
  return { sandbox, base, fetch: (request) => fetch(request), close: stop }
}

/** Never closed from here: its browser ends with the run. */
let opened: Promise<OpenedPage> | undefined

export async function connectByWorker(options?: SandboxOptions): Promise<Connection> {
  opened ??= openPage('msw')
  const { page } = await opened
  const base = newBase(createSandbox(options))
  const { sandbox, send, close } = openInPage(page, base, options)
  // A signal does not reach into the page.
  const fetch: Fetch = (request) => Promise.race([send(request), aborted(request)])
  return { sandbox, base, fetch, close }
}

function aborted({ signal }: Request): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
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
