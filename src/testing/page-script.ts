import { setupWorker } from 'msw/browser'
import { type Exchange, toPlain } from '../journal/exchange.ts'
import type { RecordCollection } from '../resources/collection.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { strict, toHandlers } from '../transports/msw.ts'
import {
  type ReplayResult,
  replay,
  sendTraceRequest,
  TRACE_BASE_URL,
  type Trace,
  type TraceRequest,
  type TraceResponse,
  toBytes,
} from './replay.ts'

/** What a test does to the page's sandbox between two requests. */
export type QueuedChange =
  /** Makes a sandbox that answers at a base address of its own, and forgets those at other addresses. */
  | { readonly open: SandboxOptions | undefined; readonly closed: readonly string[] }
  | { readonly force: Parameters<Sandbox['force']> }
  | { readonly reset: true }
  /** In epoch milliseconds. */
  | { readonly time: number }

/** A call of a collection's method. */
export interface CollectionCall {
  readonly collection: string
  readonly method: keyof RecordCollection
  readonly args: readonly unknown[]
}

/** A request on its way to the page. */
export interface SentToPage extends TraceRequest {
  /** A large body, by gzip and in Base64, in place of `body`. */
  readonly compressedBody?: string
}

/** What the page lets its tests call. All that goes in and out is plain data. */
export interface PageFace {
  /** Tells a trace to the Service Worker. */
  replay(trace: Trace): Promise<ReplayResult>
  /** Steers the sandbox, sends a request from the page, and tells what the journal has got since the last time. */
  send(
    base: string,
    deeds: readonly QueuedChange[],
    request: SentToPage,
  ): Promise<{ answer: TraceResponse; news: Exchange[] }>
  /** Steers the sandbox and calls a collection. */
  call(base: string, deeds: readonly QueuedChange[], call: CollectionCall): Promise<unknown>
}

declare global {
  var sandboxPage: PageFace
}

// What runs inside the page: the engine and MSW, whose Service Worker answers the page's own requests.
const worker = setupWorker()
const started = worker.start({ quiet: true, ...strict })
const opened = new Map<string, Opened>()

interface Opened {
  readonly sandbox: Sandbox
  readonly handlers: ReturnType<typeof toHandlers>
  news: Exchange[]
}

globalThis.sandboxPage = {
  replay: async (trace) => {
    await started
    return await replay(trace, async (sandbox) => {
      worker.resetHandlers(...toHandlers(sandbox, { baseUrl: TRACE_BASE_URL }))
      return fetch
    })
  },
  send: async (base, deeds, request) => {
    await started
    const one = steered(base, deeds)
    const answer = await sendTraceRequest(await unpacked(request), fetch, base)
    const { news } = one
    one.news = []

    return { answer, news }
  },
  call: async (base, deeds, { collection, method, args }) => {
    const records = steered(base, deeds).sandbox.collection(collection)
    return await Reflect.apply(records[method], records, args)
  },
}

async function unpacked({
  compressedBody,
  ...request
}: SentToPage): Promise<Parameters<typeof sendTraceRequest>[0]> {
  if (compressedBody === undefined) return request
  const body = new Blob([toBytes(atob(compressedBody))]).stream()
  const bytes = await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()

  return { ...request, body: new Uint8Array(bytes) }
}

/** The sandbox at a base address, when all that was to be done to it is done. */
function steered(base: string, deeds: readonly QueuedChange[]): Opened {
  for (const deed of deeds) if ('open' in deed) open(base, deed.open, deed.closed)
  const one = opened.get(base)
  if (!one) throw new TypeError(`No sandbox was opened at ${base}`)
  for (const deed of deeds) {
    if ('force' in deed) one.sandbox.force(...deed.force)
    else if ('time' in deed) one.sandbox.clock.set(deed.time)
    else if ('reset' in deed) one.sandbox.reset()
  }
  return one
}

function open(base: string, options: SandboxOptions | undefined, closed: readonly string[]): void {
  const sandbox = createSandbox(options)
  const one: Opened = { sandbox, handlers: toHandlers(sandbox, { baseUrl: base }), news: [] }
  sandbox.onExchange((exchange) => one.news.push(toPlain(exchange)))
  for (const address of closed) opened.delete(address)
  opened.set(base, one)
  worker.resetHandlers(...[...opened.values()].flatMap(({ handlers }) => handlers))
}
