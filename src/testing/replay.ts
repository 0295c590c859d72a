import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import { type Exchange, type SentMessage, toPlain } from '../journal/exchange.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { Duration } from '../time/duration.ts'

/** Where every transport serves a trace, for links and locations to agree. */
export const TRACE_BASE_URL = 'http://sandbox.test/v1'

/** A request as plain data, which goes to another process or into a page as it is. */
export interface TraceRequest {
  readonly method: string
  /** Below the base address, with the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** One character for each byte. */
  readonly body?: string
}

/** What is done to a sandbox, one step after the other. */
export type TraceStep =
  | { readonly set: string }
  | { readonly advance: Duration }
  | { readonly force: Outcome; readonly rule: ForceRule }
  | { readonly send: TraceRequest }

/** A story that any transport can tell again: plain data. */
export interface Trace {
  readonly options: SandboxOptions
  readonly steps: readonly TraceStep[]
}

/** What came back, byte for byte. Names of headers in small letters and in order; none of a single connection's. */
export interface TraceResponse {
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** One character for each byte. */
  readonly body: string
}

/** What a transport made of a trace. */
export interface ReplayResult {
  readonly responses: readonly TraceResponse[]
  /** The journal, but for how long each answer took and for the headers that each client sends. */
  readonly journal: readonly (Omit<Exchange, 'milliseconds' | 'request'> & {
    readonly request: Omit<SentMessage, 'headers'>
  })[]
}

/** Sends a web request and gives the answer; a connection that breaks rejects, or is a network error. */
export type Fetch = (request: Request) => Promise<Response>

/** Headers of one connection (RFC 9110, section 7.6.1): each transport has its own. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding']

const BROKEN: TraceResponse = { status: 0, headers: [], body: '' }

/** Makes the trace's sandbox and goes through its steps. It runs in Node and in a page alike. */
export async function replay(
  { options, steps }: Trace,
  connect: (sandbox: Sandbox) => Promise<Fetch>,
): Promise<ReplayResult> {
  const sandbox = createSandbox(options)
  const send = await connect(sandbox)
  const responses: TraceResponse[] = []
  for (const step of steps) {
    if ('send' in step) responses.push(await sendTraceRequest(step.send, send))
    else applyStep(sandbox, step)
  }

  const journal = sandbox.journal.exchanges.map((exchange) => {
    const { milliseconds: _, request, ...told } = toPlain(exchange)
    const { headers: __, ...sent } = request
    return { ...told, request: sent }
  })
  return { responses, journal }
}

/** Does a step that is no request. */
export function applyStep(
  sandbox: Sandbox,
  step: Exclude<TraceStep, { readonly send: TraceRequest }>,
): void {
  if ('set' in step) sandbox.clock.set(step.set)
  else if ('advance' in step) sandbox.clock.advance(step.advance)
  else sandbox.force(step.force, step.rule)
}

/** The answer that `send` gets to a request of a trace. */
export async function sendTraceRequest(
  sent: Omit<TraceRequest, 'body'> & { readonly body?: string | Uint8Array<ArrayBuffer> },
  send: Fetch,
  base: string = TRACE_BASE_URL,
): Promise<TraceResponse> {
  const { method, path, headers, body } = sent
  const bytes = typeof body === 'string' ? toBytes(body) : (body ?? null)
  const request = new Request(base + path, { method, headers, body: bytes })
  const response = await send(request).catch(brokenConnection)
  if (response.type === 'error') return BROKEN

  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !HOP_BY_HOP.includes(name)),
    body: fromBytes(new Uint8Array(await response.arrayBuffer())),
  }
}

/** Bytes as text: one character for each. */
export function fromBytes(bytes: Uint8Array): string {
  let text = ''
  // By pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x4000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x4000))
  }
  return text
}

/** The bytes that {@link fromBytes} made a text of. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at)
  return bytes
}

function brokenConnection(error: unknown): Response {
  if (error instanceof Error) return Response.error()
  throw error
}
