import type { RecordCollection, RecordQuery } from '../resources/record-collection.ts'
import { refuseUnknown, requireObject, UsageError, unknownName } from '../validation/usage-error.ts'
import { type RemoteWorld, request, send } from './remote-world.ts'
import { toQueryParameters } from './serialize.ts'

type Row = Awaited<ReturnType<RecordCollection['create']>>

/** As the control interface tells it. */
interface Counted {
  readonly name: string
  readonly count: number
}

export function createCollection(remote: RemoteWorld, name: string): RecordCollection {
  const at = (id: number | string): { path: readonly (number | string)[] } => ({ path: [name, id] })
  /** A missing record is an answer, `undefined`; a missing collection is a mistake. */
  const unlessMissing = async <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await answer
    } catch (error) {
      if (!(error instanceof UsageError && error.code === 'not_found')) throw error
      await counted(remote, name)
      return undefined
    }
  }

  return {
    count: async () => (await counted(remote, name)).count,
    list: async (query = {}) => {
      refuseUnknown('list option', query, ['where', 'limit'])
      if (query.where !== undefined) requireObject(`list ${name}`, query.where)
      if (Object.values(query.where ?? {}).some(isNone)) return []
      return request<Row[]>(remote, 'GET /records/{collection}', {
        path: [name],
        query: toQuery(query),
        isLong: true,
      })
    },
    get: (id) => unlessMissing(request<Row>(remote, 'GET /records/{collection}/{id}', at(id))),
    create: (body) => request<Row>(remote, 'POST /records/{collection}', { path: [name], body }),
    update: (id, body) =>
      request<Row>(remote, 'PATCH /records/{collection}/{id}', { ...at(id), body }),
    remove: async (id) => {
      const removal = send(remote, 'DELETE /records/{collection}/{id}', at(id))
      return (await unlessMissing(removal.then(() => true))) ?? false
    },
  }
}

/** The collections that there are, with how many records each has. */
export function listCollections(remote: RemoteWorld): Promise<readonly Counted[]> {
  return request<readonly Counted[]>(remote, 'GET /records')
}

/** One of the collections that there are. Rejects with a UsageError for an unknown one. */
async function counted(remote: RemoteWorld, name: string): Promise<Counted> {
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

/** Whether a list of values is empty: no record has one of them. */
function isNone(values: unknown): boolean {
  return Array.isArray(values) && values.length === 0
}

function toQuery({ where = {}, limit }: RecordQuery<Row>): URLSearchParams {
  const wanted = Object.entries(where).flatMap(([property, values]) =>
    [values].flat().map((value) => [property, value] as const),
  )
  return toQueryParameters([...wanted, ['limit', limit]])
}
