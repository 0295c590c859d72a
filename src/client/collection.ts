import type { CollectionCount } from '../control/outputs.ts'
import type { RecordCollection, RecordQuery } from '../resources/record-collection.ts'
import { refuseUnknown, requireObject, UsageError } from '../validation/usage-error.ts'
import { type RemoteWorld, request, send } from './connection.ts'
import { toQueryParameters } from './serialize.ts'

/** A record of any collection. */
type StoredRecord = Awaited<ReturnType<RecordCollection['create']>>

export function createCollection(remote: RemoteWorld, name: string): RecordCollection {
  const pathOf = (id: number | string): { path: readonly (number | string)[] } => ({
    path: [name, id],
  })
  /** Resolves with `undefined` for an unknown record. Rejects with a UsageError for an unknown collection. */
  const undefinedIfMissing = async <Answer>(
    answer: Promise<Answer>,
  ): Promise<Answer | undefined> => {
    try {
      return await answer
    } catch (error) {
      if (!(error instanceof UsageError && error.code === 'not_found')) throw error
      await countRecords(remote, name)
      return undefined
    }
  }

  return {
    count: () => countRecords(remote, name),
    list: async (query = {}) => {
      refuseUnknown('list', query, ['where', 'skip', 'limit'])
      if (query.where !== undefined) requireObject(`list ${name}`, query.where)
      if (Object.values(query.where ?? {}).some(isEmptyList)) return []
      return request<StoredRecord[]>(remote, 'GET /records/{collection}', {
        path: [name],
        query: toQuery(query),
        isLong: true,
      })
    },
    get: (id) =>
      undefinedIfMissing(
        request<StoredRecord>(remote, 'GET /records/{collection}/{id}', pathOf(id)),
      ),
    create: (body) =>
      request<StoredRecord>(remote, 'POST /records/{collection}', { path: [name], body }),
    update: (id, body) =>
      request<StoredRecord>(remote, 'PATCH /records/{collection}/{id}', { ...pathOf(id), body }),
    remove: async (id) => {
      const removal = send(remote, 'DELETE /records/{collection}/{id}', pathOf(id))
      return (await undefinedIfMissing(removal.then(() => true))) ?? false
    },
  }
}

/** The collections with their numbers of records. */
export function listCollections(remote: RemoteWorld): Promise<readonly CollectionCount[]> {
  return request<readonly CollectionCount[]>(remote, 'GET /records')
}

/** The number of records of a collection. Rejects with a UsageError when it is unknown. */
async function countRecords(remote: RemoteWorld, name: string): Promise<number> {
  const query = toQueryParameters([['collection', name]])
  try {
    const [found] = await request<readonly CollectionCount[]>(remote, 'GET /records', { query })
    return found?.count ?? 0
  } catch (error) {
    if (!(error instanceof UsageError && error.code === 'not_found')) throw error
    const { reason, help, suggestion, allowed } = error
    throw new UsageError({
      code: 'unknown_collection',
      task: 'open the collection',
      ...{ reason, help, suggestion, allowed },
    })
  }
}

/** Whether a list of values is empty. Then no record matches. */
function isEmptyList(values: unknown): boolean {
  return Array.isArray(values) && values.length === 0
}

function toQuery({ where = {}, skip, limit }: RecordQuery<StoredRecord>): URLSearchParams {
  const filters = Object.entries(where).flatMap(([property, values]) =>
    [values].flat().map((value) => [property, value] as const),
  )
  return toQueryParameters([...filters, ['skip', skip], ['limit', limit]])
}
