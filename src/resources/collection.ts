import type { RecordTypes } from '../contract/contract.ts'

/** The records of one collection, for tests to read and to change. Records go out as copies. */
export interface RecordCollection<Types extends RecordTypes = RecordTypes> {
  /** How many records there are. */
  count(): Promise<number>
  /**
   * In ascending order of the id; those that have the values of `where`, at most `limit`. Throws a UsageError for a property
   * that no record can have.
   */
  list(query?: RecordQuery<Types['record']>): Promise<Types['record'][]>
  get(id: Types['id']): Promise<Types['record'] | undefined>
  /**
   * Adds a record; the id is made when `values` bring none. Throws a UsageError for what the contract refuses, and for
   * properties that it does not know.
   */
  create(values: Types['created']): Promise<Types['record']>
  /** Changes the properties given; the id stays. Throws a UsageError when there is no such record, or the contract refuses it. */
  update(id: Types['id'], changes: Partial<Types['record']>): Promise<Types['record']>
  /** Whether there was such a record. */
  remove(id: Types['id']): Promise<boolean>
}

/** Which records of a collection are listed. */
export interface RecordQuery<Record> {
  /** Values that properties must have; of a list of values, one. */
  readonly where?: { readonly [Name in keyof Record]?: Record[Name] | readonly Record[Name][] }
  /** At most this many; all when left out. */
  readonly limit?: number
}

/** A collection that is opened when it is first used. */
export function toCollection(open: () => Promise<RecordCollection>): RecordCollection {
  return {
    count: async () => (await open()).count(),
    list: async (query) => (await open()).list(query),
    get: async (id) => (await open()).get(id),
    create: async (values) => (await open()).create(values),
    update: async (id, changes) => (await open()).update(id, changes),
    remove: async (id) => (await open()).remove(id),
  }
}
