import { UsageError } from '../../validation/usage-error.ts'
import type { RedisClient } from './redis-client.ts'

/** The first version with what the scripts use. */
const MIN_VERSION = 7

/**
 * Checks the version of the server. Resolves with notices about settings with which the store may lose data. Rejects with a
 * UsageError for an old server.
 */
export async function inspectServer(client: RedisClient): Promise<readonly string[]> {
  const facts = String(await client.call('info'))
  const version = fieldIn(facts, 'redis_version')
  const major = Number.parseInt(version ?? '', 10)
  if (major < MIN_VERSION) {
    throw new UsageError({
      code: 'store_unavailable',
      task: 'use the store',
      reason: `it is Redis ${version?.slice(0, 20)}`,
      help: 'Use Redis 7 or later, or Valkey.',
    })
  }
  const policy = fieldIn(facts, 'maxmemory_policy')
  if (policy === undefined || policy === 'noeviction') return []

  return [
    `The store has the setting maxmemory-policy ${policy}, with which it removes records when its memory is full. Set it to noeviction.`,
  ]
}

function fieldIn(facts: string, name: string): string | undefined {
  const line = facts.split('\r\n').find((one) => one.startsWith(`${name}:`))
  return line?.slice(name.length + 1)
}
