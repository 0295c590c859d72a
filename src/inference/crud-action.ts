import type { Operation, Schema } from '../contract/contract.ts'
import type { Action } from '../contract/hints.ts'
import { isSameRecord, listedValues, propertiesOf } from '../contract/schema.ts'
import { inferRemoval } from './action-effects.ts'
import { addsByPath, type Group, isCalledCreation } from './groups.ts'
import { wordsOf } from './id-property.ts'
import { type InferredResource, listOf, responseSchemaOf } from './infer-resource.ts'
import type { Describe } from './message-hints.ts'
import { creationOf, putActionOf } from './put-action.ts'
import { findRecord, type RecordContext } from './record-place.ts'
import { queryValues, sentRecordOf } from './sent-values.ts'
import { SEARCH } from './verb-paths.ts'

// What an operation does to records by its method, on the path of a collection, of a record, and of a single record.

/** Operations that change many records at once. */
export const BULK: RegExp = /(^|[/:_-])(bulk|batch|import)(_\w+)?$/i

/** What an operation does on the path of a collection. */
export function collectionAction(
  operation: Operation,
  group: Group,
  resource: InferredResource,
  describe: Describe,
): Action | undefined {
  const { method } = operation
  if (resource.hints.isSingle) return singleAction(operation, group, resource, describe)
  const isPosted = group.posted?.includes(operation) ?? false
  if (method === 'GET' || isPosted) return listOf(group) === operation ? 'list' : undefined
  if (method === 'POST') return postedAction(operation, group, resource)

  return addsByPut(operation, group) ? 'create' : undefined
}

/** What a POST does on the path of a collection. */
function postedAction(
  operation: Operation,
  group: Group,
  { context, hints }: InferredResource,
): Action | undefined {
  // What is changed or removed later is a record, such as a saved filter or a batch.
  const isKept = group.item.some(({ method: one }) => one !== 'GET')
  if (SEARCH.test(group.path) && !isKept) return undefined
  const hasValues =
    operation.body !== undefined || queryValues(operation, 'create', hints.id, context)
  if (group.item.length === 0) return hasValues ? 'create' : undefined

  return BULK.test(group.path) && !isKept ? undefined : 'create'
}

/** Whether a PUT is called as one that creates, and adds to a list whose records no path leads to: `PUT /invoices/{id}/history`. */
function addsByPut(operation: Operation, { collection, item }: Group): boolean {
  const isPut = operation.method === 'PUT' && operation.body !== undefined
  const has = (one: string): boolean => collection.some(({ method }) => method === one)
  const isOnlyList = has('GET') && !has('POST') && item.length === 0
  return isPut && isOnlyList && isCalledCreation(operation)
}

function singleAction(
  operation: Operation,
  { collection }: Group,
  { context, hints }: InferredResource,
  describe: Describe,
): Action | undefined {
  const { method, body } = operation
  if (method === 'GET') return 'read'
  if (method === 'DELETE') return 'remove'
  if (!body && !queryValues(operation, 'update', hints.id, context)) return undefined
  // What a single record can be is what its response shows.
  if (method === 'PUT')
    return putAction(operation, { beside: collection, whole: context.known, context, describe })
  return method === 'PATCH' || method === 'POST' ? 'update' : undefined
}

/** What an operation does on the path of a record. */
export function itemAction(
  operation: Operation,
  group: Partial<Group> | undefined,
  { context, hints }: InferredResource,
  describe: Describe,
): Action | undefined {
  const { collection = [], item = [] } = group ?? {}
  const { method, body } = operation
  if (method === 'GET') return 'read'
  if (method === 'DELETE') return endsRecord(operation, context, describe) ? 'act' : 'remove'
  if (!/^(PUT|PATCH|POST)$/.test(method)) return undefined
  const hasValues = queryValues(operation, 'update', hints.id, context) !== undefined
  if (method === 'POST' && !body && !hasValues)
    return addsByPath({ collection, item }) ? 'replace' : 'act'
  if (!body) return 'update'
  if (method !== 'PUT') return 'update'

  const creation = creationOf(collection, operation)
  const whole = creation && sentRecordOf(creation, context)?.schema

  return putAction(operation, { beside: item, whole, context, describe })
}

/** Verbs for what ends a record that stays, and for what removes it. */
const ENDS = /\b(cancel|archiv|deactivat|disabl|terminat|revok|void|suspend)\w*/i
const REMOVES = /\b(delet|remov|destroy|eras|purg|permanent)\w*/i

/** Whether a DELETE rather ends a record, which is read as ended from then on: it is called so, and shows the record in that state. */
function endsRecord(operation: Operation, context: RecordContext, describe: Describe): boolean {
  const text = `${spokenName(operation)}. ${describe(operation)}`
  const { known } = context
  if (!known || !ENDS.test(text) || REMOVES.test(text)) return false
  const body = responseSchemaOf(operation)
  const shown = body && findRecord(body, context)?.schema
  if (!shown || !isSameRecord(shown, known)) return false
  const states = Object.entries(inferRemoval(shown, '', text) ?? {})

  return states.some(([name, value]) =>
    listedValues(propertiesOf(shown).get(name) ?? {}).includes(value),
  )
}

/** What `/books/{id}/remove` does: a request with a body rather removes something from the record. */
export function removalBy({ method, body }: Operation): 'remove' | undefined {
  return method === 'DELETE' || !body ? 'remove' : undefined
}

/** The words of the name that the document gives to an operation. Without one, its id is its method and path. */
export function spokenName({ id }: Operation): string {
  return id.includes(' ') ? '' : wordsOf(id).join(' ')
}

/** What a PUT on a record is judged by. */
interface PutPlace {
  /** The operations on its path. */
  readonly beside: readonly Operation[]
  /** The schema of a whole record in requests. */
  readonly whole: Schema | undefined
  readonly context: RecordContext
  readonly describe: Describe
}

/** Whether a PUT replaces the record or changes it. */
export function putAction(
  operation: Operation,
  { beside, whole, context, describe }: PutPlace,
): 'replace' | 'update' {
  return putActionOf({
    text: `${spokenName(operation)}. ${describe(operation)}`,
    hasPatch: beside.some(({ method }) => method === 'PATCH'),
    sent: sentRecordOf(operation, context)?.schema,
    created: whole,
  })
}
