import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { createSandbox, type Sandbox, type SandboxOptions } from '../index.ts'
import type { Exchange } from '../journal/exchange.ts'
import { Journal } from '../journal/journal.ts'
import type { RecordCollection } from '../resources/collection.ts'
import { WorldJournal } from '../sandbox/world-journal.ts'
import type { CollectionCall, QueuedChange, SentToPage } from './page-script.ts'
import { type Fetch, fromBytes, toBytes } from './replay.ts'

/** Addresses of sandboxes that the page can forget. It is told so together with what comes next: telling it takes long. */
const closed: string[] = []

/**
 * A sandbox that lives in a page, steered from here as if it were here. A page can be told things only later, so what a
 * test does at once is done to a twin of the sandbox, which also refuses what is wrong, and goes to the page with the
 * next request. The twin keeps the time, and answers no request.
 */
export function openInPage(
  page: Page,
  base: string,
  options: SandboxOptions | undefined,
): { readonly sandbox: Sandbox; readonly send: Fetch; readonly close: () => void } {
  const twin = createSandbox(options)
  let journal = createJournal()
  let deeds: QueuedChange[] = [{ open: options, closed: closed.splice(0) }]
  const taken = (): QueuedChange[] => {
    const all = [...deeds, { time: twin.clock.now() }]
    deeds = []
    return all
  }
  const call = (deed: CollectionCall): Promise<unknown> =>
    page.evaluate((given) => sandboxPage.call(...given), [base, taken(), deed] as const)
  return {
    sandbox: instead(twin, {
      journal: new WorldJournal(() => journal),
      force: (...rule) => {
        deeds.push({ force: rule })
        return twin.force(...rule)
      },
      reset: () => {
        twin.reset()
        journal = createJournal()
        deeds.push({ reset: true })
      },
      collection: (name) => remote(twin, name, call),
    }),
    send: async (request) => {
      const told = [base, taken(), await toSent(request, base)] as const
      const { answer, news } = await page.evaluate((given) => sandboxPage.send(...given), told)
      for (const exchange of news) journal.add({ numbers: [], facts: exchange })
      const { status, headers, body } = answer
      if (status === 0) throw new TypeError('The page could not fetch')

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

/** The twin, but for what is done another way. */
function instead(twin: Sandbox, others: Partial<Sandbox>): Sandbox {
  return new Proxy(twin, {
    get: (target, name) => Reflect.get(name in others ? others : target, name),
  })
}

type Result<Name extends keyof RecordCollection> = Awaited<ReturnType<RecordCollection[Name]>>

function remote(
  twin: Sandbox,
  collection: string,
  call: (deed: CollectionCall) => Promise<unknown>,
): RecordCollection {
  // For its UsageError, when there is no such collection.
  twin.collection(collection)
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

/** From so many bytes on, a body is compressed on its way to the page. As text, 4 MiB take a second. */
const LARGE = 16 * 1024

async function toSent(request: Request, base: string): Promise<SentToPage> {
  const bytes = request.body && new Uint8Array(await request.arrayBuffer())

  return {
    method: request.method,
    path: request.url.slice(base.length),
    headers: Object.fromEntries(request.headers),
    ...(bytes &&
      (bytes.length < LARGE
        ? { body: fromBytes(bytes) }
        : { compressedBody: gzipSync(bytes).toString('base64') })),
  }
}
