import { UsageError } from '../../validation/usage-error.ts'
import type { ServeSettings } from '../settings.ts'

/** The settings that only servers with a store have, and what they are called on the command line. */
const STORE_ONLY = [
  ['storePrefix', '--store-prefix'],
  ['worldBy', '--world-by'],
  ['worldTtl', '--world-ttl'],
] as const

/** Throws a UsageError for settings that exclude each other, or need each other. */
export function requireStoreSettings(settings: ServeSettings): void {
  const { store, state, watch, worldBy, worldTtl } = settings
  if (store === undefined) {
    const without = STORE_ONLY.find(([name]) => settings[name] !== undefined)
    if (without)
      throw cannotUse(without[1], 'it needs a shared store', 'Give its address with --store.')
    return
  }
  if (state !== undefined) {
    throw cannotUse(
      '--state with --store',
      'the store keeps the state',
      'Leave out --state. To copy the state, use "pet-sandbox ctl snapshot" and "pet-sandbox ctl restore".',
    )
  }
  if (watch) {
    throw cannotUse(
      '--watch with --store',
      'all servers of a store have the same document',
      'Leave out --watch. Start servers with a changed document and another --store-prefix.',
    )
  }
  if (worldTtl !== undefined && worldBy === undefined) {
    throw cannotUse('--world-ttl', 'only the worlds of keys are dropped', 'Add --world-by key.')
  }
}

/** Throws a UsageError for a command that keeps its state in memory. */
export function refuseStore({ store }: Pick<ServeSettings, 'store'>): void {
  if (store === undefined) return
  throw cannotUse(
    'a store with "exec"',
    'the sandbox of a command ends with it',
    'Leave out the setting store, and unset PET_SANDBOX_STORE.',
  )
}

/** Throws a UsageError for the address of a store in place of a document. It does not quote it, because of the password. */
export function refuseStoreAddress(document: string): void {
  if (!/^rediss?(?:\+\w+)?:/i.test(document)) return
  throw new UsageError({
    code: 'invalid_store',
    task: 'load the document',
    reason: 'it is the address of a store',
    help: 'Give it with --store, or in PET_SANDBOX_STORE.',
  })
}

function cannotUse(what: string, reason: string, help: string): UsageError {
  return new UsageError({ code: 'invalid_setting', task: `use ${what}`, reason, help })
}
