import { nestedSchema } from '../contract/bracket-names.ts'
import type { Operation, Schema } from '../contract/contract.ts'
import type { Action, OperationHints, ResourceHints } from '../contract/hints.ts'
import {
  depthOf,
  isNumeric,
  isObjectSchema,
  itemsOf,
  nameAt,
  plainName,
  propertiesOf,
  type SchemaPlace,
  schemaAt,
} from '../contract/schema.ts'
import { inferRemoval } from './action-effects.ts'
import { inferEnvelope, inferIds } from './envelope.ts'
import { inferExpand, inferFields } from './fields.ts'
import { inferFilters, type ListContext } from './filters.ts'
import type { Group } from './groups.ts'
import { idPropertyOf } from './id-property.ts'
import { type InferredResource, responseSchemaOf, sentIdOf } from './infer-resource.ts'
import { inferPaging, type QueryParameter, queryParametersOf } from './paging.ts'
import { findListed, findRecord, type ListPlace, type RecordContext } from './record-place.ts'
import { listedValues, queryValues, sentRecordOf, takesAnyBody } from './sent-values.ts'
import { inferSort } from './sorting.ts'

// Where the messages of an operation contain records, and how they show them.

/** The description of an operation, of one of its parameters, or of its response with a status; empty without one. */
export type Describe = (operation: Operation, part?: string | number) => string

/** The resources of a document and the operations on their paths, and what it says in words. */
export interface ResourceFinder {
  readonly describe: Describe
  readonly group: (path: string) => Group | undefined
  readonly resource: (path: string) => InferredResource | undefined
}

/** Whether two schemas describe the same records: most properties of one are those of the other. */
export function isAlike(one: Schema, other: Schema): boolean {
  if (one === other) return true
  const names = [...propertiesOf(one).keys()]
  const others = propertiesOf(other)
  const shared = names.filter((name) => others.has(name)).length

  return names.length > 1 && shared / Math.min(names.length, others.size) > 0.6
}

export function hintsOf(
  operation: Operation,
  action: Action,
  resource: InferredResource,
  describe: Describe,
): OperationHints {
  return {
    ...actionHints(action, resource),
    ...(action === 'create' && showsOnlyId(operation, resource) && { record: '' }),
    ...shownHints(operation, action, resource, describe),
    ...sentHints(operation, action, resource),
  }
}

/** Where the response to a list of records has a list of them, beside the place of one. */
export function listedPlace(
  operation: Operation,
  { body: place = '' }: OperationHints,
  { context }: InferredResource,
): Pick<OperationHints, 'record'> {
  const sent = operation.body && schemaAt(operation.body.schema, place)
  const body = sent && itemsOf(sent) ? responseSchemaOf(operation) : undefined
  const found = body && findListed(body, context)
  const isOfRecords =
    found?.item === undefined && found && isAlike(found.schema, context.known ?? {})
  return isOfRecords ? { record: found.place } : {}
}

export function actionHints(
  action: Action,
  { hints: { name } }: InferredResource,
): Pick<OperationHints, 'action' | 'resource'> {
  return { action, resource: name }
}

/** Where the response contains records, and how it shows them. */
export function shownHints(
  operation: Operation,
  action: Action,
  { hints, context, sent, canGrow }: InferredResource,
  describe: Describe,
): Partial<OperationHints> {
  const body = responseSchemaOf(operation)
  const found: ListPlace | undefined =
    body && (action === 'list' ? findListed : findRecord)(body, context)
  if (!body || !found) return {}
  const id = hints.isSingle ? undefined : shownIdOf(found.schema, hints, context)
  const views = inferViews(found.schema, sent, [hints.id, id ?? hints.id])

  const nameOf = (name: string): string => (name === id ? hints.id : (views?.[name] ?? name))
  const { known } = context
  const named = {
    nameOf,
    known,
    canGrow,
    describe: (parameter?: string) => describe(operation, parameter),
    id: hints.id,
  }

  const removal = isRemoval(operation, action)
    ? inferRemoval(found.schema, hints.id, describe(operation))
    : undefined
  const around = action === 'list' ? {} : idsAround(body, found, context)

  return {
    record: found.place,
    ...around,
    ...(found.item !== undefined && { item: found.item }),
    ...(id !== undefined && id !== hints.id && { id }),
    ...(views && { views }),
    ...(action === 'list' && listHints(operation, body, found, named)),
    ...(removal && { set: removal }),
    ...(action !== 'remove' &&
      chosenParts(operation, action, { shown: found.schema, path: hints.path, ...named })),
  }
}

function isRemoval(operation: Operation, action: Action): boolean {
  if (action !== 'act') return action === 'remove'
  return operation.method === 'DELETE' && operation.path.endsWith('}')
}

/** What a response has beside the records that it shows. */
function idsAround(
  body: Schema,
  { place }: SchemaPlace,
  { word }: RecordContext,
): Pick<OperationHints, 'envelope'> {
  const envelope = inferIds(body, place, word)
  return envelope ? { envelope } : {}
}

/** How the query chooses the properties that a response shows, and the references that it shows as records. */
function chosenParts(
  operation: Operation,
  action: Action,
  {
    shown,
    path,
    describe,
  }: {
    readonly shown: Schema
    readonly path: string
    readonly describe: (parameter?: string) => string
  },
): Pick<OperationHints, 'fields' | 'expand'> {
  // The body of other requests is a record.
  const isInQuery = ({ parameter }: QueryParameter): boolean =>
    action === 'list' || operation.parameters.includes(parameter)
  const parameters = queryParametersOf(operation).filter(isInQuery)
  const fields = inferFields({ parameters, path, describe }, shown)
  const sent = action === 'list' ? undefined : operation.body?.schema
  const expand = inferExpand(parameters, shown, sent && nestedSchema(sent))

  return { ...(fields !== undefined && { fields }), ...(expand !== undefined && { expand }) }
}

/** Whether a creation answers with nothing but the id. */
function showsOnlyId(operation: Operation, { context, hints }: InferredResource): boolean {
  const body = responseSchemaOf(operation)
  const id = propertiesOf(context.known ?? {}).get(hints.id)
  if (!body || !id || isObjectSchema(body) || itemsOf(body)) return false
  const isForm = body.format !== undefined && id.format === body.format

  return (isNumeric(body) && isNumeric(id)) || isForm
}

/** The property that shows the id: that of the resource where a response has it, and else none that is a further key. */
export function shownIdOf(
  shown: Schema,
  { id, keys = [] }: ResourceHints,
  context: RecordContext,
): string | undefined {
  if (propertiesOf(shown).has(id)) return id
  const { name = id } = idPropertyOf(shown, context) ?? {}

  return keys.includes(name) ? id : name
}

/** Where the request contains the record. */
export function sentHints(
  operation: Operation,
  action: Action,
  { hints, context }: InferredResource,
): Partial<OperationHints> {
  const sent = sentRecordOf(operation, context)
  const part = action === 'act' ? undefined : sent && partOf(sent.schema, context.known)
  const sentId = hints.ids === 'client' ? sentIdOf(operation, hints.id, context) : undefined
  const beside = sent && besideOf(operation, sent, context)
  const query = queryValues(operation, action, hints.id, context)

  const listed = action === 'create' ? listedValues(operation, hints.id, context) : undefined
  if (listed) return listed

  return {
    ...(query && { query }),
    ...(!query && takesAnyBody(operation, action) && { body: '' }),
    ...(sentId !== undefined && sentId !== hints.id && { sentId }),
    ...(sent?.place && isObjectSchema(sent.schema) && { body: sent.place }),
    ...(part !== undefined && { part }),
    ...(beside && beside.length > 0 && { beside }),
  }
}

/** What a request has beside the record, and the record has as an object or a list: the `account` of `{ user: { … }, account: { … } }`. */
function besideOf(
  { body }: Operation,
  { place, schema }: SchemaPlace,
  { known = {} }: RecordContext,
): readonly string[] {
  const record = nameAt(place)
  if (!body || depthOf(place) !== 1 || !isObjectSchema(schema)) return []
  const [own, inside] = [propertiesOf(known), propertiesOf(schema)]

  return [...propertiesOf(nestedSchema(body.schema))].flatMap(([name, sent]) => {
    const shown = own.get(name)
    if (name === record || !shown || inside.has(name)) return []
    const isPart = isObjectSchema(shown)
      ? isObjectSchema(sent)
      : itemsOf(shown) !== undefined && itemsOf(sent) !== undefined
    return isPart ? name : []
  })
}

/** How the query of a list selects, sorts and pages records, and what its response says about the page. */
function listHints(
  operation: Operation,
  body: Schema,
  found: SchemaPlace,
  {
    canGrow,
    ...named
  }: Pick<ListContext, 'nameOf' | 'known' | 'describe' | 'id'> & { readonly canGrow: boolean },
): Partial<OperationHints> {
  const paging = inferPaging(operation)
  const { describe } = named
  const sort = inferSort(operation, found.schema, { describe, isPaged: canGrow && !!paging })
  const filters = inferFilters(operation, found.schema, { paging, sort, ...named })
  const envelope = inferEnvelope(body, found.place, paging)

  return {
    ...(paging && { paging }),
    ...(sort && { sort }),
    ...(filters && { filters }),
    ...(envelope && { envelope }),
  }
}

/** Fewer shared names may be a coincidence, such as `name`. */
const MIN_SHARED = 2

/**
 * The property of a record whose value a request contains: the record has none of the names in the request, and an object in it
 * has most of them. `undefined` when the request contains the record.
 */
export function partOf(sent: Schema, record: Schema | undefined): string | undefined {
  if (!record) return undefined
  const names = [...propertiesOf(sent).keys()]
  const own = propertiesOf(record)
  if (names.length === 0 || names.some((name) => own.has(name))) return undefined
  const parts = [...own].flatMap(([name, property]) => {
    if (!isObjectSchema(property)) return []
    const shared = names.filter((one) => propertiesOf(property).has(one)).length
    const isLikely = property === sent || (shared >= MIN_SHARED && shared * 2 >= names.length)
    return isLikely ? [{ name, shared }] : []
  })
  const [best] = parts.sort((one, other) => other.shared - one.shared)

  return best?.name
}

/**
 * The properties of a response that requests spell otherwise, such as `DueDate` and `due_date`: the name in requests, which the record
 * has, by the name in the response. `undefined` when there are none. `ids` are the names of the id.
 */
export function inferViews(
  shown: Schema,
  sent: ReadonlySet<string>,
  ids: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const properties = propertiesOf(shown)
  const spellings = new Map([...sent].map((name) => [plainName(name), name]))
  const views = [...properties.keys()].flatMap((name) => {
    const own = spellings.get(plainName(name))
    const isOther = own !== undefined && !sent.has(name) && !properties.has(own)
    return isOther && !ids.includes(name) && !ids.includes(own) ? [[name, own] as const] : []
  })

  return views.length > 0 ? Object.fromEntries(views) : undefined
}
