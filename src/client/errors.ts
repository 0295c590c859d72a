import { MAX_BODY_DEPTH } from '../http/body-limits.ts'
import { WORLDS_PATH } from '../http/paths.ts'
import type { ListedExchange } from '../journal/exchange-query.ts'
import { getOwn } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'

/** Why Node could not connect, by the code of its error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at this address',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  ECONNRESET: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
}

/** The connection failed or was closed. */
export function unreachable(site: string, cause: unknown): UsageError {
  const page = pageOrigin()
  // Pages that the sandbox serves, such as the dashboard, may always use it.
  const isOwnPage = page === undefined || page === new URL(site).origin
  const option = isOwnPage ? '' : ` --control-origin ${page}`
  return new UsageError({
    code: 'unreachable',
    task: `reach the sandbox at ${site}`,
    reason: reasonOf(cause),
    help: `Start it with: pet-sandbox${option}, or check the address.`,
    cause,
  })
}

/** Node has the reason in the cause of the error. Browsers do not reveal it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code ?? '') : ''
  if (cause instanceof Error && cause.name === 'HTTPParserError')
    return 'the server does not speak HTTP'
  const message = cause instanceof Error ? cause.message : String(cause)

  return getOwn(REASONS, code) ?? `the request failed (${code || message})`
}

/** The origin of the page that runs this code; `undefined` outside a page. */
function pageOrigin(): string | undefined {
  const { location }: { readonly location?: { readonly origin?: unknown } } = globalThis
  return typeof location?.origin === 'string' && location.origin !== 'null'
    ? location.origin
    : undefined
}

/** No response came in time. */
export function timedOut(site: string, limit: number): UsageError {
  return new UsageError({
    code: 'no_answer',
    task: `reach the sandbox at ${site}`,
    reason: `it did not answer within ${limit} ms`,
    help: 'Check that it is a sandbox, or set a longer timeout.',
  })
}

/** JSON cannot represent the value, because of deep nesting, a cycle or a BigInt value. */
export function notSerializable(cause: unknown): UsageError {
  // A stack overflow throws a RangeError, or an InternalError in Firefox. Other values throw a TypeError.
  const isDeep = !(cause instanceof TypeError)
  const [reason, help] = isDeep
    ? [`it must not be nested more than ${MAX_BODY_DEPTH} levels deep`, 'Flatten it.']
    : ['it is not valid JSON data', 'Give plain objects without cycles and without BigInt values.']
  return new UsageError({ code: 'invalid_request', task: 'send the body', reason, help, cause })
}

/** A response is longer than the client reads. */
export function responseTooLong(site: string, mebibytes: number): UsageError {
  return new UsageError({
    code: 'answer_too_long',
    task: `read the response of the sandbox at ${site}`,
    reason: `it is longer than ${mebibytes} MiB`,
    help: 'Check that it is a sandbox, or request less at a time, for example with a limit.',
  })
}

/** A response is nested more deeply than the client reads. */
export function responseTooDeep(site: string, levels: number): UsageError {
  return new UsageError({
    code: 'answer_too_deep',
    task: `read the response of the sandbox at ${site}`,
    reason: `it is nested more than ${levels} levels deep`,
    help: 'Check that it is a sandbox.',
  })
}

/** The server is not a sandbox. */
export function notASandbox(site: string, status: number): UsageError {
  return new UsageError({
    code: 'no_sandbox',
    task: `connect to the sandbox at ${site}`,
    reason: `the server there (status ${status}) has no control interface of pet-sandbox`,
    help: 'Check the address, and that the sandbox was not started with --no-control.',
  })
}

/** There is a sandbox, but its API has another base path than the address. */
export function wrongBasePath(site: string, path: string, basePath: string): UsageError {
  return new UsageError({
    code: 'no_base',
    task: `connect to the sandbox at ${site}${path}`,
    reason: `its API is at ${basePath}, not at ${path}`,
    help: `Give ${site}, ${site}${basePath}, or ${site}${WORLDS_PATH}NAME${basePath} for a world.`,
  })
}

/** The sandbox has another version, without the operation. */
export function otherVersion(site: string, operation: string): UsageError {
  return new UsageError({
    code: 'other_version',
    task: `use the sandbox at ${site}`,
    reason: `its version of pet-sandbox does not have ${operation}`,
    help: 'Use the same version of pet-sandbox on both sides.',
  })
}

/** The token is missing or wrong. */
export function unauthorized(site: string): UsageError {
  return new UsageError({
    code: 'unauthorized',
    task: `use the sandbox at ${site}`,
    reason: 'its token is missing or wrong',
    help: 'Give the token that the sandbox was started with (--control-token).',
  })
}

/** A wait for an exchange ended without one. The developer made no mistake. */
export class NoExchangeError extends Error {
  override readonly name = 'NoExchangeError'
  /** The latest exchanges at the end of the wait. */
  readonly latest: readonly ListedExchange[]

  constructor(message: string, latest: readonly ListedExchange[] = []) {
    super(message)
    this.latest = latest
  }
}
