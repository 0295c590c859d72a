import { UsageError } from '../../validation/usage-error.ts'
import { resolveSettings, type SettingsSource } from '../settings.ts'
import { configSource, environmentSource } from '../sources.ts'

/** Where a sandbox is, and what says so. */
export interface FoundAddress {
  readonly url: string
  /** What the address is from, in words for an error; absent for one that was given on the command line. */
  readonly origin?: string
}

const URL_VARIABLE = 'PET_SANDBOX_URL'

/**
 * The address of the sandbox that was not named on the command line: PET_SANDBOX_URL, else where `serve` would listen by the
 * configuration file and the environment.
 */
export async function findAddress(config: string | undefined): Promise<FoundAddress> {
  const { [URL_VARIABLE]: url } = process.env
  if (url) return { url, origin: URL_VARIABLE }

  const sources = [await configSource(config), environmentSource(process.env)].map(addressOnly)
  const { host, port } = resolveSettings(sources)
  const names = ['host', 'port'].flatMap((setting) => {
    const source = sources.findLast(({ values }) => isSet(values[setting]))
    return source ? [source.nameOf(setting)] : []
  })
  if (port === 0) {
    throw new UsageError({
      code: 'unknown_port',
      task: 'find the sandbox',
      reason: `${names.at(-1)} lets it listen on any free port`,
      help: 'Give its address.',
    })
  }
  return {
    url: `http://${reachable(host)}:${port}`,
    origin: names.length === 0 ? 'the default' : names.join(' and '),
  }
}

/** Other settings are of no concern, even if they are wrong. */
function addressOnly({ values: { host, port }, nameOf }: SettingsSource): SettingsSource {
  return { values: { host, port }, nameOf }
}

/** A setting without a value, as `port:` in YAML, counts as left out. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A server that listens on all addresses is reached on this machine's own. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

/** The error with what the address is from, where that was not given on the command line. */
export function withOrigin(error: unknown, { url, origin }: FoundAddress): unknown {
  if (origin === undefined || !(error instanceof UsageError) || !ABOUT_ADDRESS.has(error.code)) {
    return error
  }
  const help = `${error.help} The address ${url} comes from ${origin}.`.trimStart()
  return new UsageError({ ...error, help, cause: error })
}

/** The errors that a wrong address may be the reason of. */
const ABOUT_ADDRESS: ReadonlySet<string> = new Set([
  'invalid_url',
  'unreachable',
  'no_answer',
  'no_sandbox',
  'no_base',
  'other_contract',
  'unauthorized',
  'answer_too_long',
  'answer_too_deep',
])
