import type { SandboxOptions } from '../sandbox/options.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import {
  ban,
  flag,
  integerFrom,
  keys,
  type Log,
  latency,
  log,
  plans,
  publicUrl,
  type Reader,
  records,
  text,
  trustProxy,
  words,
} from './read-setting.ts'

/** What `serve` was told, by the configuration file, the environment and the flags together. */
export interface ServeSettings extends Omit<SandboxOptions, 'contract' | 'persist' | 'scenarios'> {
  readonly openapi?: string
  readonly port: number
  readonly host: string
  /** The address by which clients reach the server, where a proxy stands before it. */
  readonly publicUrl?: string
  /** Addresses, subnets and ranges of proxies whose `X-Forwarded-*` headers count. */
  readonly trustProxy?: readonly string[]
  /** As `rate-limited` or `rate-limited:<operationId>`. */
  readonly force: readonly string[]
  /** A folder of scenarios. */
  readonly scenarios?: string
  /** The file that keeps the state. */
  readonly state?: string
  readonly log: Log
  /** Whether the control interface is served; it is, when left out. */
  readonly control?: boolean
  /** What requests of other machines to the control interface must bring. */
  readonly controlToken?: string
  /** Origins of pages that may steer the sandbox. */
  readonly controlOrigins?: readonly string[]
  readonly remoteRefs?: boolean
  readonly outsideRefs?: boolean
}

/** Settings as one of the sources spells them. */
export interface SettingsSource {
  readonly values: Readonly<Record<string, unknown>>
  /**
   * What the developer would call a setting, as `--port` or `port (pet-sandbox.config.yaml:3:1)`.
   */
  readonly nameOf: (setting: string) => string
}

/** Every setting there is, with how its value is read, whether it comes as text or as YAML. */
const READERS: Readonly<Record<keyof ServeSettings, Reader>> = {
  openapi: text,
  port: integerFrom(0, 65_535),
  host: text,
  publicUrl,
  trustProxy,
  records,
  seed: integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  plans,
  keys,
  force: words,
  scenario: text,
  scenarios: text,
  state: text,
  worlds: integerFrom(1, 1_000_000),
  latency,
  quota: flag,
  auth: flag,
  ban,
  log,
  journal: integerFrom(0, 1_000_000),
  control: flag,
  controlToken: text,
  controlOrigins: words,
  remoteRefs: flag,
  outsideRefs: flag,
}

const DEFAULTS = {
  port: 4010,
  host: '127.0.0.1',
  plans: {},
  keys: {},
  force: [],
  log: 'pretty',
} as const

/**
 * Joins the sources; a later one wins, plan by plan and key by key. Throws a UsageError that names
 * the setting.
 */
export function resolveSettings(sources: readonly SettingsSource[]): ServeSettings {
  let settings: ServeSettings = DEFAULTS
  for (const source of sources) {
    const read = readSource(source)
    settings = {
      ...settings,
      ...read,
      plans: { ...settings.plans, ...read.plans },
      keys: { ...settings.keys, ...read.keys },
    }
  }
  return settings
}

/** A setting without a value, as `port:` in YAML, counts as left out. */
function readSource({ values, nameOf }: SettingsSource): Partial<ServeSettings> {
  const read = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([setting, value]) => [setting, readerOf(setting, nameOf)(value, nameOf(setting))])

  return Object.fromEntries(read)
}

function readerOf(setting: string, nameOf: SettingsSource['nameOf']): Reader {
  const known = Object.entries(READERS)
  const reader = known.find(([name]) => name === setting)?.[1]
  if (reader) return reader

  const names = known.map(([name]) => name)
  throw new UsageError({
    code: 'unknown_setting',
    task: `use ${nameOf(setting)}`,
    ...unknownName('setting', setting, names),
  })
}
