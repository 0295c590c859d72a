import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Permission } from '../control/guard.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import { asProblem, type Problem, problems } from '../http/problem.ts'
import { withBrowserPolicy } from '../http/response-headers.ts'
import { hostOf, splitTarget } from '../transports/client-url.ts'
import { createHealthHandler, type ReadyTest } from '../transports/health-requests.ts'
import { http } from '../transports/node-http.ts'
import { inFrontOf, joinedHeader, type RequestHandler } from '../transports/node-request.ts'
import { send, sendUnwritable } from '../transports/write-response.ts'
import { UsageError } from '../validation/usage-error.ts'
import { listen } from './listen.ts'
import type { MetricsSource } from './metrics.ts'
import type { ServeSettings } from './settings.ts'

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

  return http.createServer(inFrontOf(serveMetrics, createHealthHandler(isReady)))
}

const METRICS_PATH = `${CONTROL_PATH}/metrics`

/** Serves the metrics below `/__sandbox`, to those who may use the control interface. The first request begins to count. */
export function createMetricsHandler(
  source: MetricsSource,
  permission: { readonly token?: string | undefined; readonly origins: readonly string[] },
): RequestHandler {
  return {
    serve: (request, response, otherwise) => {
      if (!isMetricsRequest(request)) return void otherwise(request, response)
      refusalOf(request, permission)
        .then((refusal) =>
          refusal ? send(refusal.toResponse(), response) : sendMetrics(source, response),
        )
        .catch((error: unknown) => sendUnwritable(error, response))
    },
  }
}

function isMetricsRequest({ method, url = '' }: IncomingMessage): boolean {
  if (!url.includes(METRICS_PATH) || (method !== 'GET' && method !== 'HEAD')) return false
  const [path] = splitTarget(url)
  return path === METRICS_PATH
}

/** Stands for a host that is no host name. */
const UNKNOWN_HOST = 'http://invalid'

/** Why a request may not read the metrics; `undefined` when it may. */
async function refusalOf(
  request: IncomingMessage,
  { token, origins }: { readonly token?: string | undefined; readonly origins: readonly string[] },
): Promise<Problem | undefined> {
  const { guard, toPermission } = await import('../control/guard.ts')
  const permission: Permission = toPermission(token, origins)
  const { headers, socket } = request
  const address = `http://${hostOf(headers.host, socket)}${METRICS_PATH}`
  const source = {
    url: new URL(URL.canParse(address) ? address : UNKNOWN_HOST),
    header: (name: string) => joinedHeader(request, name),
    address: socket.remoteAddress,
  }
  try {
    guard(source, permission)
    return undefined
  } catch (error) {
    return asProblem(error)
  }
}

/** Sends the metrics, or why there are none. */
async function sendMetrics(source: MetricsSource, response: ServerResponse): Promise<void> {
  try {
    const metrics = await source.open()
    const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
    send(withBrowserPolicy({ status: 200, headers, body: await metrics.text() }), response)
  } catch (error) {
    if (!(error instanceof UsageError)) console.error(error)
    const message =
      error instanceof UsageError
        ? error.message
        : 'The metrics cannot be read. The cause is in the log of the sandbox.'
    send(problems.internalError(message).toResponse(), response)
  }
}
