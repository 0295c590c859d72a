import type { Instant } from '../time/clock.ts'
import { unsendable } from './failure.ts'

/** A moment as text. What is no moment goes as it is, for the sandbox to say what is wrong with it. */
export function toText(instant: Instant): string {
  const isTime = typeof instant === 'number' || instant instanceof Date
  return isTime && !Number.isNaN(new Date(instant).getTime())
    ? new Date(instant).toISOString()
    : String(instant)
}

/** A query of these names and values, without those that are `undefined`. */
export function toSearch(
  pairs: readonly (readonly [name: string, value: unknown])[],
): URLSearchParams {
  const given = pairs.filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** A value as JSON. Throws a UsageError for what JSON cannot hold. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw unsendable(cause)
  }
}
