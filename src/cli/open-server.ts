import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Contract } from '../contract/contract.ts'
import type { ActionListener } from '../control/action.ts'
import type { ServedDocument } from '../control/call.ts'
import type { Control } from '../control/control.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import { isLoopback } from '../events/targets.ts'
import type { WorldHost } from '../sandbox/world-host.ts'
import { createDashboard } from '../transports/dashboard-requests.ts'
import type { UnroutedRequest } from '../transports/node-request.ts'
import { createSandboxServer } from '../transports/server.ts'
import { MetricsSource } from './metrics.ts'
import { createMetricsHandler } from './metrics-server.ts'
import { type OpenedSandbox, openSandbox } from './open-worlds.ts'
import { createLog, type RequestLog } from './request-log.ts'
import type { ServeSettings } from './settings.ts'
import { painter } from './terminal.ts'

/** The folder of the dashboard in the package. */
const DASHBOARD = fileURLToPath(new URL('./dashboard', import.meta.url))

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
  const { routed, host, onExchange, onDrop, now, check } = worlds
  const paint = painter(output)
  const contract = (): Contract => sandbox.contract
  const { instance, worldBy } = settings
  const hasWorldTtl = worldBy !== undefined
  const log = createLog(settings.log, { contract, output, paint, instance, hasWorldTtl })
  if (log) {
    onExchange(log)
    onDrop((world) => log.dropped(world, now()))
  }
  metrics.connect(onExchange)
  const readiness = new Readiness(check)
  const onUnrouted = (request: UnroutedRequest): void => {
    log?.unrouted(request, now())
    metrics.unrouted(request)
  }
  worlds.onUnrouted(onUnrouted)
  let present = document
  const control = await openControl(host, settings, (action) => log?.action(action, now()), {
    document: () => present.document(),
    operationDiagnostics: () => present.operationDiagnostics(),
    documentation: (operation) => present.documentation(operation),
  })
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

/** A control interface, and its token if it was generated. */
interface OpenedControl {
  readonly control: Control
  /** The token that requests from other machines need; absent when they are refused. */
  readonly token?: string
  readonly newToken?: string
}

type ControlSettings = Pick<ServeSettings, 'host' | 'control' | 'controlToken' | 'controlOrigins'>

/** Creates the control interface. If other machines can reach it, it has a token, which is generated if none is set. */
async function openControl(
  worlds: WorldHost,
  { host, control = true, controlToken, controlOrigins = [] }: ControlSettings,
  onAction: ActionListener,
  document: ServedDocument,
): Promise<OpenedControl | undefined> {
  if (!control) return undefined
  const needsToken = controlToken === undefined && !isLoopback(host)
  const newToken = needsToken ? randomBytes(18).toString('base64url') : undefined
  const token = controlToken ?? newToken
  // Loaded only if the control interface is served.
  const { createControlOf } = await import('../control/control.ts')
  const options = { origins: controlOrigins, onAction, ...(token !== undefined && { token }) }

  return {
    control: createControlOf(worlds, options, document),
    ...(token !== undefined && { token }),
    ...(newToken !== undefined && { newToken }),
  }
}

/** Whether a server can answer requests to the API: until it stops, and while what it depends on answers. */
export class Readiness {
  readonly #check: () => Promise<unknown>
  #isStopping = false
  #pending: Promise<boolean> | undefined

  /** `check` rejects while the server cannot answer. Default: it always can. */
  constructor(check: () => Promise<unknown> = async () => undefined) {
    this.#check = check
  }

  /** From now on the server is not ready, so that load balancers send its requests elsewhere. */
  stop(): void {
    this.#isStopping = true
  }

  /** Probes at the same time share one check. */
  readonly isReady = async (): Promise<boolean> => {
    if (this.#isStopping) return false
    this.#pending ??= this.#check()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#pending = undefined
      })
    const isAnswering = await this.#pending

    return isAnswering && !this.#isStopping
  }
}
