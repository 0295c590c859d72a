import type { Instant } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import { notSerializable } from './errors.ts'

/** A time as ISO 8601 text. Other values stay as they are, so that the sandbox reports what is wrong with them. */
export function toIsoText(instant: Instant): string {
  const isTime = typeof instant === 'number' || instant instanceof Date
  return isTime && !Number.isNaN(new Date(instant).getTime())
    ? new Date(instant).toISOString()
    : String(instant)
}

/** Query parameters with these names and values, without those that are `undefined`. */
export function toQueryParameters(
  pairs: readonly (readonly [name: string, value: unknown])[],
): URLSearchParams {
  const given = pairs.filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** A value as JSON. Throws a UsageError for a value that JSON cannot represent. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw notSerializable(cause)
  }
}

/**
 * A name as a segment of a URL path. Throws a UsageError for `.` and `..`: URLs drop these, so the request would reach another
 * world.
 */
export function toPathSegment(value: string): string {
  if (!/^\.{0,2}$|\p{Surrogate}/u.test(value)) return encodeURIComponent(value)
  throw new UsageError({
    code: 'invalid_name',
    task: `use the name "${value}" in a URL`,
    reason: 'URLs drop the segments "." and "..", and cannot carry half of a surrogate pair',
    help: 'Give another name.',
  })
}
