import { milliseconds } from '../time/duration.ts'
import { invalidSetting } from './parse-setting.ts'

/** How long the world of a key is kept without use, in milliseconds. */
export function worldTtl(value: unknown, name: string): number {
  const length = readDuration(value)
  if (length >= 1000) return length
  throw invalidSetting(name, value, 'a duration of at least one second', 'Write it as 30m or 1h.')
}

/** The longest time for which orchestrators wait before they kill a process is far shorter. */
const MAX_DRAIN_MS = 600_000

/** How long a server accepts further requests after a signal to stop, in milliseconds. */
export function drain(value: unknown, name: string): number {
  const length = readDuration(value)
  if (length >= 0 && length <= MAX_DRAIN_MS) return length
  throw invalidSetting(name, value, 'a duration from 0 to 10m', 'Write it as 5s.')
}

const MAX_KEEP_ALIVE_MS = 3_600_000

/** How long the server keeps a connection without a request open, in milliseconds. */
export function keepAlive(value: unknown, name: string): number {
  const length = readDuration(value)
  if (length >= 1000 && length <= MAX_KEEP_ALIVE_MS) return length
  throw invalidSetting(name, value, 'a duration from 1s to 1h', 'Write it as 75s.')
}

/** A duration in milliseconds; NaN when it is none. */
function readDuration(value: unknown): number {
  try {
    return milliseconds(typeof value === 'number' ? value : String(value))
  } catch {
    return Number.NaN
  }
}
