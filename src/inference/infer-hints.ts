import type { Operation, Schema } from '../contract/contract.ts'
import {
  type Action,
  HIDDEN_ID,
  LATEST_ADDED,
  type OperationHints,
  type ResourceHints,
  type StatelessReason,
} from '../contract/hints.ts'
import { plainName, propertiesOf } from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import { inferEffect, inferTransition, type NamedAction } from './action-effects.ts'
import {
  type AliasFinder,
  candidateOf,
  createAliasFinder,
  type GivenAliases,
  NO_ALIASES,
  withAliases,
} from './aliases.ts'
import type { Inference } from './apply-hints.ts'
import { createCallerFinder, type StatedCallers } from './callers.ts'
import { inferCount } from './envelope.ts'
import { inferFilters } from './filters.ts'
import {
  addsByPath,
  createPlaceOf,
  type Group,
  groupOperations,
  namesOf,
  type OperationPlace,
  wordsBelow,
} from './groups.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { type InferredResource, inferResource, listOf, responseSchemaOf } from './infer-resource.ts'
import {
  actionHints,
  type Describe,
  hintsOf,
  isAlike,
  sentHints,
  sentRecordOf,
  shownHints,
  shownIdOf,
} from './message-hints.ts'
import { actionIn, recordPathAbove, shapeOf, withoutNames, wordOf } from './path-shape.ts'
import { creationOf, putActionOf } from './put-action.ts'
import { inferList } from './record-lists.ts'
import { findListed, findRecord, isFree, type RecordContext } from './record-place.ts'
import { createReferenceFinder, type ReferenceFinder } from './references.ts'
import { bulkPathOf, hasValues, idsPlace, isUpsert, sentIdPlace } from './several-records.ts'
import type { Verb } from './verb-paths.ts'

/** Infers what operations do to records, by their methods, paths and schemas, and some also by their descriptions. */
export function inferHints(
  operations: readonly Operation[],
  describe: Describe = () => '',
  given: GivenAliases = NO_ALIASES,
  stated: StatedCallers = new Map(),
): Inference {
  const placeOf = createPlaceOf(operations)
  const groups = groupOperations(operations, placeOf)
  const names = namesOf([...groups.keys()])
  const paths = new Map([...names].map(([path, name]) => [name, path]))
  const words = wordsBelow(groups)
  const below = ({ itemPath }: Group): readonly string[] =>
    itemPath === undefined ? [] : (words.get(withoutNames(itemPath)) ?? [])
  const inferred = once((group: Group) =>
    inferResource(group, names.get(group.path) ?? group.path, below(group), describe),
  )
  const inferredAt = (path: string): InferredResource | undefined => {
    const group = groups.get(path)
    return group && inferred(group)
  }
  const aliases = createAliasFinder(
    groups,
    (path) => candidateOf(groups.get(path), inferredAt),
    given,
  )
  const callers = createCallerFinder({
    groups,
    resource: (path) => (aliases.of(path) ? undefined : inferredAt(path)),
    stated,
  })
  const joinedAt = createJoin(groups, aliases)
  const withKeys = createKeys()
  const isAboveOnly = once(
    (group: Group) =>
      group.collection.length > 0 &&
      group.collection.every((one) => aboveOf(one, group.path, known) !== undefined),
  )
  const known: KnownResources = {
    describe,
    placeOf,
    callersOf: callers.of,
    isAlias: (path) => aliases.of(path) !== undefined,
    references: createReferenceFinder(groups, joinedAt, (path) => known.resource(path)),
    group: (path) => groups.get(path),
    resource: (path) => {
      const own = groups.get(aliases.of(path)?.of ?? path)
      if (!own || callers.of(own) || isAboveOnly(own)) return undefined
      const group = joinedAt(own.path) ?? own
      return callers.complete(group, withKeys(inferred(group), aliases.keys(own.path)))
    },
  }

  return {
    of: (operation) => inferOperation(operation, known),
    paths,
    aliasOf: (path) => aliases.of(path)?.of,
    resource: (name) => {
      const path = paths.get(name) ?? ''
      const own = aliases.of(path) ? undefined : known.resource(path)
      return own && { ...own.hints, ...someAliases(aliases.to(path)), ...known.references.of(own) }
    },
  }
}

function someAliases(aliases: NonNullable<ResourceHints['aliases']>): Partial<ResourceHints> {
  return Object.keys(aliases).length > 0 ? { aliases } : {}
}

/** Adds keys by which other paths name the records of a resource. */
function createKeys(): (
  resource: InferredResource | undefined,
  keys: readonly string[],
) => InferredResource | undefined {
  const known = new Map<InferredResource, InferredResource>()
  return (resource, keys) => {
    if (!resource || keys.length === 0) return resource
    const { hints } = resource
    const all = [...new Set([...(hints.keys ?? []), ...keys])]
    const whole = known.get(resource) ?? { ...resource, hints: { ...hints, keys: all } }
    known.set(resource, whole)
    return whole
  }
}

/** Finds collections with the operations on their records at other paths. */
function createJoin(
  groups: ReadonlyMap<string, Group>,
  aliases: AliasFinder,
): (path: string) => Group | undefined {
  const joined = new Map<string, Group>()
  return (path) => {
    const group = groups.get(path)
    const others = Object.keys(aliases.to(path)).flatMap((other) => groups.get(other) ?? [])
    if (!group || others.length === 0) return group
    const whole = joined.get(path) ?? withAliases(group, others)
    joined.set(path, whole)
    return whole
  }
}

/** The groups of a document and their resources, and what it says in words. */
interface KnownResources {
  readonly describe: Describe
  readonly placeOf: (operation: Operation) => OperationPlace
  readonly group: (path: string) => Group | undefined
  readonly isAlias: (path: string) => boolean
  readonly references: ReferenceFinder
  /** The collection that has the record of the caller, where the path of a group leads to this record. */
  readonly callersOf: (group: Group) => InferredResource | undefined
  readonly resource: (path: string) => InferredResource | undefined
}

/** Operations that search or change many records at once. */
const SEARCH = /(^|[/:_-])(search|query|find|lookup|filter)$/i
const BULK = /(^|[/:_-])(bulk|batch|import)(_\w+)?$/i

/** What an operation does, by its method, its path and its schemas. */
function inferOperation(operation: Operation, known: KnownResources): OperationHints {
  const { path, stem, verb, isNamed } = known.placeOf(operation)
  if (isNamed) return inWords(operation, path, verb, known)
  if (verb === 'watch') return watchHints({ path, stem }, known)
  const ofOthers = inferList(operation, path, known) ?? aboveOf(operation, path, known)
  if (ofOthers) return ofOthers
  const own = known.group(path)
  const callers = own && known.callersOf(own)
  if (callers) return callerHints(operation, own, callers, known.describe)
  const resource = own?.collection.includes(operation) ? known.resource(path) : undefined
  const onCollection = own && resource && collectionHints(operation, own, resource, known.describe)
  if (onCollection) return onCollection
  const record = stem === undefined ? undefined : known.resource(stem)
  if (record)
    return recordHints(operation, known.group(stem ?? ''), record, {
      describe: known.describe,
      verb,
    })
  const named = resource && namedChange(operation, resource, known)

  return named ?? actionBelow(operation, path, known) ?? stateless(reasonFor(operation, own))
}

/** What an operation does on the path of a collection; `undefined` when it does nothing that is known. */
function collectionHints(
  operation: Operation,
  group: Group,
  resource: InferredResource,
  describe: Describe,
): OperationHints | undefined {
  const action = collectionAction(operation, group, resource, describe)
  return action
    ? hintsOf(operation, action, resource, describe)
    : latestHints(operation, group, resource)
}

/**
 * A list of which the document shows one record only, such as `GET /books` with the schema of a book, although paths lead to books and
 * requests create them: it shows the record that was added last.
 */
function latestHints(
  operation: Operation,
  { path, item, collection }: Group,
  resource: InferredResource,
): OperationHints | undefined {
  const { context, canGrow, hints } = resource
  const isList = operation.method === 'GET' && item.length > 0 && !path.endsWith('}')
  if (
    !isList ||
    !canGrow ||
    hints.isSingle ||
    listOf({ path, item, collection, word: context.word })
  )
    return undefined
  const body = responseSchemaOf(operation)
  const found = body && findRecord(body, context)
  const isRecord = found && !isFree(found.schema) && isAlike(found.schema, context.known ?? {})

  return isRecord
    ? { ...actionHints('list', resource), record: found.place, sort: { default: LATEST_ADDED } }
    : undefined
}

/** What an operation on a path such as `/books/search` does to the records of the collection above. */
function aboveOf(
  operation: Operation,
  path: string,
  known: KnownResources,
): OperationHints | undefined {
  if (known.group(path)?.item.length !== 0) return undefined

  return (
    searchOf(operation, path, known) ??
    countOf(operation, path, known) ??
    bulkOf(operation, path, known)
  )
}

/** What an operation does to the record that its request names, such as `GET /books/details?id=1`. */
function inWords(
  operation: Operation,
  path: string,
  verb: Verb | undefined,
  known: KnownResources,
): OperationHints {
  const resource = known.resource(path)
  if (!resource || verb === undefined || verb === 'list' || verb === 'watch')
    return stateless('no-action')

  return namedHints(operation, verb, resource, known) ?? stateless('no-action')
}

/** What an operation does that tells of changes: it says that a record was added. */
function watchHints(
  { path, stem }: Readonly<Record<'path' | 'stem', string | undefined>>,
  known: KnownResources,
): OperationHints {
  const resource = known.resource(stem ?? path ?? '')
  if (!resource) return stateless('no-action')
  const { hints, context } = resource
  const id = shownIdOf(context.known ?? {}, hints, context)

  return {
    ...actionHints(stem === undefined ? 'list' : 'read', resource),
    ...{ record: '/object', envelope: { '/type': 'event' } },
    ...(id !== undefined && id !== hints.id && { id }),
  }
}

/** What an operation does to the record of the caller. */
function callerHints(
  operation: Operation,
  group: Group,
  resource: InferredResource,
  describe: Describe,
): OperationHints {
  const action = itemAction(operation, { ...group, item: group.collection }, resource, describe)
  return action
    ? { ...hintsOf(operation, action, resource, describe), caller: true }
    : stateless('no-action')
}

/** What an operation does on the path of a record. */
function recordHints(
  operation: Operation,
  group: Group | undefined,
  resource: InferredResource,
  { describe, verb }: { readonly describe: Describe; readonly verb: Verb | undefined },
): OperationHints {
  const action =
    verb === 'remove' ? removalBy(operation) : itemAction(operation, group, resource, describe)
  return action ? hintsOf(operation, action, resource, describe) : stateless('no-action')
}

/**
 * A search for the records of the collection above, such as `GET /books/search` and `POST /books/query`: its response lists these
 * records. Searches that have paths of their own are records themselves.
 */
function searchOf(
  operation: Operation,
  path: string,
  known: KnownResources,
): OperationHints | undefined {
  const above = path.slice(0, path.lastIndexOf('/'))
  if (!SEARCH.test(path) || above.endsWith('}') || !/^(GET|POST)$/.test(operation.method))
    return undefined
  const resource = known.resource(above)
  const body = resource?.hints.item === undefined ? undefined : responseSchemaOf(operation)
  const found = resource && body && findListed(body, resource.context)
  const { known: record } = resource?.context ?? {}
  if (!found || !record || !isAlike(found.schema, record)) return undefined

  return hintsOf(operation, 'list', resource, known.describe)
}

/** The number of the records in the collection above, such as `GET /books/count`. */
function countOf(
  operation: Operation,
  path: string,
  known: KnownResources,
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
  known: KnownResources,
): OperationHints | undefined {
  const bulk = bulkPathOf(operation)
  if (!bulk) return undefined
  const resource = known.resource(bulk.path)
  const { known: record } = resource?.context ?? {}
  const sent = resource && sentRecordOf(operation, resource.context)
  if (!resource || !record) return undefined
  if (bulk.action !== 'create') return namedHints(operation, bulk.action, resource, known)
  if (!sent || !isAlike(sent.schema, record)) return undefined
  const upsert = isUpsert(path) ? namedHints(operation, 'create', resource, known) : undefined

  return upsert ?? hintsOf(operation, 'create', resource, known.describe)
}

/**
 * What a request on a collection does to the records that it names itself: a PUT changes them, or adds them where the document has no 404
 * for it, a PATCH changes them, and a DELETE removes them.
 */
function namedChange(
  operation: Operation,
  resource: InferredResource,
  known: KnownResources,
): OperationHints | undefined {
  const { method, responses } = operation
  if (resource.hints.isSingle || resource.hints.id === HIDDEN_ID) return undefined
  if (method === 'DELETE') return namedHints(operation, 'remove', resource, known)
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

/** The hints of an operation on the records that its request names; `undefined` when it names none. */
function namedHints(
  operation: Operation,
  action: Action,
  resource: InferredResource,
  known: KnownResources,
): OperationHints | undefined {
  const ids = namedIds(operation, action, resource)
  return ids === undefined
    ? undefined
    : { ...hintsOf(operation, action, resource, known.describe), ids }
}

function namedIds(
  operation: Operation,
  action: Action,
  { hints: { id }, context }: InferredResource,
): string | undefined {
  const { known: record = {} } = context
  const sent = sentRecordOf(operation, context)
  const isRecord =
    sent &&
    (/^(remove|read)$/.test(action) || (hasValues(sent.schema) && isAlike(sent.schema, record)))
  const inRecord = isRecord ? sentIdPlace(sent.place, sent.schema, { id, context }) : undefined
  if (inRecord !== undefined || action === 'create') return inRecord
  const ids = idsPlace(operation, { id, context })
  // What is changed besides must be known.
  const isChange = action === 'update' || action === 'replace'
  const names = isChange ? [...propertiesOf(operation.body?.schema ?? {}).keys()] : []
  const others = names.filter((name) => `/${name}` !== ids)
  const isKnown = others.every((name) => propertiesOf(record).has(name))

  return isKnown && (!isChange || others.length > 0) ? ids : undefined
}

function stateless(reason: StatelessReason): OperationHints {
  return { action: 'stateless', reason }
}

function collectionAction(
  operation: Operation,
  group: Group,
  resource: InferredResource,
  describe: Describe,
): Action | undefined {
  const { method, body } = operation
  if (resource.hints.isSingle) return singleAction(operation, group, resource, describe)
  if (method === 'GET') return listOf(group) === operation ? 'list' : undefined
  if (method !== 'POST') return undefined
  // What is changed or removed later is a record, such as a saved filter or a batch.
  const isKept = group.item.some(({ method: one }) => one !== 'GET')
  if (SEARCH.test(group.path) && !isKept) return undefined
  if (group.item.length === 0) return body ? 'create' : undefined

  return BULK.test(group.path) && !isKept ? undefined : 'create'
}

function singleAction(
  operation: Operation,
  { collection }: Group,
  { context }: InferredResource,
  describe: Describe,
): Action | undefined {
  const { method, body } = operation
  if (method === 'GET') return 'read'
  if (method === 'DELETE') return 'remove'
  if (!body) return undefined
  // What a single record can be is what its response shows.
  if (method === 'PUT')
    return putAction(operation, { beside: collection, whole: context.known, context, describe })
  return method === 'PATCH' || method === 'POST' ? 'update' : undefined
}

function itemAction(
  operation: Operation,
  { collection = [], item = [] }: Partial<Group> = {},
  { context }: InferredResource,
  describe: Describe,
): Action | undefined {
  const { method, body } = operation
  if (method === 'GET') return 'read'
  if (method === 'DELETE') return 'remove'
  if (!/^(PUT|PATCH|POST)$/.test(method)) return undefined
  if (!body) return method === 'PUT' && addsByPath({ collection, item }) ? 'update' : 'act'
  if (method !== 'PUT') return 'update'

  const creation = creationOf(collection, operation)
  const whole = creation && sentRecordOf(creation, context)?.schema

  return putAction(operation, { beside: item, whole, context, describe })
}

/** What `/books/{id}/remove` does: a request with a body rather removes something from the record. */
function removalBy({ method, body }: Operation): 'remove' | undefined {
  return method === 'DELETE' || !body ? 'remove' : undefined
}

/** The words of the name that the document gives to an operation. Without one, its id is its method and path. */
function spokenName({ id }: Operation): string {
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
function putAction(
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

/**
 * An action on a record, such as `POST /orders/{id}/cancel`: its response is the record, or its name tells what it sets. A DELETE
 * undoes what another method on the path does.
 */
function actionBelow(
  operation: Operation,
  path: string,
  known: KnownResources,
): OperationHints | undefined {
  const named = actionIn(path)
  const { stem } = shapeOf(named?.recordPath ?? recordPathAbove(path) ?? '')
  const resource = stem === undefined ? undefined : known.resource(stem)
  if (!resource?.context.known || COPY.test(named?.name ?? '')) return undefined
  const isUndone = operation.method === 'DELETE' && hasOpposite(known.group(path))
  if (!isUndone && !/^(POST|PUT|PATCH)$/.test(operation.method)) return undefined
  const effect = named && effectHints(operation, { name: named.name, isUndone }, resource, known)
  const isShown = showsRecord(operation, resource.context, effect !== undefined)
  const isKnown =
    effect !== undefined || (!isUndone && (isShown || sendsParts(operation, resource)))
  if (!isKnown) return undefined

  return {
    ...actionHints('act', resource),
    ...(isShown && shownHints(operation, 'act', resource, known.describe)),
    ...sentHints(operation, 'act', resource),
    ...effect,
  }
}

/** Verbs for a change of properties. */
const CHANGES = /^(rename|update|edit|modify|change|set|assign|move)/i

/** Whether an action is called as a change of properties, and its body has nothing else: `PUT /books/{id}/title`, `POST /books/{id}/rename`. */
function sendsParts(
  { body, path }: Operation,
  { context: { known = {} }, hints }: InferredResource,
): boolean {
  const names = [...propertiesOf(body?.schema ?? {}).keys()]
  const own = propertiesOf(known)
  const last = wordOf(path)
  const isCalled =
    CHANGES.test(last) || names.some((name) => isSameWord(plainName(name), plainName(last)))

  return isCalled && names.length > 0 && names.every((name) => name !== hints.id && own.has(name))
}

/** What an action sets, and what the record must have before it; `undefined` when its name does not tell. */
function effectHints(
  operation: Operation,
  action: Omit<NamedAction, 'word'>,
  { context: { word, known: record = {} } }: InferredResource,
  { describe }: KnownResources,
): Pick<OperationHints, 'set' | 'from'> | undefined {
  const set = inferEffect({ ...action, word }, record)
  const from = set && inferTransition(set, record, describe(operation, CONFLICT))

  return set && { set, ...(from && { from }) }
}

const CONFLICT = 409

/** Actions that make another record. */
const COPY = /^(copy|clone|duplicate|fork)/i

/** Whether the path of an action has another method than DELETE. */
function hasOpposite(group: Group | undefined): boolean {
  return group?.collection.some(({ method }) => /^(POST|PUT|PATCH)$/.test(method)) ?? false
}

/** Whether an action answers with the record. A response that may be anything is the record where the action is known. */
function showsRecord(operation: Operation, context: RecordContext, isKnown: boolean): boolean {
  const body = responseSchemaOf(operation)
  const shown = body && findRecord(body, context)?.schema
  if (!shown) return false

  return (isKnown && isFree(shown)) || isAlike(shown, context.known ?? {})
}

function reasonFor({ method, path }: Operation, group: Group | undefined): StatelessReason {
  if (SEARCH.test(path)) return 'search'
  const isCollection = group !== undefined && group.item.length > 0
  if (BULK.test(path) || (isCollection && /^(PUT|PATCH|DELETE)$/.test(method))) return 'bulk'

  return isCollection && method === 'GET' ? 'no-list' : 'no-action'
}
