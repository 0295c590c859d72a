import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import type { Refused } from '../events/delivery.ts'
import type { EventOptions } from '../events/event-settings.ts'
import { SIGNATURES } from '../events/event-settings.ts'
import { hostWithPort, isLoopback } from '../events/targets.ts'
import { described, type Scenario } from '../forcing/scenario.ts'
import type { Locale } from '../generate/locale.ts'
import { parseStoreAddress } from '../redis/store-address.ts'
import { checkFirstRecords } from '../resources/first-records/check-first-records.ts'
import type { GivenRecords } from '../resources/first-records/records-option.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import {
  type OAuthClient,
  type SignInOptions,
  signInSettings,
} from '../sign-in/sign-in-settings.ts'
import { createDeliver } from '../transports/deliver.ts'
import { UsageError } from '../validation/usage-error.ts'
import { checkWithRecords } from './diagnostics.ts'
import type { ScenarioOptions } from './load-scenarios.ts'
import { openDocument } from './open-document.ts'
import { loadOptionsOf } from './setting-options.ts'
import { SETTINGS, type ServeSettings } from './settings.ts'
import { printable } from './terminal.ts'

/** The options of a sandbox by its settings, with the contract and the scenarios that they name, and its document. */
export async function readSandboxOptions(
  settings: ServeSettings,
  onRead: (path: string) => void,
): Promise<{ readonly options: SandboxOptions; readonly document: LoadedDocument }> {
  const { openapi, scenarios: folder, handlers: path, data, locale: localeName } = settings
  const document = await openDocument(openapi, { ...loadOptionsOf(settings), onRead })
  const { contract } = document
  const given = {
    ...sandboxSettings(settings),
    ...(localeName !== undefined && { locale: await openLocale(localeName) }),
  }
  if (settings.strict && openapi !== undefined) await refuseMistakes(document)
  await checkRecords(settings, contract)
  const options = data
    ? { ...given, records: await readData(data, { ...given, contract }, onRead) }
    : given
  if (folder !== undefined) for (const file of await scenarioFiles(folder)) onRead(file)
  const scenarios = await openScenarios(folder, { ...options, contract })
  const handlers = path === undefined ? {} : await openHandlers(path, contract, onRead)

  const events = eventOptions(settings)
  const signIn = signInOptions(settings)

  return { options: { ...options, ...handlers, events, signIn, contract, scenarios }, document }
}

/** The option `signIn` by the settings about it. Nobody can guess what a server issues. */
function signInOptions({
  oauthClient = [],
  signInAs,
  tokens,
  tokenLifetime,
}: ServeSettings): SignInOptions {
  const options: SignInOptions = {
    random: 'system',
    clients: oauthClients(oauthClient),
    ...(signInAs !== undefined && { auto: signInAs }),
    ...(tokens !== undefined && { tokens: tokens === 'jwt' ? 'jwt' : 'opaque' }),
    ...(tokenLifetime !== undefined && { accessLifetime: tokenLifetime }),
  }
  // A mistake is told at the start, and not with the first token.
  signInSettings(options)

  return options
}

/** The clients by texts such as `web:s3cret:http://localhost:3000/callback`. A client may have several redirects. */
function oauthClients(texts: readonly string[]): NonNullable<SignInOptions['clients']> {
  const clients = new Map<string, OAuthClient>()
  for (const text of texts) {
    const [, id = '', secret = '', redirect] = /^([^:]+)(?::([^:]*))?(?::(.+))?$/.exec(text) ?? []
    if (id === '') {
      throw new UsageError({
        code: 'invalid_setting',
        task: `use --oauth-client "${text}"`,
        reason: 'it has no id',
        help: 'Write it as id:secret:redirect, such as web:s3cret:http://localhost:3000/callback.',
      })
    }
    const { redirects = [], ...known } = clients.get(id) ?? {}
    clients.set(id, {
      ...known,
      ...(secret !== '' && { secret }),
      redirects: redirect === undefined ? redirects : [...redirects, redirect],
    })
  }
  return Object.fromEntries(clients)
}

/** The settings that are options of a sandbox as they are. */
function sandboxSettings(settings: ServeSettings): SandboxOptions {
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => SETTINGS[name]?.isOfSandbox),
  )
}

/** The option `events` by the settings about webhooks. A signature that is none of the known forms is the name of a header. */
function eventOptions({
  webhook = [],
  webhookAllow = [],
  webhookSecret,
  webhookSignature,
  webhookRetries,
  webhookOrder,
  webhookTimeout,
  store,
  host,
  publicUrl,
  trustProxy,
}: ServeSettings): EventOptions {
  const refuse = store === undefined ? [] : parseStoreAddress(store).nodes
  // Requests of other machines must not reach what only this machine may reach.
  const thisMachine = isLoopback(host) && publicUrl === undefined && trustProxy === undefined
  const form = SIGNATURES.find((one) => one === webhookSignature)
  const header = webhookSignature === undefined ? undefined : { header: webhookSignature }
  const signature = form ?? header

  // Everybody knows what follows from a seed. The servers of a store have a secret of their own in common.
  const isSeeded = thisMachine || store !== undefined
  const secret = webhookSecret ?? (isSeeded ? undefined : randomSecret())
  // Whoever starts the sandbox names these addresses, but not the others of their hosts.
  const named = webhook.flatMap((url) => (URL.canParse(url) ? hostWithPort(new URL(url)) : []))

  return {
    to: webhook,
    allow: webhookAllow,
    thisMachine,
    deliver: createDeliver({ allow: [...webhookAllow, ...named], refuse }),
    onRefusal: refusalWriter(),
    ...(secret !== undefined && { secret }),
    ...(signature && { signature }),
    ...(webhookRetries && { retries: webhookRetries }),
    ...(webhookOrder === 'strict' && { ordered: webhookOrder }),
    ...(webhookTimeout !== undefined && { timeout: webhookTimeout }),
  }
}

/** So many different refusals are written. Clients may subscribe with any number of addresses. */
const MAX_REFUSALS = 100

/** Writes once why deliveries are refused, and what to do. Of an address, only the host is shown: the rest may contain a secret. */
function refusalWriter(): (refused: Refused) => void {
  const written = new Set<string>()
  return ({ url, reason, help }) => {
    const host = URL.canParse(url) ? new URL(url).host : ''
    const to = help === undefined || host === '' ? '' : ` to ${host}`
    const line = `Refuses deliveries${to}: ${reason}. ${help ?? SEE_REFUSED}`
    if (written.has(line) || written.size === MAX_REFUSALS) return
    written.add(line)
    process.stderr.write(`pet-sandbox: ${printable(line)}\n`)
  }
}

const SEE_REFUSED = 'pet-sandbox ctl deliveries --state refused shows which.'

function randomSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

/** The words of a locale, which are loaded only when one is named. */
async function openLocale(name: string): Promise<Locale> {
  const { loadLocale } = await import('./load-locale.ts')
  return loadLocale(name)
}

/** Throws a UsageError that lists the mistakes of the records in the configuration file, each with its location (file:line:column). */
async function checkRecords(
  { records, recordsFile }: ServeSettings,
  contract: Contract,
): Promise<void> {
  if (recordsFile === undefined || typeof records !== 'object') return
  const { mistakes } = checkFirstRecords(records, contract)
  if (mistakes.length === 0) return
  const { asUsageError, Mistakes, mistakesInFile } = await import('../document/mistake.ts')
  const found = new Mistakes(mistakesInFile(recordsFile, mistakes))
  throw asUsageError(recordsFile.name, found, 'invalid_records')
}

/** The option `records` with the records of the files. Loads their parsers only if there are any. */
async function readData(
  paths: readonly string[],
  {
    contract,
    seed = 1,
    locale,
    records,
  }: Pick<SandboxOptions, 'seed' | 'locale' | 'records'> & Pick<LoadedDocument, 'contract'>,
  onRead: (path: string) => void,
): Promise<GivenRecords> {
  const { readRecords, withData } = await import('./data.ts')
  return withData(records, await readRecords(paths, { contract, seed, locale, onRead }))
}

/** Loading has refused all mistakes but the ones of first records. */
async function refuseMistakes(document: LoadedDocument): Promise<void> {
  const { throwDiagnostics } = await import('../document/mistake.ts')
  throwDiagnostics(document.name, await checkWithRecords(document))
}

/** The option `handlers` with those of a file or folder, and where their mistakes are written. */
async function openHandlers(
  path: string,
  contract: Contract,
  onRead: (path: string) => void,
): Promise<Pick<SandboxOptions, 'handlers' | 'onHandlerMistake'>> {
  const { loadHandlers, mistakeWriter } = await import('./load-handlers.ts')
  const { endLoopsOfModule, withoutEndlessLoops } = await import('./end-loops.ts')
  const handlers = await loadHandlers(path, contract, onRead, endLoopsOfModule)
  return {
    handlers: withoutEndlessLoops(handlers),
    onHandlerMistake: mistakeWriter(process.stderr),
  }
}

/** The folder of the scenarios, which changes when a file is added or removed, and its files. */
async function scenarioFiles(folder: string): Promise<readonly string[]> {
  // Loading the scenarios explains why a folder cannot be read.
  const names = await readdir(folder).catch(() => [])
  return [resolve(folder), ...names.map((name) => resolve(folder, name))]
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
