import { spawn } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import module from 'node:module'
import { hostname } from 'node:os'
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import type { Contract } from '../contract/contract.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { CONTROL_PATH } from '../http/paths.ts'
import { parseStoreAddress, showAddress } from '../redis/store-address.ts'
import { readNames, readResources } from '../resources/bind.ts'
import { resolveAuth } from '../sandbox/options.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { Turns } from '../time/turns.ts'
import { UsageError } from '../validation/usage-error.ts'
import { diagnosticsCommand, knownMistakes, logNewMistakes } from './diagnostics.ts'
import { findFirstRequest } from './first-request.ts'
import { listen, stopOnSignal } from './listen.ts'
import { listenForMetrics, type OpenedMetrics } from './metrics-server.ts'
import { type OpenedServer, openServer } from './open-server.ts'
import { addServeOptions, DOCUMENT_ARGUMENT } from './setting-options.ts'
import {
  configSource,
  environmentSource,
  findConfig,
  flagSource,
  rejectMisspeltCommand,
  warnAboutMisspeltVariables,
} from './setting-sources.ts'
import { requireStoreSettings, resolveSettings, type ServeSettings } from './settings.ts'
import {
  type ServerStart,
  silentStart,
  startupJson,
  startupMessage,
  stateLine,
} from './startup-message.ts'
import { painter } from './terminal.ts'
import { requireWatchable, watchSandbox } from './watch.ts'

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
  pet-sandbox books.yaml --handlers ./sandbox   with your own code for operations
  pet-sandbox books.yaml --watch                reload after each change`

/** `pet-sandbox serve`: serves the sandbox over HTTP until it is stopped. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve the API over HTTP (the default command)')
    .argument('[openapi]', DOCUMENT_ARGUMENT)
    .allowExcessArguments()

  return addServeOptions(command, { isServer: true })
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
  saveMemory()
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

interface StartedServer extends OpenedServer {
  readonly settings: ServeSettings
  readonly readSettings: ReadSettings
  readonly configFile: string | undefined
}

async function serveUntilStopped(
  served: StartedServer,
  metricsServer: OpenedMetrics | undefined,
): Promise<void> {
  const { settings, sandbox, document, state, log, control, server, readiness } = served
  const { port, host, publicUrl, drain = 0 } = settings
  useMemory(sandbox.contract)
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
  const { webhookSecret } = served.worlds
  const start = { origin, publicUrl, shared, metrics, mistakes, firstRequest, webhookSecret }
  if (state && !isSilent) process.stdout.write(stateLine(state, settings))
  writeStart(sandbox, { ...start, ...(control && { control }) }, settings)
  logMistakes(document, settings)
  keepCompiled()
  // A mistake is told to who needs the resources.
  if (control) prepareDashboard(sandbox.contract, server).catch(() => undefined)
  if (settings.open) openDashboard(origin)
  await stopped
  watcher?.close()
  if (state && !(await state.close())) process.exitCode = 1
}

/** Milliseconds without a request after which the sandbox is not in use. A browser needs less between two requests of a page. */
const QUIET_MS = 500

/** The longest pause, in milliseconds, of a sandbox that is in use all the time. */
const LONGEST_PAUSE_MS = 1500

/**
 * Finds the resources, so that whoever opens the dashboard later has not to wait for it. It takes seconds for a large document, and the
 * requests that come in the meantime, such as those for the files of the dashboard, would each wait for several turns of it.
 */
export async function prepareDashboard(contract: Contract, server: EventEmitter): Promise<void> {
  // Whoever reads the startup message may open the dashboard at once.
  let latest = performance.now()
  const note = (): void => {
    latest = performance.now()
  }
  const pause = async (): Promise<void> => {
    const end = performance.now() + LONGEST_PAUSE_MS
    while (performance.now() < Math.min(end, latest + QUIET_MS))
      await sleep(QUIET_MS / 4, undefined, { ref: false })
  }
  server.prependListener('request', note)
  try {
    // Whoever starts the sandbox waits for its first response, which may be one of the service.
    await pause()
    // What answers the first request of the dashboard.
    await import('../control/answer.ts')
    // Node loads its web requests when they are first named.
    void globalThis.Request
    const turns = new Turns(pause)
    await readNames(contract, undefined, turns)
    await readResources(contract, undefined, turns)
  } finally {
    server.off('request', note)
  }
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

/** Writes what was compiled into Node's cache after a second, for later starts: a process that is killed would not write it at its end. */
function keepCompiled(): void {
  // Node 20 has no such cache.
  const write = 'flushCompileCache' in module ? module.flushCompileCache : undefined
  if (typeof write === 'function') setTimeout(() => write(), 1000).unref()
}

/** Documents with more operations count as large. */
const MANY_OPERATIONS = 200

/** Bytes for young objects. With less, records are copied before they are old; with more, V8 hardly works less. */
const YOUNG_MEMORY = 8 * 1024 * 1024

/**
 * Lets V8 take little memory while a document is read. Node 24 lets the memory for young objects grow to 128 MB, and never gives it back,
 * and that for other objects to a multiple of what is in use: 335 MB instead of 190 MB after the start with a document of 20 MB.
 */
function saveMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=40')
}

/**
 * Lets V8 take more memory again, but only 8 MB for young objects. With a large document it stays as it is: 360 MB instead of 620 MB
 * after 400 operations of a document of 20 MB.
 */
function useMemory({ operations }: Contract): void {
  if (operations.length > MANY_OPERATIONS) return
  // Without a percentage, V8 computes it.
  setFlagsFromString('--heap-growing-percent=0')
  setFlagsFromString('--semi-space-growth-factor=2')
  // It grows after a garbage collection.
  const observer = new PerformanceObserver(stopGrowth)
  observer.observe({ entryTypes: ['gc'] })
  stopGrowth()

  function stopGrowth(): void {
    if (youngMemory() < YOUNG_MEMORY) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  }
}

/** The bytes for young objects now. V8 has them twice, because it copies those that live on. */
function youngMemory(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return (young?.space_size ?? 0) / 2
}

/** A program and its arguments, which open an address in the browser of the system. */
type Opener = readonly [program: string, ...given: string[]]

const OPENERS: Partial<Readonly<Record<NodeJS.Platform, Opener>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Of Linux and other systems with desktops (freedesktop.org). */
const DESKTOP_OPENER: Opener = ['xdg-open']

/** Throws a UsageError when the dashboard is to be opened but not served. */
export function requireDashboard({ open = false, control = true }: ServeSettings): void {
  if (!open || control) return
  throw new UsageError({
    code: 'invalid_setting',
    task: 'use --open',
    reason: 'without the control interface there is no dashboard',
    help: 'Leave out --no-control.',
  })
}

/** Opens the dashboard in the browser of the system. Writes a line to standard error when the system has none. */
export function openDashboard(
  origin: string,
  platform: NodeJS.Platform = process.platform,
  output: Pick<NodeJS.WriteStream, 'write'> = process.stderr,
): void {
  const address = `${origin}${CONTROL_PATH}`
  const [program, ...given] = OPENERS[platform] ?? DESKTOP_OPENER
  // Without a shell, so that no character of the address has a meaning.
  const opener = spawn(program, [...given, address], { stdio: 'ignore', detached: true })
  let isReported = false
  const report = (): void => {
    if (isReported) return
    isReported = true
    output.write(`pet-sandbox: No browser was found. Open ${address} in yours.\n`)
  }
  opener.on('error', report)
  opener.on('exit', (code) => {
    if (code !== 0) report()
  })
  opener.unref()
}

/** The settings with a name of this server. Servers that share a store have one by default. */
function withInstance(settings: ServeSettings): ServeSettings {
  const { store, instance } = settings
  if (store === undefined || instance !== undefined) return settings
  return { ...settings, instance: `${hostname()}-${process.pid}` }
}

/** The store without its credentials, and the name of this server; `undefined` without a store. */
function describeStore({
  store,
  instance = '',
}: ServeSettings): { readonly store: string; readonly instance: string } | undefined {
  if (store === undefined) return undefined
  return { store: showAddress(parseStoreAddress(store)), instance }
}
