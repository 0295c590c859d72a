import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { openRedisStore } from '../../redis/open-redis-store.ts'
import { findRedis } from './find-redis.ts'
import { startRedis } from './start-redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The store of this run; absent when there is none. */
    store?: RunStore
  }
}

/** The store that all tests of a run share. */
export interface RunStore {
  /** Such as `redis://127.0.0.1:6379`. */
  readonly address: string
  /** What all keys of the run start with. */
  readonly prefix: string
}

/** `PET_SANDBOX_TEST_STORE`: `start`, the address of a Redis, or nothing for no store. Default: `start`, if there is a Redis. */
const { PET_SANDBOX_TEST_STORE: SETTING = findRedis() ? 'start' : '' } = process.env

/** The store of this run; `undefined` when there is none. */
export function findRunStore(): RunStore | undefined {
  return inject('store')
}

/**
 * Opens the store that the environment names, for Vitest's global setup; `undefined` when it names none. `close` removes the
 * keys of the run, or stops the store if it was started for the run.
 */
export async function openRunStore(
  setting: string = SETTING,
): Promise<{ readonly store: RunStore; readonly close: () => Promise<void> } | undefined> {
  if (setting === '') return undefined
  const prefix = `test-${crypto.randomUUID()}`
  if (setting === 'start') {
    const { address, stop } = await startRedis()
    return { store: { address, prefix }, close: stop }
  }
  // Rejects with what is wrong, before any test runs.
  const opened = await openRedisStore(setting, { prefix })
  await opened.close()

  return { store: { address: setting, prefix }, close: () => removeKeys(setting, prefix) }
}

async function removeKeys(address: string, prefix: string): Promise<void> {
  const client = new Redis(address)
  try {
    for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await client.unlink(...keys)
    }
  } finally {
    client.disconnect()
  }
}
