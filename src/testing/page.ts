import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { bundleForPage, folderWithMsw, type MswVersion } from './bundle.ts'
import { TRACE_BASE_URL } from './replay.ts'

/** No inline script, no `eval`, nothing of another origin. */
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src *"

const HTML =
  '<!doctype html><title>Sandbox</title><script type="module" src="page-script.js"></script>'

/** A page in which MSW's Service Worker and the engine run. */
export interface OpenedPage {
  readonly page: Page
  /** What the page complained of: errors, and breaches of its security policy. Answers that refuse are none. */
  readonly pageErrors: readonly string[]
  readonly close: () => Promise<void>
}

/** Opens the page with one of MSW's lines, under a strict content security policy. */
export async function openPage(line: MswVersion): Promise<OpenedPage> {
  const server = await servePage(line)
  const browser = await launchBrowser()
  const page = await browser.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', ({ message }) => pageErrors.push(message))
  page.on('console', (message) => {
    const isRefusal = message.location().url.startsWith(TRACE_BASE_URL)
    if (message.type() === 'error' && !isRefusal) pageErrors.push(message.text())
  })
  const { port } = server.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/`)

  return { page, pageErrors, close: () => close(browser, server) }
}

async function servePage(line: MswVersion): Promise<Server> {
  const { files } = await bundleForPage('page-script', line)
  const { resolve } = createRequire(`${await folderWithMsw(line)}/`)
  const worker = await readFile(resolve('msw/mockServiceWorker.js'))
  const scripts = new Map<string, Uint8Array>([...files, ['mockServiceWorker.js', worker]])
  const server = createServer(({ url = '' }, response) => {
    const script = scripts.get(url.slice(1))
    const type = script ? 'text/javascript' : 'text/html'
    response.writeHead(script || url === '/' ? 200 : 404, {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': POLICY,
    })
    response.end(script ?? HTML)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')

  return server
}

async function close(browser: Browser, server: Server): Promise<void> {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
