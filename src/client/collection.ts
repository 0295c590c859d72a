import type { RecordCollection, RecordQuery } from '../resources/record-collection.ts'
import { refuseUnknown, requireObject, UsageError, unknownName } from '../validation/usage-error.ts'
import { type RemoteWorld, request, send } from './remote-world.ts'
import { toQueryParameters } from './serialize.ts'

/** A record of any collection. */
type StoredRecord = Awaited<ReturnType<RecordCollection['create']>>

/** A collection in the response of the control interface. */
interface CollectionInfo {
  readonly name: string
  readonly count: number
}

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
      await findCollection(remote, name)
      return undefined
    }
  }

  return {
    count: async () => (await findCollection(remote, name)).count,
    list: async (query = {}) => {
      refuseUnknown('list', query, ['where', 'limit'])
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
export function listCollections(remote: RemoteWorld): Promise<readonly CollectionInfo[]> {
  return request<readonly CollectionInfo[]>(remote, 'GET /records')
}

/** The collection with this name. Rejects with a UsageError when it is unknown. */
async function findCollection(remote: RemoteWorld, name: string): Promise<CollectionInfo> {
  const collections = await listCollections(remote)
  const found = collections.find((collection) => collection.name === name)
  if (found) return found

  const names = collections.map((collection) => collection.name)
  throw new UsageError({
    code: 'unknown_collection',
    task: 'open the collection',
    ...unknownName('collection', name, names),
  })
}

/** Whether a list of values is empty. Then no record matches. */
function isEmptyList(values: unknown): boolean {
  return Array.isArray(values) && values.length === 0
}

function toQuery({ where = {}, limit }: RecordQuery<StoredRecord>): URLSearchParams {
  const filters = Object.entries(where).flatMap(([property, values]) =>
    [values].flat().map((value) => [property, value] as const),
  )
  return toQueryParameters([...filters, ['limit', limit]])
}
