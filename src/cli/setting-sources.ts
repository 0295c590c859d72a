import type { Command } from 'commander'
import type { SettingsSource } from './settings.ts'

/** The environment variables of the settings. */
export const VARIABLES: Readonly<Record<string, string>> = {
  openapi: 'PET_SANDBOX_OPENAPI',
  headers: 'PET_SANDBOX_HEADERS',
  overlay: 'PET_SANDBOX_OVERLAY',
  strict: 'PET_SANDBOX_STRICT',
  inference: 'PET_SANDBOX_INFERENCE',
  basePath: 'PET_SANDBOX_BASE_PATH',
  watch: 'PET_SANDBOX_WATCH',
  port: 'PET_SANDBOX_PORT',
  host: 'PET_SANDBOX_HOST',
  publicUrl: 'PET_SANDBOX_PUBLIC_URL',
  trustProxy: 'PET_SANDBOX_TRUST_PROXY',
  records: 'PET_SANDBOX_RECORDS',
  data: 'PET_SANDBOX_DATA',
  locale: 'PET_SANDBOX_LOCALE',
  seed: 'PET_SANDBOX_SEED',
  plans: 'PET_SANDBOX_PLANS',
  keys: 'PET_SANDBOX_KEYS',
  force: 'PET_SANDBOX_FORCE',
  scenario: 'PET_SANDBOX_SCENARIO',
  scenarios: 'PET_SANDBOX_SCENARIOS',
  state: 'PET_SANDBOX_STATE',
  store: 'PET_SANDBOX_STORE',
  storePrefix: 'PET_SANDBOX_STORE_PREFIX',
  worldBy: 'PET_SANDBOX_WORLD_BY',
  worldTtl: 'PET_SANDBOX_WORLD_TTL',
  instance: 'PET_SANDBOX_INSTANCE',
  worlds: 'PET_SANDBOX_WORLDS',
  latency: 'PET_SANDBOX_LATENCY',
  bodyLimit: 'PET_SANDBOX_BODY_LIMIT',
  validation: 'PET_SANDBOX_VALIDATION',
  unknownIds: 'PET_SANDBOX_UNKNOWN_IDS',
  quota: 'PET_SANDBOX_QUOTA',
  auth: 'PET_SANDBOX_AUTH',
  log: 'PET_SANDBOX_LOG',
  journal: 'PET_SANDBOX_JOURNAL',
  control: 'PET_SANDBOX_CONTROL',
  controlToken: 'PET_SANDBOX_CONTROL_TOKEN',
  controlOrigins: 'PET_SANDBOX_CONTROL_ORIGINS',
  metricsPort: 'PET_SANDBOX_METRICS_PORT',
  drain: 'PET_SANDBOX_DRAIN',
  keepAlive: 'PET_SANDBOX_KEEP_ALIVE',
  open: 'PET_SANDBOX_OPEN',
}

/** The settings of options with another name. */
const SETTING_OF_OPTION: Readonly<Record<string, string>> = {
  plan: 'plans',
  key: 'keys',
  header: 'headers',
  controlOrigin: 'controlOrigins',
  allowRemoteRefs: 'remoteRefs',
  allowOutsideRefs: 'outsideRefs',
}

/**
 * The settings on the command line: the document and the given options. A command with further options passes those that are
 * settings.
 */
export function flagSource(
  openapi: string | undefined,
  command: Command,
  options: Command['options'] = command.options,
): SettingsSource {
  const flags = options.map((option) => ({
    setting: SETTING_OF_OPTION[option.attributeName()] ?? option.attributeName(),
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
