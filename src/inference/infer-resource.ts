import { nestedSchema } from '../contract/bracket-names.ts'
import type { Operation, Schema } from '../contract/contract.ts'
import { chooseResponse, contentOf, mainContentOf } from '../contract/documented-response.ts'
import { HIDDEN_ID, LATEST_ADDED, type ResourceHints } from '../contract/hints.ts'
import {
  allowsAnyProperty,
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  requiredNames,
  type SchemaPlace,
  schemaAt,
} from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import type { OfferedValues } from './action-effects.ts'
import { shownByCreation } from './created-examples.ts'
import { EVERY } from './equality.ts'
import { addsByPath, createsByPath, type Group, memberIn } from './groups.ts'
import {
  formsOf,
  furtherKeysOf,
  type IdProperty,
  idPropertyOf,
  isNameOf,
  isPlainText,
  isProse,
  keysNamedInPaths,
} from './id-property.ts'
import { listParametersOf } from './paging.ts'
import { CALLERS, ROLE, shapeOf, wordOf } from './path-shape.ts'
import {
  ASIDE,
  findListed,
  findRecord,
  findRecords,
  findSent,
  isFree,
  isListInRecord,
  type RecordContext,
  schemaOrExample,
} from './record-place.ts'
import { shownOnceIn } from './secrets.ts'
import { queryValues, savedKeys, takesAnyBody } from './sent-values.ts'
import { withStateTimes } from './state-hints.ts'
import { inferSubscription } from './subscriptions.ts'
import { CREATED } from './time-names.ts'
import { inferValues, type ShownValue, type ValueContext } from './value-rules.ts'

/** A resource, and what the inference of its operations needs besides. */
export interface InferredResource {
  readonly hints: ResourceHints
  /** What its records are found by in other messages. */
  readonly context: RecordContext
  /** The values that requests list for properties, by their plain names. */
  readonly offered: OfferedValues
  /** The names of the properties that requests have. */
  readonly sent: ReadonlySet<string>
  /** Whether requests can add records. */
  readonly canGrow: boolean
}

/** What else the document says of a group. */
interface GroupContext {
  /** The words of the collections below its records. */
  readonly below: readonly string[]
  readonly describe: (operation: Operation, part?: string | number) => string
  readonly idPrefixes: ReadonlySet<string>
  /** The collections right below its records. */
  readonly children: readonly Group[]
}

/** The resource of a group; `undefined` when nothing describes its records. */
export function inferResource(
  group: Group,
  name: string,
  { below, describe, idPrefixes, children }: GroupContext,
): InferredResource | undefined {
  const isSingle = isSingleRecord(group)
  const hasCreation = group.collection.some(({ method, body }) => method === 'POST' && body)
  if (group.item.length === 0 && !isSingle && !listOf(group)) return undefined
  const isReferred = isNamedById(group, children)
  const context = { ...contextOf(group), said: saidOf(group, describe), idPrefixes, isReferred }
  const views = viewsOf(group, context)
  const main = mainViewOf(views, context)
  if (!main && !hasCreation && !group.item.some(({ method }) => method === 'GET')) return undefined
  const id = isSingle ? HIDDEN_ID : storedId(main, views, context)
  const isHidden = isSingle || (id === HIDDEN_ID && !views.some((view) => view.id !== undefined))
  const known = main && isObjectSchema(main.schema) ? { known: main.schema } : {}
  const sent = sentNames(group, context)
  const offered = offeredValues(group, context)
  const keys = keysOf(main, id, context, { ...group, describe })
  const hints: ResourceHints = {
    name,
    path: group.path,
    ...(group.itemPath !== undefined && { item: group.itemPath }),
    id,
    ...(isHidden && { hasHiddenIds: true as const }),
    ...keys,
    ...uniqueValues(main, id, context, { group, describe }),
    ...(!isSingle && { ...callerIdOf(group, context), ...idWordsOf(main, context) }),
    ...clientIds(group, id, { ...context, ...known }),
    ...(isSingle && { isSingle }),
    ...(main && { view: main.operation.id, ...shownOnce(main) }),
    ...subscriptionOf(group, views, context),
    ...serviceHints(group, main ? [main, ...views] : views, {
      ...{ id, sent, below, offered },
      shown: shownInCreation(group, views, context),
    }),
  }

  return { hints, context: { ...context, ...known }, offered, sent, canGrow: canGrow(group, hints) }
}

/** Whether requests can add records. */
function canGrow({ collection }: Group, { ids }: ResourceHints): boolean {
  return ids === 'client' || collection.some(({ method, body }) => method === 'POST' && body)
}

function keysOf(
  main: RecordView | undefined,
  id: string,
  context: RecordContext,
  { item, parameter, collection, describe }: Group & Pick<GroupContext, 'describe'>,
): Pick<ResourceHints, 'keys'> {
  if (!main) return {}
  const others = item.flatMap(({ path }) => shapeOf(path).parameter ?? [])
  const named = others.filter((one) => one !== parameter)
  const keys = [
    ...furtherKeysOf(main.schema, id, context),
    ...keysNamedInPaths(main.schema, id, named),
    ...savedKeys(collection, { ...context, id, describe, shown: main.schema }),
  ]
  return keys.length > 0 ? { keys: [...new Set(keys)] } : {}
}

/**
 * The values that no two records have: the name by which paths find the records, where these are stored by an id besides, and clients choose
 * the name; and what the description of the 409 of their creation says is taken.
 */
function uniqueValues(
  main: RecordView | undefined,
  id: string,
  { parameter = id, created, isReferred }: RecordContext,
  { group, describe }: { readonly group: Group } & Pick<GroupContext, 'describe'>,
): Pick<ResourceHints, 'unique'> {
  const chosen = [...propertiesOf(main?.schema ?? {}).keys()].filter(
    (one) => one !== id && created?.has(one),
  )
  const inPath = chosen.find((one) => plainName(one) === plainName(parameter))
  const creation = group.collection.find(({ method, body }) => method === 'POST' && body)
  const hasConflict = creation?.responses.some(({ status }) => status === CONFLICT)
  const said = creation && hasConflict ? takenIn(describe(creation, CONFLICT), chosen) : undefined
  const names = [
    ...(isReferred && inPath !== undefined ? [inPath] : []),
    ...(said === undefined ? [] : [said]),
  ]
  if (names.length === 0) return {}
  return { unique: Object.fromEntries(names.map((one) => [one, {}])) }
}

const CONFLICT = 409

/** The only property that the description of a conflict calls taken: `email` of "A user with this email already exists". */
function takenIn(description: string, properties: readonly string[]): string | undefined {
  if (!TAKEN.test(description)) return undefined
  const words = new Set((description.match(/[\w-]+/g) ?? []).map(plainName))
  // "A resource being created already exists" speaks of no time.
  const [name, ...others] = properties.filter((one) => {
    const plain = plainName(one)
    return words.has(plain) && !CREATED.test(plain)
  })
  return others.length === 0 ? name : undefined
}

const TAKEN = /\b(already|exists?|taken|in use|unique|duplicated?|conflicts? with)\b/i

/** The texts by which descriptions say that a path names the caller. */
const SAYS_CALLER = /[`'"“‘](@?me|self|current)[`'"”’]/

/** The text by which the description of a path says that it names the caller, such as `me`. */
export function saidCaller({ said = '' }: Pick<RecordContext, 'said'>): string | undefined {
  return SAYS_CALLER.exec(said)?.[1]
}

/** The text by which paths name the caller among users: as their descriptions say, else `me` where any text may name one. */
function callerIdOf({ path }: Group, context: RecordContext): Pick<ResourceHints, 'callerId'> {
  const { word, schema } = context
  if (!CALLERS.test(word)) return {}
  const named = saidCaller(context)
  const isOpen = /^users?$/i.test(word) && !path.includes('{') && schema && isPlainText(schema)
  const callerId = named ?? (isOpen ? 'me' : undefined)

  return callerId === undefined ? {} : { callerId }
}

/** Words that a description of a path offers instead of an id, what says that it does, and those that mean the chosen record. */
const OFFERED_WORD =
  /["`“](latest|newest|most[-_]recent|last[-_]used|last|current|active|default|primary|first)["`”]/gi
const SAYS_WORD =
  /\b(or|use|pass|specify|keyword|alias|can|may|to|for|refers?|means|returns?|used)\b/i
const SAYS_EXAMPLE = /\b(e\.g\.|such as|example)[^"`“]*$/i
const CHOSEN = /^(default|primary|first)$/i

/** So many characters before and after a word tell whether it is offered. */
const AROUND = 60

/** The words by which paths name a record instead of its id, such as `latest`, as the description of the path says. */
function idWordsOf(
  main: RecordView | undefined,
  { said = '', word }: RecordContext,
): Pick<ResourceHints, 'idWords'> {
  if (CALLERS.test(word)) return {}
  const flags = [...propertiesOf(main?.schema ?? {}).keys()]
  const words = [...said.matchAll(OFFERED_WORD)].flatMap(({ index, 0: text, 1: own = '' }) => {
    const before = said.slice(Math.max(0, index - AROUND), index)
    const around = before + said.slice(index + text.length).slice(0, AROUND)
    if (SAYS_EXAMPLE.test(before) || !SAYS_WORD.test(around)) return []
    const flag = flags.find((one) => plainName(one).replace(/^is/, '') === own.toLowerCase())
    return [[own, CHOSEN.test(own) ? (flag ?? '{first}') : LATEST_ADDED] as const]
  })
  return words.length > 0 ? { idWords: Object.fromEntries(words) } : {}
}

/** The secrets that only creations and what replaces them show. */
function shownOnce({ schema }: RecordView): Pick<ResourceHints, 'shownOnce'> {
  const names = shownOnceIn(schema)
  return names.length > 0 ? { shownOnce: names } : {}
}

/** What the service does with the records besides what requests say. */
function serviceHints(
  { itemPath }: Group,
  views: readonly RecordView[],
  { sent, ...known }: Omit<ValueContext, 'itemPath'>,
): Pick<ResourceHints, 'values'> {
  const schemas = views.map(({ schema }) => schema)
  const context = { ...known, itemPath, sent: new Set([...sent].map(plainName)) }
  const values = inferValues(schemas, context)
  return values ? { values: withStateTimes(values, schemas, known.offered) } : {}
}

/** What makes the records subscriptions, by their views and by what requests say of them. */
function subscriptionOf(
  { path, collection, item }: Group,
  views: readonly RecordView[],
  context: RecordContext,
): Pick<ResourceHints, 'subscription'> {
  const sent = [...collection, ...item].flatMap(({ body }) => {
    const record = body && findRecord(nestedSchema(body.schema), context)
    return record ? [record.schema] : []
  })
  const subscription = inferSubscription(path, { views: views.map(({ schema }) => schema), sent })
  return subscription ? { subscription } : {}
}

function sentNames({ collection, item }: Group, context: RecordContext): ReadonlySet<string> {
  const names = [...collection, ...item].flatMap(({ body }) => {
    const record = body && findRecord(nestedSchema(body.schema), context)
    return record ? [...propertiesOf(record.schema).keys()] : []
  })
  return new Set(names)
}

/** The values that the query of a list and the bodies of requests list, by plain names. */
function offeredValues({ collection, item }: Group, context: RecordContext): OfferedValues {
  const inQuery = byMethod('GET', collection).flatMap((operation) =>
    listParametersOf(operation).map(({ name, schema }) => [name, schema] as const),
  )
  const inBodies = [...collection, ...item].flatMap(({ body }) => [
    ...propertiesOf((body && findRecord(nestedSchema(body.schema), context)?.schema) ?? {}),
  ])
  const listed = [...inQuery, ...inBodies].flatMap(([name, schema]) => {
    const values = listedValues(schema).filter((value) => !EVERY.test(String(value)))
    return values.length > 0 ? [[plainName(name), values] as const] : []
  })
  return new Map(listed.reverse())
}

/** What the examples of the request that creates a record show of the new one. */
function shownInCreation(
  { collection }: Group,
  views: readonly RecordView[],
  context: RecordContext,
): ShownValue {
  const [creation] = byMethod('POST', collection)
  return shownByCreation(creation, {
    shown: views.find(({ operation }) => operation === creation),
    sent: creation?.body && findSent(nestedSchema(creation.body.schema), context),
    names: context.created ?? new Set(),
  })
}

const contextOf = once(({ path, word, parameter, collection, item }: Group): RecordContext => {
  const schema = item
    .flatMap(({ parameters }) => parameters)
    .find((one) => one.in === 'path' && one.name === parameter)?.schema
  const context = { path, word, parameter, schema }
  const namesIn = (operations: readonly Operation[]): ReadonlySet<string> | undefined => {
    const sent = operations.flatMap(
      ({ body }) => (body && findRecord(nestedSchema(body.schema), context)) ?? [],
    )
    return sent.length > 0
      ? new Set(sent.flatMap(({ schema: one }) => [...propertiesOf(one).keys()]))
      : undefined
  }
  const created = namesIn(byMethod('POST', collection).slice(0, 1))
  const changed = namesIn([...byMethod('PATCH', item), ...byMethod('PUT', item)])

  return { ...context, ...(created && { created }), ...(changed && { changed }) }
})

/** What the document says about the path parameter with the id. */
function saidOf(
  { parameter = '', item }: Group,
  describe: (operation: Operation, parameter: string) => string,
): string {
  return [...new Set(item.map((operation) => describe(operation, parameter)))].join('\n')
}

/** The views of a record in the order of how much they show, as far as the methods tell. */
function viewsOf(group: Group, context: RecordContext): readonly RecordView[] {
  const { item, collection, posted = [], renewing = [] } = group
  const list = listOf(group)
  const operations = [
    ...byMethod('GET', item),
    ...byMethod('GET', collection),
    ...posted,
    ...byMethod('POST', collection),
    ...byMethod('PUT', item),
    ...byMethod('PATCH', item),
    ...renewing,
  ]
  return operations.flatMap((operation) => {
    const body = responseSchemaOf(operation)
    if (!body) return []
    const found = operation === list ? findListed(body, context) : findRecord(body, context)
    if (!found) return []
    return { ...found, operation, id: idPropertyOf(found.schema, context) }
  })
}

/** Path parameters that contain an id. */
const IDS_IN_PATHS = /(id|uuid|guid)$/

/** Whether records below name the records of a group by their `id`, while paths name them by a text. A number in a path is one of its own. */
function isNamedById(group: Group, children: readonly Group[]): boolean {
  const { schema } = contextOf(group)
  // Reading the schemas of others takes long in a large document.
  const isText =
    schema !== undefined &&
    isPlainText(schema) &&
    !IDS_IN_PATHS.test(plainName(group.parameter ?? 'id'))
  return isText && children.some((child) => namesById(child, group))
}

/**
 * Whether the records of a collection have the `id` of those above, as the `category_id` of what is below `/categories/{slug}`, and the
 * `author_id` of what is below `/users/{username}`.
 */
function namesById(child: Group, { word }: Group): boolean {
  const names = formsOf(word).map((form) => `${form}id`)
  const isOfPerson = (plain: string): boolean =>
    CALLERS.test(word) && plain.endsWith('id') && ROLE.test(plain.slice(0, -2))

  return shownSchemasOf(child).some((schema) =>
    [...propertiesOf(schema).keys()]
      .map(plainName)
      .some((plain) => names.includes(plain) || isOfPerson(plain)),
  )
}

/** The schemas of the records of a group in responses, as far as they name properties. */
export const shownSchemasOf: (group: Group) => readonly Schema[] = once((group) => {
  const schemas = viewsOf(group, contextOf(group)).map(({ schema }) => schema)
  return [...new Set(schemas)].filter((schema) => propertiesOf(schema).size > 0)
})

/** The operation that lists the records of a group. */
export const listOf: (group: Group) => Operation | undefined = once((group) => {
  const context = contextOf(group)
  const lists = [...byMethod('GET', group.collection), ...(group.posted ?? [])]
  return lists.find((operation) => {
    const body = responseSchemaOf(operation)
    // What the document does not describe is a list only where paths lead to its records.
    if (!body || (group.item.length === 0 && isUnsure(body))) return false
    if (showsOneRecord(body, group.path) || isChangedAsOne(body, group)) return false
    const found = findRecords(body, context)
    const selects = operation.parameters.some(
      (one) => one.in === 'query' && ID_NAME.test(one.name) && propertiesOf(body).has(one.name),
    )
    return found !== undefined && (selects || !isListInRecord(body, found, group.word))
  })
})

/** Whether a request on the path changes values beside the list that a response also has: `{ "html": …, "variants": [ … ] }`. */
function isChangedAsOne(body: Schema, { item, collection }: Group): boolean {
  if (item.length > 0) return false
  const shown = propertiesOf(body)
  const sent = [...byMethod('PUT', collection), ...byMethod('PATCH', collection)].flatMap(
    (operation) => [...propertiesOf(operation.body?.schema ?? {})],
  )
  const isValue = (schema: Schema | undefined): boolean =>
    schema !== undefined && !itemsOf(schema) && !isObjectSchema(schema)

  return sent.some(([name, schema]) => isValue(schema) && isValue(shown.get(name)))
}

/** Whether a body is a list only if paths lead to its records: nothing is known of it, or it has any properties. */
function isUnsure(body: Schema): boolean {
  return itemsOf(body) === undefined && propertiesOf(body).size === 0
}

/** Whether a path has one record only, which can be read and changed. */
function isSingleRecord(group: Group): boolean {
  const { collection, item, renewing = [] } = group
  if (renewing.length > 0) return item.length === 0 && !listOf(group)
  const canBeRead = collection.some(({ method }) => method === 'GET')
  const canBeChanged = collection.some(
    ({ method, body }) => (/^(PUT|PATCH|POST)$/.test(method) && body) || method === 'DELETE',
  )
  return item.length === 0 && canBeRead && canBeChanged && !listOf(group)
}

/** What clients say of ids. */
function clientIds(
  group: Group,
  id: string,
  context: RecordContext,
): Pick<ResourceHints, 'ids' | 'renames'> {
  if (!choosesIds(group, id, context)) return {}
  return { ids: 'client', ...(changesIds(group, id, context) && { renames: true }) }
}

/** Whether the request that creates a record contains its id, or its path does. */
function choosesIds(group: Group, id: string, context: RecordContext): boolean {
  const [creation] = byMethod('POST', group.collection)
  if (!creation) return addsByPath(group) || createsByPath(group)
  const inQuery = Object.values(queryValues(creation, 'create', id, context) ?? {})
  const isName = !ID_NAME.test(plainName(id)) && id !== HIDDEN_ID

  return (
    sentIdOf(creation, id, context) !== undefined ||
    inQuery.includes(id) ||
    (isName && inQuery.length === 0 && takesAnyBody(creation, 'create'))
  )
}

/** Ids that services choose. */
const ID_NAME = /(id|number|key|token|hash|sha)$/i

/** Whether the request that creates a record contains its id, a text, and requests that change the record contain it, too. */
function changesIds({ collection, item }: Group, id: string, context: RecordContext): boolean {
  const property = propertiesOf(context.known ?? {}).get(id)
  const isText = property !== undefined && !isNumeric(property)
  const [creation] = byMethod('POST', collection)
  const changes = [...byMethod('PATCH', item), ...byMethod('PUT', item)]
  const names = [creation, ...changes].map((one) => one && sentIdOf(one, id, context))

  return isText && names[0] !== undefined && names.slice(1).some((name) => name !== undefined)
}

/** The property of the record in a request that contains the id: that of the resource, or that with the name of the path parameter. */
export function sentIdOf(
  { body }: Operation,
  id: string,
  context: RecordContext,
): string | undefined {
  const record = body && findSent(nestedSchema(body.schema), context)
  if (!record) return undefined
  // A further key, such as the slug of what the records below name by its id, is a value of its own.
  const parameter = (context.isReferred ? undefined : context.parameter) ?? id
  const names = [...propertiesOf(record.schema)].flatMap(([name, { readOnly }]) =>
    readOnly === true || (id === 'id' && isProse(name)) ? [] : name,
  )
  const replied = repliedTo(record.schema, id, context)
  return (
    names.find((name) => name !== replied?.sent && plainName(name) === plainName(parameter)) ??
    names.find((name) => name === id) ??
    names.find((name) => name !== replied?.sent && isNameOf(name, id, context.word)) ??
    (id === HIDDEN_ID ? sentIdBelow(record.schema, context) : undefined) ??
    sentMember(record.schema, context)
  )
}

/** The id of a person in a request that adds one to some people, where no path leads to one of them, and they do not show it as another id. */
function sentMember(
  sent: Schema,
  { word, parameter, known = {} }: RecordContext,
): string | undefined {
  const name = parameter === undefined ? memberIn(sent, word) : undefined
  return name === undefined || propertiesOf(known).has(name) ? undefined : name
}

/** What names the record of the same kind that a record is below, such as `parent_id` and `in_reply_to`. */
const REPLIES = /^(parent|(in)?replyto|replied|thread|root)(id)?$/

/** A property of a request that names another record of the same kind, and the property that shows it. */
interface Replied {
  readonly sent: string
  readonly shown: string
}

/**
 * Where a request that creates a record names another one, to which it replies: `comment_id`, which need not be there, of comments that show
 * an `id` and a `parent_id`.
 */
export function repliedTo(
  sent: Schema,
  id: string,
  { known = {}, word, parameter = id }: RecordContext,
): Replied | undefined {
  const names = [...propertiesOf(sent).keys()]
  const shown = [...propertiesOf(known).keys()].find((name) => REPLIES.test(plainName(name)))
  if (id !== 'id' || shown === undefined || names.includes(shown)) return undefined
  const found = names.find(
    (name) =>
      name !== id &&
      (plainName(name) === plainName(parameter) || isNameOf(name, id, word)) &&
      !requiredNames(sent).has(name),
  )
  return found === undefined ? undefined : { sent: found, shown }
}

/** The place of the id in an object of the record in a request, such as `/metadata/name`. */
function sentIdBelow(record: Schema, context: RecordContext): string | undefined {
  const { name = '' } = idPropertyOf(record, context) ?? {}
  return name.startsWith('/') && schemaAt(record, name)?.readOnly !== true ? name : undefined
}

/**
 * The schema of the JSON body of the response that an operation sends when it succeeds. Where the document describes no body, any
 * is allowed. `undefined` when the response has no body, or no schema.
 */
export function responseSchemaOf(operation: Operation): Schema | undefined {
  const { status, documented } = chooseResponse(operation)
  const described = status < 300 ? documented : undefined
  if (!described || contentOf(described).length === 0)
    return status === NO_CONTENT ? undefined : ANYTHING
  const media = mainContentOf(described)

  return media && schemaOrExample(media)
}

const NO_CONTENT = 204

const ANYTHING: Schema = {}

function byMethod(method: string, operations: readonly Operation[]): readonly Operation[] {
  return operations.filter((operation) => operation.method === method)
}

/** How the records of a group look in the response of one operation. */
interface RecordView extends SchemaPlace {
  readonly operation: Operation
  readonly id: IdProperty | undefined
}

/** The first view that has the id; without one, the first that can show it where paths lead to records. */
function mainViewOf(
  views: readonly RecordView[],
  { parameter }: RecordContext,
): RecordView | undefined {
  const shown = views.find(({ id }) => id !== undefined)
  const open = views.find(({ schema }) => parameter !== undefined && canShowId(schema))

  return shown ?? open ?? views[0]
}

/**
 * The property under which the ids of records are stored: that which their main view shows, unless that is in an object. When no view
 * has one, the id is called as in the path or `id`, where a schema allows that.
 */
function storedId(
  main: RecordView | undefined,
  views: readonly RecordView[],
  { parameter }: RecordContext,
): string {
  const { name } = main?.id ?? {}
  if (name !== undefined) return name.startsWith('/') ? HIDDEN_ID : name
  if (parameter === undefined) return HIDDEN_ID
  const free = [parameter, 'id'].find(
    (one) => !views.some(({ schema }) => propertiesOf(schema).has(one)),
  )
  return (main && canShowId(main.schema) && free) || HIDDEN_ID
}

/** Whether a record may have an id that its schema does not name. */
function canShowId(schema: Schema): boolean {
  return (isObjectSchema(schema) || isFree(schema)) && allowsAnyProperty(schema)
}

/** An id with a higher rank may be that of something else. */
const MAX_RANK = 2

/**
 * Whether the response at a path shows the record that the path leads to, such as an order with the list of its items at
 * `/orders/{orderId}`, although there are paths such as `/orders/{orderId}/{itemId}`.
 */
export function showsOneRecord(body: Schema, path: string): boolean {
  const { stem, parameter } = shapeOf(path)
  if (stem === undefined || itemsOf(body)) return false
  const context = { word: wordOf(stem), parameter }
  const found = findRecord(body, context)
  const record = found && schemaAt(body, found.place)
  if (!record || itemsOf(record)) return false
  const id = idPropertyOf(record, context)
  if (!id || id.rank > MAX_RANK || id.name.startsWith('/')) return false

  return [...propertiesOf(record)].some(
    ([name, property]) => name !== id.name && !itemsOf(property) && !ASIDE.test(plainName(name)),
  )
}
