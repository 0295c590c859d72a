import type { RecordTypes } from '../contract/contract.ts'
import { UsageError } from '../usage-error.ts'
import { type Records, RowRefused } from './store.ts'

/** The records of one collection, for tests to read and to change. Records go out as copies. */
export interface RecordCollection<Types extends RecordTypes = RecordTypes> {
  /** How many records there are. */
  count(): Promise<number>
  /** In ascending order of the id; those that have the values of `where`, at most `limit`. */
  list(query?: RecordQuery<Types['record']>): Promise<Types['record'][]>
  get(id: Types['id']): Promise<Types['record'] | undefined>
  /** Adds a record; the id is made when `values` bring none. Throws a UsageError for what the contract refuses. */
  create(values: Types['created']): Promise<Types['record']>
  /** Changes the properties given. Throws a UsageError when there is no such record, or the contract refuses it. */
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

/** `records` resolves once the first records are in. */
export function toCollection(name: string, records: () => Promise<Records>): RecordCollection {
  const asUsageError = (error: unknown): never => {
    if (!(error instanceof RowRefused)) throw error
    throw new UsageError(
      'invalid_record',
      `Cannot change ${name}: ${error.message.replaceAll('body.', '')}. Give what the contract asks for.`,
      { cause: error },
    )
  }

  return {
    count: async () => (await records()).size,
    list: async (query = {}) => structuredClone([...(await records()).page(query).rows]),
    get: async (id) => structuredClone((await records()).get(id)),
    create: async (values) =>
      structuredClone(await (await records()).create(values).catch(asUsageError)),
    update: async (id, changes) => {
      const row = await (await records())
        .update(id, (before) => ({ ...before, ...changes }))
        .catch(asUsageError)
      if (row) return structuredClone(row)
      throw new UsageError(
        'unknown_record',
        `Cannot change ${name} ${id}: there is none. Create it first.`,
      )
    },
    remove: async (id) => (await records()).remove(id),
  }
}
