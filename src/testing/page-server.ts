import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { connectToBrowser } from './browser.ts'

/** An HTML page and its scripts. */
export interface PageFiles {
  readonly html: string
  /** The scripts by file name. */
  readonly scripts: ReadonlyMap<string, string | Uint8Array>
  /** The Content-Security-Policy header. */
  readonly policy: string
}

export interface PageServer {
  /** Such as `http://127.0.0.1:40100`. */
  readonly origin: string
  readonly close: () => void
}

/** A page in a browser. */
export interface OpenedPage {
  readonly page: Page
  /** Uncaught errors, logged errors and violations of the security policy. Failed requests are not in it. */
  readonly pageErrors: readonly string[]
  readonly close: () => Promise<void>
}

/** Serves a page at `/` on a free port. */
export async function servePage({ html, scripts, policy }: PageFiles): Promise<PageServer> {
  const server = createServer(({ url = '' }, response) => {
    const script = scripts.get(url.slice(1))
    const type = script === undefined ? 'text/html' : 'text/javascript'
    response.writeHead(script !== undefined || url === '/' ? 200 : 404, {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': policy,
    })
    response.end(script ?? html)
  })
  // The page that all examples share is never closed.
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens an address in a new page of the browser that this run shares. */
export async function openInBrowser(address: string): Promise<OpenedPage> {
  const browser = await connectToBrowser()
  const page = await browser.newPage()
  const pageErrors = collectErrors(page)
  await page.goto(address)

  return { page, pageErrors, close: () => browser.close() }
}

/** Uncaught errors, logged errors and violations of the security policy, from now on. Failed requests are not in it. */
export function collectErrors(page: Page): readonly string[] {
  const pageErrors: string[] = []
  page.on('pageerror', ({ message }) => pageErrors.push(message))
  page.on('console', (message) => {
    const text = message.text()
    // Chromium logs each error response.
    const isResponse = text.startsWith('Failed to load resource')
    if (message.type() === 'error' && !isResponse) pageErrors.push(text)
  })

  return pageErrors
}
