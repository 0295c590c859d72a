import type { WorldListener } from '../../sandbox/worlds.ts'
import type { UnroutedRequest } from '../../transports/node-request.ts'
import { loadPromClient } from './load-prom-client.ts'
import { createMetrics, type Metrics } from './metrics.ts'

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
