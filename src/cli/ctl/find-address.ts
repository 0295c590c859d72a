import { UsageError } from '../../validation/usage-error.ts'
import { configSource, environmentSource } from '../setting-sources.ts'
import { resolveSettings, type SettingsSource } from '../settings.ts'

/** The address of a sandbox, and where it comes from. */
export interface FoundAddress {
  readonly url: string
  /** The source of the address, for error messages; absent for an address from the command line. */
  readonly origin?: string
}

const URL_VARIABLE = 'PET_SANDBOX_URL'

/**
 * The address when the command line names none: PET_SANDBOX_URL, otherwise the host and port of `serve` from the configuration
 * file and the environment.
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
    url: `http://${reachableHost(host)}:${port}`,
    origin: names.length === 0 ? 'the default' : names.join(' and '),
  }
}

/** Ignores all other settings, so that their mistakes do not matter. */
function addressOnly({ values: { host, port }, nameOf }: SettingsSource): SettingsSource {
  return { values: { host, port }, nameOf }
}

/** A setting without a value, such as `port:` in YAML, counts as unset. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A server that listens on all addresses can be reached at the loopback address. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

/** Adds the source of the address to an error about an address that is not from the command line. */
export function withOrigin(error: unknown, { url, origin }: FoundAddress): unknown {
  if (origin === undefined || !(error instanceof UsageError) || !ABOUT_ADDRESS.has(error.code)) {
    return error
  }
  const help = `${error.help} The address ${url} comes from ${origin}.`.trimStart()
  return new UsageError({ ...error, help, cause: error })
}

/** The error codes that a wrong address can cause. */
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
