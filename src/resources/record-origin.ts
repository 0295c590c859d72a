import { areEqual } from '../generate/matches.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { MADE } from './effects/hidden-properties.ts'
import { idOf } from './id-generator.ts'
import type { Resource } from './resource.ts'

// A record is one that the collection started with, or one that somebody created or changed. That is stored with the record.

/** The records of a snapshot, and which of them somebody created or changed. */
interface Rows {
  readonly rows: readonly StoredRecord[]
  /** Ids as text. */
  readonly made?: readonly string[]
}

/** Whether it is noted which records of a resource somebody created or changed: where clients choose ids. */
export function hasMarks({ hidden }: Resource): boolean {
  return hidden.has(MADE)
}

/** Whether somebody created or changed a record. */
export function isMade(record: StoredRecord): boolean {
  return record[MADE] === true
}

/** The record as one that somebody created or changed. */
export function withMark(record: StoredRecord, resource: Resource): StoredRecord {
  return hasMarks(resource) ? { ...record, [MADE]: true } : record
}

/** The record without the note that somebody created or changed it. */
export function withoutMark(record: StoredRecord): StoredRecord {
  if (!isMade(record)) return record
  const { [MADE]: _, ...values } = record
  return values
}

/** What a snapshot says about where its records came from. */
export function madeIds(records: readonly StoredRecord[], resource: Resource): Pick<Rows, 'made'> {
  if (!hasMarks(resource)) return {}
  return { made: records.filter(isMade).map((record) => idText(record, resource)) }
}

/** The records of a snapshot as they are stored. */
export function markedRows({ rows, made = [] }: Rows, resource: Resource): readonly StoredRecord[] {
  const ids = new Set(made)
  return rows.map((row) => (ids.has(idText(row, resource)) ? withMark(row, resource) : row))
}

/**
 * A snapshot that does not say where its records came from, as those of earlier releases: somebody made all that the collection does not
 * start with.
 */
export function withMadeIds<Saved extends Rows>(
  saved: Saved,
  first: Rows,
  resource: Resource,
): Saved {
  const byId = new Map(first.rows.map((row) => [idText(row, resource), row]))
  const made = saved.rows.filter((row) => !areEqual(row, byId.get(idText(row, resource))))

  return { ...saved, made: made.map((row) => idText(row, resource)) }
}

function idText(record: StoredRecord, { id }: Resource): string {
  return String(idOf(record, id))
}
