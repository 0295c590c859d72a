import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import type { JsonObject } from '../document/json-value.ts'
import type { Source } from '../document/source.ts'
import { isObject } from '../validation/is-object.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { SettingsSource } from './settings.ts'

/** What is looked for in the working directory when no `--config` names a file. */
const CONFIG_FILES = [
  'pet-sandbox.config.yaml',
  'pet-sandbox.config.yml',
  'pet-sandbox.config.json',
]

/** `PET_SANDBOX_*` variables, by the setting that each sets. */
export const VARIABLES: Readonly<Record<string, string>> = {
  openapi: 'PET_SANDBOX_OPENAPI',
  port: 'PET_SANDBOX_PORT',
  host: 'PET_SANDBOX_HOST',
  publicUrl: 'PET_SANDBOX_PUBLIC_URL',
  trustProxy: 'PET_SANDBOX_TRUST_PROXY',
  records: 'PET_SANDBOX_RECORDS',
  seed: 'PET_SANDBOX_SEED',
  plans: 'PET_SANDBOX_PLANS',
  keys: 'PET_SANDBOX_KEYS',
  force: 'PET_SANDBOX_FORCE',
  scenario: 'PET_SANDBOX_SCENARIO',
  scenarios: 'PET_SANDBOX_SCENARIOS',
  state: 'PET_SANDBOX_STATE',
  worlds: 'PET_SANDBOX_WORLDS',
  latency: 'PET_SANDBOX_LATENCY',
  quota: 'PET_SANDBOX_QUOTA',
  auth: 'PET_SANDBOX_AUTH',
  log: 'PET_SANDBOX_LOG',
  journal: 'PET_SANDBOX_JOURNAL',
  control: 'PET_SANDBOX_CONTROL',
  controlToken: 'PET_SANDBOX_CONTROL_TOKEN',
  controlOrigins: 'PET_SANDBOX_CONTROL_ORIGINS',
}

/** Flags whose name is not the setting's. */
const FLAGS: Readonly<Record<string, string>> = {
  plan: 'plans',
  key: 'keys',
  controlOrigin: 'controlOrigins',
  allowRemoteRefs: 'remoteRefs',
  allowOutsideRefs: 'outsideRefs',
}

/**
 * The settings on the command line: the document's name and the flags that were given. A command that has other options, too,
 * names those that are settings.
 */
export function flagSource(
  openapi: string | undefined,
  command: Command,
  options: Command['options'] = command.options,
): SettingsSource {
  const flags = options.map((option) => ({
    setting: FLAGS[option.attributeName()] ?? option.attributeName(),
    name: option.long ?? '',
    value: command.getOptionValue(option.attributeName()),
    isGiven: command.getOptionValueSource(option.attributeName()) === 'cli',
  }))
  const given = flags.filter(({ setting, isGiven }) => isGiven && setting !== 'config')

  return {
    values: {
      openapi,
      ...Object.fromEntries(given.map(({ setting, value }) => [setting, value])),
    },
    nameOf: (setting) => flags.find((flag) => flag.setting === setting)?.name ?? setting,
  }
}

/** The settings in the environment; an empty variable counts as none. */
export function environmentSource(environment: NodeJS.ProcessEnv): SettingsSource {
  const set = Object.entries(VARIABLES)
    .map(([setting, variable]) => [setting, environment[variable]] as const)
    .filter(([, value]) => value !== undefined && value !== '')

  return {
    values: Object.fromEntries(set),
    nameOf: (setting) => VARIABLES[setting] ?? setting,
  }
}

/**
 * The settings in the configuration file: the one named, or one of the usual names if it is there.
 */
export async function configSource(named: string | undefined): Promise<SettingsSource> {
  const file = named ?? CONFIG_FILES.find((name) => existsSync(name))
  if (file === undefined) return { values: {}, nameOf: (setting) => setting }
  const source = await parseConfig(file, await readConfig(file))
  const values = settingsIn(source)

  return {
    values: { ...values, ...besides(file, values) },
    nameOf: (setting) => `${setting} (${source.locate([setting], 'key')})`,
  }
}

/** What the configuration file names stands beside it, not in the working directory. */
function besides(file: string, values: JsonObject): Record<string, string> {
  const named = ['openapi', 'scenarios', 'state'].flatMap((setting) => {
    const value = values[setting]
    return typeof value === 'string' ? [[setting, resolve(dirname(file), value)] as const] : []
  })
  return Object.fromEntries(named)
}

async function readConfig(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    const why = UNREADABLE[code] ?? `the system says ${code}`
    throw new UsageError({
      code: 'unreadable_config',
      task: `read ${file}`,
      reason: why,
      help: 'Name a YAML or JSON file with --config.',
      cause,
    })
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
}

/** Only a start that has such a file pays for loading the parser. */
async function parseConfig(file: string, text: string): Promise<Source> {
  const { parseSource, WITHOUT_REFS } = await import('../document/source.ts')
  const { asUsageError, Mistakes } = await import('../document/mistake.ts')
  try {
    return parseSource(file, pathToFileURL(resolve(file)), text, WITHOUT_REFS)
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

/** A file that is empty, or all comment, sets nothing. */
function settingsIn({ name, value, locate: place }: Source): JsonObject {
  if (isObject(value)) return value
  if (value === null) return {}
  throw new UsageError({
    code: 'invalid_config',
    task: `load ${name}`,
    reason: 'it must be an object of settings',
    location: place([]),
    help: 'Write settings as "port: 4010".',
  })
}
