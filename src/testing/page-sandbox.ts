import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import type { Sandbox, SandboxOptions } from '../index.ts'
import type { QueuedChange, SentToPage } from './page-script.ts'
import { createRemoteSandbox } from './remote-sandbox.ts'
import { type Fetch, fromBytes, toBytes } from './replay.ts'

/** The base URLs of closed sandboxes, which the page removes with the next change. Each call of the page is slow. */
const closed: string[] = []

/** Opens a sandbox in a page, with the interface of a sandbox in this process. */
export function openInPage(
  page: Page,
  base: string,
  options: SandboxOptions | undefined,
): { readonly sandbox: Sandbox; readonly send: Fetch; readonly close: () => void } {
  let opening: QueuedChange[] = [{ open: options, closed: closed.splice(0) }]
  const takeChanges = (): QueuedChange[] => {
    const changes = [...opening, ...remote.takeChanges()]
    opening = []
    return changes
  }
  const remote = createRemoteSandbox(options, (call) =>
    page.evaluate((args) => sandboxPage.call(...args), [base, takeChanges(), call] as const),
  )

  return {
    sandbox: remote.sandbox,
    send: async (request) => {
      const args = [base, takeChanges(), await toPageRequest(request, base)] as const
      const { response, exchanges } = await page.evaluate((all) => sandboxPage.send(...all), args)
      for (const exchange of exchanges) remote.addExchange(exchange)
      const { status, headers, body } = response
      if (status === 0) throw new TypeError('The request of the page failed')

      return new Response(body === '' ? null : toBytes(body), {
        status,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
      })
    },
    close: () => void closed.push(base),
  }
}

/** Bodies of at least this size in bytes are compressed for the page. As text, 4 MiB take a second. */
const COMPRESS_FROM = 16 * 1024

async function toPageRequest(request: Request, base: string): Promise<SentToPage> {
  const bytes = request.body && new Uint8Array(await request.arrayBuffer())

  return {
    method: request.method,
    path: request.url.slice(base.length),
    headers: Object.fromEntries(request.headers),
    ...(bytes &&
      (bytes.length < COMPRESS_FROM
        ? { body: fromBytes(bytes) }
        : { compressedBody: gzipSync(bytes).toString('base64') })),
  }
}
