import { AUTH_MODES } from '../access/security-scheme.ts'
import { UNKNOWN_IDS, VALIDATIONS } from '../contract/input.ts'
import type { Source } from '../document/source.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { TOKEN_FORMS } from '../sign-in/sign-in-settings.ts'
import { getOwn } from '../validation/objects.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import {
  auth,
  ban,
  basePath,
  bodyLimit,
  cannotUse,
  durationFrom,
  durations,
  files,
  flag,
  headers,
  integerFrom,
  keys,
  LOG_FORMATS,
  type LogFormat,
  latency,
  oneOf,
  plans,
  publicUrl,
  records,
  type SettingParser,
  signature,
  storeAddress,
  text,
  trustProxy,
  type WorldBy,
  words,
  worldBy,
} from './setting-values.ts'

/**
 * The settings of `serve` from the configuration file, the environment and the options. The help of its option says what each is.
 * Durations are in milliseconds.
 */
export interface ServeSettings
  extends Omit<
    SandboxOptions,
    | 'contract'
    | 'locale'
    | 'persist'
    | 'scenarios'
    | 'handlers'
    | 'onHandlerMistake'
    | 'events'
    | 'deliver'
    | 'signIn'
  > {
  readonly openapi?: string
  readonly basePath?: string
  readonly port: number
  readonly host: string
  readonly publicUrl?: string
  readonly trustProxy?: readonly string[]
  readonly force: readonly string[]
  readonly data?: readonly string[]
  /** The configuration file that has the setting `records`, for the places of mistakes in it. */
  readonly recordsFile?: Source | undefined
  readonly locale?: string
  readonly scenarios?: string
  readonly handlers?: string
  readonly oauthClient?: readonly string[]
  readonly signInAs?: string
  readonly tokens?: string
  readonly tokenLifetime?: number
  readonly webhook?: readonly string[]
  readonly webhookAllow?: readonly string[]
  readonly webhookSecret?: string
  readonly webhookSignature?: string
  readonly webhookRetries?: readonly number[]
  readonly webhookOrder?: string
  readonly webhookTimeout?: number
  readonly state?: string
  /** The address of the store that several servers share. It may contain a password, so that no message contains it. */
  readonly store?: string
  readonly storePrefix?: string
  readonly worldBy?: WorldBy
  readonly worldTtl?: number
  readonly instance?: string
  readonly log: LogFormat
  readonly control?: boolean
  readonly controlToken?: string
  readonly controlOrigins?: readonly string[]
  readonly metricsPort?: number
  readonly drain?: number
  readonly keepAlive?: number
  readonly open?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly overlay?: readonly string[]
  readonly watch?: boolean
  readonly remoteRefs?: boolean
  readonly strict?: boolean
  readonly outsideRefs?: boolean
  readonly inference?: boolean
}

/** The settings of one source. */
export interface SettingsSource {
  readonly values: Readonly<Record<string, unknown>>
  /** The name of a setting in this source, such as `--port` or `port (pet-sandbox.config.yaml:3:1)`. */
  readonly nameOf: (setting: string) => string
  /** The configuration file, for the places of mistakes in it. */
  readonly file?: Source
}

/** A setting, declared once: its parser, and how it is called and described on the command line and in the environment. */
export interface Setting {
  readonly parse: SettingParser
  /** The option, such as `--port <number>`; absent for a setting that the command line has not, or has as an argument. */
  readonly option?: string
  /** A second option without a value. */
  readonly shortcut?: readonly [option: string, help: string]
  readonly help?: string
  /** The heading of this option and those that follow it in the help. */
  readonly heading?: string
  readonly choices?: readonly string[]
  readonly isRepeatable?: true
  /** Whether each command that reads a document has the option. */
  readonly isOfDocument?: true
  /** Whether only `serve` has the option: a sandbox of `exec` ends with its command. */
  readonly isOfServer?: true
  /** Whether the value is a path, which the configuration file has relative to itself. */
  readonly isPath?: true
  /** Whether the setting is an option of `createSandbox`. */
  readonly isOfSandbox?: true
  /** Whether the setting needs a shared store. */
  readonly needsStore?: true
  /** Whether no variable of the environment sets it. */
  readonly hasNoVariable?: true
}

/** The settings that a user gives: where they were read is not one. */
type SettingName = Exclude<keyof ServeSettings, 'recordsFile'>

/** All settings, in the order of the help. */
const DECLARED: { readonly [Name in SettingName]: Setting } = {
  openapi: { parse: text, isPath: true },
  port: {
    parse: integerFrom(0, 65_535),
    heading: 'Server:',
    option: '--port <number>',
    help: 'port, or 0 for any free port',
  },
  host: { parse: text, option: '--host <address>', help: 'address to listen on' },
  basePath: {
    parse: basePath,
    option: '--base-path <path>',
    help: 'path of all operations, for example /v1 (default: from the document)',
  },
  publicUrl: {
    parse: publicUrl,
    option: '--public-url <url>',
    help: 'address for clients behind a proxy; links start with it',
  },
  trustProxy: {
    parse: trustProxy,
    option: '--trust-proxy <address>',
    help: 'trust X-Forwarded-* headers of this proxy (loopback, 10.0.0.0/8, …); repeatable',
    isRepeatable: true,
  },
  records: {
    parse: records,
    heading: 'Records:',
    option: '--records <number>',
    help: 'initial records of each collection (default: at most 50), or of one: pets=3; repeatable',
    isRepeatable: true,
    isOfSandbox: true,
  },
  data: {
    parse: files,
    option: '--data <path>',
    help: 'initial records: a JSON or YAML file of arrays by collection, or a folder with a file for each; repeatable',
    isRepeatable: true,
    isPath: true,
  },
  locale: {
    parse: text,
    option: '--locale <name>',
    help: 'language of generated names and places, for example de (default: en)',
  },
  seed: {
    parse: integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    option: '--seed <number>',
    help: 'the same seed generates the same records (default: 1)',
    isOfSandbox: true,
  },
  unknownIds: {
    parse: oneOf(UNKNOWN_IDS),
    option: '--unknown-ids <mode>',
    help: 'ids that no record has: auto answers 404 where the document has one, 404 refuses, create makes a record (default: auto)',
    choices: UNKNOWN_IDS,
    isOfSandbox: true,
  },
  plans: {
    parse: plans,
    heading: 'Behaviour:',
    option: '--plan <name=minute/day>',
    help: 'quota of a plan, for example free=60/1000; repeatable',
    isRepeatable: true,
    isOfSandbox: true,
  },
  keys: {
    parse: keys,
    option: '--key <key=plan>',
    help: 'additional API key, for example my_key=pro, or my_key=pro:7 for that of the user 7; repeatable',
    isRepeatable: true,
    isOfSandbox: true,
  },
  quota: { parse: flag, option: '--no-quota', help: 'do not limit requests', isOfSandbox: true },
  auth: {
    parse: auth,
    option: '--auth <mode>',
    shortcut: ['--no-auth', 'the same as --auth off'],
    help: 'credentials to accept: keys of the sandbox, any, or off (default: as the document says, else any)',
    choices: AUTH_MODES,
    isOfSandbox: true,
  },
  ban: { parse: ban, isOfSandbox: true, hasNoVariable: true },
  force: {
    parse: words,
    option: '--force <outcome>',
    help: 'force an outcome or a status: rate-limited, or 409:<operationId> for one operation; repeatable',
    isRepeatable: true,
  },
  latency: {
    parse: latency,
    option: '--latency <time>',
    help: 'delay each response by 200ms or 100ms..2s (default: 0)',
    isOfSandbox: true,
  },
  bodyLimit: {
    parse: bodyLimit,
    option: '--body-limit <size>',
    help: 'largest request body, for example 10mb (default: 10 MiB)',
    isOfSandbox: true,
  },
  validation: {
    parse: oneOf(VALIDATIONS),
    option: '--validation <mode>',
    help: 'invalid requests: error refuses them, warn serves and reports them, off does not check (default: error)',
    choices: VALIDATIONS,
    isOfSandbox: true,
  },
  scenario: {
    parse: text,
    option: '--scenario <name>',
    help: 'start with a scenario, for example quota-nearly-spent',
    isOfSandbox: true,
  },
  scenarios: {
    parse: text,
    option: '--scenarios <folder>',
    help: 'folder with your own scenarios as YAML or JSON files',
    isPath: true,
  },
  handlers: {
    parse: text,
    option: '--handlers <path>',
    help: 'your own code for operations: a JavaScript or TypeScript file, or a folder of them',
    isPath: true,
  },
  oauthClient: {
    parse: words,
    heading: 'Sign-in (OAuth 2 and OpenID Connect):',
    option: '--oauth-client <client>',
    help: 'known client as id:secret:redirect, without a secret id::redirect; others are refused then; repeatable',
    isRepeatable: true,
  },
  signInAs: {
    parse: text,
    option: '--sign-in-as <user>',
    help: 'sign in at once, without the page, as the user with this id, e-mail address or name',
  },
  tokens: {
    parse: oneOf(TOKEN_FORMS, 'form of tokens'),
    option: '--tokens <form>',
    help: 'form of access tokens (default: opaque)',
    choices: TOKEN_FORMS,
  },
  tokenLifetime: {
    parse: durationFrom(
      1000,
      Number.POSITIVE_INFINITY,
      'a duration of at least one second',
      'Write it as 15m or 1h.',
    ),
    option: '--token-lifetime <time>',
    help: "how long access tokens work on the sandbox's clock (default: 1h)",
  },
  webhook: {
    parse: files,
    heading: 'Webhooks:',
    option: '--webhook <url>',
    help: 'send every event to this address, without a subscription; repeatable',
    isRepeatable: true,
  },
  webhookAllow: {
    parse: words,
    option: '--webhook-allow <host>',
    help: 'host or host:port besides this machine to which subscriptions may lead; repeatable',
    isRepeatable: true,
  },
  webhookSecret: {
    parse: text,
    option: '--webhook-secret <secret>',
    help: 'secret with which deliveries are signed (default: follows from the seed)',
  },
  webhookSignature: {
    parse: signature,
    option: '--webhook-signature <form>',
    help: 'standard, github, stripe, twilio, bearer, none, or a header with a plain HMAC such as X-Signature (default: standard)',
  },
  webhookRetries: {
    parse: durations,
    option: '--webhook-retries <times>',
    help: 'times between the attempts, with commas (default: 5s,5m,30m,2h,5h,10h)',
  },
  webhookOrder: {
    parse: oneOf(['strict'], 'order of webhooks'),
    option: '--webhook-order <order>',
    help: 'strict: while an event is repeated, the later ones of its receiver wait',
    choices: ['strict'],
  },
  webhookTimeout: {
    parse: durationFrom(1, 600_000, 'a duration of at most 10m', 'Write it as 10s.'),
    option: '--webhook-timeout <time>',
    help: 'how long a receiver may take (default: 10s)',
  },
  controlToken: {
    parse: text,
    heading: 'Control interface and worlds:',
    option: '--control-token <token>',
    help: 'token that control requests from other machines need',
  },
  controlOrigins: {
    parse: words,
    option: '--control-origin <origin>',
    help: 'allow pages of this origin to control the sandbox; repeatable',
    isRepeatable: true,
  },
  control: { parse: flag, option: '--no-control', help: 'do not serve the control interface' },
  worlds: {
    parse: integerFrom(1, 1_000_000),
    option: '--worlds <number>',
    help: 'maximum number of worlds (default: 1000)',
    isOfSandbox: true,
  },
  log: {
    parse: oneOf(LOG_FORMATS, 'log format'),
    heading: 'Output and files:',
    option: '--log <format>',
    help: 'request log',
    choices: LOG_FORMATS,
  },
  journal: {
    parse: integerFrom(0, 1_000_000),
    option: '--journal <number>',
    help: 'exchanges that the journal keeps (default: 1000)',
    isOfSandbox: true,
  },
  state: {
    parse: text,
    option: '--state <file>',
    help: 'restore the state from this file, and save it there',
    isPath: true,
  },
  headers: {
    parse: headers,
    heading: 'Document:',
    option: '-H, --header <header>',
    help: "HTTP header for a document that is a URL, as 'Authorization: Bearer …'; never sent to another origin; repeatable",
    isRepeatable: true,
    isOfDocument: true,
  },
  overlay: {
    parse: files,
    option: '--overlay <file>',
    help: 'OpenAPI overlay that changes the document while it is loaded; repeatable',
    isRepeatable: true,
    isOfDocument: true,
    isPath: true,
  },
  inference: {
    parse: flag,
    option: '--no-inference',
    help: 'only hints (x-sandbox) say which operations have records',
    isOfDocument: true,
  },
  strict: {
    parse: flag,
    option: '--strict',
    help: 'refuse a document that has mistakes',
    isOfDocument: true,
  },
  remoteRefs: {
    parse: flag,
    option: '--allow-remote-refs',
    help: 'allow $refs to other servers',
    isOfDocument: true,
    hasNoVariable: true,
  },
  outsideRefs: {
    parse: flag,
    option: '--allow-outside-refs',
    help: "allow $refs to files outside the document's folder",
    isOfDocument: true,
    hasNoVariable: true,
  },
  watch: {
    parse: flag,
    option: '--watch',
    help: 'reload when the document, a file that it refers to, an overlay, a scenario or the configuration changes; records and counts stay',
    isOfServer: true,
  },
  open: {
    parse: flag,
    option: '--open',
    help: 'open the dashboard in the browser',
    isOfServer: true,
  },
  store: {
    parse: storeAddress,
    heading: 'Shared store:',
    option: '--store <url>',
    help: 'share the state with other servers in Redis or Valkey, for example redis://user:password@host:6379/0',
    isOfServer: true,
  },
  storePrefix: {
    parse: text,
    option: '--store-prefix <prefix>',
    help: 'what all keys in the store start with (default: pet-sandbox)',
    isOfServer: true,
    needsStore: true,
  },
  worldBy: {
    parse: worldBy,
    option: '--world-by <what>',
    help: 'give each API key a world of its own',
    choices: ['key'],
    isOfServer: true,
    needsStore: true,
  },
  worldTtl: {
    parse: durationFrom(
      1000,
      Number.POSITIVE_INFINITY,
      'a duration of at least one second',
      'Write it as 30m or 1h.',
    ),
    option: '--world-ttl <time>',
    help: 'drop a world of a key after this time without use (default: 1h)',
    isOfServer: true,
    needsStore: true,
  },
  metricsPort: {
    parse: integerFrom(0, 65_535),
    heading: 'Monitoring and stop:',
    option: '--metrics-port <number>',
    help: 'serve metrics for Prometheus on this port, without a token',
    isOfServer: true,
  },
  instance: {
    parse: text,
    option: '--instance <name>',
    help: 'name of this server in its log (default: host name and process id)',
    isOfServer: true,
  },
  drain: {
    // The longest time for which orchestrators wait before they kill a process is far shorter.
    parse: durationFrom(0, 600_000, 'a duration from 0 to 10m', 'Write it as 5s.'),
    option: '--drain <time>',
    help: 'after a signal to stop, accept requests for this time while probes say "not ready" (default: 0)',
    isOfServer: true,
  },
  keepAlive: {
    parse: durationFrom(1000, 3_600_000, 'a duration from 1s to 1h', 'Write it as 75s.'),
    option: '--keep-alive <time>',
    help: 'keep a connection without a request open for this time (default: 75s)',
    isOfServer: true,
  },
}

/** All settings by name, in the order of the help. */
export const SETTINGS: Readonly<Record<string, Setting>> = DECLARED

/** The name of a setting on the command line, such as `--port`. */
export function optionName(name: string): string {
  const [, long = name] = /(--[\w-]+)/.exec(SETTINGS[name]?.option ?? '') ?? []
  return long
}

/** The name of the option of a setting in the options of a command, as commander makes it: `controlOrigin`. */
export function attributeOf({ option = '' }: Setting): string | undefined {
  const [, words] = /--(?:no-)?([\w-]+)/.exec(option) ?? []
  return words?.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The environment variable of a setting; `undefined` when none sets it. */
export function variableOf(name: string): string | undefined {
  if (SETTINGS[name]?.hasNoVariable) return undefined
  return `PET_SANDBOX_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** What settings are when no source sets them. */
export const DEFAULTS: ServeSettings = {
  port: 4010,
  host: '127.0.0.1',
  plans: {},
  keys: {},
  force: [],
  log: 'pretty',
}

/** Merges the sources. A later source overrides an earlier one; plans and keys are merged by name. Throws a UsageError that names the setting. */
export function resolveSettings(sources: readonly SettingsSource[]): ServeSettings {
  let settings: ServeSettings = DEFAULTS
  for (const source of sources) {
    const read = parseSettings(source)
    settings = {
      ...settings,
      ...read,
      ...(read.records !== undefined && { recordsFile: source.file }),
      plans: { ...settings.plans, ...read.plans },
      keys: { ...settings.keys, ...read.keys },
    }
  }
  return settings
}

/** A setting without a value, such as `port:` in YAML, counts as unset. */
function parseSettings({ values, nameOf }: SettingsSource): Partial<ServeSettings> {
  const read = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([setting, value]) => [setting, parserOf(setting, nameOf)(value, nameOf(setting))])

  return Object.fromEntries(read)
}

function parserOf(setting: string, nameOf: SettingsSource['nameOf']): SettingParser {
  const parser = getOwn(SETTINGS, setting)?.parse
  if (parser) return parser
  throw new UsageError({
    code: 'unknown_setting',
    task: `use ${nameOf(setting)}`,
    ...unknownName('setting', setting, Object.keys(SETTINGS)),
  })
}

/** Throws a UsageError for settings of a shared store that exclude each other, or need each other. */
export function requireStoreSettings(settings: ServeSettings): void {
  const { store, state, watch, worldBy, worldTtl } = settings
  if (store === undefined) {
    const given = new Map<string, unknown>(Object.entries(settings))
    const without = Object.keys(SETTINGS).find(
      (name) => SETTINGS[name]?.needsStore && given.has(name),
    )
    if (without !== undefined) {
      const help = 'Give its address with --store.'
      throw cannotUse(optionName(without), { reason: 'it needs a shared store', help })
    }
    return
  }
  if (state !== undefined) {
    throw cannotUse('--state with --store', {
      reason: 'the store keeps the state',
      help: 'Leave out --state. To copy the state, use "pet-sandbox ctl snapshot" and "pet-sandbox ctl restore".',
    })
  }
  if (watch) {
    throw cannotUse('--watch with --store', {
      reason: 'all servers of a store have the same document',
      help: 'Leave out --watch. Start servers with a changed document and another --store-prefix.',
    })
  }
  if (worldTtl !== undefined && worldBy === undefined) {
    const reason = 'only the worlds of keys are dropped'
    throw cannotUse('--world-ttl', { reason, help: 'Add --world-by key.' })
  }
}

/** Throws a UsageError for a command that keeps its state in memory. */
export function refuseStore({ store }: Pick<ServeSettings, 'store'>): void {
  if (store === undefined) return
  throw cannotUse('a store with "exec"', {
    reason: 'the sandbox of a command ends with it',
    help: 'Leave out the setting store, and unset PET_SANDBOX_STORE.',
  })
}
