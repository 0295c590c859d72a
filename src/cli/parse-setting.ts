import { AUTH_MODES } from '../access/security-scheme.ts'
import { normalizeBasePath } from '../contract/base-paths.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { rangeOf } from '../time/duration.ts'
import { toPublicUrl, toTrustedProxies } from '../transports/client-url.ts'
import { isObject } from '../validation/objects.ts'
import { integerIn, shortened, UsageError, unknownName } from '../validation/usage-error.ts'

/** The formats of the request log. */
export const LOG_FORMATS = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Parses the value of a setting from text or YAML. `name` is the name of the setting in its source. */
export type SettingParser = (value: unknown, name: string) => unknown

/** The error of a setting whose value cannot be used. */
export function invalidSetting(
  name: string,
  value: unknown,
  must: string,
  help?: string,
): UsageError {
  const text = typeof value === 'object' || value === '' ? JSON.stringify(value) : String(value)
  return new UsageError({
    code: 'invalid_setting',
    task: `use ${name}`,
    reason: `it must be ${must} (got ${shortened(text)})`,
    help,
  })
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
  throw new UsageError({
    code: 'invalid_setting',
    task: `use ${name}`,
    ...unknownName('mode', value, AUTH_MODES),
  })
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

export function log(value: unknown, name: string): LogFormat {
  const known = LOG_FORMATS.find((one) => one === value)
  if (known) return known
  throw new UsageError({
    code: 'invalid_setting',
    task: `use ${name}`,
    ...unknownName('log format', String(value), LOG_FORMATS),
  })
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

/** Options and the environment contain `my_key=pro`, the configuration file contains `my_key: pro`. */
export function keys(value: unknown, name: string): NonNullable<SandboxOptions['keys']> {
  if (!isObject(value)) {
    return Object.fromEntries(words(value, name).map((word) => keyAndPlan(word, name)))
  }
  const read = Object.entries(value).map(([key, plan]) => {
    if (typeof plan === 'string') return [key, plan]
    throw invalidSetting(name, { [key]: plan }, 'KEY: PLAN', 'Write it as my_key: pro.')
  })
  return Object.fromEntries(read)
}

function keyAndPlan(word: string, name: string): [string, string] {
  const at = word.lastIndexOf('=')
  if (at > 0 && at < word.length - 1) return [word.slice(0, at), word.slice(at + 1)]
  throw invalidSetting(name, word, 'KEY=PLAN', 'Write it as my_key=pro.')
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
    throw new UsageError({
      code: 'invalid_setting',
      task: `use ${name}`,
      reason: 'it must be a valid HTTP header',
      help: "Write it as 'Authorization: Bearer …'.",
    })
  }
}
