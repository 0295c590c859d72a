import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { LoadedDocument } from '../document/load-document.ts'
import { createDashboard } from '../transports/dashboard-requests.ts'
import type { UnroutedRequest } from '../transports/node-request.ts'
import { createSandboxServer } from '../transports/server.ts'
import { createMetricsHandler } from './metrics/metrics-requests.ts'
import { MetricsSource } from './metrics/metrics-source.ts'
import { openControl } from './open-control.ts'
import { type OpenedSandbox, openSandbox } from './open-sandbox.ts'
import { Readiness } from './readiness.ts'
import { createLog, type RequestLog } from './request-log.ts'
import type { ServedWorlds } from './served-worlds.ts'
import type { ServeSettings } from './settings.ts'
import { painter } from './terminal.ts'

/** The folder of the dashboard in the package. */
const DASHBOARD = fileURLToPath(new URL('./dashboard/', import.meta.url))

/** Creates a server from the settings. It does not listen yet, and writes its log to `output`. */
export async function openServer(
  settings: ServeSettings,
  output: NodeJS.WriteStream,
): Promise<OpenedServer> {
  const metrics = new MetricsSource()
  const opened = await openSandbox(settings, metrics.storeCall)
  const { worlds } = opened
  try {
    return { ...opened, metrics, ...(await createParts(settings, opened, metrics, output)) }
  } catch (error) {
    await worlds.close()
    throw error
  }
}

/** Creates what serves the worlds. */
async function createParts(
  settings: ServeSettings,
  { sandbox, worlds, document, state }: OpenedSandbox,
  metrics: MetricsSource,
  output: NodeJS.WriteStream,
): Promise<ServerParts> {
  const { routed, host, onExchange, now, check } = worlds
  const paint = painter(output, process.env)
  const basePath = (): string => sandbox.contract.basePath
  const { instance, worldBy } = settings
  const hasWorldTtl = worldBy !== undefined
  const log = createLog(settings.log, { basePath, output, paint, instance, hasWorldTtl })
  if (log) connectLog(worlds, log)
  metrics.connect(onExchange)
  const readiness = new Readiness(check)
  const onUnrouted = (request: UnroutedRequest): void => {
    log?.unrouted(request, now())
    metrics.unrouted(request)
  }
  worlds.onUnrouted(onUnrouted)
  let present = document
  const control = await openControl(
    host,
    settings,
    (action) => log?.action(action, now()),
    () => present.operationDiagnostics(),
  )
  const origins = settings.controlOrigins ?? []
  const server = createSandboxServer(routed, {
    control: control?.control,
    dashboard: control && createDashboard(routed, DASHBOARD, host.secret),
    metrics: control && createMetricsHandler(metrics, { token: control.token, origins }),
    isReady: readiness.isReady,
    readDocument: () => present.document(),
    saveChanges: state?.flush,
    publicUrl: settings.publicUrl,
    trustProxy: settings.trustProxy,
    keepAlive: settings.keepAlive,
    onUnrouted,
  })
  const showDocument = (loaded: LoadedDocument): void => {
    present = loaded
  }

  return { log, control, server, readiness, showDocument }
}

/** A server with all that belongs to it. */
export interface OpenedServer extends OpenedSandbox, ServerParts {
  readonly metrics: MetricsSource
}

interface ServerParts {
  readonly control: Awaited<ReturnType<typeof openControl>>
  readonly server: Server
  readonly readiness: Readiness
  /** Sets the document that is shown: after a reload, the new one. */
  readonly showDocument: (document: LoadedDocument) => void
  /** Absent for the log format `silent`. */
  readonly log: RequestLog | undefined
}

/** Writes the exchanges and events of all worlds to the log. */
function connectLog({ onExchange, onDrop, now }: ServedWorlds, log: RequestLog): void {
  onExchange(log)
  onDrop((world) => log.dropped(world, now()))
}
