import { UsageError } from '../usage-error.ts'
import type { Id } from './id.ts'
import type { PageQuery, Row } from './row-index.ts'
import { type Records, RowRefused } from './store.ts'

/** The records of one collection, for tests to read and to change. Records go out as copies. */
export interface RecordCollection<Record extends Row = Row> {
  /** How many records there are. */
  count(): Promise<number>
  /** In ascending order of the id; those that have the values of `where`, at most `limit`. */
  list(query?: Pick<PageQuery, 'where' | 'limit'>): Promise<Record[]>
  get(id: Id): Promise<Record | undefined>
  /** Adds a record; the id is made when `values` bring none. Throws a UsageError for what the contract refuses. */
  create(values: Partial<Record>): Promise<Record>
  /** Changes the properties given. Throws a UsageError when there is no such record, or the contract refuses it. */
  update(id: Id, changes: Partial<Record>): Promise<Record>
  /** Whether there was such a record. */
  remove(id: Id): Promise<boolean>
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
