import { Collection } from '@mswjs/data'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { setOwn } from '../validation/own-property.ts'
import type { StoredRecord } from './row-index.ts'

type Rows = Collection<StandardSchemaV1<StoredRecord>>
/** A row with the library's marks on it. It leaves the store as a read-only `JournalEntry`: to change it would change the store. */
export type LiveRow = Awaited<ReturnType<Rows['create']>>

/** A collection of `@mswjs/data`, made when the first row is written: of a thousand forks, most are only read. */
export class RowCollection {
  #rows: Rows | undefined

  create(row: StoredRecord): Promise<LiveRow> {
    return this.#open().create(row)
  }

  /** Puts a row in the place of another. One that is in another collection, of which this is a fork, stays there. */
  async replace(before: LiveRow, row: StoredRecord): Promise<LiveRow> {
    const rows = this.#open()
    return (await rows.update(before, { data: become(row) })) ?? rows.create(row)
  }

  /** Takes a row out, unless it is in another collection. */
  delete(row: LiveRow): void {
    this.#rows?.delete(row)
  }

  #open(): Rows {
    this.#rows ??= new Collection({ schema: ANY_ROW })
    return this.#rows
  }
}

/** Changes the library's draft of a record into `row`. */
function become(row: StoredRecord): (draft: Record<string, unknown>) => void {
  return (draft) => {
    for (const name of Object.keys(draft)) {
      if (!Object.hasOwn(row, name)) delete draft[name]
    }
    for (const [name, value] of Object.entries(row)) setOwn(draft, name, structuredClone(value))
  }
}

/**
 * The schema that the library asks for (standardschema.dev). Rows are checked before they are written, and not again
 * here.
 */
const ANY_ROW: StandardSchemaV1<StoredRecord> = {
  '~standard': {
    version: 1,
    vendor: 'pet-sandbox',
    validate: (value) =>
      isRow(value) ? { value } : { issues: [{ message: 'must be an object' }] },
  },
}

function isRow(value: unknown): value is StoredRecord {
  return typeof value === 'object' && value !== null
}
