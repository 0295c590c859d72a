import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import type { Exchange } from '../journal/exchange.ts'
import { Journal } from '../journal/journal.ts'
import type { RecordCollection } from '../resources/record-collection.ts'
import { WorldJournal } from '../sandbox/world-journal.ts'
import type { CollectionCall, QueuedChange, SentToPage } from './page-script.ts'
import { type Fetch, fromBytes, toBytes } from './replay.ts'

/** The base URLs of closed sandboxes, which the page removes with the next change. Each call of the page is slow. */
const closed: string[] = []

/**
 * Opens a sandbox in a page, with the interface of a sandbox in this process. A page can only be called asynchronously, so
 * synchronous changes apply to a local copy, which validates them, and are queued for the page until the next request. The
 * local copy also has the clock. It answers no requests.
 */
export function openInPage(
  page: Page,
  base: string,
  options: SandboxOptions | undefined,
): { readonly sandbox: Sandbox; readonly send: Fetch; readonly close: () => void } {
  const local = createSandbox(options)
  let journal = createJournal()
  let queue: QueuedChange[] = [{ open: options, closed: closed.splice(0) }]
  const takeQueue = (): QueuedChange[] => {
    const changes = [...queue, { time: local.clock.now() }]
    queue = []
    return changes
  }
  const call = (collectionCall: CollectionCall): Promise<unknown> =>
    page.evaluate((args) => sandboxPage.call(...args), [base, takeQueue(), collectionCall] as const)
  return {
    sandbox: withOverrides(local, {
      journal: new WorldJournal(() => journal),
      force: (...rule) => {
        queue.push({ force: rule })
        return local.force(...rule)
      },
      reset: () => {
        local.reset()
        journal = createJournal()
        queue.push({ reset: true })
      },
      collection: (name: string) => remoteCollection(local, name, call),
    }),
    send: async (request) => {
      const args = [base, takeQueue(), await toPageRequest(request, base)] as const
      const { response, exchanges } = await page.evaluate((all) => sandboxPage.send(...all), args)
      for (const exchange of exchanges) journal.add({ numbers: [], facts: exchange })
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

function createJournal(): Journal<Exchange> {
  return new Journal(1000, new Set(), ({ facts }) => facts, { name: 'page', version: '' })
}

/** The sandbox with some members replaced. */
function withOverrides(sandbox: Sandbox, overrides: Partial<Sandbox>): Sandbox {
  return new Proxy(sandbox, {
    get: (target, name) => Reflect.get(name in overrides ? overrides : target, name),
  })
}

type Result<Name extends keyof RecordCollection> = Awaited<ReturnType<RecordCollection[Name]>>

function remoteCollection(
  local: Sandbox,
  collection: string,
  call: (collectionCall: CollectionCall) => Promise<unknown>,
): RecordCollection {
  // Throws the UsageError for an unknown collection.
  local.collection(collection)
  const method =
    <Name extends keyof RecordCollection>(name: Name) =>
    async (...args: Parameters<RecordCollection[Name]>): Promise<Result<Name>> =>
      (await call({ collection, method: name, args })) as Awaited<
        ReturnType<RecordCollection[Name]>
      >

  return {
    count: method('count'),
    list: method('list'),
    get: method('get'),
    create: method('create'),
    update: method('update'),
    remove: method('remove'),
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
