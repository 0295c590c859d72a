import type { Operation } from '../contract/contract.ts'
import {
  LATEST_ADDED,
  type OperationHints,
  type ResourceHints,
  type StatelessReason,
} from '../contract/hints.ts'
import { once } from '../validation/objects.ts'
import {
  type AliasFinder,
  createAliasFinder,
  type GivenAliases,
  NO_ALIASES,
  withAliases,
} from './aliases.ts'
import type { Inference } from './apply-hints.ts'
import { inferBodyActions, inferSeveralSent, isMixed } from './body-actions.ts'
import { createCallerFinder, type StatedCallers } from './callers.ts'
import { BULK, collectionAction, itemAction, removalBy } from './crud-action.ts'
import { createdFile, fileHints } from './file-content.ts'
import {
  createPlaceOf,
  type Group,
  groupOperations,
  namesOf,
  type OperationPlace,
  wordsBelow,
} from './groups.ts'
import { withIdExample } from './id-examples.ts'
import { formsOf, idPrefixesOf, isSameWord, wordsOf } from './id-property.ts'
import { createIdReferenceFinder, type IdReferenceFinder } from './id-references.ts'
import {
  type InferredResource,
  inferResource,
  listOf,
  repliedTo,
  responseSchemaOf,
} from './infer-resource.ts'
import { markHints } from './marks.ts'
import { createMembersOf, type MembersFinder, ownMemberships, withMembers } from './members.ts'
import { actionHints, type Describe, hintsOf, isAlike, shownIdOf } from './message-hints.ts'
import { actionBelow, askedAction } from './named-action.ts'
import { callHints } from './named-calls.ts'
import { parentsElsewhere } from './parents-elsewhere.ts'
import { shapeOf, withoutNames, wordOf } from './path-shape.ts'
import { inferList } from './record-lists.ts'
import { findListed, findRecord, isFree } from './record-place.ts'
import { createReferenceFinder } from './references.ts'
import { type ChildFinder, sentChildren } from './sent-children.ts'
import { embeddedBody } from './sent-values.ts'
import { aboveOf, type CollectionFinder, namedChange, namedList } from './several-records.ts'
import { withStateCounts } from './state-hints.ts'
import { inferStreams } from './streams.ts'
import { withTrash } from './trash.ts'
import { withTrueCounts } from './true-counts.ts'
import { savedByPost } from './upserts.ts'
import { SEARCH, type Verb } from './verb-paths.ts'

/** What a document says besides its schemas. */
export interface DocumentWords {
  readonly describe: Describe
  /** An id of the records with a word, such as `users`, that the document shows anywhere. */
  readonly idExampleOf: (word: string) => string | undefined
}

const NO_WORDS: DocumentWords = { describe: () => '', idExampleOf: () => undefined }

/** Infers what operations do to records, by their methods, paths and schemas, and some also by their descriptions. */
export function inferHints(
  operations: readonly Operation[],
  { describe, idExampleOf }: DocumentWords = NO_WORDS,
  given: GivenAliases = NO_ALIASES,
  stated: StatedCallers = new Map(),
): Inference {
  const placeOf = createPlaceOf(operations)
  const groups = groupOperations(operations, placeOf)
  const names = namesOf([...groups.keys()])
  const paths = new Map([...names].map(([path, name]) => [name, path]))
  const below = createBelow(groups)
  const inferred = createInferred(groups, { describe, idExampleOf }, { names, below })
  const inferredAt = (path: string): InferredResource | undefined => {
    const group = groups.get(path)
    return group && inferred(group)
  }
  const callersAt = (path: string): string | undefined => {
    const group = groups.get(path)
    return group && callers.of(group)?.hints.path
  }
  const aliases = createAliasFinder(groups, inferredAt, given, callersAt)
  const callers = createCallerFinder({
    groups,
    resource: (path) => (aliases.of(path) ? undefined : inferredAt(path)),
    stated,
  })
  const joinedAt = createJoin(groups, aliases)
  const withKeys = createKeys(once((one) => withCounts(one, groups, inferredAt)))
  const isAboveOnly = once(
    (group: Group) =>
      group.collection.length > 0 &&
      group.collection.every((one) => aboveOf(one, group.path, known) !== undefined),
  )
  const known: KnownResources = {
    describe,
    placeOf,
    paths,
    ...{ callersOf: callers.of, callers: callers.all },
    isAlias: (path) => aliases.of(path) !== undefined,
    references: createReferenceFinder(groups, joinedAt, (path) => known.resource(path)),
    idReferences: createIdReferenceFinder(groups, (path) => known.resource(path)),
    group: (path) => groups.get(path),
    beside: pathsBeside([...groups.keys()]),
    below,
    membersOf: createMembersOf(groups, () => known),
    resource: (path) => {
      const own = groups.get(aliases.of(path)?.of ?? path)
      if (!own || callers.of(own) || isAboveOnly(own)) return undefined
      const group = joinedAt(own.path) ?? own
      return callers.complete(group, withKeys(inferred(group), aliases.keys(own.path)))
    },
  }

  return {
    of: (operation) => inferWhole(operation, known),
    paths,
    aliasOf: (path) => aliases.of(path)?.of,
    resource: (name) => {
      const path = paths.get(name) ?? ''
      const own = aliases.of(path) ? undefined : known.resource(path)
      return own && { ...own.hints, ...linksOf(own, groups, aliases, known) }
    },
  }
}

interface GroupNames {
  readonly names: ReadonlyMap<string, string>
  readonly below: (group: Group) => readonly string[]
}

/** Infers the resources of groups, each once. */
function createInferred(
  groups: ReadonlyMap<string, Group>,
  { describe, idExampleOf }: DocumentWords,
  { names, below }: GroupNames,
): (group: Group) => InferredResource | undefined {
  const idPrefixes = idPrefixesOf([...groups.values()])
  const childrenOf = groupsBelow([...groups.values()])
  return once((group: Group) => {
    const context = { below: below(group), describe, idPrefixes, children: childrenOf(group) }
    const found = inferResource(group, names.get(group.path) ?? group.path, context)
    return found && withIdExample(found, group, idExampleOf)
  })
}

/** Finds the paths of the collections that have the same path above them. */
function pathsBeside(paths: readonly string[]): KnownResources['beside'] {
  const above = (path: string): string => path.slice(0, path.lastIndexOf('/'))
  const found = new Map<string, string[]>()
  for (const path of paths) {
    const beside = found.get(above(path)) ?? []
    found.set(above(path), beside)
    beside.push(path)
  }
  return (path) => (found.get(above(path)) ?? []).filter((one) => one !== path)
}

/** Finds the collections right below the records of a group. */
function groupsBelow(groups: readonly Group[]): (group: Group) => readonly Group[] {
  const found = new Map<string, Group[]>()
  for (const group of groups) {
    const above = withoutNames(group.path.slice(0, group.path.lastIndexOf('/')))
    found.set(above, [...(found.get(above) ?? []), group])
  }
  return ({ itemPath }) => found.get(withoutNames(itemPath ?? '')) ?? []
}

/** Finds the words of the collections below the records of a group. */
function createBelow(groups: ReadonlyMap<string, Group>): (group: Group) => readonly string[] {
  const words = wordsBelow(groups)
  return ({ itemPath }) => (itemPath === undefined ? [] : (words.get(withoutNames(itemPath)) ?? []))
}

function someAliases(aliases: NonNullable<ResourceHints['aliases']>): Partial<ResourceHints> {
  return Object.keys(aliases).length > 0 ? { aliases } : {}
}

/** The other paths to the records of a collection, the records of others that they show, and those that they are below. */
function linksOf(
  own: InferredResource,
  groups: ReadonlyMap<string, Group>,
  aliases: AliasFinder,
  { references, idReferences, resource, isAlias }: KnownResources,
): Partial<ResourceHints> {
  const { path } = own.hints
  const parents = parentsElsewhere(groups)
  const within = Object.entries(parents.get(path) ?? {}).flatMap(([parameter, above]) => {
    const name = isAlias(above) ? undefined : resource(above)?.hints.name
    return name === undefined ? [] : [[parameter, name] as const]
  })
  const shown = references.of(own)
  const isAbove = [...parents.values()].some((one) => Object.values(one).includes(path))

  return {
    ...someAliases(aliases.to(path)),
    ...shown,
    ...idReferences(own, shown.references),
    ...(within.length > 0 && { within: Object.fromEntries(within) }),
    ...(isAbove && { hasChildren: true }),
  }
}

/** Adds counts of those records below that are in a state. */
function withCounts(
  resource: InferredResource,
  groups: ReadonlyMap<string, Group>,
  inferredAt: (path: string) => InferredResource | undefined,
): InferredResource {
  const { item, values = {} } = resource.hints
  if (item === undefined) return resource
  const start = `${withoutNames(item)}/`
  const counted = withStateCounts(values, (name) => {
    const group = [...groups.values()].find(
      ({ path, word }) => isSameWord(word, name) && withoutNames(path) === start + word,
    )
    const { context, offered } = (group && inferredAt(group.path)) ?? {}
    const schema = context?.known
    return group && schema ? { word: group.word, schema, offered } : undefined
  })
  const whole = withTrueCounts(counted, resource, [...groups.values()], inferredAt)
  if (Object.keys(whole).length === 0) return resource
  return { ...resource, hints: { ...resource.hints, values: whole } }
}

/** Adds keys by which other paths name the records of a resource, and counts of those below them. */
function createKeys(
  counting: (resource: InferredResource) => InferredResource,
): (
  resource: InferredResource | undefined,
  keys: readonly string[],
) => InferredResource | undefined {
  const known = new Map<InferredResource, InferredResource>()
  return (resource, keys) => {
    if (!resource || keys.length === 0) return resource && counting(resource)
    const { hints } = counting(resource)
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

/** What the operations of a document lead to. */
interface KnownResources extends ChildFinder, CollectionFinder, MembersFinder {
  readonly idReferences: IdReferenceFinder
  readonly placeOf: (operation: Operation) => OperationPlace
  /** The collection that has the record of the caller, where the path of a group leads to this record. */
  readonly callersOf: (group: Group) => InferredResource | undefined
  /** The collection that has the records of callers. */
  readonly callers: () => InferredResource | undefined
}

/** What an operation does to its own records and to those of other resources. */
function inferWhole(operation: Operation, known: KnownResources): OperationHints {
  const own = inferOperation(operation, known)
  const file = createdFile(operation, own, known)
  const trash = withTrash(operation, own, known)
  const hints = { ...own, ...file, ...trash, ...withMembers(operation, own, known) }
  const whole = { ...hints, ...sentChildren(operation, hints, known), ...withNamed(hints, known) }
  const created = creationHints(operation, whole, known)
  const all = { ...whole, ...created, ...inferBodyActions(operation, whole, known) }
  const several = inferSeveralSent(operation, all)

  return withStreams({ ...all, ...several }, operation, known)
}

/** What a creation sets: the `parent_id` of a reply whose request names a record of the same kind, and the object with what was sent. */
function creationHints(
  { body }: Operation,
  { action, resource: name, body: place = '', set }: OperationHints,
  known: KnownResources,
): Pick<OperationHints, 'set'> {
  const own = action === 'create' ? known.resource(known.paths.get(name ?? '') ?? '') : undefined
  if (!own || !body || place !== '') return {}
  const replied = repliedTo(body.schema, own.hints.id, own.context)
  const embedded = embeddedBody(body.schema, own.context.known)
  return replied || embedded
    ? {
        set: { ...set, ...embedded, ...(replied && { [replied.shown]: `{body.${replied.sent}}` }) },
      }
    : {}
}

/** The filters of a list with the collections whose records their values name, where an unknown one is shown all records. */
function withNamed({ filters }: OperationHints, known: KnownResources): Partial<OperationHints> {
  const named = Object.entries(filters ?? {}).flatMap(([name, filter]) => {
    const isOpen = typeof filter === 'object' && filter.unknown !== undefined
    const of = isOpen ? collectionNamed(name, known) : undefined
    return isOpen && of !== undefined ? [[name, { ...filter, of }] as const] : []
  })
  return named.length > 0 ? { filters: { ...filters, ...Object.fromEntries(named) } } : {}
}

/** The collection at the top that a parameter names by its word: `customers` of `external_customer_id`. */
function collectionNamed(parameter: string, known: KnownResources): string | undefined {
  const words = wordsOf(parameter)
  const runs = words.flatMap((_, at) =>
    words.slice(at).map((_, to) => words.slice(at, at + to + 1)),
  )
  const forms = new Set(runs.map((run) => run.join('')))
  const found = [...known.paths].find(
    ([, path]) =>
      !path.includes('{') &&
      formsOf(wordOf(path)).some((form) => forms.has(form)) &&
      known.group(path)?.itemPath !== undefined &&
      !known.isAlias(path) &&
      known.resource(path),
  )
  return found?.[0]
}

/** The hints of an operation, with the resources whose changes it streams. */
function withStreams(
  hints: OperationHints,
  operation: Operation,
  { paths, resource, group, isAlias }: KnownResources,
): OperationHints {
  const own = (path: string): InferredResource | undefined => {
    const { collection = [], item = [] } = group(path) ?? {}
    const canChange = [...collection, ...item].some(({ method }) => method !== 'GET')
    return canChange && !isAlias(path) ? resource(path) : undefined
  }
  const streams = inferStreams(operation, { paths, resource: own })

  return streams === undefined ? hints : { ...hints, streams }
}

/** What an operation does, by its method, its path and its schemas. */
function inferOperation(operation: Operation, known: KnownResources): OperationHints {
  const place = known.placeOf(operation)
  const { path, stem, verb } = place
  const ofOthers =
    inWords(operation, place, known) ??
    markHints(operation, path, known) ??
    askedAction(operation, path, known) ??
    listOfOwn(operation, path, known) ??
    inferList(operation, path, known) ??
    aboveOf(operation, path, known)
  if (ofOthers) return ofOthers
  const own = known.group(path)
  const callers = own && known.callersOf(own)
  if (callers) return callerHints(operation, own, callers, known.describe)
  const resource = own && isOnCollection(operation, own) ? known.resource(path) : undefined
  const onCollection = own && resource && collectionHints(operation, own, resource, known)
  if (onCollection) return onCollection
  const record = stem === undefined ? undefined : known.resource(stem)
  if (record)
    return recordHints(operation, known.group(stem ?? ''), record, {
      describe: known.describe,
      verb,
    })
  const named = resource && namedChange(operation, resource, known)

  return (
    named ??
    fileHints(operation, path, known) ??
    actionBelow(operation, path, known) ??
    stateless(reasonFor(operation, own))
  )
}

function isOnCollection(operation: Operation, { collection, posted = [] }: Group): boolean {
  return collection.includes(operation) || posted.includes(operation)
}

/** A list of what the caller is a member of, such as `GET /users/me/teams`; `undefined` for another operation. */
function listOfOwn(
  operation: Operation,
  path: string,
  known: KnownResources,
): OperationHints | undefined {
  const { of, members } = ownMemberships(operation, path, known) ?? {}
  const body = of && responseSchemaOf(operation)
  const found = body && findListed(body, of.context)
  if (!found || !isAlike(found.schema, of.context.known ?? {})) return undefined

  return {
    ...hintsOf(operation, 'list', of, known.describe),
    ...(members !== undefined && { members }),
  }
}

/** What an operation does on the path of a collection; `undefined` when it does nothing that is known. */
function collectionHints(
  operation: Operation,
  group: Group,
  resource: InferredResource,
  known: KnownResources,
): OperationHints | undefined {
  const saved = savedByPost(operation, resource, known)
  if (saved) return saved
  const { describe } = known
  const action = collectionAction(operation, group, resource, describe)
  const named = action === 'list' ? namedList(operation, resource, describe) : undefined
  if (named) return named
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

/**
 * What an operation does that tells of changes or replaces a secret, or to the record that its request names, such as `GET
 * /books/details?id=1`; `undefined` for another one.
 */
function inWords(
  operation: Operation,
  { path, stem, verb, isNamed }: OperationPlace,
  known: KnownResources,
): OperationHints | undefined {
  if (verb === 'watch') return watchHints({ path, stem }, known)
  if (verb === 'renew')
    return actionBelow(operation, shapeOf(operation.path).path, known) ?? stateless('no-action')
  if (!isNamed) return undefined
  return callHints(operation, path, verb, known) ?? stateless('no-action')
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

function stateless(reason: StatelessReason): OperationHints {
  return { action: 'stateless', reason }
}

function reasonFor(operation: Operation, group: Group | undefined): StatelessReason {
  const { method, path } = operation
  if (BULK.test(path) && isMixed(operation)) return 'mixed'
  if (SEARCH.test(path)) return 'search'
  const isCollection = group !== undefined && group.item.length > 0
  if (BULK.test(path) || (isCollection && /^(PUT|PATCH|DELETE)$/.test(method))) return 'bulk'

  return isCollection && method === 'GET' ? 'no-list' : 'no-action'
}
