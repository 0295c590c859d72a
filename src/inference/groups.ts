import type { Operation, Schema } from '../contract/contract.ts'
import { chooseResponse, mainContentOf } from '../contract/documented-response.ts'
import { itemsOf, listedValues, plainName, propertiesOf } from '../contract/schema.ts'
import { idPropertyOf, wordsOf } from './id-property.ts'
import { CALLERS, type PathShape, shapeOf, UNNAMED, withoutNames, wordOf } from './path-shape.ts'
import { findRecords } from './record-place.ts'
import { type Verb, type VerbPath, verbPaths } from './verb-paths.ts'

/** The operations on the path of a collection, and those on the path of one of its records. */
export interface Group {
  /** The path of the collection. */
  readonly path: string
  /** The word for the records, such as `books`. */
  readonly word: string
  readonly collection: readonly Operation[]
  readonly item: readonly Operation[]
  /** The operations that list the records with a POST, such as `POST /books.list`; absent when there are none. */
  readonly posted?: readonly Operation[]
  /** The operations that replace the secret which the path has, such as `POST /apps/{id}/secret/rotate`; absent when there are none. */
  readonly renewing?: readonly Operation[]
  /** The path of one record. */
  readonly itemPath?: string
  /** The path parameter that contains the id. */
  readonly parameter?: string
}

/** Where an operation belongs: the shape of its path, without a word for what it does at its end. */
export interface OperationPlace extends PathShape {
  /** What such a word says; absent without one. */
  readonly verb?: Verb
  /** Whether the request names the record that the word is about. Default: no. */
  readonly isNamed?: true
  /** What the response of a list calls the records; absent where it is the word of their path. */
  readonly word?: string
}

/** Finds where operations belong. */
export function createPlaceOf(
  operations: readonly Operation[],
): (operation: Operation) => OperationPlace {
  const verbs = verbPaths(operations)
  const shapes = new Map(operations.map((operation) => [operation, shapeOf(operation.path)]))
  const lists = selectedLists(shapes, verbs)
  const members = membersElsewhere(shapes)
  return (operation) =>
    lists.get(operation) ??
    members.get(operation) ??
    placeOf(verbs.get(operation), shapes.get(operation) ?? shapeOf(operation.path))
}

/**
 * The operations that list what a parameter at the end of their path selects, such as `GET /orders/user/{userId}`: the path has no other
 * operation, nothing is below it, no path ends before the parameter, and the response is a list of records.
 */
function selectedLists(
  shapes: ReadonlyMap<Operation, PathShape>,
  verbs: ReadonlyMap<Operation, VerbPath>,
): ReadonlyMap<Operation, OperationPlace> {
  const counts = new Map<string, number>()
  for (const { path } of shapes.values()) {
    const segments = withoutNames(path).split('/')
    for (const [at] of segments.entries()) {
      const start = segments.slice(0, at + 1).join('/')
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
  }
  return new Map(
    [...shapes].flatMap(([operation, { path, stem, parameter }]) => {
      if (stem === undefined || stem.endsWith('}') || operation.method !== 'GET') return []
      const isAlone = [path, stem].every((one) => counts.get(withoutNames(one)) === 1)
      const isList = isAlone && !verbs.has(operation) && listsRecords(operation, stem, parameter)
      return isList ? [[operation, { path }] as const] : []
    }),
  )
}

/** What those are called that belong to something. */
export const MEMBERS: RegExp =
  /^(members?|memberships?|collaborators?|participants?|people|users?)$/i

/**
 * The operations on single members of something, where only another word lists them: `PUT /teams/{id}/users/{user_id}` is about one of the
 * `/teams/{id}/members`.
 */
function membersElsewhere(
  shapes: ReadonlyMap<Operation, PathShape>,
): ReadonlyMap<Operation, OperationPlace> {
  const methods = new Map<string, Set<string>>()
  for (const [{ method }, { path }] of shapes) {
    const known = methods.get(withoutNames(path)) ?? new Set()
    methods.set(withoutNames(path), known.add(method))
  }
  const isListed = (path: string): boolean =>
    [...(methods.get(path) ?? [])].join() === 'GET' && !methods.has(`${path}/${UNNAMED}`)
  const lists = [...shapes.values()].flatMap(({ path }) =>
    MEMBERS.test(wordOf(path)) && isListed(withoutNames(path)) ? path : [],
  )
  return new Map(
    [...shapes].flatMap(([operation, shape]) => {
      const { path, stem = '' } = shape
      const isMember = MEMBERS.test(stem.slice(stem.lastIndexOf('/') + 1))
      if (
        !isMember ||
        methods.has(withoutNames(stem)) ||
        methods.get(withoutNames(path))?.has('GET')
      )
        return []
      const above = withoutNames(parentOf(stem))
      const beside = lists.filter((one) => withoutNames(parentOf(one)) === above)
      const [only] = beside
      const isOwn = above.endsWith(UNNAMED) && only !== undefined && beside.length === 1
      return isOwn ? [[operation, { ...shape, stem: only }] as const] : []
    }),
  )
}

function listsRecords(operation: Operation, stem: string, parameter = ''): boolean {
  const { documented } = chooseResponse(operation)
  const body = documented && mainContentOf(documented)?.schema
  const context = { word: wordOf(stem), parameter }
  const found = body && findRecords(body, context)
  if (!found || propertiesOf(found.schema).size < MIN_LISTED) return false

  return itemsOf(body) !== undefined || idPropertyOf(body, context) === undefined
}

/** A list of objects with fewer properties may be a part of a record. */
const MIN_LISTED = 2

function placeOf(verb: VerbPath | undefined, shape: PathShape): OperationPlace {
  if (!verb) return shape
  const { path: own, ...word } = verb
  return { ...shapeOf(own), ...word }
}

/**
 * Groups operations by the path of their collection. An operation on `/repos/{owner}` is in two groups when there is a
 * `/repos/{owner}/{repo}`: on a record of `/repos`, and on the collection `/repos/{owner}`.
 */
export function groupOperations(
  operations: readonly Operation[],
  placeOf: (operation: Operation) => OperationPlace = createPlaceOf(operations),
): ReadonlyMap<string, Group> {
  const shapes = operations.map((operation) => ({ operation, ...placeOf(operation) }))
  const stems = new Set(shapes.flatMap(({ stem }) => stem ?? []))
  const groups = new Map<string, OpenGroup>()
  for (const shape of shapes) {
    const { path, stem, isNamed, verb } = shape
    // What names its records itself is on neither path, and what tells of changes shows no more of them.
    if (isNamed || verb === 'watch') continue
    addToRecords(groups, shape)
    if (stem === undefined || stems.has(path)) addToCollection(groups, shape)
  }
  return new Map(
    [...groups].map(([stem, group]) => [
      stem,
      { ...group, ...mostNamed(group.item.map((operation) => placeOf(operation))) },
    ]),
  )
}

/** A group to which operations are added. */
interface OpenGroup extends Group {
  readonly collection: Operation[]
  readonly item: Operation[]
}

type PlacedOperation = OperationPlace & { readonly operation: Operation }

/** Adds an operation on the path of a record to the group of its collection. */
function addToRecords(
  groups: Map<string, OpenGroup>,
  { operation, path, stem, parameter }: PlacedOperation,
): void {
  if (stem === undefined || parameter === undefined) return
  const group = groups.get(stem) ?? newGroup(stem)
  groups.set(stem, { itemPath: path, parameter, ...group })
  group.item.push(operation)
}

function addToCollection(
  groups: Map<string, OpenGroup>,
  { operation, path, verb, word }: PlacedOperation,
): void {
  const group = groups.get(path) ?? newGroup(path)
  const isPosted = verb === 'list' && operation.method === 'POST'
  const isRenewing = verb === 'renew'
  groups.set(path, {
    ...group,
    ...(word !== undefined && { word }),
    ...(isPosted && { posted: [...(group.posted ?? []), operation] }),
    ...(isRenewing && { renewing: [...(group.renewing ?? []), operation] }),
  })
  if (!(isPosted || isRenewing)) group.collection.push(operation)
}

function newGroup(path: string): OpenGroup {
  return { path, word: wordOf(path), collection: [], item: [] }
}

/** The path of a record that most operations have; of several, the first: `/contacts/{id}` with two, and not `/contacts/{number}`. */
function mostNamed(places: readonly PathShape[]): Pick<Group, 'itemPath' | 'parameter'> {
  const count = ({ path }: PathShape): number => places.filter((one) => one.path === path).length
  const [first, ...others] = places
  if (!first || others.every(({ path }) => path === first.path)) return {}
  const { path, parameter } = others.reduce(
    (most, one) => (count(one) > count(most) ? one : most),
    first,
  )
  return { itemPath: path, ...(parameter !== undefined && { parameter }) }
}

/**
 * The words of the collections below a record that can be listed, by the path of the record without the names of its parameters:
 * `comments` of `/issues/{id}/comments`.
 */
export function wordsBelow(
  groups: ReadonlyMap<string, Group>,
): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>()
  for (const { path, word, collection, item } of groups.values()) {
    const record = withoutNames(parentOf(path))
    const hasRecords = item.length > 0 || collection.some(({ method }) => method === 'GET')
    if (!record.endsWith(UNNAMED) || !hasRecords) continue
    words.set(record, [...(words.get(record) ?? []), word])
  }
  return words
}

/** The name of the collection at the root of the API. */
const ROOT = 'root'

/** A name for each path: its last segment, or the whole path when another path ends with the same segment. */
export function namesOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(lastSegment(path), (counts.get(lastSegment(path)) ?? 0) + 1)

  return new Map(
    paths.map((path) => {
      const last = lastSegment(path)
      const isShort = counts.get(last) === 1 && !last.includes('{') && last !== ''
      return [path, isShort ? last : path.slice(1) || ROOT]
    }),
  )
}

/** The path without its last segment. */
function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The operations on each path, and on the paths that have one more segment, or a word for what they do besides. */
export function groupByPath(
  operations: readonly Operation[],
): ReadonlyMap<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>()
  const verbs = verbPaths(operations)
  for (const operation of operations) {
    const { path } = shapeOf(operation.path)
    const inner = verbs.get(operation)?.path ?? path
    for (const key of new Set([path, parentOf(path), inner, parentOf(inner)])) {
      const group = groups.get(key) ?? []
      groups.set(key, group)
      group.push(operation)
    }
  }
  return groups
}

/** The operations whose paths contain a template with a parameter at its end, by that template without the names of its parameters. */
type OperationsByTemplate = ReadonlyMap<string, readonly Operation[]>

/** The operations by all templates that their paths begin with and that end with a parameter. */
export function groupByTemplate(operations: readonly Operation[]): OperationsByTemplate {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    for (const template of templatesIn(shapeOf(operation.path).path)) {
      const group = groups.get(template) ?? []
      groups.set(template, group)
      group.push(operation)
    }
  }
  return groups
}

/** Operations deeper below a record rarely say more about its id, and each costs time. */
const MAX_OPERATIONS = 20

/** The operations whose paths contain the id of a record: those on the path of the record, then those below it. */
export function operationsWith(
  itemPath: string,
  groups: OperationsByTemplate,
): readonly Operation[] {
  const found = groups.get(withoutNames(itemPath)) ?? []
  const depth = ({ path }: Operation): number => path.split('/').length

  return [...found].sort((one, other) => depth(one) - depth(other)).slice(0, MAX_OPERATIONS)
}

function templatesIn(path: string): readonly string[] {
  const segments = withoutNames(path).split('/')
  return segments.flatMap((segment, at) =>
    segment === UNNAMED ? [segments.slice(0, at + 1).join('/')] : [],
  )
}

/**
 * Whether a PUT that needs no body, or a POST without one, adds what its path names, as a member to a team: no POST adds anything to the
 * collection, and a DELETE takes it out again.
 */
export function addsByPath({ collection, item }: Pick<Group, 'collection' | 'item'>): boolean {
  const has = (method: string): Operation | undefined => item.find((one) => one.method === method)
  const [put, post] = [has('PUT'), has('POST')]
  const isPut = put !== undefined && !put.body?.required
  const isPosted = put === undefined && post !== undefined && !post.body
  const isAdded = (isPut || isPosted) && has('DELETE') !== undefined

  return isAdded && !collection.some(({ method }) => method === 'POST')
}

/**
 * Whether a POST with values creates the record of its path, as `POST /contents/{path}` with a 201 does, or a POST or a PUT that is called
 * `createTag`, and no request to the collection does.
 */
export function createsByPath({ collection, item }: Pick<Group, 'collection' | 'item'>): boolean {
  const isCreated = item.some(
    (one) =>
      (one.method === 'POST' &&
        one.body &&
        one.responses.some(({ status }) => status === CREATED)) ||
      (/^(POST|PUT)$/.test(one.method) && isCalledCreation(one)),
  )
  const canBeSeen = item.some(({ method }) => method === 'GET')

  return isCreated && canBeSeen && !collection.some(({ method }) => method === 'POST')
}

const CREATED = 201

/** Whether an operation is called as one that creates a record; its id is its method and path where it has no name. */
export function isCalledCreation({ id }: Operation): boolean {
  return !id.includes(' ') && CREATES.test(wordsOf(id)[0] ?? '')
}

const CREATES = /^(create|declare|define|register|upsert)$/

/**
 * Whether what a collection below a record has is created elsewhere: requests name it by its id alone, in their path or their body. People
 * may have a role besides.
 */
export function hasMembers(group: Group): boolean {
  const { path, collection, word } = group
  if (!path.includes('{')) return false
  const creation = collection.find(({ method, body }) => method === 'POST' && body)
  if (!creation) return addsByPath(group)
  const sent = creation.body?.schema ?? {}
  const names = [...propertiesOf(sent).keys()]

  return (names.length > 0 && names.every(isIdName)) || memberIn(sent, word) !== undefined
}

/** The property by which a request that adds one of some people names the person, beside nothing but choices such as a role. */
export function memberIn(sent: Schema, word: string): string | undefined {
  if (!MEMBERS.test(word)) return undefined
  const properties = [...propertiesOf(sent)]
  const named = properties.filter(([name]) => isIdName(name))
  const [only] = named.length === 1 ? named : []
  const isPerson = only !== undefined && CALLERS.test(plainName(only[0]).replace(ID_END, ''))
  const areChoices = properties.every(
    (one) => one === only || listedValues(one[1]).length > 0 || one[1].type === 'boolean',
  )
  return isPerson && areChoices ? only[0] : undefined
}

function isIdName(name: string): boolean {
  return ID_WORD.test(wordsOf(name).at(-1) ?? '')
}

/** The last words of names that contain nothing but ids. */
const ID_WORD = /^(ids?|gids?|uuids?|sids?)$/
const ID_END = /(id|gid|uuid|sid)$/
