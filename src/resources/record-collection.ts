import type { RecordTypes } from '../contract/contract.ts'

/** The records of one collection, for tests to read and to change. What it returns are copies. */
export interface RecordCollection<Types extends RecordTypes = RecordTypes> {
  /** How many records there are. */
  count(): Promise<number>
  /**
   * The records in ascending order of their ids: those that have the values of `where`, at most `limit`. Rejects with a
   * UsageError for a property that no record can have.
   */
  list(query?: RecordQuery<Types['record']>): Promise<Types['record'][]>
  /** One record; `undefined` when there is none of that id. */
  get(id: Types['id']): Promise<Types['record'] | undefined>
  /**
   * Adds a record by the rules of the API: defaults and what the service sets are filled in. `values` may have an id, and
   * what only the service sets. Rejects with a UsageError for what the contract refuses, and for properties that it does
   * not know.
   */
  create(values: Types['created']): Promise<Types['record']>
  /**
   * Changes the properties given; the id stays. Rejects with a UsageError when there is no such record, and for what the
   * contract refuses.
   */
  update(id: Types['id'], changes: Partial<Types['record']>): Promise<Types['record']>
  /** Removes a record, and tells whether there was one. */
  remove(id: Types['id']): Promise<boolean>
}

/** Which records of a collection are listed. */
export interface RecordQuery<Record> {
  /** The value that each of these properties must have, or several values, one of which it must have. */
  readonly where?: { readonly [Name in keyof Record]?: Record[Name] | readonly Record[Name][] }
  /** At most this many; all when left out. */
  readonly limit?: number
}
