import type * as PromClient from 'prom-client'
import type { Exchange } from '../journal/exchange.ts'
import type { WorldListener } from '../sandbox/worlds.ts'
import type { UnroutedRequest } from '../transports/node-request.ts'
import { UsageError } from '../validation/usage-error.ts'
import { systemErrorCode } from './system-error.ts'

/** Counts what a server does, as text for Prometheus. */
interface Metrics {
  readonly contentType: string
  /** The values of all metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>
  readonly exchange: (exchange: Exchange) => void
  /** Counts a request that reached no world. */
  readonly unrouted: (request: UnroutedRequest) => void
  /** Counts a round trip to the store. */
  readonly storeCall: (call: string, milliseconds: number) => void
}

/** The limits of the histograms, in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** The methods that requests may have as a label. Clients choose the method, and each label value takes memory for ever. */
const METHODS: ReadonlySet<string> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])

/** How many different reasons are counted on their own. Scenarios and documents may add any number. */
const MAX_REASONS = 100

/** Creates the metrics in a registry of their own, with those of the process. */
export function createMetrics({
  Registry,
  Counter,
  Histogram,
  collectDefaultMetrics,
}: typeof PromClient): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const reasons = new Set<string>()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'pet_sandbox_requests_total',
    help: 'Requests by operation, method and status. Requests without an operation have the operation "none".',
    labelNames: ['operation', 'method', 'status'] as const,
    registers,
  })
  const refusals = new Counter({
    name: 'pet_sandbox_refusals_total',
    help: 'Refused requests by reason.',
    labelNames: ['reason'] as const,
    registers,
  })
  const durations = new Histogram({
    name: 'pet_sandbox_request_duration_seconds',
    help: 'Duration of requests by operation.',
    labelNames: ['operation'] as const,
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const calls = new Counter({
    name: 'pet_sandbox_store_calls_total',
    help: 'Calls of the shared store by name.',
    labelNames: ['call'] as const,
    registers,
  })
  const callDurations = new Histogram({
    name: 'pet_sandbox_store_call_duration_seconds',
    help: 'Duration of calls of the shared store by name.',
    labelNames: ['call'] as const,
    buckets: STORE_BUCKETS,
    registers,
  })

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    exchange: ({ operation = 'none', method, status, reason, refusal, milliseconds }) => {
      requests.inc({ operation, method: methodLabel(method), status })
      durations.observe({ operation }, milliseconds / 1000)
      if (refusal) refusals.inc({ reason: reasonLabel(reason ?? refusal.code, reasons) })
    },
    unrouted: ({ method, status }) =>
      requests.inc({ operation: 'none', method: methodLabel(method), status }),
    storeCall: (call, milliseconds) => {
      calls.inc({ call })
      callDurations.observe({ call }, milliseconds / 1000)
    },
  }
}

function methodLabel(method: string): string {
  return METHODS.has(method) ? method : 'other'
}

function reasonLabel(reason: string, known: Set<string>): string {
  if (known.has(reason)) return reason
  if (known.size >= MAX_REASONS || reason.length > 100) return 'other'
  known.add(reason)

  return reason
}

/** The metrics of a server. Nothing is loaded or counted before they are opened. */
export class MetricsSource {
  #onExchange: (listener: WorldListener) => unknown = () => undefined
  #opening: Promise<Metrics> | undefined
  #opened: Metrics | undefined

  /** Tells how a listener for the exchanges of all worlds is added. */
  connect(onExchange: (listener: WorldListener) => unknown): void {
    this.#onExchange = onExchange
  }

  /** Begins to count, unless it has begun. Rejects with a UsageError when `prom-client` is not installed. */
  open(): Promise<Metrics> {
    this.#opening ??= this.#begin().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  readonly unrouted = (request: UnroutedRequest): void => this.#opened?.unrouted(request)

  readonly storeCall = (call: string, milliseconds: number): void =>
    this.#opened?.storeCall(call, milliseconds)

  async #begin(): Promise<Metrics> {
    const metrics = createMetrics(await loadPromClient())
    this.#onExchange(metrics.exchange)
    this.#opened = metrics

    return metrics
  }
}

/** Loads `prom-client`, which only servers with metrics need. Rejects with a UsageError when it is not installed. */
async function loadPromClient(): Promise<typeof PromClient> {
  try {
    return await import('prom-client')
  } catch (cause) {
    if (systemErrorCode(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new UsageError({
      code: 'missing_package',
      task: 'serve metrics',
      reason: 'the package prom-client is not installed',
      help: 'Run: npm install prom-client',
      cause,
    })
  }
}
