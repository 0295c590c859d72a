import { type Problem, problems } from '../problem.ts'
import type { Operation } from './contract.ts'

/** Throws the 404 of an operation that is past its sunset. */
export function refuseRemoved(operation: Operation, now: number): void {
  const { sunset = Number.POSITIVE_INFINITY } = operation.deprecation ?? {}
  if (now >= sunset) throw removed(operation, now)
}

/** The 404 of an operation that is gone (SERVICE.md, Versioning, 3). */
export function removed({ id, deprecation = {} }: Operation, now: number): Problem {
  const { sunset = now, successor } = deprecation
  const instead = successor === undefined ? '' : ` Use ${successor} instead.`

  return problems.operationRemoved(
    `${id} was removed on ${new Date(sunset).toUTCString()}.${instead}`,
  )
}

/** What every answer of a deprecated operation says: RFC 9745, RFC 8594 and RFC 5829. */
export function deprecationHeaders(
  { deprecation }: Operation,
  base: string,
): Record<string, string> {
  if (!deprecation) return {}
  const { date, sunset, successor } = deprecation
  const target = successor?.startsWith('/') ? base + successor : successor

  return {
    ...(date !== undefined && { Deprecation: `@${Math.floor(date / 1000)}` }),
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    ...(target !== undefined && { Link: `<${target}>; rel="successor-version"` }),
  }
}
