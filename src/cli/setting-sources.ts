import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import type { JsonObject } from '../document/json-value.ts'
import type { Source } from '../document/source.ts'
import { isObject } from '../validation/objects.ts'
import { describeSuggestion, suggest, UsageError } from '../validation/usage-error.ts'
import { attributeOf, optionName, SETTINGS, type SettingsSource, variableOf } from './settings.ts'
import { readText } from './system-error.ts'
import { withoutCredentials } from './terminal.ts'

/** The environment variables of the settings. */
export const VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(SETTINGS).flatMap((name) => {
    const variable = variableOf(name)
    return variable === undefined ? [] : [[name, variable]]
  }),
)

/** The settings on the command line: the document and the given options. Options that are no settings are ignored. */
export function flagSource(openapi: string | undefined, command: Command): SettingsSource {
  const given = Object.entries(SETTINGS).flatMap(([name, setting]) => {
    const attribute = attributeOf(setting)
    return attribute !== undefined && command.getOptionValueSource(attribute) === 'cli'
      ? [[name, command.getOptionValue(attribute)]]
      : []
  })
  return { values: { openapi, ...Object.fromEntries(given) }, nameOf: optionName }
}

/**
 * The settings in the environment. An empty variable counts as unset. An empty address of a store is refused: it comes from a variable
 * that was to have one, and servers without it would not share their state.
 */
export function environmentSource(environment: NodeJS.ProcessEnv): SettingsSource {
  const set = Object.entries(VARIABLES)
    .map(([setting, variable]) => [setting, environment[variable]] as const)
    .filter(([, value]) => value !== undefined)
    .filter(([setting, value]) => value !== '' || setting === 'store')

  return {
    values: Object.fromEntries(set),
    nameOf: (setting) => VARIABLES[setting] ?? setting,
  }
}

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
  const text = await readText(file, {
    code: 'unreadable_config',
    task: `read ${file}`,
    help: 'Name a YAML or JSON file with --config.',
  })
  const source = await parseConfig(file, text)
  const values = settingsIn(source)

  return {
    values: { ...values, ...resolvePaths(file, values) },
    nameOf: (setting) => `${setting} (${source.locate([setting], 'key')})`,
    file: source,
  }
}

/** Paths in the configuration file are relative to its folder. URLs and `-` stay as they are. */
function resolvePaths(file: string, values: JsonObject): JsonObject {
  const absolute = (path: unknown): unknown =>
    typeof path === 'string' && path !== '-' && !/^https?:/i.test(path)
      ? resolve(dirname(file), path)
      : path
  const paths = Object.keys(SETTINGS).flatMap((setting) => {
    if (!SETTINGS[setting]?.isPath) return []
    const value = values[setting]
    if (Array.isArray(value)) return [[setting, value.map(absolute)] as const]
    return typeof value === 'string' ? [[setting, absolute(value)] as const] : []
  })

  return Object.fromEntries(paths)
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

/** Throws a UsageError for a misspelt command, which commander takes for a document, and for several documents. */
export function rejectMisspeltCommand({ args, parent }: Command): void {
  const [word = ''] = args
  const names = (parent?.commands ?? []).map((command) => command.name())
  const suggestion = suggest(word, names)
  if (word !== '' && suggestion.suggestion !== undefined && !existsSync(word)) {
    throw new UsageError({
      code: 'unknown_command',
      task: 'run the command',
      reason: `"${word}" is neither a command nor a document`,
      ...suggestion,
    })
  }
  if (args.length > 1) {
    throw new UsageError({
      code: 'several_documents',
      task: `serve ${args.map(withoutCredentials).join(' and ')}`,
      reason: 'a sandbox serves one document',
      help: 'Start a sandbox for each document.',
    })
  }
}

const PREFIX = 'PET_SANDBOX_'

/** Variables that are not settings of `serve`. Other commands and the tests use them. */
const OTHERS = ['URL', 'KEY', 'TOKEN', 'WORLD', 'CHROMIUM', 'KILLS', 'NAME'].map(
  (name) => PREFIX + name,
)

/** Warns about each variable that looks like a misspelt setting. It is not an error: another program may use the variable. */
export function warnAboutMisspeltVariables(environment: NodeJS.ProcessEnv): void {
  const known = Object.values(VARIABLES)
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !OTHERS.includes(name),
  )
  for (const name of unknown) {
    const { suggestion } = suggest(withoutPrefix(name), known.map(withoutPrefix))
    if (suggestion === undefined) continue
    const help = describeSuggestion({ suggestion: PREFIX + suggestion })
    process.stderr.write(
      `pet-sandbox: The environment variable ${name} is not a setting. ${help}\n`,
    )
  }
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length)
}
