import type { ServiceTypes } from '../contract/contract.ts'
import type { Shipped } from '../generated/types.ts'
import { isBearerToken } from '../http/bearer-token.ts'
import { faultOfName } from '../http/world-path.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'
import { readAddress } from './address.ts'
import { Connection } from './connection.ts'
import type { SandboxClient } from './sandbox-client.ts'
import { createWorldClient } from './world-client.ts'

/** Settings of a client, each of which may be left out. */
export interface ClientOptions {
  /** The sandbox's token, as given by `--control-token`; not needed on the sandbox's machine. */
  readonly token?: string
  /** The world to steer, in place of the one that the address names; the sandbox's own when neither names one. */
  readonly world?: string
  /** Sends the requests; `globalThis.fetch`, as it is at each request, when left out. */
  readonly fetch?: typeof globalThis.fetch
  /** How long an answer may take to its last byte, in real time; 10 seconds when left out. `waitFor` adds its own timeout. */
  readonly timeout?: Duration
}

/**
 * Makes a client of the sandbox at an address: its origin, its API's base address, or that of one of its worlds. `Types` are
 * those of the contract that ships; give `ServiceTypes` for another. Throws a UsageError for what is no address, and for
 * options that are wrong. Whether there is a sandbox, with its API at that address, the first call finds out.
 *
 * @example
 * const client = createClient('http://127.0.0.1:4010')
 * await client.clock.advance('61s')
 */
export function createClient<Types extends ServiceTypes = Shipped>(
  url: string | URL,
  options?: ClientOptions,
): SandboxClient<Types>
export function createClient(url: string | URL, options: ClientOptions = {}): SandboxClient {
  refuseUnknown('client option', options, ['token', 'world', 'fetch', 'timeout'])
  const { site, path, ...named } = readAddress(String(url))
  const { token, world = named.world, timeout = '10s' } = options
  checkToken(token)
  const fault = world === undefined ? undefined : faultOfName(world)
  if (fault) throw fault
  // Looked up at each request: a mock may replace it later.
  const { fetch = (...request) => globalThis.fetch(...request) } = options
  const given = {
    site,
    path,
    fetch,
    timeout: milliseconds(timeout),
    ...(token !== undefined && { token }),
  }

  return createWorldClient({ connection: new Connection(given), world })
}

function checkToken(token: string | undefined): void {
  if (token === undefined || isBearerToken(token)) return
  throw new UsageError({
    code: 'invalid_token',
    task: 'send the token',
    reason: 'no HTTP header can carry it',
    help: 'Give the token that the sandbox was started with.',
  })
}
