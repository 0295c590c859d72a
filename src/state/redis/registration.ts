import { UsageError } from '../../validation/usage-error.ts'
import type { ContractIdentity } from '../world-store.ts'
import { contractKey, STORE_FORMAT } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { numberIn } from './reply.ts'
import { REGISTER } from './scripts/registry.ts'
import { RedisUnavailableError } from './store-errors.ts'

const TASK = 'use the store'

/** What a store has registered. */
export interface RegisteredContract {
  /** Whether the store had no contract. */
  readonly isNew: boolean
  /** When the contract was registered first, in epoch milliseconds. */
  readonly startedAt: number
}

/**
 * Registers a contract, unless the store has it. The time of a new registration is that of the store, unless it is given. Rejects
 * with a UsageError when the store has another contract or another format, and when it does not accept the registration.
 */
export async function register(
  connection: RedisConnection,
  prefix: string,
  { title, version, digest }: ContractIdentity,
  since?: number,
): Promise<RegisteredContract> {
  const key = contractKey(prefix)
  const reply = await connection
    .run(REGISTER, key, [STORE_FORMAT, title, version, digest, since ?? ''])
    .catch(refuseStart)
  const [isNew, format, presentTitle, presentVersion, presentDigest, startedAt] = reply
  if (format !== String(STORE_FORMAT)) {
    throw new UsageError({
      code: 'store_mismatch',
      task: TASK,
      reason: `another version of pet-sandbox wrote what it has under the prefix "${prefix}"`,
      help: 'Choose another prefix with --store-prefix.',
    })
  }
  if (presentDigest !== digest) {
    const present = `${presentTitle} ${presentVersion}`
    const isSame = present === `${title} ${version}`
    throw new UsageError({
      code: 'store_mismatch',
      task: TASK,
      reason: isSame
        ? `its worlds under the prefix "${prefix}" have another document or other options`
        : `its worlds under the prefix "${prefix}" are those of ${present}, and not of ${title} ${version}`,
      help: 'Start all instances with the same document and options, or choose another prefix with --store-prefix to deploy a new one.',
    })
  }
  return { isNew: isNew === 1, startedAt: numberIn(startedAt, key) }
}

/** A store that refuses at the start is a mistake to be corrected. */
function refuseStart(error: unknown): never {
  if (!(error instanceof RedisUnavailableError)) throw error
  throw new UsageError({ code: 'store_unavailable', task: TASK, ...error.refusal })
}
