import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { LoadedDocument } from '../document/load-document.ts'
import { type Outcome, toOutcome } from '../forcing/outcomes.ts'
import { createMemoryHost } from '../sandbox/memory-host.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { createDashboard } from '../transports/dashboard/dashboard.ts'
import { refuseBasePath } from '../transports/public-url.ts'
import { createSandboxServer } from '../transports/server.ts'
import { createMetricsHandler } from './metrics/metrics-requests.ts'
import { MetricsSource } from './metrics/metrics-source.ts'
import { openControl } from './open-control.ts'
import { Readiness } from './readiness.ts'
import { createLog, type RequestLog } from './request-log.ts'
import { readSandboxOptions } from './sandbox-options.ts'
import type { ServeSettings } from './settings.ts'
import { openState } from './state/open-state.ts'
import { painter } from './terminal.ts'

/** The folder of the dashboard in the package. */
const DASHBOARD = fileURLToPath(new URL('./dashboard/', import.meta.url))

/** Creates a server from the settings. It does not listen yet, and writes its log to `output`. */
export async function openServer(
  settings: ServeSettings,
  output: NodeJS.WriteStream,
): Promise<OpenedServer> {
  const { sandbox, document, state, files } = await openSandbox(settings)
  const paint = painter(output, process.env)
  const log = createLog(settings.log, () => sandbox.contract.basePath, output, paint)
  if (log) connectLog(sandbox, log)
  const metrics = new MetricsSource(sandbox.worlds.onExchange)
  const readiness = new Readiness()
  let present = document
  const control = await openControl(
    createMemoryHost(sandbox),
    settings,
    (action) => log?.action(action, sandbox.clock.now()),
    () => present.operationDiagnostics(),
  )
  const server = createSandboxServer(sandbox, {
    control: control?.control,
    dashboard: control && createDashboard(sandbox, DASHBOARD),
    metrics:
      control &&
      createMetricsHandler(metrics, {
        token: control.token,
        origins: settings.controlOrigins ?? [],
      }),
    isReady: readiness.isReady,
    readDocument: () => present.document(),
    saveChanges: state?.flush,
    publicUrl: settings.publicUrl,
    trustProxy: settings.trustProxy,
    onUnrouted: (request) => {
      log?.unrouted(request, sandbox.clock.now())
      metrics.unrouted(request)
    },
  })

  const showDocument = (loaded: LoadedDocument): void => {
    present = loaded
  }

  return {
    sandbox,
    document,
    state,
    files,
    log,
    control,
    server,
    metrics,
    readiness,
    showDocument,
  }
}

/** A server with all that belongs to it. */
export interface OpenedServer extends OpenedSandbox {
  readonly control: Awaited<ReturnType<typeof openControl>>
  readonly server: Server
  readonly metrics: MetricsSource
  readonly readiness: Readiness
  /** Sets the document that is shown: after a reload, the new one. */
  readonly showDocument: (document: LoadedDocument) => void
  /** Absent for the log format `silent`. */
  readonly log: RequestLog | undefined
}

/** Creates a sandbox from the settings, with its saved state. */
async function openSandbox(settings: ServeSettings): Promise<OpenedSandbox> {
  const { publicUrl, force, state: file } = settings
  const files = new Set<string>()
  const { options, document } = await readSandboxOptions(settings, (path) => files.add(path))
  const sandbox = createSandbox(options)
  refuseBasePath(publicUrl, sandbox.contract)
  await sandbox.ready
  const state = file === undefined ? undefined : await openState(file, sandbox, settings)
  forceOutcomes(sandbox, force)

  return { sandbox, document, state, files }
}

interface OpenedSandbox {
  readonly sandbox: Sandbox
  readonly document: LoadedDocument
  readonly state: Awaited<ReturnType<typeof openState>> | undefined
  /** The files of the document. */
  readonly files: ReadonlySet<string>
}

/** Writes the exchanges and events of a sandbox to the log. */
function connectLog({ worlds, clock }: Sandbox, log: RequestLog): void {
  worlds.onExchange(log)
  worlds.onDrop((world) => log.dropped(world, clock.now()))
}

function forceOutcomes(sandbox: Sandbox, forced: readonly string[]): void {
  for (const text of forced) {
    const [name = '', ...rest] = text.split(':')
    const outcome = toOutcome(name)
    const rule = rest.length === 0 ? {} : { operation: rest.join(':') }
    if (!isForced(sandbox, outcome, rule.operation)) sandbox.force(outcome, rule)
  }
}

/** A saved state may contain the outcomes that the previous start forced. */
function isForced(sandbox: Sandbox, outcome: Outcome, operation: string | undefined): boolean {
  return sandbox
    .forced()
    .some(
      (one) => one.outcome === outcome && one.operation === operation && one.times === undefined,
    )
}
