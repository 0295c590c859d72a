import type { Schema } from '../contract/contract.ts'
import { callerHint, whileHint } from '../contract/hints.ts'
import {
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  schemaAt,
  typesIn,
} from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import type { Group } from './groups.ts'
import { isSameWord } from './id-property.ts'
import { type InferredResource, responseSchemaOf, saidCaller } from './infer-resource.ts'
import { CALLERS, shapeOf } from './path-shape.ts'
import { findRecord } from './record-place.ts'
import { stateOfActor } from './state-hints.ts'

/** The last words of paths that lead to the record of the caller, such as `/me` and `/users/current`. */
const CALLER =
  /^(@?me|self|myself|user|account|profile|whoami|viewer|current|(current|my|user)[-_]?(user|account|profile|info)|verify_credentials)$/i

/** Whether the caller's record at a path may be one of a collection, by both paths alone. */
export function mayBeCallerOf(path: string, collection: string): boolean {
  return collection === aboveCaller(path) || CALLERS.test(lastOf(collection))
}

function aboveCaller(path: string): string {
  return path.slice(0, -lastOf(path).length - 1)
}

/** Whether the path of an operation is called as that of the caller's record. */
export function isCallerPath(path: string): boolean {
  return !path.includes('{') && CALLER.test(lastOf(shapeOf(path).path))
}

/** The groups of a document and what they are about. */
interface CallerContext {
  readonly groups: ReadonlyMap<string, Group>
  readonly resource: (path: string) => InferredResource | undefined
  readonly stated: StatedCallers
}

/** What hints say of paths: the path of a record of which they lead to the caller's, or that they do not. */
export type StatedCallers = ReadonlyMap<string, string | false>

/** Finds the records of callers in a document. Schemas are read when one is first needed. */
export interface CallerFinder {
  /** The collection of which the path of a group leads to the caller's own record; `undefined` for other paths. */
  readonly of: (group: Group) => InferredResource | undefined
  /** The collection that has the records of callers; `undefined` when no path leads to them. */
  readonly all: () => InferredResource | undefined
  /** A resource whose new records have the caller in the properties that are called so. */
  readonly complete: (
    group: Group,
    resource: InferredResource | undefined,
  ) => InferredResource | undefined
}

export function createCallerFinder(context: CallerContext): CallerFinder {
  const { groups, stated } = context
  const callersOf = once((group: Group) => callersAt(group, context))
  const callers = once((all: CallerContext['groups']) => {
    const own = [...all.values()].filter(({ path }) => stated.has(path) || isCallerPath(path))
    const found = own.flatMap((group) => callersOf(group) ?? [])
    // At `/applications/@me` is the caller's application.
    const callersOfPaths = found.find(({ context: { word } }) => CALLERS.test(word)) ?? found[0]
    return callersOfPaths ?? namedCallers(all, context)
  })
  const completed = once((resource: InferredResource) => withCaller(resource, callers(groups)))

  return {
    of: callersOf,
    all: () => callers(groups),
    complete: (group, resource) => (resource && canAdd(group) ? completed(resource) : resource),
  }
}

/** The users at the top of whose paths a description says that a text such as `me` names the caller. */
function namedCallers(
  groups: CallerContext['groups'],
  { resource }: CallerContext,
): InferredResource | undefined {
  const users = [...groups.values()].filter(
    ({ path, item }) => item.length > 0 && !path.includes('{') && CALLERS.test(lastOf(path)),
  )
  return users
    .flatMap(({ path }) => resource(path) ?? [])
    .find(({ hints, context }) => hints.callerId !== undefined && saidCaller(context) !== undefined)
}

/** Whether requests can add records. */
function canAdd({ collection, item }: Group): boolean {
  return (
    collection.some(({ method }) => method === 'POST') ||
    item.some(({ method }) => method === 'PUT')
  )
}

function withCaller(
  resource: InferredResource,
  callers: InferredResource | undefined,
): InferredResource {
  const own = callers ? callerValues(resource, callers) : {}
  const values = { ...resource.hints.values, ...own }
  const hints = { ...resource.hints, values }

  return Object.keys(own).length === 0 ? resource : { ...resource, hints }
}

/** The collection of which the path of a group leads to the caller's own record: its response has the schema of these records. */
function callersAt(
  { path, item, collection }: Group,
  { groups, resource, stated }: CallerContext,
): InferredResource | undefined {
  const record = stated.get(path)
  if (record !== undefined)
    return record === false ? undefined : resource(shapeOf(record).stem ?? record)
  const read = collection.find(({ method }) => method === 'GET')
  // Paths to users by another id may be below it. A collection to which requests add is not the caller.
  const isCollection = item.length > 0 && collection.some(({ method }) => method === 'POST')
  if (!read || isCollection || !isCallerPath(path)) return undefined
  const body = responseSchemaOf(read)
  if (!body) return undefined
  const above = aboveCaller(path)
  const others = [...groups.keys()].filter((one) => one !== path && CALLERS.test(lastOf(one)))
  const depth = (one: string): number => one.split('/').length
  // Of several collections of users, that at the top has all of them.
  const byDepth = others.sort((one, other) => depth(one) - depth(other))

  return [above, ...byDepth]
    .filter((one) => !one.includes('{') && groups.get(one)?.itemPath !== undefined)
    .flatMap((one) => resource(one) ?? [])
    .find((one) => showsRecordOf(one, body))
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function showsRecordOf({ context, hints }: InferredResource, body: Schema): boolean {
  const { known } = context
  if (!known || hints.isSingle) return false
  const found = findRecord(body, context)
  if (!found || itemsOf(schemaAt(body, found.place) ?? {})) return false

  return found.schema === known || isSame(found.schema, known)
}

/** Fewer equal names may be a coincidence, such as an id and a name. */
const MIN_SHARED = 3

/** Whether most properties of one schema are those of the other. */
function isSame(one: Schema, other: Schema): boolean {
  const [names, others] = [propertiesOf(one), propertiesOf(other)]
  const shared = [...names.keys()].filter((name) => others.has(name)).length

  return shared >= MIN_SHARED && shared / Math.min(names.size, others.size) > 0.6
}

/** What the caller is to a record. */
const ROLE = '(owner|ownedby|creator|author|user|createdby|reporter|submitter|uploader|requester)'
const ROLE_NAME = new RegExp(`^${ROLE}$`)
const ROLE_ID = new RegExp(`^${ROLE}(id|uuid|gid|sid)$`)
/** The roles that a text without a form may name, where paths name users by texts. */
const NAMED_ROLE = /^(owner|creator|author|user|createdby)$/

/** Records of other users, and things of others that somebody collects: who adds one is not their user or author. */
const OTHERS =
  /member|collaborator|follow|reviewer|invit|participant|attendee|bookmark|favou?rite|pin|like|star/i

/** The properties of new records that are the caller, as an id or an object, such as `owner` and `created_by_id`. */
function callerValues(
  { context, hints, offered }: InferredResource,
  callers: InferredResource,
): Readonly<Record<string, string>> {
  const { known } = context
  const isOfUsers = [callers.context.word, 'users'].some((one) => isSameWord(context.word, one))
  if (!known || isOfUsers || OTHERS.test(context.word) || /permission/i.test(hints.path)) return {}
  const caller = callerHint(callers.hints.name)
  const values = [...propertiesOf(known)].flatMap(([name, schema]) => {
    const isOwn = name !== hints.id && !hints.keys?.includes(name)
    if (!isOwn) return []
    if (isCaller(name, schema, callers)) return [[name, caller] as const]
    const ended = isEnder(name, schema, callers) ? stateOfActor(name, known, offered) : undefined
    return ended ? [[name, whileHint(caller, ended)] as const] : []
  })
  return Object.fromEntries(values)
}

/** Whether a property is the caller who ended what the record is about, such as `closed_by`. */
function isEnder(name: string, schema: Schema, callers: InferredResource): boolean {
  const ended = ENDER.exec(plainName(name))
  return ended !== null && isCaller(`createdby${ended[1] ?? ''}`, schema, callers)
}

const ENDER = /^(?:[a-z]+ed)by(id|uuid|gid|sid)?$/

function isCaller(name: string, schema: Schema, { context, hints }: InferredResource): boolean {
  const plain = plainName(name)
  const { known = {} } = context
  if (isObjectSchema(schema))
    return ROLE_NAME.test(plain) && (schema === known || isSame(schema, known))
  const id = propertiesOf(known).get(hints.id)
  if (!id || typesIn(schema).size === 0 || listedValues(schema).length > 0) return false
  if (isNumeric(id) !== isNumeric(schema)) return false
  // A text without a form is rather the name of the owner than an id, unless paths name users so.
  const isForm = isNumeric(id) || id.format === schema.format

  return ROLE_ID.test(plain) || (NAMED_ROLE.test(plain) && isForm && hasForm(id, hints.id))
}

function hasForm(id: Schema, name: string): boolean {
  return isNumeric(id) || id.format !== undefined || !/^(id|uuid|gid|sid)$/i.test(name)
}
