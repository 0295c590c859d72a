import type { Operation, Schema } from '../contract/contract.ts'
import type { ListHints, OperationHints } from '../contract/hints.ts'
import { escapeKey, isObjectSchema, itemsOf, plainName, propertiesOf } from '../contract/schema.ts'
import { hasScalars } from './equality.ts'
import type { Group } from './groups.ts'
import { formsOf, isSameWord, wordsOf } from './id-property.ts'
import { type InferredResource, responseSchemaOf } from './infer-resource.ts'
import { actionHints, isAlike, type ResourceFinder, shownHints } from './message-hints.ts'
import { shapeOf } from './path-shape.ts'
import { findListed, findRecord } from './record-place.ts'
import type { ReferenceFinder } from './references.ts'

// A path such as `/issues/{number}/labels` may lead to a list that the record shows itself, whose items exist elsewhere.

export interface ListContext extends ResourceFinder {
  readonly isAlias: (path: string) => boolean
  readonly references: ReferenceFinder
}

/** A list in the records of a resource that a path leads to. */
interface RecordList extends Pick<ListHints, 'property' | 'of'> {
  readonly owner: InferredResource
  readonly word: string
  /** The records that its items show. */
  readonly items?: InferredResource | undefined
}

/** What an operation does to a list in a record; `undefined` when it is about something else. */
export function inferList(
  operation: Operation,
  path: string,
  known: ListContext,
): OperationHints | undefined {
  const edited = editOf(operation, path, known)
  if (edited) return edited
  const [, record = '', word = '', key] = LIST_PATH.exec(path) ?? []
  const [, verb, named = word] = ADDITION.exec(word) ?? []
  const { stem } = shapeOf(record)
  const isOwn = stem !== undefined && !known.isAlias(`${record}/${word}`)
  const list = isOwn ? listIn(stem, named, known) : undefined
  if (!list) return undefined
  const change =
    verb === undefined ? changeOf(operation, key !== undefined) : additionBy(verb, operation)
  const group = known.group(`${record}/${word}`)
  if (change === undefined || !(verb !== undefined || showsOthers(group, list))) return undefined
  // What a request such as `addTag` has besides says how the item is added.
  const most = verb === undefined ? MOST_OTHERS : Number.POSITIVE_INFINITY
  if (change === 'read') return listHints(operation, list, {}, known)
  if (!operation.body) return listHints(operation, list, { change }, known)
  const sent = key === undefined ? placeIn(operation.body.schema, list, '', most) : undefined

  return sent === undefined ? undefined : listHints(operation, list, { change, sent }, known)
}

/** What a request adds to a list in a record and removes from it: `{ "add": [ … ], "remove": [ … ] }`, `{ "addLabelIds": [ … ] }`. */
function editOf(
  operation: Operation,
  path: string,
  known: ListContext,
): OperationHints | undefined {
  const edit = operation.method === 'GET' ? undefined : editIn(operation.body?.schema)
  const [, record = path, last = ''] = LIST_PATH.exec(path) ?? []
  const word =
    edit?.word ||
    wordsOf(last)
      .filter((one) => !EDITS.test(one))
      .join('')
  const { stem } = shapeOf(record)
  if (!edit || stem === undefined || word === '' || known.isAlias(path)) return undefined
  const list = listIn(stem, word, known) ?? textsIn(stem, word, known)
  const { adds, removes } = edit
  if (adds === undefined)
    return list && listHints(operation, list, { change: 'remove', sent: removes ?? '' }, known)
  const sent = {
    change: 'add',
    sent: adds,
    ...(removes !== undefined && { removed: removes }),
  } as const

  return list && listHints(operation, list, sent, known)
}

/** Words in a path for a change of a list. */
const EDITS = /^(change|update|edit|modify|manage|set|add|remove|batch|bulk|actions?)$/

/** What a body adds to a list and removes from it, and what it calls the list. */
interface ListEdit {
  readonly word: string
  readonly adds?: string
  readonly removes?: string
}

const ADDS = /^(add|added|adding|additions?|append)$/
const REMOVES = /^(remove|removed|removing|removals?|delete|deleted|drop)$/

/** The edit of a list that a body has, if it has nothing else. */
function editIn(body: Schema | undefined): ListEdit | undefined {
  const properties = [...propertiesOf(body ?? {})]
  const edits = properties.flatMap(([name, schema]): ListEdit | readonly ListEdit[] => {
    const words = wordsOf(name)
    const [adds, removes] = [ADDS, REMOVES].map((verb) => words.some((one) => verb.test(one)))
    if (adds === removes || !itemsOf(schema)) return []
    const place = `/${escapeKey(name)}`
    const nouns = words.filter((one) => !(ADDS.test(one) || REMOVES.test(one) || one === 'to'))
    return { word: nouns.join(''), ...(adds ? { adds: place } : { removes: place }) }
  })
  const [first, second] = edits
  const isWhole = edits.length > 0 && edits.length === properties.length && edits.length <= 2

  return isWhole && (!second || first?.word === second.word)
    ? { ...first, ...second, word: first?.word ?? '' }
    : undefined
}

/** A list of texts in the records, such as `tags`. */
function textsIn(
  stem: string,
  word: string,
  { resource }: Pick<ListContext, 'resource'>,
): RecordList | undefined {
  const owner = resource(stem)
  const found = [...propertiesOf(owner?.context.known ?? {})].find(([name, schema]) => {
    const items = itemsOf(schema)
    return items && isSameWord(name, word) && hasScalars(items)
  })
  return owner && found && !owner.hints.isSingle ? { owner, property: found[0], word } : undefined
}

function additionBy(verb: string, { method, body }: Operation): 'add' | 'remove' | undefined {
  if (method !== 'POST' || !body) return undefined
  return /^add/i.test(verb) ? 'add' : 'remove'
}

/** The path of a record, the word for a list in it, and the parameter that names an item. */
const LIST_PATH = /^(.*\/\{[^{}/]+\})\/([^{}/]+)(?:\/(\{[^{}/]+\}))?$/

/** Actions such as `addTag` and `remove-followers`. */
const ADDITION = /^(add|remove)[-_]?([A-Za-z][\w-]*)$/i

function listIn(
  stem: string,
  word: string,
  known: Pick<ListContext, 'resource' | 'references' | 'group'>,
): RecordList | undefined {
  const { resource, references } = known
  const owner = resource(stem)
  const lists = [...propertiesOf(owner?.context.known ?? {})].filter(([, schema]) =>
    itemsOf(schema),
  )
  const ids = formsOf(word).map((form) => `${form}ids`)
  const found = lists.find(([name]) => isSameWord(name, word) || ids.includes(plainName(name)))
  if (!owner || owner.hints.isSingle || !found) return undefined
  const [property, schema] = found
  const items = references.target(word, schema, owner) ?? ofSameKind(found, owner, known)
  const isOfIds = !isObjectSchema(itemsOf(schema) ?? {}) && hasScalars(itemsOf(schema) ?? {})
  if (!(items || (isOfIds && ids.includes(plainName(property))))) return undefined

  return { owner, property, word, items, ...(items && { of: items.hints.name }) }
}

/** The collection itself, where the list below one of its records shows others of these: `GET /tasks/{id}/dependencies` lists tasks. */
function ofSameKind(
  [property, schema]: readonly [name: string, schema: Schema],
  owner: InferredResource,
  { group }: Pick<ListContext, 'group'>,
): InferredResource | undefined {
  const { context, hints } = owner
  const { collection = [], item = [] } = group(`${hints.item ?? ''}/${property}`) ?? {}
  const list = collection.find(({ method }) => method === 'GET')
  const body = item.length === 0 && list ? responseSchemaOf(list) : undefined
  const shown = body && findListed(body, context)?.schema
  const isSame = shown && propertiesOf(shown).has(hints.id) && isAlike(shown, context.known ?? {})

  return isSame && propertiesOf(itemsOf(schema) ?? {}).has(hints.id) ? owner : undefined
}

/** Whether what a path shows exists elsewhere: no request creates, reads or changes it there, but some add and remove it. */
function showsOthers(group: Group | undefined, list: RecordList): boolean {
  if (!group) return false
  const { collection, item } = group
  const isRead = item.some(
    ({ method, body }) => /^(GET|PATCH|POST)$/.test(method) || (method === 'PUT' && body),
  )
  const changes = collection.filter(({ method, body }) => method !== 'GET' && body)
  return (
    !isRead && changes.every(({ body }) => body && placeIn(body.schema, list, '') !== undefined)
  )
}

const CHANGES: Readonly<Record<string, NonNullable<ListHints['change']> | 'read'>> = {
  'GET list': 'read',
  'POST list': 'add',
  'PUT list': 'replace',
  'DELETE list': 'clear',
  'PUT item': 'add',
  'DELETE item': 'remove',
}

function changeOf(
  { method, body }: Operation,
  namesItem: boolean,
): NonNullable<ListHints['change']> | 'read' | undefined {
  const isSent = !namesItem && /^(POST|PUT)$/.test(method)
  if (isSent && !body) return undefined
  if (method === 'DELETE' && body) return 'remove'

  return CHANGES[`${method} ${namesItem ? 'item' : 'list'}`]
}

/** So many properties of a request may say more of the items. */
const MOST_OTHERS = 2

/** Where a request names items of a list, and says hardly more; `undefined` when it does not. */
function placeIn(
  schema: Schema,
  list: RecordList,
  place: string,
  most: number = MOST_OTHERS,
): string | undefined {
  const properties = [...propertiesOf(schema)]
  const names = [...formsOf(list.word), ...formsOf(list.property)].flatMap((form) => [
    form,
    `${form}id`,
    `${form}ids`,
  ])
  const found = properties.find(([name]) => ['ids', ...names].includes(plainName(name)))
  if (found && properties.length <= most + 1) return `${place}/${found[0]}`
  const [only] = properties
  if (only && properties.length === 1 && place === '')
    return placeIn(only[1], list, `/${only[0]}`, most)

  return properties.length === 0 && itemsOf(schema) ? place : undefined
}

function listHints(
  operation: Operation,
  { owner, word, property, of, items }: RecordList,
  change: Pick<ListHints, 'change' | 'sent' | 'removed'>,
  { describe }: ListContext,
): OperationHints | undefined {
  const body = responseSchemaOf(operation)
  const isRead = change.change === undefined
  const found = isRead || !body ? undefined : findRecord(body, owner.context)
  const isRecord = found !== undefined && propertiesOf(found.schema).size > 0
  // A record in an envelope has the list, too.
  const isOwner = isRecord && isAlike(found.schema, owner.context.known ?? {})
  const listed = items?.context ?? { word, path: word }
  const shown = body && !isOwner ? findListed(body, listed) : undefined
  if (isRead && !shown) return undefined
  const place = shown
    ? { record: shown.place }
    : isRecord && shownHints(operation, 'act', owner, describe)

  return {
    ...actionHints(isRead ? 'read' : 'act', owner),
    ...place,
    list: { property, ...(of !== undefined && { of }), ...change },
  }
}
