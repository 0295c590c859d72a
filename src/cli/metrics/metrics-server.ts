import { createServer, type RequestListener, type Server } from 'node:http'
import { problems } from '../../http/problem.ts'
import { splitTarget } from '../../transports/client-url.ts'
import { createHealthHandler, type ReadyTest } from '../../transports/health-requests.ts'
import { inFrontOf } from '../../transports/node-request.ts'
import { send } from '../../transports/write-response.ts'
import { listen } from '../listen.ts'
import type { ServeSettings } from '../settings.ts'
import { sendMetrics } from './metrics-requests.ts'
import type { MetricsSource } from './metrics-source.ts'

/** A server of its own for the metrics. */
export interface OpenedMetrics {
  /** Such as `http://127.0.0.1:9464/metrics`. */
  readonly address: string
  readonly close: () => void
}

/** Opens the metrics and their server, when the settings name a port for it. */
export async function listenForMetrics(
  { metricsPort, host }: Pick<ServeSettings, 'metricsPort' | 'host'>,
  source: MetricsSource,
  isReady: ReadyTest,
): Promise<OpenedMetrics | undefined> {
  if (metricsPort === undefined) return undefined
  await source.open()
  const server = createMetricsServer(source, isReady)
  const origin = await listen(server, host, metricsPort, '--metrics-port')
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }

  return { address: `${origin}/metrics`, close }
}

/**
 * Creates a server of its own for the metrics, at `/metrics` and without a token. It answers the probes, too, and does so until the
 * process ends, when the API accepts no connections any more.
 */
function createMetricsServer(source: MetricsSource, isReady: ReadyTest): Server {
  const serveMetrics: RequestListener = ({ method, url = '' }, response) => {
    const [path] = splitTarget(url)
    if (path !== '/metrics') {
      send(problems.notFound('The metrics are at /metrics.').toResponse(), response)
    } else if (method !== 'GET' && method !== 'HEAD') {
      const problem = problems.methodNotAllowed('The metrics can only be read.', 'GET, HEAD')
      send(problem.toResponse(), response)
    } else void sendMetrics(source, response)
  }

  return createServer(inFrontOf(serveMetrics, createHealthHandler(isReady)))
}
