import type { SandboxOptions } from '../sandbox/options.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import {
  auth,
  ban,
  basePath,
  bodyLimit,
  drain,
  files,
  flag,
  headers,
  integerFrom,
  keepAlive,
  keys,
  type LogFormat,
  latency,
  log,
  plans,
  publicUrl,
  records,
  type SettingParser,
  storeAddress,
  text,
  trustProxy,
  unknownIds,
  validation,
  type WorldBy,
  words,
  worldBy,
  worldTtl,
} from './setting-values.ts'

/** The settings of `serve` from the configuration file, the environment and the options. */
export interface ServeSettings
  extends Omit<SandboxOptions, 'contract' | 'locale' | 'persist' | 'scenarios'> {
  readonly openapi?: string
  /** The path below which all operations are served, instead of those of the document. */
  readonly basePath?: string
  readonly port: number
  readonly host: string
  /** The address for clients when a proxy is in front of the server. */
  readonly publicUrl?: string
  /** The addresses and subnets of proxies whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxy?: readonly string[]
  /** Forced outcomes, such as `rate-limited` or `rate-limited:<operationId>`. */
  readonly force: readonly string[]
  /** Files and folders with the first records. */
  readonly data?: readonly string[]
  /** The locale of faker whose words names and places are made of. */
  readonly locale?: string
  /** A folder of scenarios. */
  readonly scenarios?: string
  /** The file of the saved state. */
  readonly state?: string
  /** The address of the store that several servers share. It may contain a password, so that no message contains it. */
  readonly store?: string
  /** What all keys of the store start with. */
  readonly storePrefix?: string
  /** `key` when each API key has a world of its own. */
  readonly worldBy?: WorldBy
  /** How long a world of an API key is kept without use, in milliseconds of real time. */
  readonly worldTtl?: number
  /** The name of this server in its log. */
  readonly instance?: string
  readonly log: LogFormat
  /** Whether the control interface is served; default: true. */
  readonly control?: boolean
  /** The token that control requests from other machines need. */
  readonly controlToken?: string
  /** The origins of pages that may control the sandbox. */
  readonly controlOrigins?: readonly string[]
  /** The port of a server of its own for the metrics, which needs no token. */
  readonly metricsPort?: number
  /** How long the server accepts further requests after a signal to stop, in milliseconds. */
  readonly drain?: number
  /** How long a connection without a request is kept open, in milliseconds. */
  readonly keepAlive?: number
  /** Whether the dashboard is opened in the browser of the system. */
  readonly open?: boolean
  /** The HTTP headers for a document that is named by its URL. */
  readonly headers?: Readonly<Record<string, string>>
  /** The files of OpenAPI overlays, in the order in which they are applied. */
  readonly overlay?: readonly string[]
  /** Whether the sandbox is reloaded when one of its files changes. */
  readonly watch?: boolean
  readonly remoteRefs?: boolean
  /** Whether a document with mistakes is refused. */
  readonly strict?: boolean
  readonly outsideRefs?: boolean
  /** Whether resources and actions that no hint names are inferred. */
  readonly inference?: boolean
}

/** The settings of one source. */
export interface SettingsSource {
  readonly values: Readonly<Record<string, unknown>>
  /** The name of a setting in this source, such as `--port` or `port (pet-sandbox.config.yaml:3:1)`. */
  readonly nameOf: (setting: string) => string
}

/** The parsers of all settings. */
const PARSERS: Readonly<Record<keyof ServeSettings, SettingParser>> = {
  openapi: text,
  basePath,
  port: integerFrom(0, 65_535),
  host: text,
  publicUrl,
  trustProxy,
  records,
  data: files,
  locale: text,
  seed: integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  plans,
  keys,
  force: words,
  scenario: text,
  scenarios: text,
  state: text,
  store: storeAddress,
  storePrefix: text,
  worldBy,
  worldTtl,
  instance: text,
  worlds: integerFrom(1, 1_000_000),
  latency,
  bodyLimit,
  validation,
  unknownIds,
  quota: flag,
  auth,
  ban,
  log,
  journal: integerFrom(0, 1_000_000),
  control: flag,
  controlToken: text,
  controlOrigins: words,
  metricsPort: integerFrom(0, 65_535),
  drain,
  keepAlive,
  open: flag,
  headers,
  overlay: files,
  watch: flag,
  remoteRefs: flag,
  strict: flag,
  outsideRefs: flag,
  inference: flag,
}

const DEFAULTS = {
  port: 4010,
  host: '127.0.0.1',
  plans: {},
  keys: {},
  force: [],
  log: 'pretty',
} as const

/** Merges the sources. A later source overrides an earlier one; plans and keys are merged by name. Throws a UsageError that names the setting. */
export function resolveSettings(sources: readonly SettingsSource[]): ServeSettings {
  let settings: ServeSettings = DEFAULTS
  for (const source of sources) {
    const read = parseSettings(source)
    settings = {
      ...settings,
      ...read,
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
  const known = Object.entries(PARSERS)
  const parser = known.find(([name]) => name === setting)?.[1]
  if (parser) return parser

  const names = known.map(([name]) => name)
  throw new UsageError({
    code: 'unknown_setting',
    task: `use ${nameOf(setting)}`,
    ...unknownName('setting', setting, names),
  })
}
