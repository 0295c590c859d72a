import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { build as buildSite, type Rolldown } from 'vite'
import { connectToBrowser } from './browser.ts'
import type {} from './transfer-page.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = 'src/testing/transfer-page.ts'
const WORKER = `${ROOT}node_modules/msw/lib/mockServiceWorker.js`

/** The bundlers that a page is measured with. */
type Bundler = 'Vite' | 'esbuild'

/** MSW is loaded from files of its own, so that its bytes are not counted. */
function html(script: string): string {
  return `<!doctype html><title>A page</title>
<script type="importmap">{"imports":{"msw":"/msw/core.js","msw/browser":"/msw/browser.js"}}</script>
<script type="module" src="/${script}"></script>`
}

/** What a page loads of the package. */
export interface Transfer {
  /** The brotli-compressed bytes of each file that the page loaded, without MSW. */
  readonly loaded: ReadonlyMap<string, number>
  /** The files of the bundle that the page did not load. */
  readonly unloaded: readonly string[]
  /** The statuses of the page's requests to the API: list, create, read. */
  readonly statuses: readonly number[]
}

/** Opens a page in Chromium that lists, creates and reads through the ready handlers, and counts what it loads. */
export async function measureTransfer(bundler: Bundler): Promise<Transfer> {
  const { entry, files } = await (bundler === 'Vite' ? bundleByVite() : bundleByEsbuild())
  const loaded = new Map<string, number>()
  const server = serve(html(entry), files, await bundleMsw(), loaded)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await connectToBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const statuses = await page.evaluate(async () => {
      await globalThis.answering
      const pets = 'https://api.example.com/v1/pets'
      const headers = {
        Authorization: 'Bearer sk_sandbox_free',
        'Content-Type': 'application/json',
      }
      const body = JSON.stringify({ name: 'Biscuit', categoryId: 2 })
      const responses = [
        await fetch(pets, { headers }),
        await fetch(pets, { method: 'POST', headers, body }),
        await fetch(`${pets}/51`, { headers }),
      ]
      return responses.map(({ status }) => status)
    })
    return { loaded, unloaded: [...files.keys()].filter((name) => !loaded.has(name)), statuses }
  } finally {
    await browser.close()
    server.close()
    server.closeAllConnections()
  }
}

function serve(
  page: string,
  files: ReadonlyMap<string, string>,
  msw: ReadonlyMap<string, string>,
  loaded: Map<string, number>,
): Server {
  return createServer(({ url = '' }, response) => {
    const name = url.slice(1)
    const own = files.get(name)
    const script = own ?? msw.get(name)
    const content = brotliCompressSync(script ?? page)
    if (own !== undefined) loaded.set(name, content.length)
    response.writeHead(script !== undefined || url === '/' ? 200 : 404, {
      'Content-Type': script === undefined ? 'text/html' : 'text/javascript',
      'Content-Encoding': 'br',
    })
    response.end(content)
  })
}

/** The scripts of a page, and the name of the one that the page starts with. */
interface BundledPage {
  readonly entry: string
  readonly files: ReadonlyMap<string, string>
}

/** Bundles the page as Vite does for production. */
async function bundleByVite(): Promise<BundledPage> {
  const outputs = [
    await buildSite({
      root: ROOT,
      configFile: false,
      logLevel: 'silent',
      build: {
        write: false,
        rolldownOptions: { input: PAGE, external: /^msw/ },
      },
    }),
  ].flat()
  const chunks = outputs
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter((file): file is Rolldown.OutputChunk => file.type === 'chunk')
  const entry = chunks.find(({ isEntry }) => isEntry)
  if (!entry) throw new Error('The bundle has no entry')

  return {
    entry: entry.fileName,
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
  }
}

/** Bundles the page as a user's esbuild does for production. It splits the page along the files of `dist`. */
async function bundleByEsbuild(): Promise<BundledPage> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { page: PAGE },
    outdir: 'page',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    external: ['msw', 'msw/*'],
    write: false,
    logLevel: 'silent',
  })

  return {
    entry: 'page.js',
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])),
  }
}

/** The scripts of MSW by their paths: its entry points and its Service Worker. */
async function bundleMsw(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { core: 'msw', browser: 'msw/browser' },
    outdir: 'msw',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  })
  const scripts = outputFiles.map(({ path, text }) => [`msw/${basename(path)}`, text] as const)

  return new Map([...scripts, ['mockServiceWorker.js', await readFile(WORKER, 'utf8')]])
}
