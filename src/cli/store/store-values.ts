import { parseStoreAddress } from '../../redis/store-address.ts'
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
      help: 'Write it as redis://USER:PASSWORD@HOST:6379/0, or leave it unset to keep the state in memory.',
    })
  }
  parseStoreAddress(value)

  return value
}

export function worldBy(value: unknown, name: string): WorldBy {
  if (value === 'key') return value
  throw invalidSetting(name, value, 'key')
}
