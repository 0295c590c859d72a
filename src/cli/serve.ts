import { Command } from 'commander'
import type { LoadedDocument } from '../document/load-document.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { resolveAuth } from '../sandbox/options.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { configSource, findConfig } from './config-file.ts'
import { rejectMisspeltCommand, warnAboutMisspeltVariables } from './detect-typos.ts'
import { logNewMistakes } from './diagnostics/diagnostic-log.ts'
import { diagnosticsCommand, knownMistakes } from './diagnostics/known-mistakes.ts'
import { documentArgument } from './document-options.ts'
import { findFirstRequest } from './first-request.ts'
import { limitYoungObjects } from './limit-young-objects.ts'
import { listen } from './listen.ts'
import { listenForMetrics, type OpenedMetrics } from './metrics/metrics-server.ts'
import { openDashboard, requireDashboard } from './open-dashboard.ts'
import { type OpenedServer, openServer } from './open-server.ts'
import { addServeOptions } from './serve-options.ts'
import { environmentSource, flagSource } from './setting-sources.ts'
import { resolveSettings, type ServeSettings } from './settings.ts'
import { type ServerStart, silentStart, startupJson, startupMessage } from './startup-message.ts'
import { stateLine } from './state/state-line.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { describeStore, withInstance } from './store/server-name.ts'
import { addStoreOptions } from './store/store-options.ts'
import { requireStoreSettings } from './store/store-settings.ts'
import { painter } from './terminal.ts'
import { requireWatchable, watchSandbox } from './watch/watch-sandbox.ts'

/** The part of the help after the options. */
export const SERVE_NOTES: string = `
Settings, in ascending precedence:
  defaults, configuration file, environment (PET_SANDBOX_PORT, PET_SANDBOX_PLANS="free=5/100 pro=9/900", …), options

Examples:
  pet-sandbox                                   the ${shippedContract.title} on http://127.0.0.1:4010/v1
  pet-sandbox --plan free=5/100                 a small quota
  pet-sandbox --force rate-limited              every request gets a 429
  pet-sandbox serve books.yaml --port 0         your own API on any free port
  pet-sandbox https://example.com/openapi.json  the API of a URL
  pet-sandbox vendor.yaml --overlay hints.yaml  with the changes of an overlay
  pet-sandbox books.yaml --watch                reload after each change`

/** `pet-sandbox serve`: serves the sandbox over HTTP until it is stopped. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve the API over HTTP (the default command)')
    .argument('[openapi]', documentArgument(shippedContract.title))
    .allowExcessArguments()

  addServeOptions(command)
    .option(
      '--watch',
      'reload when the document, a file that it refers to, an overlay, a scenario or the configuration changes; records and counts stay',
    )
    .option('--open', 'open the dashboard in the browser')

  return addStoreOptions(command)
    .addHelpText('after', SERVE_NOTES)
    .action(async (openapi: string | undefined, _options: object, command: Command) => {
      rejectMisspeltCommand(command)
      warnAboutMisspeltVariables(process.env)
      const flags = flagSource(openapi, command)
      const { config } = command.opts()
      const readSettings: ReadSettings = async () =>
        resolveSettings([await configSource(config), environmentSource(process.env), flags])
      await serve(await readSettings(), readSettings, findConfig(config))
    })
}

async function serve(
  given: ServeSettings,
  readSettings: ReadSettings,
  configFile: string | undefined,
): Promise<void> {
  requireStoreSettings(given)
  requireWatchable(given)
  requireDashboard(given)
  const settings = withInstance(given)
  const opened = await openServer(settings, process.stdout)
  const { metrics, readiness, worlds } = opened
  let metricsServer: OpenedMetrics | undefined
  try {
    metricsServer = await listenForMetrics(settings, metrics, readiness.isReady)
    await serveUntilStopped({ ...opened, settings, readSettings, configFile }, metricsServer)
  } finally {
    await worlds.close()
    // Until the end, probes are answered there.
    metricsServer?.close()
  }
}

type ReadSettings = () => Promise<ServeSettings>

interface ServedSandbox extends OpenedServer {
  readonly settings: ServeSettings
  readonly readSettings: ReadSettings
  readonly configFile: string | undefined
}

async function serveUntilStopped(
  served: ServedSandbox,
  metricsServer: OpenedMetrics | undefined,
): Promise<void> {
  const { settings, sandbox, document, state, log, control, server, readiness } = served
  const { port, host, publicUrl, drain = 0 } = settings
  limitYoungObjects(sandbox.contract)
  const origin = await listen(server, host, port)
  // Before the startup message: whoever reads it may send a signal or save a file at once.
  const stopped = stopOnSignal(server, {
    onSignal: () => readiness.stop(),
    drain,
    onClose: () => control?.control.close(),
  })
  const logMistakes = (document: LoadedDocument, settings: ServeSettings): void => {
    const { name, diagnostics } = document
    const command = diagnosticsCommand(name, settings)
    if (log) logNewMistakes(diagnostics, command, (one) => log.mistake(one, sandbox.clock.now()))
  }
  const onReload = (document: LoadedDocument, settings: ServeSettings): void => {
    served.showDocument(document)
    logMistakes(document, settings)
  }
  const watcher = settings.watch ? await watchSandbox({ ...served, onReload }) : undefined
  const isSilent = settings.log === 'silent'
  const auth = resolveAuth(settings.auth ?? true, sandbox.contract)
  const firstRequest = isSilent ? undefined : await findFirstRequest(sandbox, { origin, auth })
  const mistakes = knownMistakes(document, settings)
  const { address: metrics } = metricsServer ?? {}
  const shared = describeStore(settings)
  const start = { origin, publicUrl, shared, metrics, mistakes, firstRequest }
  if (state && !isSilent) process.stdout.write(stateLine(state, settings))
  writeStart(sandbox, { ...start, ...(control && { control }) }, settings)
  logMistakes(document, settings)
  if (settings.open) openDashboard(origin)
  await stopped
  watcher?.close()
  if (state && !(await state.close())) process.exitCode = 1
}

function writeStart(
  sandbox: Sandbox,
  start: ServerStart,
  { log, auth, port, metricsPort }: ServeSettings,
): void {
  if (log === 'silent') {
    process.stdout.write(silentStart(sandbox, start, { port, metricsPort }))
    return
  }
  const paint = painter(process.stdout, process.env)
  process.stdout.write(
    log === 'json' ? startupJson(sandbox, start) : startupMessage(sandbox, start, paint, auth),
  )
}
