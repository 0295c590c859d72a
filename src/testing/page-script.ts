import { setupWorker } from 'msw/browser'
import { type Exchange, toPlain } from '../journal/exchange.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { strict, toHandlers } from '../transports/msw.ts'
import type { CollectionCall, SandboxChange } from './remote-sandbox.ts'
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

/** A change that a test makes to the page's sandbox between two requests. */
export type QueuedChange =
  /** Creates a sandbox at this base URL, and removes the sandboxes at the closed base URLs. */
  { readonly open: SandboxOptions | undefined; readonly closed: readonly string[] } | SandboxChange

/** A request that is sent to the page. */
export interface SentToPage extends TraceRequest {
  /** A large body, compressed by gzip and encoded in Base64, instead of `body`. */
  readonly compressedBody?: string
}

/** The functions that tests call in the page. Arguments and results are plain data. */
export interface SandboxPage {
  /** Replays a trace through the Service Worker. */
  replay(trace: Trace): Promise<ReplayResult>
  /** Applies the changes, sends a request from the page, and returns the response and the new exchanges of the journal. */
  send(
    base: string,
    changes: readonly QueuedChange[],
    request: SentToPage,
  ): Promise<{ response: TraceResponse; exchanges: Exchange[] }>
  /** Applies the changes and calls a method of a collection. */
  call(base: string, changes: readonly QueuedChange[], call: CollectionCall): Promise<unknown>
}

declare global {
  var sandboxPage: SandboxPage
}

// The script of a page: it runs the engine and MSW, whose Service Worker answers the page's requests.
const worker = setupWorker()
const started = worker.start({ quiet: true, ...strict })
const opened = new Map<string, OpenedSandbox>()

interface OpenedSandbox {
  readonly sandbox: Sandbox
  readonly handlers: ReturnType<typeof toHandlers>
  newExchanges: Exchange[]
}

globalThis.sandboxPage = {
  replay: async (trace) => {
    await started
    return await replay(trace, async (sandbox) => {
      worker.resetHandlers(...toHandlers(sandbox, { baseUrl: TRACE_BASE_URL }))
      return fetch
    })
  },
  send: async (base, changes, request) => {
    await started
    const target = applyChanges(base, changes)
    const response = await sendTraceRequest(await decompressBody(request), fetch, base)
    const exchanges = target.newExchanges
    target.newExchanges = []

    return { response, exchanges }
  },
  call: async (base, changes, { collection, method, args }) => {
    const records = applyChanges(base, changes).sandbox.collection(collection)
    return await Reflect.apply(records[method], records, args)
  },
}

async function decompressBody({
  compressedBody,
  ...request
}: SentToPage): Promise<Parameters<typeof sendTraceRequest>[0]> {
  if (compressedBody === undefined) return request
  const body = new Blob([toBytes(atob(compressedBody))]).stream()
  const bytes = await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()

  return { ...request, body: new Uint8Array(bytes) }
}

/** Applies the changes to the sandbox at a base URL, and returns it. */
function applyChanges(base: string, changes: readonly QueuedChange[]): OpenedSandbox {
  for (const change of changes) if ('open' in change) open(base, change.open, change.closed)
  const target = opened.get(base)
  if (!target) throw new TypeError(`No sandbox was opened at ${base}`)
  for (const change of changes) {
    if ('force' in change) target.sandbox.force(...change.force)
    else if ('time' in change) target.sandbox.clock.set(change.time)
    else if ('reset' in change) target.sandbox.reset()
  }
  return target
}

function open(base: string, options: SandboxOptions | undefined, closed: readonly string[]): void {
  const sandbox = createSandbox(options)
  const handlers = toHandlers(sandbox, { baseUrl: base })
  const target: OpenedSandbox = { sandbox, handlers, newExchanges: [] }
  sandbox.onExchange((exchange) => target.newExchanges.push(toPlain(exchange)))
  for (const address of closed) opened.delete(address)
  opened.set(base, target)
  worker.resetHandlers(...[...opened.values()].flatMap((one) => one.handlers))
}
