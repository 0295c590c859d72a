import type { CoreResponse } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { httpDate } from '../time/clock.ts'
import type { Deprecation, Operation } from './contract.ts'

/** The 404 of an operation whose sunset has passed, else `undefined`. */
export function removalOf(operation: Operation, now: number): Problem | undefined {
  const { sunset = Number.POSITIVE_INFINITY } = operation.deprecation ?? {}
  return now >= sunset ? operationRemoved(operation, now) : undefined
}

/** The 404 of a removed operation. It names the replacement. */
export function operationRemoved({ id, deprecation = {} }: Operation, now: number): Problem {
  const { sunset = now, successor } = deprecation
  const replacement = successor === undefined ? '' : ` Use ${successor} instead.`

  return problems.operationRemoved(`${id} was removed on ${httpDate(sunset)}.${replacement}`)
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to the successor (RFC 5829), as far as they are documented. */
export function deprecationHeaders(
  { date, sunset, successor }: Deprecation,
  base: string,
): Record<string, string> {
  const target = successor?.startsWith('/') ? base + successor : successor
  const headers: Record<string, string> = {}
  if (date !== undefined) headers.Deprecation = `@${Math.floor(date / 1000)}`
  if (sunset !== undefined) headers.Sunset = httpDate(sunset)
  if (target !== undefined) headers.Link = `<${target}>; rel="successor-version"`

  return headers
}

/** A response with the headers of a deprecated operation, if it is one. Their link joins one that is there already. */
export function withDeprecation(
  response: CoreResponse,
  deprecation: Deprecation | undefined,
  base: string,
): CoreResponse {
  if (!deprecation) return response
  const headers = { ...response.headers, ...deprecationHeaders(deprecation, base) }
  if (response.headers.Link) headers.Link = [response.headers.Link, headers.Link].join(', ')

  return { ...response, headers }
}
