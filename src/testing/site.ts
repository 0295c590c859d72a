import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type OpenedPage, openInBrowser, type PageServer, servePage } from './page-server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WORKER = `${ROOT}node_modules/msw/lib/mockServiceWorker.js`

/**
 * It allows the site's own scripts and requests to the API. The Service Worker fetches the files of the site on behalf of the
 * page, which are requests to `'self'`.
 */
const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self' https://api.example.com"

/** The same policy, with inline styles. */
export const SHOP_POLICY: string = `${STRICT_POLICY}; style-src 'unsafe-inline'`

/** A site with one page, for tests in a browser. */
export interface SiteOptions {
  /** The page's script, as a path from the root of the repository. It imports the built package. */
  readonly script: string
  /** The HTML. It loads the script from `script.js`. */
  readonly html?: string
  /** The fragment of the page's URL, such as `#anchor`. */
  readonly hash?: string
  /** The content security policy. */
  readonly policy?: string
}

export interface Site extends OpenedPage {
  readonly origin: string
}

/** Serves a page with its script and MSW's Service Worker, and opens it. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const server = await serveSite(options)
  const { page, pageErrors, close } = await openInBrowser(`${server.origin}/${options.hash ?? ''}`)

  return {
    page,
    pageErrors,
    origin: server.origin,
    close: async () => {
      await close()
      server.close()
    },
  }
}

/** The bundled script of a page. */
interface BundledScript {
  /** The code by file name: `script.js` and the chunks that it loads. */
  readonly files: ReadonlyMap<string, string>
  /** The names of the imports that were left external. */
  readonly packages: readonly string[]
}

/** Bundles a module as a user's bundler does: dynamic imports become separate chunks. */
export async function bundleScript(
  script: string,
  options: { readonly external?: string[] } = {},
): Promise<BundledScript> {
  const { outputFiles, metafile } = await build({
    ...options,
    // As in Vite's development mode.
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

/** Serves a page with its script and MSW's Service Worker. */
export async function serveSite({
  script,
  html = '<!doctype html><title>A page</title><script type="module" src="script.js"></script>',
  policy = STRICT_POLICY,
}: SiteOptions): Promise<PageServer> {
  const { files } = await bundleScript(script)
  const worker = await readFile(WORKER, 'utf8')

  return servePage({ html, scripts: new Map([...files, ['mockServiceWorker.js', worker]]), policy })
}
