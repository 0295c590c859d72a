import type { StoredRecord } from '../records/record-table.ts'
import { areEqual } from '../validation/objects.ts'
import { MADE } from './hidden-properties.ts'
import { idOf } from './id-generator.ts'
import type { Resource } from './resource.ts'

// A record is one that the collection started with, or one that somebody created or changed. That is stored with the record.

/** What somebody did to a record. */
type Origin = 'created' | 'changed'

/** The records of a snapshot, and which of them somebody created or changed. */
interface Rows {
  readonly rows: readonly StoredRecord[]
  /** The ids of those that somebody created or changed, as text. */
  readonly made?: readonly string[]
  /** The ids of those of them that somebody created. */
  readonly created?: readonly string[]
}

/**
 * Whether it is noted which records of a resource somebody created or changed: where clients choose ids, and where there are collections
 * below the records, which are empty below one that somebody created.
 */
export function hasMarks({ hidden }: Resource): boolean {
  return hidden.has(MADE)
}

/** Whether somebody created or changed a record. */
export function isMade(record: StoredRecord): boolean {
  return record[MADE] !== undefined
}

/** Whether somebody created a record: it is none that the collection started with. */
export function isCreated(record: StoredRecord): boolean {
  return record[MADE] === 'created'
}

/** The record as one that somebody created, or as one that somebody changed. `before` is the record before the change. */
export function withMark(
  record: StoredRecord,
  resource: Resource,
  before?: StoredRecord,
): StoredRecord {
  if (!hasMarks(resource)) return record
  const origin: Origin = before && !isCreated(before) ? 'changed' : 'created'
  return { ...record, [MADE]: origin }
}

/** The record without the note that somebody created or changed it. */
export function withoutMark(record: StoredRecord): StoredRecord {
  if (!isMade(record)) return record
  const { [MADE]: _, ...values } = record
  return values
}

/** What a snapshot says about where its records came from. */
export function originsOf(
  records: readonly StoredRecord[],
  resource: Resource,
): Pick<Rows, 'made' | 'created'> {
  if (!hasMarks(resource)) return {}
  const idsOf = (found: readonly StoredRecord[]): readonly string[] =>
    found.map((record) => idText(record, resource))
  const created = idsOf(records.filter(isCreated))

  return { made: idsOf(records.filter(isMade)), ...(created.length > 0 && { created }) }
}

/** The records of a snapshot as they are stored. */
export function markedRows(
  { rows, made = [], created = [] }: Rows,
  resource: Resource,
): readonly StoredRecord[] {
  const ids = new Map<string, Origin>([
    ...made.map((id) => [id, 'changed'] as const),
    ...created.map((id) => [id, 'created'] as const),
  ])
  return rows.map((row) => {
    const origin = ids.get(idText(row, resource))
    return origin && hasMarks(resource) ? { ...row, [MADE]: origin } : row
  })
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
