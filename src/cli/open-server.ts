import type { Server } from 'node:http'
import { withBasePath } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import type { LoadOptions } from '../document/read-source.ts'
import { type Outcome, toOutcome } from '../forcing/outcomes.ts'
import { described, type Scenario } from '../forcing/scenario.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { refuseBasePath } from '../transports/public-url.ts'
import { createSandboxServer } from '../transports/server.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { ScenarioOptions } from './load-scenarios.ts'
import { openControl } from './open-control.ts'
import { createLog, type RequestLog } from './request-log.ts'
import type { ServeSettings } from './settings.ts'
import { openState } from './state/open-state.ts'
import { painter } from './terminal.ts'

/** Creates a server from the settings. It does not listen yet, and writes its log to `output`. */
export async function openServer(
  settings: ServeSettings,
  output: NodeJS.WriteStream,
): Promise<OpenedServer> {
  const { sandbox, state } = await openSandbox(settings)
  const paint = painter(output, process.env)
  const log = createLog(settings.log, sandbox.contract.basePath, output, paint)
  if (log) connectLog(sandbox, log)
  const control = await openControl(sandbox, settings, (action) =>
    log?.action(action, sandbox.clock.now()),
  )
  const server = createSandboxServer(sandbox, {
    control: control?.control,
    saveChanges: state?.flush,
    publicUrl: settings.publicUrl,
    trustProxy: settings.trustProxy,
    onUnrouted: (request) => log?.unrouted(request, sandbox.clock.now()),
  })

  return { sandbox, state, control, server }
}

interface OpenedServer extends OpenedSandbox {
  readonly control: Awaited<ReturnType<typeof openControl>>
  readonly server: Server
}

/** Creates a sandbox from the settings, with its saved state. */
async function openSandbox(settings: ServeSettings): Promise<OpenedSandbox> {
  const {
    openapi,
    basePath,
    headers = {},
    overlay: overlays = [],
    remoteRefs = false,
    outsideRefs = false,
    port: _port,
    host: _host,
    publicUrl,
    trustProxy: _trustProxy,
    force,
    log: _log,
    scenarios: folder,
    control: _control,
    controlToken: _controlToken,
    controlOrigins: _controlOrigins,
    state: file,
    ...options
  } = settings
  const loadOptions = { basePath, headers, overlays, remoteRefs, outsideRefs }
  const contract = await openContract(openapi, loadOptions)
  refuseBasePath(publicUrl, contract)
  const scenarios = await openScenarios(folder, { ...options, contract })
  const sandbox = createSandbox({ ...options, contract, scenarios })
  await sandbox.ready.catch((error) => throwWithLocation(error, openapi, loadOptions))
  const state = file === undefined ? undefined : await openState(file, sandbox, settings)
  forceOutcomes(sandbox, force)

  return { sandbox, state }
}

/** Throws the error; one about records that cannot be made of a document, with the place in it. */
async function throwWithLocation(
  error: unknown,
  file: string | undefined,
  options: LoadOptions,
): Promise<never> {
  const cause = error instanceof UsageError ? error.cause : undefined
  const at = cause instanceof InvalidRecordError ? cause.at : undefined
  if (!(error instanceof UsageError && at) || file === undefined) throw error
  const { locateProperty } = await import('../document/locate-property.ts')
  const location = await locateProperty(file, options, at.path, at.property)
  throw new UsageError({ ...error, location, cause })
}

interface OpenedSandbox {
  readonly sandbox: Sandbox
  readonly state: Awaited<ReturnType<typeof openState>> | undefined
}

/** The shipped contract, or the contract of a document. Loads the parser and Ajv only for a document. */
export async function openContract(
  openapi: string | undefined,
  options: LoadOptions,
): Promise<Contract> {
  if (openapi === undefined) {
    refuseOverlays(options)
    const { basePath } = options
    return basePath === undefined ? shippedContract : withBasePath(shippedContract, basePath)
  }
  const { loadContract } = await import('../document/load-contract.ts')

  return loadContract(openapi, options)
}

/** The shipped contract is compiled, so an overlay cannot change it. */
function refuseOverlays({ overlays = [] }: LoadOptions): void {
  if (overlays.length === 0) return
  throw new UsageError({
    code: 'invalid_overlay',
    task: `apply ${overlays.join(', ')}`,
    reason: 'an overlay needs a document that it changes',
    help: 'Name the OpenAPI document, for example pet-sandbox api.yaml --overlay hints.yaml.',
  })
}

/** Loads the YAML parser only if there is a folder of scenarios. */
async function openScenarios(
  folder: string | undefined,
  options: ScenarioOptions,
): Promise<Readonly<Record<string, Scenario>>> {
  if (folder === undefined) return {}
  const { loadScenarios } = await import('./load-scenarios.ts')
  const scenarios = Object.entries(await loadScenarios(folder, options))

  return Object.fromEntries(
    scenarios.map(([name, scenario]) => [name, described(name, scenario, console.error)]),
  )
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
