import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { bundleForPage, folderWithMsw, type MswVersion } from './bundle.ts'
import { type OpenedPage, openInBrowser, servePage } from './page-server.ts'

/** It forbids inline scripts, `eval` and scripts of other origins. */
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src *"

const HTML =
  '<!doctype html><title>Sandbox</title><script type="module" src="page-script.js"></script>'

/** Opens a page that runs `page-script.ts`: the engine and MSW's Service Worker, under a strict content security policy. */
export async function openPage(version: MswVersion): Promise<OpenedPage> {
  const { files } = await bundleForPage('page-script', version)
  const { resolve } = createRequire(`${await folderWithMsw(version)}/`)
  const worker = await readFile(resolve('msw/mockServiceWorker.js'))
  const scripts = new Map<string, Uint8Array>([...files, ['mockServiceWorker.js', worker]])
  const server = await servePage({ html: HTML, scripts, policy: POLICY })
  const { page, pageErrors, close } = await openInBrowser(server.origin)

  return {
    page,
    pageErrors,
    close: async () => {
      await close()
      server.close()
    },
  }
}
