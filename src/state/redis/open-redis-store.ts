import { UsageError } from '../../validation/usage-error.ts'
import type { WorldStore } from '../world-store.ts'
import { loadRedisClient, type RedisClient } from './redis-client.ts'
import { type CallListener, RedisConnection } from './redis-connection.ts'
import { RedisStore } from './redis-store.ts'
import { PROBE } from './scripts/probe.ts'
import { inspectServer } from './server-facts.ts'
import { parseStoreAddress, type StoreAddress, showAddress } from './store-address.ts'
import { RedisUnavailableError } from './store-errors.ts'
import { isReply, refusalIn } from './store-refusal.ts'
import { tlsMismatch } from './tls-mismatch.ts'

/** How a store is used. */
export interface RedisStoreOptions {
  /** What all keys start with. Default: `pet-sandbox`. */
  readonly prefix?: string | undefined
  /** Called with the name of each command, and how many milliseconds it took. */
  readonly onCall?: CallListener | undefined
  /** Called with what the operator of a running server should know. */
  readonly onNotice?: ((notice: string) => void) | undefined
}

/**
 * Connects to Redis or Valkey, at an address such as `redis://user:password@host:6379/0`. Rejects with a UsageError when it
 * cannot be used. The password is in no error.
 */
export async function openRedisStore(
  address: string,
  {
    prefix = 'pet-sandbox',
    onCall = () => undefined,
    onNotice = () => undefined,
  }: RedisStoreOptions = {},
): Promise<WorldStore> {
  checkPrefix(prefix)
  const parsed = parseStoreAddress(address)
  const client = await loadRedisClient(parsed)
  try {
    await client.connect()
    const notices = await inspectServer(client)
    const connection = new RedisConnection(client, parsed.kind === 'cluster', onCall)
    await connection.run(PROBE, `${prefix}:{probe}`)

    return new RedisStore(connection, prefix, notices, onNotice)
  } catch (error) {
    throw await refused(error, client, parsed)
  }
}

async function refused(
  error: unknown,
  client: RedisClient,
  address: StoreAddress,
): Promise<UsageError> {
  client.close()
  if (error instanceof UsageError) return error
  const refusal = error instanceof RedisUnavailableError ? error.refusal : refusalIn(error)
  // A server that does not understand the other one's bytes is silent, or closes the connection.
  const mismatch = isReply(error) ? undefined : await tlsMismatch(address)
  return new UsageError({
    code: 'store_unavailable',
    task: `use the store at ${showAddress(address)}`,
    ...(mismatch ?? refusal),
  })
}

/** Braces would be a hash tag of their own. */
function checkPrefix(prefix: string): void {
  if (/^[\w.:-]{1,100}$/.test(prefix)) return
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the prefix of the store',
    reason: 'it must be 1 to 100 letters, digits, and characters of "_.:-"',
  })
}
