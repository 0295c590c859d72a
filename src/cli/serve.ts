import { Command } from 'commander'
import type { LoadedDocument } from '../document/load-document.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { resolveAuth } from '../sandbox/access-options.ts'
import { configSource, findConfig } from './config-file.ts'
import { rejectMisspeltCommand, warnAboutMisspeltVariables } from './detect-typos.ts'
import { logNewMistakes } from './diagnostics/diagnostic-log.ts'
import { diagnosticsCommand, knownMistakes } from './diagnostics/known-mistakes.ts'
import { documentArgument } from './document-options.ts'
import { findFirstRequest } from './first-request/first-request.ts'
import { limitYoungObjects } from './limit-young-objects.ts'
import { listen, stopOnSignal } from './listen.ts'
import { openDashboard, requireDashboard } from './open-dashboard.ts'
import { openServer } from './open-server.ts'
import { addServeOptions } from './serve-options.ts'
import { environmentSource, flagSource } from './setting-sources.ts'
import { resolveSettings, type ServeSettings } from './settings.ts'
import { startupJson, startupMessage } from './startup-message.ts'
import { stateLine } from './state/state-line.ts'
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

  return addServeOptions(command)
    .option(
      '--watch',
      'reload when the document, a file that it refers to, an overlay, a scenario or the configuration changes; records and counts stay',
    )
    .option('--open', 'open the dashboard in the browser')
    .addHelpText('after', SERVE_NOTES)
    .action(async (openapi: string | undefined, _options: object, command: Command) => {
      rejectMisspeltCommand(command)
      warnAboutMisspeltVariables(process.env)
      const flags = flagSource(openapi, command)
      const { config } = command.opts()
      const readSettings = async (): Promise<ServeSettings> =>
        resolveSettings([await configSource(config), environmentSource(process.env), flags])
      await serve(await readSettings(), readSettings, findConfig(config))
    })
}

async function serve(
  settings: ServeSettings,
  readSettings: () => Promise<ServeSettings>,
  configFile: string | undefined,
): Promise<void> {
  requireWatchable(settings)
  requireDashboard(settings)
  const { port, host, log: kind, publicUrl } = settings
  const paint = painter(process.stdout, process.env)
  const { sandbox, document, state, files, log, control, server, showDocument } = await openServer(
    settings,
    process.stdout,
  )
  limitYoungObjects(sandbox.contract)
  const origin = await listen(server, host, port)
  // Before the startup message: whoever reads it may send a signal or save a file at once.
  const stopped = stopOnSignal(server, control?.control)
  const logMistakes = (document: LoadedDocument, settings: ServeSettings): void => {
    const { name, diagnostics } = document
    const command = diagnosticsCommand(name, settings)
    if (log) logNewMistakes(diagnostics, command, (one) => log.mistake(one, sandbox.clock.now()))
  }
  const onReload = (document: LoadedDocument, settings: ServeSettings): void => {
    showDocument(document)
    logMistakes(document, settings)
  }
  const watched = { sandbox, settings, readSettings, configFile, files, onReload }
  const watcher = settings.watch ? await watchSandbox(watched) : undefined
  const firstRequest = await findFirstRequest(sandbox, {
    origin,
    auth: resolveAuth(settings.auth ?? true, sandbox.contract),
  })
  const mistakes = knownMistakes(document, settings)
  const start = { origin, publicUrl, ...(control && { control }), mistakes, firstRequest }
  if (state) process.stdout.write(stateLine(state, settings))
  process.stdout.write(
    kind === 'json'
      ? startupJson(sandbox, start)
      : startupMessage(sandbox, start, paint, settings.auth),
  )
  logMistakes(document, settings)
  if (settings.open) openDashboard(origin)
  await stopped
  watcher?.close()
  if (state && !(await state.close())) process.exitCode = 1
}
