import type { RecordTypes } from '../contract/service-types.ts'

/** Reads and changes the records of one collection. It returns copies. */
export interface RecordCollection<Types extends RecordTypes = RecordTypes> {
  /** How many records there are. */
  count(): Promise<number>
  /**
   * The records in ascending order of their ids that match `where`, at most `limit`. Rejects with a UsageError for a property
   * that no record can have.
   */
  list(query?: RecordQuery<Types['record']>): Promise<Types['record'][]>
  /** One record; `undefined` when no record has this id. */
  get(id: Types['id']): Promise<Types['record'] | undefined>
  /**
   * Adds a record as the API does: the service sets its properties and the defaults. `values` may include an id and read-only
   * properties. Rejects with a UsageError for values that the contract does not allow, and for unknown properties.
   */
  create(values: Types['created']): Promise<Types['record']>
  /**
   * Changes the given properties. The id stays. Rejects with a UsageError when no record has this id, and for values that the
   * contract does not allow.
   */
  update(id: Types['id'], changes: Partial<Types['record']>): Promise<Types['record']>
  /** Removes a record. Resolves with `false` when no record has this id. */
  remove(id: Types['id']): Promise<boolean>
}

/** Which records of a collection to list. */
export interface RecordQuery<Record> {
  /** The value that each of these properties must have, or a list of values of which it must have one. */
  readonly where?: { readonly [Name in keyof Record]?: Record[Name] | readonly Record[Name][] }
  /** How many of the matching records are left out at the start; default: 0. */
  readonly skip?: number
  /** The most records; default: all. */
  readonly limit?: number
}
