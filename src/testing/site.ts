import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WORKER = `${ROOT}node_modules/msw/lib/mockServiceWorker.js`

/**
 * Nothing but the site's own scripts, and requests to the API. The worker fetches the site's own files in place of the page,
 * as requests.
 */
const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self' https://api.example.com"

/** The same, and styles within the page. */
export const SHOP_POLICY: string = `${STRICT_POLICY}; style-src 'unsafe-inline'`

/** A site of one page, to be opened in a browser. */
export interface SiteOptions {
  /** The page's script, from the root of the repository. It imports the built package. */
  readonly script: string
  /** The script is loaded from `script.js`. */
  readonly html?: string
  /** What the page's address ends with, as `#anchor`. */
  readonly hash?: string
  /** The content security policy. */
  readonly policy?: string
}

/** A site that is served. */
interface Served {
  readonly origin: string
  readonly close: () => void
}

export interface Site {
  readonly page: Page
  readonly origin: string
  /** Errors of the page and breaches of its policy. Answers that refuse are none. */
  readonly pageErrors: readonly string[]
  readonly close: () => Promise<void>
}

/** Serves a page with its script and MSW's worker, and opens it. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { origin, close } = await serveSite(options)
  const browser = await launchBrowser()
  const page = await browser.newPage()
  page.setDefaultTimeout(8000)
  const pageErrors: string[] = []
  page.on('pageerror', ({ message }) => pageErrors.push(message))
  page.on('console', (message) => {
    const text = message.text()
    if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
      pageErrors.push(text)
  })
  await page.goto(`${origin}/${options.hash ?? ''}`)

  return {
    page,
    origin,
    pageErrors,
    close: async () => {
      await browser.close()
      close()
    },
  }
}

/** A page's script. */
interface Bundle {
  /** Texts by their names: `script.js`, and the chunks that it loads. */
  readonly files: ReadonlyMap<string, string>
  /** What is imported and was left out. */
  readonly packages: readonly string[]
}

/** Bundles a module as a user's bundler does, the chunks that are loaded late apart. */
export async function bundleScript(
  script: string,
  options: { readonly external?: string[] } = {},
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...options,
    // As Vite does it while developing.
    define: { 'import.meta.env.DEV': 'true' },
    absWorkingDir: ROOT,
    entryPoints: { script },
    outdir: 'script',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  return {
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])),
    packages: [...new Set(imports.flatMap(({ external, path }) => (external ? [path] : [])))],
  }
}

/** Serves a page with its script and MSW's worker. */
export async function serveSite({
  script,
  html = '<!doctype html><title>A page</title><script type="module" src="script.js"></script>',
  policy = STRICT_POLICY,
}: SiteOptions): Promise<Served> {
  const { files } = await bundleScript(script)
  const scripts = new Map([...files, ['mockServiceWorker.js', await readFile(WORKER, 'utf8')]])
  const server = createServer(({ url = '' }, response) => {
    const text = scripts.get(url.slice(1))
    const type = text === undefined ? 'text/html' : 'text/javascript'
    response.writeHead(text !== undefined || url === '/' ? 200 : 404, {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': policy,
    })
    response.end(text ?? html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
