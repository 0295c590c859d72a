import type { Id } from '../record-table.ts'
import type { VersionedRecord } from '../stored-records.ts'
import { idText } from './keys.ts'
import { readRecord } from './read-records.ts'

/** How many records are kept in each of the two halves. */
const MAX_RECORDS = 5000

/** Longer texts are not kept. */
const MAX_LENGTH = 10_000

interface KeptRecord {
  readonly text: string
  readonly record: VersionedRecord
}

/**
 * The records that were read lately, by their texts: the same text is read once, and is the same object again, so that what was made
 * of it can be used again. The store is always asked for the text.
 */
export class KeptRecords {
  /** Those that were read since the other half became full, and those before. */
  #young = new Map<string, KeptRecord>()
  #old = new Map<string, KeptRecord>()

  /** Reads the text of a record of a collection. */
  read(id: Id, text: string, collection: string): VersionedRecord {
    const name = `${collection} ${idText(id)}`
    const young = this.#young.get(name)
    if (young?.text === text) return young.record
    const old = this.#old.get(name)
    if (old?.text === text) return this.#keep(name, old)
    const record = readRecord(id, text, collection)

    return text.length > MAX_LENGTH ? record : this.#keep(name, { text, record })
  }

  #keep(name: string, kept: KeptRecord): VersionedRecord {
    if (this.#young.size >= MAX_RECORDS) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(name, kept)
    return kept.record
  }
}
