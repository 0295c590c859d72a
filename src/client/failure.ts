import { DEEPEST_BODY } from '../http/json-limits.ts'
import { getOwn } from '../validation/own-property.ts'
import { UsageError } from '../validation/usage-error.ts'

/** Why Node could not connect, by the code of its error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no machine of that name',
  EAI_AGAIN: 'there is no machine of that name',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
}

/** A request did not get through, or its answer did not. */
export function unreachable(site: string, cause: unknown): UsageError {
  const page = pageOrigin()
  const leave = page === undefined ? '' : `, with --control-origin ${page} for this page`
  return new UsageError(
    'unreachable',
    `Cannot reach the sandbox at ${site}: ${reasonOf(cause)}. Start it with pet-sandbox${leave}, or check the address.`,
    { cause },
  )
}

/** Node tells the reason in the cause; browsers keep it to themselves. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code ?? '') : ''
  if (cause instanceof Error && cause.name === 'HTTPParserError')
    return 'what answers there does not speak HTTP'
  const told = cause instanceof Error ? cause.message : String(cause)

  return getOwn(REASONS, code) ?? `the request failed (${code || told})`
}

/** The origin of the page that this runs in, if it does. */
function pageOrigin(): string | undefined {
  const { location }: { readonly location?: { readonly origin?: unknown } } = globalThis
  return typeof location?.origin === 'string' && location.origin !== 'null'
    ? location.origin
    : undefined
}

/** No answer came in time. */
export function late(site: string, limit: number): UsageError {
  return new UsageError(
    'no_answer',
    `Cannot reach the sandbox at ${site}: it did not answer within ${limit} ms. Check that it is one, or give it longer by the timeout.`,
  )
}

/** A value cannot be written as JSON: only deep nesting, cycles and BigInt values are in the way of that. */
export function unsendable(cause: unknown): UsageError {
  // Thrown when the stack is used up, under another name in Firefox.
  const isDeep = !(cause instanceof TypeError)
  return isDeep
    ? new UsageError(
        'invalid_request',
        `Cannot send the body: it must not be nested more than ${DEEPEST_BODY} levels deep. Flatten it.`,
        { cause },
      )
    : new UsageError(
        'invalid_request',
        'Cannot send the body: it is not valid JSON data. Give plain objects without cycles and without BigInt values.',
        { cause },
      )
}

/** An answer is longer than what is read of one. */
export function tooLong(site: string, mebibytes: number): UsageError {
  return new UsageError(
    'answer_too_long',
    `Cannot read the answer of the sandbox at ${site}: it is longer than ${mebibytes} MiB. ` +
      'Check that it is a sandbox, or ask for less at a time, as by a limit.',
  )
}

/** An answer is nested deeper than what is read of one. */
export function tooDeep(site: string, levels: number): UsageError {
  return new UsageError(
    'answer_too_deep',
    `Cannot read the answer of the sandbox at ${site}: it is nested more than ${levels} levels deep. ` +
      'Check that it is a sandbox.',
  )
}

/** What answers is no sandbox. */
export function stranger(site: string, status: number): UsageError {
  return new UsageError(
    'no_sandbox',
    `Cannot steer the sandbox at ${site}: what answers there (${status}) is no control interface of pet-sandbox. ` +
      'Check the address, and that the sandbox was not started with --no-control.',
  )
}

/** There is a sandbox, but its API is not at the address given. */
export function noBase(site: string, path: string, basePath: string): UsageError {
  return new UsageError(
    'no_base',
    `Cannot steer the sandbox at ${site} by an address that ends with ${path}: its API is at ${basePath}. ` +
      `Give ${site}, ${site}${basePath}, or ${site}/worlds/NAME${basePath} for a world.`,
  )
}

/** The sandbox does not have the operation, being of another version. */
export function otherVersion(site: string, operation: string): UsageError {
  return new UsageError(
    'other_version',
    `Cannot steer the sandbox at ${site}: it is of another version, which has no ${operation}. ` +
      'Use the same version of pet-sandbox on both sides.',
  )
}

/** The sandbox wants a token, or another one. */
export function unauthorized(site: string): UsageError {
  return new UsageError(
    'unauthorized',
    `Cannot steer the sandbox at ${site}: it asks for its token, and was sent none or a wrong one. ` +
      'Give the one that it was started with, as --control-token.',
  )
}
