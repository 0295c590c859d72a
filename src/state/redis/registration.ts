import { randomUUID } from 'node:crypto'
import { isObject } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { StoreUnavailableError } from '../store-unavailable-error.ts'
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
  /** As in `Registration`. */
  readonly secret: string
}

/**
 * Registers a contract, unless the store has it. What a new registration has is new, unless `known` has it. Rejects with
 * a UsageError when the store has another contract or another format, and when it does not accept the registration.
 */
export async function register(
  connection: RedisConnection,
  prefix: string,
  { title, version, digest, parts = {} }: ContractIdentity,
  known?: Omit<RegisteredContract, 'isNew'>,
): Promise<RegisteredContract> {
  const key = contractKey(prefix)
  const { startedAt: since = '', secret: own = randomUUID() } = known ?? {}
  const values = [STORE_FORMAT, title, version, digest, JSON.stringify(parts), since, own]
  const reply = await connection.run(REGISTER, key, values).catch(refuseStart)
  const [isNew, format, presentTitle, presentVersion, presentDigest, presentParts, ...rest] = reply
  const [startedAt, secret] = rest
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
        ? `its worlds under the prefix "${prefix}" have another document or other options${differences(presentParts, parts)}`
        : `its worlds under the prefix "${prefix}" are those of ${present}, and not of ${title} ${version}`,
      help: 'Start all servers of a store with the same document and options, or choose another prefix with --store-prefix to deploy a new one.',
    })
  }
  return { isNew: isNew === 1, startedAt: numberIn(startedAt, key), secret: String(secret) }
}

/** The names of the options that differ, in parentheses; empty when the store does not tell. */
function differences(registered: unknown, own: Readonly<Record<string, string>>): string {
  const present = partsIn(registered)
  const names = [...new Set([...Object.keys(present), ...Object.keys(own)])]
  const different = names.filter((name) => present[name] !== own[name] && NAME.test(name))

  return Object.keys(present).length === 0 ? '' : ` (${different.sort().join(', ')})`
}

/** The name of an option. */
const NAME = /^[\w ]{1,40}$/

function partsIn(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const parts: unknown = JSON.parse(String(text))
    return isObject(parts) ? parts : {}
  } catch {
    return {}
  }
}

/** A store that refuses at the start, or has what pet-sandbox did not write, is a mistake to be corrected. */
export function refuseStart(error: unknown): never {
  if (!(error instanceof StoreUnavailableError)) throw error
  const refusal = error instanceof RedisUnavailableError ? error.refusal : UNREADABLE
  throw new UsageError({ code: 'store_unavailable', task: TASK, ...refusal })
}

/** The refusal of a world whose values are no configuration. */
const UNREADABLE = {
  reason: 'its default world cannot be read',
  help: 'Choose another prefix with --store-prefix.',
}
