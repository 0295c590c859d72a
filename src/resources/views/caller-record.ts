import { callersIn, heldStateIn } from '../../contract/hints.ts'
import { isObjectSchema, propertiesOf } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { RandomSource } from '../../generate/random.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { typedId } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { Store } from '../store/store.ts'
import { type ViewContext, viewOf } from './record-view.ts'

// A caller is one of the records that a collection of users starts with: the credential says which one, so that nothing is stored for it.

/** How many of the first records stand for callers. */
const MOST_CALLERS = 10

/** Who sends a request: by a credential, or the user who has signed in, by its id as text or the path of its record. */
export interface RequestCaller {
  readonly credential?: string
  readonly user?: string
}

/**
 * The id of the record that stands for a caller: always the same one, also when it was removed. A user who has signed in has its own
 * record, if there is one, and so has a key that names one. Without a credential, it is the first one; `undefined` when the collection starts
 * without records, and nobody names one.
 */
export function callerId(
  resource: Resource,
  store: Pick<Store, 'firstIds' | 'open'>,
  { credential, ...given }: RequestCaller = {},
): Awaitable<Id | undefined> {
  const user = given.user === undefined ? undefined : userIn(given.user, resource)
  const own = user === undefined ? undefined : userId(resource, store, user)
  return whenKnown(own, (known) =>
    whenKnown(known ?? firstCallerId(resource, store, user ?? credential), (id) =>
      id === undefined && user !== undefined ? typedId(user, resource) : id,
    ),
  )
}

/** A user may be named by the path of its record, where several collections have callers: then it is the caller in one of them. */
export function userPlace(user: string): { readonly collection: string; readonly id: string } {
  const at = user.startsWith('/') ? user.lastIndexOf('/') : 0
  return { collection: user.slice(0, at), id: at > 0 ? user.slice(at + 1) : user }
}

/** The id of a user in a collection; `undefined` when it belongs to another one. */
function userIn(user: string, { path }: Resource): string | undefined {
  const { collection, id } = userPlace(user)
  return collection === '' || collection === path ? id : undefined
}

function firstCallerId(
  resource: Resource,
  store: Pick<Store, 'firstIds'>,
  name: string | undefined,
): Awaitable<Id | undefined> {
  return whenKnown(store.firstIds(resource, MOST_CALLERS), (ids) => {
    if (name === undefined || ids.length === 0) return ids[0]
    return ids[RandomSource.from(['caller', name]).integer(0, ids.length - 1)]
  })
}

/** The id of the record of a user, also of one that was removed; `undefined` when there was never one. */
function userId(
  resource: Resource,
  store: Pick<Store, 'open'>,
  user: string,
): Awaitable<Id | undefined> {
  const id = typedId(user, resource)
  return whenKnown(store.open(resource), (records) =>
    whenKnown(records.get(id), (record) => {
      if (record) return id
      return whenKnown(records.isRemoved(id), (isRemoved) => (isRemoved ? id : undefined))
    }),
  )
}

/** Who creates a record, and where. */
interface Creation {
  readonly resource: Resource
  readonly store: Store
  readonly caller: RequestCaller | undefined
  readonly view: Pick<ViewContext, 'service' | 'base'>
}

/** What a new record has of its creator: the id, or an object, where `values` say so. */
export function callerValues(creation: Creation): Promise<StoredRecord> {
  const { values = {} } = creation.resource
  const own = Object.keys(values).filter((name) => heldStateIn(values[name]) === undefined)
  return callerIn(own, creation)
}

/** What properties of a record say of the caller: the id, or an object, as `values` say. */
export async function callerIn(
  names: readonly string[],
  { resource, store, caller, view }: Creation,
): Promise<StoredRecord> {
  const callers = resource.callers?.()
  if (!callers) return {}
  const records = await store.open(callers)
  const id = await callerId(callers, store, caller)
  const record = id === undefined ? undefined : await records.get(id)
  if (!record) return {}
  const context = { ...view, resource: callers, collection: records.name, hints: READ }
  const found = names.map(async (name) => {
    const schema = propertiesOf(resource.schema).get(name)
    if (!schema || callersIn(resource.values?.[name]) === undefined) return []
    const shown = isObjectSchema(schema) ? await viewOf(record, schema, context) : id
    const own = [shown, String(shown)].find((one) => matches(schema, one))
    return own === undefined ? [] : [[name, own] as const]
  })
  return Object.fromEntries((await Promise.all(found)).flat())
}

const READ = { action: 'read' } as const
