import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import { type Exchange, type SentMessage, toPlain } from '../journal/exchange.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { Duration } from '../time/duration.ts'

/** The base URL of a trace. All transports use it, so that links and locations are equal. */
export const TRACE_BASE_URL = 'http://sandbox.test/v1'

/** A request as plain data, which can be sent to another process or to a page. */
export interface TraceRequest {
  readonly method: string
  /** The path after the base URL, and the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, one character for each. */
  readonly body?: string
}

/** One step of a trace: a change of the clock, a forced outcome, or a request. */
export type TraceStep =
  | { readonly set: string }
  | { readonly advance: Duration }
  | { readonly force: Outcome; readonly rule: ForceRule }
  | { readonly send: TraceRequest }

/** A sequence of steps as plain data, which can be replayed through any transport. */
export interface Trace {
  readonly options: SandboxOptions
  readonly steps: readonly TraceStep[]
}

/** A response, byte for byte. Header names are in lower case and sorted; hop-by-hop headers are removed. */
export interface TraceResponse {
  /** 0 when the connection was closed without a response. */
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The bytes, one character for each. */
  readonly body: string
}

/** The responses and the journal after a trace was replayed. */
export interface ReplayResult {
  readonly responses: readonly TraceResponse[]
  /** The journal without durations, deliveries and request headers, which depend on the transport. */
  readonly journal: readonly (Omit<Exchange, 'milliseconds' | 'delivery' | 'client' | 'request'> & {
    readonly request: Omit<SentMessage, 'headers'>
  })[]
}

/** Sends a request. A broken connection rejects, or resolves with a network error. */
export type Fetch = (request: Request) => Promise<Response>

/** The headers that concern one connection only (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding']

const CONNECTION_CLOSED: TraceResponse = { status: 0, headers: [], body: '' }

/** Creates the sandbox of a trace and replays the steps. It runs in Node and in a page. */
export async function replay(
  { options, steps }: Trace,
  connect: (sandbox: Sandbox) => Promise<Fetch>,
): Promise<ReplayResult> {
  const sandbox = createSandbox(options)
  return replaySteps(steps, sandbox, await connect(sandbox))
}

/** Replays the steps of a trace with a new sandbox. */
export async function replaySteps(
  steps: Trace['steps'],
  sandbox: Sandbox,
  send: Fetch,
): Promise<ReplayResult> {
  const responses: TraceResponse[] = []
  for (const step of steps) {
    if ('send' in step) responses.push(await sendTraceRequest(step.send, send))
    else applyStep(sandbox, step)
  }

  const journal = sandbox.journal.exchanges.map((exchange) => {
    const {
      milliseconds: _,
      delivery: _delivery,
      client: _client,
      request,
      ...plain
    } = toPlain(exchange)
    const { headers: __, ...sent } = request
    return { ...plain, request: sent }
  })
  return { responses, journal }
}

/** Applies a step that is not a request. */
export function applyStep(
  sandbox: Sandbox,
  step: Exclude<TraceStep, { readonly send: TraceRequest }>,
): void {
  if ('set' in step) sandbox.clock.set(step.set)
  else if ('advance' in step) sandbox.clock.advance(step.advance)
  else sandbox.force(step.force, step.rule)
}

/** Sends a request of a trace, and returns its response. */
export async function sendTraceRequest(
  sent: Omit<TraceRequest, 'body'> & { readonly body?: string | Uint8Array<ArrayBuffer> },
  send: Fetch,
  base: string = TRACE_BASE_URL,
): Promise<TraceResponse> {
  const { method, path, headers, body } = sent
  const bytes = typeof body === 'string' ? toBytes(body) : (body ?? null)
  const request = new Request(base + path, { method, headers, body: bytes })
  const response = await send(request).catch(toNetworkError)
  if (response.type === 'error') return CONNECTION_CLOSED

  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !HOP_BY_HOP.includes(name)),
    body: fromBytes(new Uint8Array(await response.arrayBuffer())),
  }
}

/** Converts bytes to a text with one character for each byte. */
export function fromBytes(bytes: Uint8Array): string {
  let text = ''
  // In chunks, because the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 0x4000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x4000))
  }
  return text
}

/** Converts a text from {@link fromBytes} back to bytes. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

function toNetworkError(error: unknown): Response {
  if (error instanceof Error) return Response.error()
  throw error
}
