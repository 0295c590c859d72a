import type { GivenKey } from '../access/keys.ts'
import { AUTH_MODES } from '../access/security-scheme.ts'
import { normalizeBasePath } from '../contract/base-paths.ts'
import { SIGNATURES } from '../events/event-settings.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import { toOutcome } from '../forcing/outcomes.ts'
import { parseStoreAddress } from '../redis/store-address.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { milliseconds, rangeOf } from '../time/duration.ts'
import { toPublicUrl, toTrustedProxies } from '../transports/client-url.ts'
import { isObject } from '../validation/objects.ts'
import {
  integerIn,
  isMisspelt,
  shortened,
  UsageError,
  type UsageErrorDetails,
  unknownName,
} from '../validation/usage-error.ts'

/** The formats of the request log. */
export const LOG_FORMATS = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Parses the value of a setting from text or YAML. `name` is the name of the setting in its source. */
export type SettingParser = (value: unknown, name: string) => unknown

/** The error of a setting that cannot be used. */
export function cannotUse(
  name: string,
  why: Pick<UsageErrorDetails, 'reason' | 'help' | 'suggestion' | 'allowed'>,
): UsageError {
  return new UsageError({ code: 'invalid_setting', task: `use ${name}`, ...why })
}

function invalidSetting(name: string, value: unknown, must: string, help?: string): UsageError {
  const text = typeof value === 'object' || value === '' ? JSON.stringify(value) : String(value)
  return cannotUse(name, { reason: `it must be ${must} (got ${shortened(text)})`, help })
}

export function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalidSetting(name, value, 'a text that is not empty')
}

export function publicUrl(value: unknown, name: string): string {
  return toPublicUrl(text(value, name), name)
}

export function basePath(value: unknown, name: string): string {
  const path = typeof value === 'string' ? normalizeBasePath(value) : undefined
  if (path !== undefined) return path
  throw invalidSetting(name, value, 'a path', 'Write it as /v1, or / for the root.')
}

export function trustProxy(value: unknown, name: string): readonly string[] {
  return toTrustedProxies(words(value, name), name)
}

export function integerFrom(min: number, max: number): SettingParser {
  return (value, name) => {
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max)
      return number
    throw invalidSetting(name, value, integerIn(min, max, value))
  }
}

export function latency(value: unknown, name: string): NonNullable<SandboxOptions['latency']> {
  const range = typeof value === 'number' ? value : String(value)
  try {
    return rangeOf(range)
  } catch {
    throw invalidSetting(name, value, 'a duration: milliseconds, 200ms, or 100ms..2s')
  }
}

export function flag(value: unknown, name: string): boolean {
  if (value === true || value === 'true' || value === '1') return true
  if (value === false || value === 'false' || value === '0') return false
  throw invalidSetting(name, value, 'true or false')
}

/** `keys`, `any` or `off`; `true` is what the document says, and `false` is `off`. */
export function auth(value: unknown, name: string): NonNullable<SandboxOptions['auth']> {
  const mode = AUTH_MODES.find((one) => one === value)
  if (mode) return mode
  if (typeof value !== 'string' || /^(true|false|1|0)$/.test(value)) return flag(value, name)
  throw cannotUse(name, unknownName('mode', value, AUTH_MODES))
}

export function ban(value: unknown, name: string): NonNullable<SandboxOptions['ban']> {
  if (isObject(value)) return value
  if (typeof value === 'boolean' || typeof value === 'string') return flag(value, name) ? {} : false
  throw invalidSetting(
    name,
    value,
    'true, false or an object',
    'Write an object as { seconds: 60 }.',
  )
}

/** One of these names. `kind` says what they name. A number counts as text, because YAML reads `unknownIds: 404` as one. */
export function oneOf(names: readonly string[], kind = 'mode'): SettingParser {
  return (value, name) => {
    const found = names.find((one) => one === (typeof value === 'number' ? `${value}` : value))
    if (found !== undefined) return found
    throw cannotUse(name, unknownName(kind, String(value), names))
  }
}

/** A form of signatures, or the name of a header: not one that looks like a misspelt form. */
export function signature(value: unknown, name: string): string {
  const form = text(value, name)
  const isForm = SIGNATURES.some((one) => one === form)
  if (isForm || !SIGNATURES.some((one) => isMisspelt(form.toLowerCase(), one))) return form
  throw cannotUse(name, unknownName('signature', form, SIGNATURES))
}

/** Options and the environment contain `free=60/1000`. The configuration file may contain `free: { minute: 60, day: 1000 }`. */
export function plans(value: unknown, name: string): NonNullable<SandboxOptions['plans']> {
  if (isObject(value)) {
    const read = Object.entries(value).map(([plan, windows]) => [
      plan,
      isObject(windows) ? windows : planFrom(`${plan}=${windows}`, name)[1],
    ])
    return Object.fromEntries(read)
  }
  return Object.fromEntries(words(value, name).map((word) => planFrom(word, name)))
}

function planFrom(word: string, name: string): [string, { minute: number; day: number }] {
  const [, plan, minute, day] = /^([\w-]+)=(\d+)\/(\d+)$/.exec(word) ?? []
  if (plan === undefined) {
    throw invalidSetting(
      name,
      word,
      'PLAN=MINUTE/DAY',
      'Write the requests per minute and per day, for example free=60/1000.',
    )
  }
  return [plan, { minute: Number(minute), day: Number(day) }]
}

/**
 * Options and the environment contain `my_key=pro`, or `my_key=pro:7` with the id of the user; the configuration file contains `my_key: pro`
 * or `my_key: { plan: pro, user: 7 }`.
 */
export function keys(value: unknown, name: string): NonNullable<SandboxOptions['keys']> {
  if (!isObject(value)) {
    return Object.fromEntries(words(value, name).map((word) => keyAndPlan(word, name)))
  }
  const read = Object.entries(value).map(([key, given]) => {
    if (typeof given === 'string' || isObject(given)) return [key, given]
    throw invalidSetting(name, { [key]: given }, 'KEY: PLAN', 'Write it as my_key: pro.')
  })
  return Object.fromEntries(read)
}

function keyAndPlan(word: string, name: string): [string, GivenKey] {
  const at = word.lastIndexOf('=')
  const [plan = '', ...rest] = word.slice(at + 1).split(':')
  const user = rest.join(':')
  if (at <= 0 || (plan === '' && user === ''))
    throw invalidSetting(name, word, 'KEY=PLAN', 'Write it as my_key=pro.')
  if (user === '') return [word.slice(0, at), plan]
  return [word.slice(0, at), plan === '' ? { user } : { plan, user }]
}

export function words(value: unknown, name: string): string[] {
  const parts: unknown[] = [value].flat()
  const invalid = parts.find((part) => typeof part === 'object')
  if (invalid !== undefined) throw invalidSetting(name, invalid, 'text without spaces')
  if (parts.some((part) => String(part).trim() === ''))
    throw invalidSetting(name, '', 'a text that is not empty')

  return parts.flatMap((part) => String(part).split(/[\s,]+/)).filter((word) => word !== '')
}

/** One file or a list of files. The environment separates files by commas. */
export function files(value: unknown, name: string): readonly string[] {
  const parts: unknown[] = typeof value === 'string' ? value.split(',') : [value].flat()

  return parts.map((part) => text(typeof part === 'string' ? part.trim() : part, name))
}

/** Options contain `Name: value`, the environment one in each line. The configuration file may contain them by name. */
export function headers(value: unknown, name: string): Readonly<Record<string, string>> {
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([header, content]) => headerFrom(`${header}: ${content}`, name)),
    )
  }
  const lines = [value].flat().flatMap((one) => String(one).split('\n'))

  return Object.fromEntries(
    lines.filter((line) => line.trim() !== '').map((line) => headerFrom(line, name)),
  )
}

/** The error does not quote the header, which may be secret. */
function headerFrom(line: string, name: string): readonly [string, string] {
  const [, header = '', value = ''] = /^([^:]*):(.*)$/.exec(line) ?? []
  try {
    return [...new Headers([[header.trim(), value.trim()]])][0] ?? ['', '']
  } catch {
    const help = "Write it as 'Authorization: Bearer …'."
    throw cannotUse(name, { reason: 'it must be a valid HTTP header', help })
  }
}

/** A duration in milliseconds. `must` describes the limits. */
export function durationFrom(min: number, max: number, must: string, help: string): SettingParser {
  return (value, name) => {
    try {
      const length = milliseconds(typeof value === 'number' ? value : String(value))
      if (length >= min && length <= max) return length
    } catch {
      // The value is no duration at all.
    }
    throw invalidSetting(name, value, must, help)
  }
}

const oneDuration = durationFrom(1, Number.POSITIVE_INFINITY, 'a duration', 'Write it as 5s.')

/** Durations with commas, in milliseconds. */
export function durations(value: unknown, name: string): readonly unknown[] {
  return words(value, name).map((word) => oneDuration(word, name))
}

const count = integerFrom(0, 1_000_000)

/**
 * Options and the environment contain a number for all collections, `pets=3` for one, or both. Then collections that are not named
 * start with the usual number. The configuration file may contain the records or their number by collection, as in process.
 */
export function records(value: unknown, name: string): unknown {
  if (isObject(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return count(value, name)
  const parts = words(value, name).map((word) => partOf(word, name))
  const named = parts.filter(([collection]) => collection !== OTHERS)
  const [, others = 'default'] = parts.findLast(([collection]) => collection === OTHERS) ?? []

  return named.length === 0 ? others : { ...Object.fromEntries(named), [OTHERS]: others }
}

/** The name for every collection that is not named. */
const OTHERS = '*'

function partOf(word: string, name: string): readonly [collection: string, count: unknown] {
  const at = word.lastIndexOf('=')
  if (at < 0) return [OTHERS, count(word, name)]
  const collection = word.slice(0, at)
  if (collection === '') {
    const reason = `it must be a number or COLLECTION=NUMBER (got ${word})`
    throw cannotUse(name, { reason, help: 'Write it as 20 or pets=3.' })
  }
  return [collection, count(word.slice(at + 1), `${name} ${collection}`)]
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

const SIZE = /^(\d+(?:\.\d+)?) *([kmg]?i?b)?$/i

/** A size such as `10mb`, or in bytes. A kilobyte is 1,024 bytes, as in the limits of other servers. */
export function bodyLimit(value: unknown, name: string): number {
  const [, amount, unit = 'b'] = SIZE.exec(String(value)) ?? []
  const bytes = Math.floor(Number(amount) * (UNITS[unit.toLowerCase().replace('i', '')] ?? 1))
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes
  const reason = `it must be a size (got ${shortened(String(value))})`
  throw cannotUse(name, { reason, help: 'Write it as 10mb, 512kb, or as a number of bytes.' })
}

/** What has a world of its own. */
export type WorldBy = 'key'

/** The address of a store. No error quotes it, because it may contain a password. */
export function storeAddress(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') {
    throw cannotUse(name, {
      reason: 'it must be an address',
      help: 'Write it as redis://USER:PASSWORD@HOST:6379/0, or leave it unset to keep the state in memory.',
    })
  }
  parseStoreAddress(value)

  return value
}

export function worldBy(value: unknown, name: string): WorldBy {
  if (value === 'key') return value
  throw invalidSetting(name, value, 'key')
}

/** Parses `rate-limited`, `409`, `rate-limited:<operationId>` or `409:<operationId>`. Throws a UsageError for an unknown outcome. */
export function parseForced(text: string): ForceRule {
  const [name = '', ...rest] = text.split(':')
  const operation = rest.length > 0 && { operation: rest.join(':') }
  const answer = /^\d{3}$/.test(name) ? { status: Number(name) } : { outcome: toOutcome(name) }

  return { ...answer, ...operation }
}
