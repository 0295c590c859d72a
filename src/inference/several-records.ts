import type { Operation, Schema } from '../contract/contract.ts'
import type { Action, FilterHints, OperationHints } from '../contract/hints.ts'
import { EVERY_ID, HIDDEN_ID, LATEST_ADDED } from '../contract/hints.ts'
import {
  escapeKey,
  isSameRecord,
  itemsOf,
  plainName,
  propertiesOf,
  requiredNames,
  typesIn,
} from '../contract/schema.ts'
import { inferEffect } from './action-effects.ts'
import { mixedHints } from './body-actions.ts'
import { COPY, FORK, forkEffect } from './copies.ts'
import { putAction, spokenName } from './crud-action.ts'
import { inferCount } from './envelope.ts'
import { inferFilters } from './filters.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { type InferredResource, listOf, responseSchemaOf } from './infer-resource.ts'
import {
  actionHints,
  type Describe,
  hintsOf,
  isAlike,
  listedPlace,
  type ResourceFinder,
} from './message-hints.ts'
import { actionIn, shapeOf, wordOf } from './path-shape.ts'
import { creationOf } from './put-action.ts'
import { findListed, findRecord, type RecordContext } from './record-place.ts'
import { listedValues, sentRecordOf } from './sent-values.ts'
import { trashOf } from './trash.ts'
import { SEARCH } from './verb-paths.ts'

// Operations that are about several records, or about one that their path does not name.

/** The resources of a document, also by their places. */
export interface CollectionFinder extends ResourceFinder {
  /** The paths of the collections that have the same path above them. */
  readonly beside: (path: string) => readonly string[]
}

/** What an operation on a path such as `/books/search` does to the records of the collection above. */
export function aboveOf(
  operation: Operation,
  path: string,
  known: CollectionFinder,
): OperationHints | undefined {
  if (known.group(path)?.item.length !== 0) return undefined

  return (
    searchOf(operation, path, known) ??
    trashOf(operation, path, known) ??
    countOf(operation, path, known) ??
    latestOf(operation, path, known) ??
    bulkOf(operation, path, known) ??
    copyOf(operation, path, known) ??
    sameOf(operation, path, known) ??
    oneBeside(operation, path, known)
  )
}

/**
 * A search for the records of the collection above, such as `GET /books/search` and `POST /books/query`: its response lists these
 * records. Searches that have paths of their own are records themselves.
 */
function searchOf(
  operation: Operation,
  path: string,
  known: CollectionFinder,
): OperationHints | undefined {
  const above = path.slice(0, path.lastIndexOf('/'))
  const isList = LIST_OF.test(path) && operation.method === 'GET'
  const isSearch = SEARCH.test(path) && /^(GET|POST)$/.test(operation.method)
  if (!(isSearch || isList) || above.endsWith('}')) return undefined
  const body = responseSchemaOf(operation)
  if (!body) return undefined
  const own = isSearch ? known.resource(above) : undefined
  const isOwn = own?.hints.item !== undefined && lists(body, own, isAlike)
  const resource = isOwn ? own : searchedBeside(body, path, known)

  return resource && hintsOf(operation, 'list', resource, known.describe)
}

/** A list that is beside the path of its records, such as `/catalog/list` beside `/catalog/objects`. */
const LIST_OF = /\/(list|all)$/i

/** The only collection beside a search, such as `/issues` beside `/search`, whose records the response lists. */
function searchedBeside(
  body: Schema,
  path: string,
  { beside, group, resource }: CollectionFinder,
): InferredResource | undefined {
  const others = beside(path).filter((one) => one.includes('{') === path.includes('{'))
  const found = others.flatMap((one) => {
    // Another search has no records of its own.
    const other = group(one)?.item.length === 0 ? undefined : resource(one)
    return other && lists(body, other, isSameRecord) ? other : []
  })
  return found.length === 1 ? found[0] : undefined
}

/** Whether a response lists the records of a resource. */
export function lists(
  body: Schema,
  { context }: InferredResource,
  isSame: (one: Schema, other: Schema) => boolean,
): boolean {
  const found = findListed(body, context)
  return found !== undefined && context.known !== undefined && isSame(found.schema, context.known)
}

/** The record that was added last to the collection above, such as `GET /releases/latest`. */
function latestOf(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const [, above] = /^(.*[^}])\/(?:latest|newest|most[-_]?recent)$/i.exec(path) ?? []
  if (above === undefined || operation.method !== 'GET') return undefined
  const resource = known.resource(above)
  const { known: record } = resource?.context ?? {}
  const body = resource && record && responseSchemaOf(operation)
  const found = body && itemsOf(body) === undefined && findRecord(body, resource.context)
  if (!found || !record || !isAlike(found.schema, record)) return undefined

  return {
    ...actionHints('list', resource),
    record: found.place,
    sort: { default: LATEST_ADDED },
  }
}

/** The number of the records in the collection above, such as `GET /books/count`. */
function countOf(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const [, above] = /^(.*[^}])\/_?(?:count|total(?:_?count)?)$/i.exec(path) ?? []
  if (above === undefined || !/^(GET|POST)$/.test(operation.method)) return undefined
  const resource = known.resource(above)
  const { known: record } = resource?.context ?? {}
  const body = resource && record && responseSchemaOf(operation)
  const envelope = body && inferCount(body)
  if (!resource || !record || !envelope) return undefined
  const describe = (parameter?: string): string => known.describe(operation, parameter)
  const filters = inferFilters(operation, record, { describe })

  return { ...actionHints('list', resource), ...(filters && { filters }), envelope }
}

/** What a path such as `POST /books/bulk` or `POST /books/upsert` does to the records of the collection above. */
function bulkOf(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const bulk = bulkPathOf(operation)
  if (!bulk) return undefined
  const resource = known.resource(bulk.path)
  const { known: record } = resource?.context ?? {}
  const sent = resource && sentRecordOf(operation, resource.context)
  if (!resource || !record) return undefined
  const mixed = mixedHints(operation, resource)
  if (mixed) return mixed
  if (bulk.action === 'read') return readNamed(operation, resource, known)
  if (bulk.action === 'act') return actOnNamed(operation, bulk.verb ?? '', resource, known)
  if (bulk.action !== 'create') return namedHints(operation, bulk.action, resource, known)
  const listed = listedValues(operation, resource.hints.id, resource.context)
  if (!listed && !(sent && isAlike(sent.schema, record))) return undefined
  const upsert = isUpsert(path) ? namedHints(operation, 'create', resource, known) : undefined

  return upsert ?? hintsOf(operation, 'create', resource, known.describe)
}

/** The records that a request such as `POST /books/batch-get` names: its response lists them. */
function readNamed(
  operation: Operation,
  resource: InferredResource,
  { describe }: ResourceFinder,
): OperationHints | undefined {
  const { hints, context } = resource
  const body = responseSchemaOf(operation)
  const ids = idsPlace(operation, { id: hints.id, context })
  const isListed = body !== undefined && lists(body, resource, isAlike)

  return isListed && ids !== undefined ? listNamed(operation, resource, describe, ids) : undefined
}

/** An action on the records that a request such as `POST /books/bulk-archive` names. */
function actOnNamed(
  operation: Operation,
  verb: string,
  resource: InferredResource,
  { describe }: ResourceFinder,
): OperationHints | undefined {
  const { hints, context } = resource
  const set = inferEffect({ name: verb, word: context.word, isUndone: false }, context.known ?? {})
  const ids = idsPlace(operation, { id: hints.id, context })
  if (set === undefined || ids === undefined) return undefined

  return { ...hintsOf(operation, 'act', resource, describe), set, ids }
}

/** A copy of a record, such as `POST /books/{id}/copy`: a new one, which the response shows. */
function copyOf(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const { recordPath = '', name = '' } = actionIn(path) ?? {}
  const { stem } = shapeOf(recordPath)
  if (operation.method !== 'POST' || stem === undefined || !COPY.test(name)) return undefined
  const resource = known.resource(stem)
  const body = resource?.hints.isSingle ? undefined : responseSchemaOf(operation)
  const shown = resource && body && findRecord(body, resource.context)?.schema
  const record = resource?.context.known ?? {}
  if (!shown || !isAlike(shown, record)) return undefined
  const copy = hintsOf(operation, 'create', resource, known.describe)
  if (!FORK.test(name)) return copy
  // A fork below an owner is another owner's, which the request or the caller says.
  if (resource.hints.path.includes('{') || known.group(path)?.collection.length !== 1)
    return undefined
  const { path: collection, id } = resource.hints

  return { ...copy, ...forkEffect(record, id, { collection, ...shapeOf(recordPath) }) }
}

/** What the record itself may be called below its path. Other words, such as `parent`, are of another record of the same kind. */
const ITSELF = /^(status|state|details?|info|full|finalize|approval)$/i

/** The record above, when the response has all of it: `GET /pods/{name}/status` with the schema of a pod. */
function sameOf(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const at = path.lastIndexOf('/')
  const { stem } = shapeOf(path.slice(0, at))
  const resource = stem === undefined ? undefined : known.resource(stem)
  if (!resource || !ITSELF.test(path.slice(at + 1)) || !/^(GET|PUT|PATCH)$/.test(operation.method))
    return undefined
  const body = responseSchemaOf(operation)
  const shown = body && findRecord(body, resource.context)?.schema
  if (!shown || !isSameRecord(shown, resource.context.known ?? {})) return undefined
  const action = operation.method === 'GET' ? 'read' : 'update'

  return hintsOf(operation, action, resource, known.describe)
}

/**
 * What a path for one record, such as `/book`, does to the records of the collection beside it, `/books`: its query must name the record,
 * and a POST that names none adds one.
 */
function oneBeside(
  operation: Operation,
  path: string,
  known: CollectionFinder,
): OperationHints | undefined {
  const hasList = (one: string): boolean => {
    const group = known.group(one)
    return group !== undefined && listOf(group) !== undefined
  }
  // A document may have thousands of paths.
  const plurals = [`${path}s`, `${path}es`, path.replace(/y$/, 'ies')]
  const collection = plurals.find((one) => one !== path && hasList(one))
  if (collection === undefined || hasList(path)) return undefined
  const resource = known.resource(collection)
  if (!resource || resource.hints.isSingle || resource.hints.id === HIDDEN_ID) return undefined
  const action = actionOnOne(operation, resource)
  if (action === undefined || !showsOnlyRecord(operation, action, resource)) return undefined

  return action === 'create'
    ? hintsOf(operation, action, resource, known.describe)
    : namedHints(operation, action, resource, known)
}

/** What a method does to the record that a query names; `undefined` when nothing is known. */
function actionOnOne(
  { method, parameters }: Operation,
  { hints: { id }, context }: InferredResource,
): Action | undefined {
  const named = parameters.filter(
    (one) => isRequiredQuery(one) && isIds(one.name, one.schema, { id, context }),
  )
  if (named.length === 0) return method === 'POST' ? 'create' : undefined
  if (method === 'GET') return 'read'
  if (method === 'DELETE') return 'remove'
  return /^(PUT|PATCH|POST)$/.test(method) ? 'update' : undefined
}

/** Whether an operation sends or shows one record of a resource, as far as its document describes any. */
function showsOnlyRecord(
  operation: Operation,
  action: Action,
  { context }: InferredResource,
): boolean {
  const { known: record = {} } = context
  const sent = sentRecordOf(operation, context)
  const body = responseSchemaOf(operation)
  const shown = body && findRecord(body, context)
  if (action === 'remove') return true
  const isShown = shown !== undefined && isAlike(shown.schema, record)
  if (action === 'read') return isShown
  return isShown || (sent !== undefined && isAlike(sent.schema, record))
}

/**
 * What a request on a collection does to the records that it names itself: a PUT changes them, or adds them where the document has no 404
 * for it, a PATCH changes them, and a DELETE removes them.
 */
export function namedChange(
  operation: Operation,
  resource: InferredResource,
  known: ResourceFinder,
): OperationHints | undefined {
  const { method, responses } = operation
  if (resource.hints.isSingle) return undefined
  const isHidden = resource.hints.id === HIDDEN_ID
  const removed =
    method === 'DELETE' && !isHidden && namedHints(operation, 'remove', resource, known)
  if (removed) return removed
  if (method === 'DELETE') return removalOfAll(operation, resource, known)
  if (isHidden) return undefined
  if (method === 'PATCH') return namedHints(operation, 'update', resource, known)
  if (method !== 'PUT') return undefined
  const { collection = [] } = known.group(resource.hints.path) ?? {}
  const creation = creationOf(collection, operation)
  const whole = creation && sentRecordOf(creation, resource.context)?.schema
  const { context } = resource
  const change = { beside: collection, whole, context, describe: known.describe }
  const action = responses.some(({ status }) => status === NOT_FOUND)
    ? putAction(operation, change)
    : 'create'

  return namedHints(operation, action, resource, known)
}

const NOT_FOUND = 404

/** A list of the records that its query must name, such as `GET /books?ids=1,2`: it shows these, in their order. */
export function namedList(
  operation: Operation,
  resource: InferredResource,
  describe: Describe,
): OperationHints | undefined {
  const { parameters } = operation
  const named = parameters.find(
    (one) => one.in === 'query' && one.required && isListOfIds(one, resource),
  )
  const isReadable = resource.hints.item !== undefined && resource.hints.id !== HIDDEN_ID
  return named && isReadable ? listNamed(operation, resource, describe, named.name) : undefined
}

/** A list of the records whose ids a request has at a place. */
function listNamed(
  operation: Operation,
  resource: InferredResource,
  describe: Describe,
  ids: string,
): OperationHints {
  const {
    paging: _,
    filters: _filters,
    sort: _sort,
    ...hints
  } = hintsOf(operation, 'list', resource, describe)
  return { ...hints, action: 'read', ids }
}

/** Whether a parameter has several ids: it is a list, or called as one. */
function isListOfIds(
  { name, schema }: Pick<Operation['parameters'][number], 'name' | 'schema'>,
  { hints, context }: InferredResource,
): boolean {
  const isMany = itemsOf(schema) !== undefined || /s$/i.test(name)
  return isMany && isIds(name, schema, { id: hints.id, context })
}

/** What says that all records of a collection are meant, or those that the query selects. */
const ALL = /\b(all|every|any|clears?|cleared|clearing|empty|empties|purges?|collection)\b/i
const ONE = /\b(an?|one|single|given|specified|this|that)\b/i

/** `DELETE /books`, which removes all books, or those that its query selects, where its text says so or speaks of books. */
function removalOfAll(
  operation: Operation,
  resource: InferredResource,
  known: ResourceFinder,
): OperationHints | undefined {
  const { parameters, body, path } = operation
  if (body && requiredNames(body.schema).size > 0) return undefined
  if (parameters.some(isRequiredQuery)) return removalOfSelected(operation, resource, known)
  const text = `${spokenName(operation)}. ${known.describe(operation)}`
  const isOfMany = new RegExp(`\\b${wordsOf(wordOf(path)).at(-1) ?? ''}\\b`, 'i').test(text)
  if (!ALL.test(text) && (!isOfMany || ONE.test(text))) return undefined
  const describe = (parameter?: string): string => known.describe(operation, parameter)
  const filters = inferFilters(operation, resource.context.known ?? {}, { describe })

  return { ...actionHints('remove', resource), ids: EVERY_ID, ...(filters && { filters }) }
}

function isRequiredQuery({ in: place, required }: Operation['parameters'][number]): boolean {
  return place === 'query' && required
}

/** `DELETE /books?title=Emma`, which removes the books that have the values of its required parameters, where all of these are properties. */
function removalOfSelected(
  operation: Operation,
  resource: InferredResource,
  known: ResourceFinder,
): OperationHints | undefined {
  const describe = (parameter?: string): string => known.describe(operation, parameter)
  const found = inferFilters(operation, resource.context.known ?? {}, { describe }) ?? {}
  const names = operation.parameters.filter(isRequiredQuery).map(({ name }) => name)
  const filters = names.flatMap((name): readonly (readonly [string, string | FilterHints])[] => {
    const filter = found[name]
    // A value that no record has selects none: a removal is no list.
    if (filter === undefined) return []
    if (typeof filter === 'string') return [[name, filter]]
    const { unknown: _, ...selecting } = filter
    return [[name, selecting]]
  })
  if (filters.length < names.length) return undefined

  return { ...actionHints('remove', resource), ids: EVERY_ID, filters: Object.fromEntries(filters) }
}

/** The hints of an operation on the records that its request names; `undefined` when it names none. */
export function namedHints(
  operation: Operation,
  action: Action,
  resource: InferredResource,
  known: ResourceFinder,
  called: readonly string[] = [],
): OperationHints | undefined {
  const ids = namedIds(operation, action, resource, called)
  if (ids === undefined) return undefined
  const hints = hintsOf(operation, action, resource, known.describe)
  return { ...hints, ...listedPlace(operation, hints, resource), ids }
}

function namedIds(
  operation: Operation,
  action: Action,
  { hints: { id }, context }: InferredResource,
  called: readonly string[],
): string | undefined {
  const { known: record = {} } = context
  const sent = sentRecordOf(operation, context)
  const isRecord =
    sent &&
    (/^(remove|read)$/.test(action) || (hasValues(sent.schema) && isAlike(sent.schema, record)))
  const inRecord = isRecord ? sentIdPlace(sent.place, sent.schema, { id, context }) : undefined
  if (inRecord !== undefined || action === 'create') return inRecord
  const ids = idsPlace(operation, { id, context: { ...context, called } })
  // What is changed besides must be known.
  const isChange = action === 'update' || action === 'replace'
  const names = isChange ? [...propertiesOf(operation.body?.schema ?? {}).keys()] : []
  const others = names.filter((name) => `/${name}` !== ids)
  const unknown = others.filter((name) => !propertiesOf(record).has(name))
  // A call says in words that it changes the record.
  const isKnown = unknown.length <= (called.length > 0 ? others.length / 2 : 0)

  return isKnown && (!isChange || others.length > 0) ? ids : undefined
}

/** A path that is about several records of the collection above it: `/books` and `create` of `/books/bulk`. */
interface BulkPath {
  readonly path: string
  readonly action: Action
  /** What an action is called, such as `archive`. */
  readonly verb?: string | undefined
}

interface BulkRule {
  readonly words: RegExp
  readonly methods: RegExp
  readonly action: Action
}

const MANY = '_?(?:bulk|batch|many|multiple)'

const BULK_RULES: readonly BulkRule[] = [
  { words: named('delete|remove|destroy'), methods: /^(POST|PUT|DELETE)$/, action: 'remove' },
  { words: named('update|edit|modify'), methods: /^(POST|PUT|PATCH)$/, action: 'update' },
  { words: named('create|insert|add|upsert|save'), methods: /^(POST|PUT)$/, action: 'create' },
  { words: /^(upsert|import)$/i, methods: /^(POST|PUT)$/, action: 'create' },
  { words: new RegExp(`^${MANY}$`, 'i'), methods: /^POST$/, action: 'create' },
  { words: new RegExp(`^${MANY}$`, 'i'), methods: /^(PUT|PATCH)$/, action: 'update' },
  { words: new RegExp(`^${MANY}$`, 'i'), methods: /^DELETE$/, action: 'remove' },
  { words: named('get|read|retrieve|fetch'), methods: /^(GET|POST)$/, action: 'read' },
  { words: named('[a-z]+'), methods: /^(POST|PUT|PATCH)$/, action: 'act' },
]

/** `bulk_delete`, `delete-many` and the like. */
function named(verbs: string): RegExp {
  return new RegExp(`^(${MANY}[-_]?(${verbs})|(${verbs})[-_]?${MANY})$`, 'i')
}

/** What an operation does to several records of the collection above its path; `undefined` when no word at its end says so. */
function bulkPathOf({ method, path: template }: Operation): BulkPath | undefined {
  const { path } = shapeOf(template)
  // `/books/batch/remove` is `/books/batch-remove`.
  const [own = '', many = ''] = path.split('/').reverse()
  const isTwo = new RegExp(`^${MANY}$`, 'i').test(many)
  const name = isTwo ? `${many}_${own}` : own
  const at = path.length - name.length - 1
  const rule = BULK_RULES.find(({ words, methods }) => words.test(name) && methods.test(method))

  const verb = rule?.action === 'act' ? rule.words.exec(name)?.slice(2).find(Boolean) : undefined
  return rule && at > 0 ? { path: path.slice(0, at), action: rule.action, verb } : undefined
}

/** Whether a path says that the records which exist are changed, and the others are added. */
function isUpsert(path: string): boolean {
  return /[^/]*upsert[^/]*$/i.test(path)
}

/** What names the records of a collection in requests. */
interface NamedRecords {
  /** The property with the id. */
  readonly id: string
  readonly context: Pick<RecordContext, 'word' | 'parameter'> & {
    /** What else requests call an id: the plain words for the records. Default: nothing. */
    readonly called?: readonly string[]
  }
}

/** Where the records of a request have their id: `/books/isbn` of a record or a list of them at `/books`; `undefined` when they have none. */
function sentIdPlace(
  place: string,
  record: Schema,
  { id, context: { parameter } }: NamedRecords,
): string | undefined {
  const names = [...propertiesOf(record)].flatMap(([name, { readOnly }]) =>
    readOnly === true || KIND.test(name) ? [] : name,
  )
  const found =
    names.find((name) => name === id) ??
    names.find((name) => parameter !== undefined && plainName(name) === plainName(parameter))

  return found === undefined ? undefined : `${place}/${escapeKey(found)}`
}

/** What says of which kind a record is, and not which one it is. */
const KIND = /^(type|kind)$/i

/** Whether a request has more of a record than what says which one it is. */
function hasValues(record: Schema): boolean {
  const names = [...propertiesOf(record).keys()].filter((name) => !KIND.test(name))
  return names.length > 1
}

/** The query parameter or the property of the body that contains the ids of records, or of one. */
export function idsPlace(
  { parameters, body }: Operation,
  records: NamedRecords,
): string | undefined {
  const inQuery = parameters.find(
    (one) => one.in === 'query' && isIds(one.name, one.schema, records),
  )
  if (inQuery) return inQuery.name
  const properties = [...propertiesOf(body?.schema ?? {})]
  const [name] = properties.find(([one, schema]) => isIds(one, schema, records)) ?? []

  return name === undefined ? undefined : `/${escapeKey(name)}`
}

const ID_WORD = /(id|uuid|key)s?$/

/** Whether a value is called the id of the records, or a list of ids. */
function isIds(name: string, schema: Schema, { id, context }: NamedRecords): boolean {
  const types = typesIn(itemsOf(schema) ?? schema)
  if (types.has('object') || types.has('boolean')) return false
  const plain = plainName(name)
  const names = [id, context.parameter ?? id].map(plainName)
  if (names.some((one) => plain === one || plain === `${one}s`)) return true
  if (context.called?.some((one) => isSameWord(one, plain))) return true
  if (!ID_WORD.test(plain)) return false
  const word = plain.replace(ID_WORD, '')

  const words = [context.word, ...(context.called ?? [])]

  return word === '' || words.some((one) => isSameWord(word, one))
}
