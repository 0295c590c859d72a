import type { Collection } from '@mswjs/data'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isObject } from '../validation/objects.ts'
import { copyJson } from './copy-json.ts'
import type { StoredRecord } from './record-table.ts'

/** The library searches a collection from its first record on. Among this many records a search takes microseconds. */
const SHARD_SIZE = 1000

type Shard = Collection<StandardSchemaV1<StoredRecord>>
/** A record with the symbols by which the library recognizes it. */
type LiveRecord = Awaited<ReturnType<Shard['create']>>

/**
 * Records in collections of `@mswjs/data` of at most `SHARD_SIZE` records each. Deleting one costs the same however many records
 * there are, because the library searches only its shard. The first shard is made when the first record is written: most forks
 * are only read.
 *
 * A changed record is created, and the one before is deleted. The library's own update is not used: its drafts refuse a property
 * called `__proto__`.
 */
export class RecordShards {
  readonly #shardOf = new Map<StoredRecord, Shard>()
  /** The shard that takes new records. */
  #latest: Shard | undefined

  /** Resolves with the stored copy, which must not be changed. */
  async create(record: StoredRecord): Promise<StoredRecord> {
    if (!canMakeKeys()) return copyJson(record)
    const shard = await this.#open()
    const live = await shard.create(record)
    this.#shardOf.set(live, shard)
    return live
  }

  /** Deletes a record, unless this is a fork and shares the record with its origin. */
  delete(record: StoredRecord): void {
    const shard = this.#shardOf.get(record)
    if (shard && isLive(record)) shard.delete(record)
    this.#shardOf.delete(record)
  }

  async #open(): Promise<Shard> {
    if (this.#latest && this.#latest.count() < SHARD_SIZE) return this.#latest
    // Node.js 22 and 24 load their HTTP client with the library, which takes longer than the rest of the package.
    const { Collection } = await import('@mswjs/data')
    this.#latest = new Collection({ schema: ANY_RECORD })
    return this.#latest
  }
}

/**
 * Whether the library can make its key of a record. Pages without HTTPS and jsdom before 22.1 have no `crypto.randomUUID`.
 * There, the records are only in the index.
 */
function canMakeKeys(): boolean {
  return typeof globalThis.crypto?.randomUUID === 'function'
}

function isLive(record: StoredRecord): record is LiveRecord {
  return Object.getOwnPropertySymbols(record).length > 0
}

/** The library requires a schema (standardschema.dev). This one accepts every record: records are checked before they are written. */
const ANY_RECORD: StandardSchemaV1<StoredRecord> = {
  '~standard': {
    version: 1,
    vendor: 'pet-sandbox',
    validate: (value) =>
      isObject(value) ? { value } : { issues: [{ message: 'must be an object' }] },
  },
}
