import { parseStoreAddress } from '../../state/redis/store-address.ts'
import { milliseconds } from '../../time/duration.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { invalidSetting } from '../parse-setting.ts'

/** What has a world of its own. */
export type WorldBy = 'key'

/** The address of a store. No error quotes it, because it may contain a password. */
export function storeAddress(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new UsageError({
      code: 'invalid_setting',
      task: `use ${name}`,
      reason: 'it must be an address',
      help: 'Write it as redis://USER:PASSWORD@HOST:6379/0.',
    })
  }
  parseStoreAddress(value)

  return value
}

export function worldBy(value: unknown, name: string): WorldBy {
  if (value === 'key') return value
  throw invalidSetting(name, value, 'key')
}

/** A duration in milliseconds. */
export function worldTtl(value: unknown, name: string): number {
  const must = 'a duration of at least one second'
  const given = typeof value === 'number' ? value : String(value)
  const length = readDuration(given)
  if (length >= 1000) return length
  throw invalidSetting(name, value, must, 'Write it as 30m or 1h.')
}

function readDuration(given: number | string): number {
  try {
    return milliseconds(given)
  } catch {
    return Number.NaN
  }
}
