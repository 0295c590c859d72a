import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JsonObject } from '../document/json-value.ts'
import type { Source } from '../document/source.ts'
import { isObject } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { SettingsSource } from './settings.ts'
import { describeSystemError } from './system-error.ts'

/** The files to look for in the working directory without `--config`. */
const CONFIG_FILES = [
  'pet-sandbox.config.yaml',
  'pet-sandbox.config.yml',
  'pet-sandbox.config.json',
]

/** The configuration file: the named file, or a file with one of the usual names. */
export function findConfig(named: string | undefined): string | undefined {
  return named ?? CONFIG_FILES.find((name) => existsSync(name))
}

/** The settings in the configuration file. */
export async function configSource(named: string | undefined): Promise<SettingsSource> {
  const file = findConfig(named)
  if (file === undefined) return { values: {}, nameOf: (setting) => setting }
  const source = await parseConfig(file, await readConfig(file))
  const values = settingsIn(source)

  return {
    values: { ...values, ...resolvePaths(file, values) },
    nameOf: (setting) => `${setting} (${source.locate([setting], 'key')})`,
  }
}

/** Paths in the configuration file are relative to its folder. URLs and `-` stay as they are. */
function resolvePaths(file: string, values: JsonObject): JsonObject {
  const absolute = (path: unknown): unknown =>
    typeof path === 'string' && path !== '-' && !/^https?:/i.test(path)
      ? resolve(dirname(file), path)
      : path
  const paths = ['openapi', 'overlay', 'data', 'scenarios', 'state'].flatMap((setting) => {
    const value = values[setting]
    if (Array.isArray(value)) return [[setting, value.map(absolute)] as const]
    return typeof value === 'string' ? [[setting, absolute(value)] as const] : []
  })

  return Object.fromEntries(paths)
}

async function readConfig(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new UsageError({
      code: 'unreadable_config',
      task: `read ${file}`,
      reason: describeSystemError(cause),
      help: 'Name a YAML or JSON file with --config.',
      cause,
    })
  }
}

/** Loads the YAML parser only if there is a configuration file. */
async function parseConfig(file: string, text: string): Promise<Source> {
  const { parseSettings } = await import('../document/parse-text.ts')
  const { asUsageError, Mistakes } = await import('../document/mistake.ts')
  try {
    return parseSettings(file, pathToFileURL(resolve(file)), text)
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

/** An empty file contains no settings. */
function settingsIn({ name, value, locate }: Source): JsonObject {
  if (isObject(value)) return value
  if (value === null) return {}
  throw new UsageError({
    code: 'invalid_config',
    task: `load ${name}`,
    reason: 'it must be an object of settings',
    location: locate([]),
    help: 'Write settings as "port: 4010".',
  })
}
