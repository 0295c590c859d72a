import { milliseconds } from '../duration.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { suggest, UsageError } from '../usage-error.ts'

/** How requests are logged. */
export const LOGS = ['pretty', 'json', 'silent'] as const
export type Log = (typeof LOGS)[number]

/** What `serve` was told, by the configuration file, the environment and the flags together. */
export interface ServeSettings extends Omit<SandboxOptions, 'contract' | 'persist'> {
  readonly openapi?: string
  readonly port: number
  readonly host: string
  /** As `rate-limited` or `rate-limited:listPets`. */
  readonly force: readonly string[]
  readonly log: Log
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

type Reader = (value: unknown, name: string) => unknown

/** Every setting there is, with how its value is read, whether it comes as text or as YAML. */
const READERS: Readonly<Record<keyof ServeSettings, Reader>> = {
  openapi: text,
  port: wholeNumber(0, 65_535),
  host: text,
  records: wholeNumber(0, 1_000_000),
  seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  plans,
  keys,
  force: words,
  latency: duration,
  quota: flag,
  auth: flag,
  ban,
  log,
  journal: wholeNumber(0, 1_000_000),
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

  const hint = suggest(
    setting,
    known.map(([name]) => name),
  )
  throw new UsageError(
    'unknown_setting',
    `Cannot use the setting ${nameOf(setting)}: there is none of that name. ${hint}`,
  )
}

function wrong(name: string, value: unknown, why: string, advice: string): UsageError {
  const shown = typeof value === 'object' || value === '' ? JSON.stringify(value) : String(value)
  return new UsageError('invalid_setting', `Cannot use ${name} ${shown}: ${why}. ${advice}`)
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw wrong(name, value, 'it is no text', 'Give some.')
}

function wholeNumber(least: number, most: number): Reader {
  return (value, name) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most)
      return number
    throw wrong(name, value, 'it is no whole number in range', `Give one from ${least} to ${most}.`)
  }
}

function duration(value: unknown, name: string): number {
  const fault = wrong(name, value, 'it is no duration', 'Give milliseconds, or as 200ms or 2s.')
  if (typeof value === 'number' && value < 0) throw fault
  try {
    return milliseconds(typeof value === 'number' ? value : String(value))
  } catch {
    throw fault
  }
}

function flag(value: unknown, name: string): boolean {
  if (value === true || value === 'true' || value === '1') return true
  if (value === false || value === 'false' || value === '0') return false
  throw wrong(name, value, 'it is neither true nor false', 'Give one of them.')
}

function ban(value: unknown, name: string): NonNullable<SandboxOptions['ban']> {
  if (isMap(value)) return value
  return flag(value, name) ? {} : false
}

function log(value: unknown, name: string): Log {
  const known = LOGS.find((one) => one === value)
  if (known) return known
  throw wrong(name, value, 'there is no such log', suggest(String(value), LOGS))
}

/**
 * Flags and the environment write `free=60/1000`; the configuration file may write `free: { minute:
 * 60, day: 1000 }`.
 */
function plans(value: unknown, name: string): NonNullable<SandboxOptions['plans']> {
  if (isMap(value)) {
    const read = Object.entries(value).map(([plan, windows]) => [
      plan,
      isMap(windows) ? windows : planFrom(`${plan}=${windows}`, name)[1],
    ])
    return Object.fromEntries(read)
  }
  return Object.fromEntries(words(value, name).map((word) => planFrom(word, name)))
}

function planFrom(word: string, name: string): [string, { minute: number; day: number }] {
  const [, plan, minute, day] = /^([\w-]+)=(\d+)\/(\d+)$/.exec(word) ?? []
  if (plan === undefined) {
    throw wrong(
      name,
      word,
      'it is not PLAN=MINUTE/DAY',
      `Write the requests a minute and a day, as free=60/1000.`,
    )
  }
  return [plan, { minute: Number(minute), day: Number(day) }]
}

/** Flags and the environment write `my_key=pro`; the configuration file writes `my_key: pro`. */
function keys(value: unknown, name: string): NonNullable<SandboxOptions['keys']> {
  if (!isMap(value)) {
    return Object.fromEntries(words(value, name).map((word) => keyAndPlan(word, name)))
  }
  const read = Object.entries(value).map(([key, plan]) => {
    if (typeof plan === 'string') return [key, plan]
    throw wrong(name, { [key]: plan }, 'it is not KEY: PLAN', 'Write it as my_key: pro.')
  })
  return Object.fromEntries(read)
}

function keyAndPlan(word: string, name: string): [string, string] {
  const at = word.lastIndexOf('=')
  if (at > 0 && at < word.length - 1) return [word.slice(0, at), word.slice(at + 1)]
  throw wrong(name, word, 'it is not KEY=PLAN', 'Write it as my_key=pro.')
}

function words(value: unknown, name: string): string[] {
  const parts: unknown[] = [value].flat()
  const stranger = parts.find((part) => typeof part === 'object')
  if (stranger !== undefined)
    throw wrong(name, stranger, 'it is no text', 'Write text, without spaces.')

  return parts.flatMap((part) => String(part).split(/[\s,]+/)).filter((word) => word !== '')
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
