import type { ServiceTypes } from '../contract/contract.ts'
import type { Shipped } from '../generated/types.ts'
import { isBearerToken } from '../http/headers.ts'
import { CONTROL_PATH, chooseWorld, WORLDS_PATH, worldNameError } from '../http/paths.ts'
import { type Duration, milliseconds } from '../time/duration.ts'
import { refuseUnknown, UsageError } from '../validation/usage-error.ts'
import { Connection } from './connection.ts'
import type { SandboxClient } from './sandbox-client.ts'
import { createWorldClient } from './world-client.ts'

/** Options of a client. All options are optional. */
export interface ClientOptions {
  /** The token of the sandbox (`--control-token`). Programs on the sandbox's machine do not need it. */
  readonly token?: string
  /** The world to control. Default: the world in the URL, or else the default world. */
  readonly world?: string
  /** Sends the requests. Default: the value of `globalThis.fetch` at each request. */
  readonly fetch?: typeof globalThis.fetch
  /** The longest time for a complete response, in real time. Default: 10 seconds. `waitFor` adds its own timeout. */
  readonly timeout?: Duration
}

/**
 * Creates a client of the sandbox at a URL: its origin, the base URL of its API, or the base URL of one of its worlds. `Types`
 * are the types of the shipped contract; pass `ServiceTypes` for another contract. Throws a UsageError for an invalid URL and
 * for invalid options. The first call checks that there is a sandbox with its API at that URL.
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
  refuseUnknown('client', options, ['token', 'world', 'fetch', 'timeout'])
  const { site, path, ...address } = readAddress(String(url))
  const { token, world = address.world, timeout = '10s' } = options
  checkToken(token)
  const nameError = world === undefined ? undefined : worldNameError(world)
  if (nameError) throw nameError
  // Read at each request, because a mock may replace it later.
  const { fetch = (...request) => globalThis.fetch(...request) } = options
  const connectionOptions = {
    site,
    path,
    fetch,
    timeout: milliseconds(timeout),
    ...(token !== undefined && { token }),
  }

  return createWorldClient({ connection: new Connection(connectionOptions), world })
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

/** The parsed URL of a sandbox. */
export interface Address {
  /** The URL of the server, such as `http://127.0.0.1:4010`, with the path prefix of a proxy if there is one. */
  readonly site: string
  /** The world's name; absent when the URL has none. */
  readonly world?: string
  /** The path of the API, such as `/v1`; empty when the URL has none. The sandbox must have its API there. */
  readonly path: string
}

/** A path of the control interface, after the path prefix of a proxy. */
const CONTROL_PATHNAME = new RegExp(`^(.*?)${CONTROL_PATH}(?=/|$)(.*)$`, 's')

/** A world named `.` or `..`. URL parsing removes these segments, so the request would reach another world. */
const DOT_SEGMENT_WORLD = new RegExp(`${WORLDS_PATH}((?:\\.|%2e){1,2})(?=[/?#]|$)`, 'i')

/**
 * Parses the URL of a sandbox: its origin, the base URL of its API or of a world, or its control interface. Throws a UsageError
 * for an invalid URL.
 */
export function readAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError({
      code: 'invalid_url',
      task: `connect to the sandbox at "${text}"`,
      reason: 'it is not an http or https URL',
      help: 'Write it as http://127.0.0.1:4010.',
    })
  }
  const { origin, pathname } = url
  const [control, before = '', below = ''] = CONTROL_PATHNAME.exec(pathname) ?? []
  const isControl = control !== undefined
  const [, dotSegment] = DOT_SEGMENT_WORLD.exec(text) ?? []
  const path = isControl ? below : pathname
  const { name, nameError, rest } = chooseWorld(dotSegment ? WORLDS_PATH + dotSegment : path)
  if (nameError) throw nameError

  return {
    site: origin + before,
    path: isControl ? '' : rest.replace(/\/$/, ''),
    ...(name !== undefined && { world: name }),
  }
}
