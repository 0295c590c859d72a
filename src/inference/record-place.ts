import type { MediaType, Schema } from '../contract/contract.ts'
import type { BodyPlace } from '../contract/hints.ts'
import {
  depthOf,
  escapeKey,
  isObjectSchema,
  itemsOf,
  nameAt,
  placesIn,
  plainName,
  propertiesOf,
  type SchemaPlace,
  schemaAt,
  typesIn,
  valuesById,
} from '../contract/schema.ts'
import { isObject, once } from '../validation/objects.ts'
import { hasScalars } from './equality.ts'
import { type IdContext, idPropertyOf, isSameWord, wordsOf } from './id-property.ts'

/** What is known about the records that are looked for. */
export interface RecordContext extends IdContext {
  /** The schema of records in another response, which this one may share. */
  readonly known?: Schema | undefined
}

/** Properties that contain the records of a list, or one record. */
const WRAPPERS =
  /^(data|items?|results?|response|payload|values?|entries|entry|records?|list|rows|content|elements|objects?|members|collection|resources?|hits|nodes|body|entity|embedded|output|return|page)$/
/** Properties of an envelope that contain no records. */
export const ASIDE: RegExp =
  /^(meta|metadata|links?|includes|included|jsonapi|status|statuscode|success|message|errors?|code|requestid|pagination|paging|page|pages|warnings?|version|apiversion|timestamp|time|kind|type|object|ok|count|total|totalcount|totalresults|hasmore|next|previous|cursor|url|facets|aggregations|self(url|link)?|href|uri|link|(http|status|response|result|error)(code|msg|message|status|text|reason)|msg|reason|limit|offset|size|etag|nextpagetoken|nextlink|notes|debug|duration|took)$/

/** Where an object contains the list of records when its schema allows any properties. */
const ANY_PLACE = '/data'

/** Where a body contains a list of records; `undefined` when it contains none. */
export function findRecords(body: Schema, context: RecordContext): SchemaPlace | undefined {
  if (Object.keys(body).length === 0) return { place: '', schema: {} }
  if (itemsOf(body) === undefined && isFree(body)) return { place: ANY_PLACE, schema: {} }
  const lists = placesIn(body).flatMap(({ place, schema }) => {
    const items = itemsOf(schema) ?? recordsById(schema, context)
    if (!items) return []
    const score = place === '' ? 20 : scoreOfList(place, items, context)
    return score === undefined ? [] : [{ place, schema: items, score }]
  })
  const sole = lists.length === 1 ? 3 : 0
  const [best] = lists.sort((one, other) => other.score - one.score)

  return best && best.score + sole > 0 ? { place: best.place, schema: best.schema } : undefined
}

/**
 * Whether a list in an object of a body is rather one of the many values of a record, such as the page of groups of a user: the body has
 * several values of its own.
 */
export function isListInRecord(body: Schema, { place }: SchemaPlace, word: string): boolean {
  return depthOf(place) > 1 && ownScalars(body) > MOST_SCALARS && !isSameWord(nameAt(place), word)
}

/** A list of records in a body, and where each of its items contains the record. */
export interface ListPlace extends SchemaPlace {
  /** Absent when the item is the record. */
  readonly item?: BodyPlace
}

/** Where a body contains a list of records, with the schema of a record. */
export function findListed(body: Schema, context: RecordContext): ListPlace | undefined {
  const list = findRecords(body, context)
  const nested = list && itemsOf(list.schema)
  if (nested && isObjectSchema(nested)) return { place: list.place, schema: nested, item: '/0' }
  const inner = list && !isFree(list.schema) ? findRecord(list.schema, context) : undefined

  return inner?.place ? { place: list?.place ?? '', schema: inner.schema, item: inner.place } : list
}

/** The schema of the records of an object that has them by their ids. */
function recordsById(schema: Schema, { parameter }: RecordContext): Schema | undefined {
  const values = valuesById(schema, parameter)
  return values && isObjectSchema(values) && propertiesOf(values).size > 0 ? values : undefined
}

/** What the values are called by which paths name records. */
const KEYS = /^(ids|keys|names|codes|uuids)$/

/** Whether a list has the values by which paths name the records, such as `bookIds` or `ids`. */
function isOfKeys(name: string, items: Schema, word: string): boolean {
  const words = wordsOf(name)
  const isNamed = words.length === 1 || isSameWord(words.slice(0, -1).join(''), word)
  return hasScalars(items) && KEYS.test(words.at(-1) ?? '') && isNamed
}

function scoreOfList(place: string, items: Schema, context: RecordContext): number | undefined {
  const { word, known } = context
  const name = nameAt(place)
  // A list called `page` contains the records of the page.
  const isPage = isObjectSchema(items) && /^(page|object)s?$/.test(plainName(name))
  // Some services list records as links to them.
  const isLinks = isSameWord(name, word) && propertiesOf(items).has('href')
  if (isAside(place, word) && !isPage && !isLinks) return undefined
  let score = -2 * depthOf(place)
  if (isSameWord(name, word)) score += 8
  else if (WRAPPERS.test(plainName(name)) || isOfKeys(name, items, word)) score += 5
  if (known !== undefined && items === known) score += 12
  if (!isObjectSchema(items)) return score - 4
  const id = idPropertyOf(items, context)

  return score + (id ? Math.max(1, 4 - id.rank) : 0)
}

/** Where a body contains one record. It is the body itself when nothing else is likelier. */
export function findRecord(body: Schema, context: RecordContext): SchemaPlace | undefined {
  return recordIn(body)(context)
}

/** It is asked for the same body and context again and again. */
const recordIn = once((body: Schema) =>
  once((context: RecordContext) => placeRecord(body, context)),
)

function placeRecord(body: Schema, context: RecordContext): SchemaPlace | undefined {
  const list = itemsOf(body)
  if (list) return { place: '', schema: list }
  const inner = placesIn(body).flatMap(({ place, schema }) => {
    if (place === '') return []
    const score = scoreOfRecord(place, schema, body, context)
    return score === undefined ? [] : [{ place, schema: itemsOf(schema) ?? schema, score }]
  })
  const [best] = inner.sort((one, other) => other.score - one.score)
  const own = scoreOfBody(body, context)
  if (best && best.score > Math.max(own, 0)) return { place: best.place, schema: best.schema }

  return isObjectSchema(body) || isFree(body) ? { place: '', schema: body } : undefined
}

/** Where a request contains the record: as in a response, or beside what else is asked for. */
export function findSent(body: Schema, context: RecordContext): SchemaPlace | undefined {
  const found = findRecord(body, context)
  const isWhole = found?.place === '' && !itemsOf(body)

  return (isWhole ? recordBeside(body, context) : undefined) ?? found
}

/** How much of an object must be properties of the records for it to be one. */
const MIN_SHARED = 0.6

/**
 * The record beside other things, such as the issue of `{ issue: { … }, notify: true }`: most of its properties are those of the records,
 * and none of the properties around it is, but for objects.
 */
function recordBeside(
  body: Schema,
  { known, word }: Pick<RecordContext, 'known' | 'word'>,
): SchemaPlace | undefined {
  const names = propertiesOf(known ?? {})
  const properties = [...propertiesOf(body)]
  // What is beside the record may be an object that the record has, too.
  if (properties.some(([name, one]) => names.has(name) && !isObjectSchema(one))) return undefined
  const found = properties.flatMap(([name, schema]) => {
    const record = itemsOf(schema) ?? schema
    const inner = [...propertiesOf(record).keys()]
    const shared = inner.filter((one) => names.has(one)).length
    const isNamed = isSameWord(name, word)
    if (shared < (isNamed ? 1 : 2) || shared / inner.length <= MIN_SHARED) return []
    const score = (isNamed ? 2 : 0) + (record === schema ? 1 : 0)
    return [{ place: `/${escapeKey(name)}`, schema: record, score }]
  })
  const [best] = found.sort((one, other) => other.score - one.score)

  return best && { place: best.place, schema: best.schema }
}

function scoreOfRecord(
  place: string,
  schema: Schema,
  body: Schema,
  context: RecordContext,
): number | undefined {
  const { word, known } = context
  const record = itemsOf(schema) ?? schema
  if (!isObjectSchema(record) || isAside(place, word)) return undefined
  if (known !== undefined && record === known) return 30 - depthOf(place)
  return isInNamed(place, body, word) ? undefined : scoreOfOther(place, schema, body, context)
}

/** How likely an object is the record that has not the schema of the records. */
function scoreOfOther(
  place: string,
  schema: Schema,
  body: Schema,
  context: RecordContext,
): number | undefined {
  const { word, known } = context
  const record = itemsOf(schema) ?? schema
  const name = nameAt(place)
  const isNamed = isNamedAs(word, body, place)
  // What has several values of its own beside an `item` is a record itself, such as a player beside what it plays.
  if (!isNamed && ownScalars(body) > MOST_SCALARS) return undefined
  const isOwn = isPropertyOf(known, place, schema)
  if (isNamed || WRAPPERS.test(plainName(name))) {
    const isSure = isEnvelope(body, place, word) && !isOwn
    const score = scoreOfWrapped(record, body, isSure, context)
    return score && score - 2 * depthOf(place) + (isNamed ? 1 : 0)
  }
  return isAlone(body, place) && !isOwn ? 2 : undefined
}

/** Whether a place is a property of what is called as the records, beside others: the `values` of `{ environment: { name, values } }`. */
function isInNamed(place: string, body: Schema, word: string): boolean {
  const outer = place.slice(0, place.lastIndexOf('/'))
  const around = isSameWord(nameAt(outer), word) ? schemaAt(body, outer) : undefined
  return around !== undefined && !itemsOf(around) && propertiesOf(around).size > 1
}

/** Whether a place is called as the records, or as a kind of them with nothing of its own beside it: a `loyalty_account` is one of `accounts`. */
function isNamedAs(word: string, body: Schema, place: string): boolean {
  const name = nameAt(place)
  const isKind = isSameWord(wordsOf(name).at(-1) ?? '', word) && !isAlone(body, place)
  return isSameWord(name, word) || (isKind && isEnvelope(body, place, word))
}

/** So many values may be beside a record. */
const MOST_SCALARS = 2

/** How many values of its own a body has, besides those of envelopes. It is asked for each property of a body. */
const ownScalars: (body: Schema) => number = once((body) => {
  const own = [...propertiesOf(body)].filter(
    ([name, schema]) =>
      !(ASIDE.test(plainName(name)) || WRAPPERS.test(plainName(name))) &&
      !isObjectSchema(schema) &&
      !itemsOf(schema),
  )
  return own.length
})

/** How likely an object in a wrapper is the record. */
function scoreOfWrapped(
  record: Schema,
  body: Schema,
  isSure: boolean,
  context: IdContext,
): number | undefined {
  const id = idPropertyOf(record, context)
  // Beside other properties, only what has an id that the body lacks is the record.
  if (!isSure && (!id || id.rank > 3 || idPropertyOf(body, context))) return undefined

  return (isSure ? 6 : 3) + (id ? 8 - id.rank : 0)
}

/**
 * Whether a place is a property that the records have themselves, so that a request can contain only that of them. An object is none that
 * they have as a text or a number: the `url` of `{ url: { label, url } }` is a record itself.
 */
function isPropertyOf(known: Schema | undefined, place: string, schema: Schema): boolean {
  if (known === undefined || depthOf(place) !== 1) return false
  return canBePropertyOf(known, nameAt(place), schema)
}

/** Whether records have a property of this name whose values can be those of a schema. */
export function canBePropertyOf(known: Schema, name: string, schema: Schema): boolean {
  const own = propertiesOf(known).get(name)
  return own !== undefined && !(isObjectSchema(schema) && isScalar(own))
}

/** Whether a schema allows only texts, numbers and the like. */
export function isScalar(schema: Schema): boolean {
  return !(isObjectSchema(schema) || itemsOf(schema)) && typesIn(schema).size > 0
}

/** Objects whose content only accompanies the records. */
const AROUND =
  /^(includ(es|ed)|meta|metadata|links?|errors?|warnings?|facets|aggregations|debug|paging|pagination)$/

/** Whether a place is one that only accompanies the records, or is in an object that does. */
function isAside(place: string, word: string): boolean {
  const around = place.split('/').slice(1, -1)
  if (around.some((name) => AROUND.test(plainName(name)))) return true
  const name = nameAt(place)

  return ASIDE.test(plainName(name)) && !isSameWord(name, word)
}

function scoreOfBody(body: Schema, context: RecordContext): number {
  const { known } = context
  if (known !== undefined && (body === known || hasAllOf(body, known))) return 40
  const id = idPropertyOf(body, context)

  return id ? 8 - id.rank : 0
}

/** Whether a body has the properties of the records, of which one may contain another record. */
function hasAllOf(body: Schema, known: Schema): boolean {
  const names = [...propertiesOf(known).keys()]
  return names.length > 2 && names.every((name) => propertiesOf(body).has(name))
}

/** Whether a body has nothing of its own beside the records at a place. */
function isEnvelope(body: Schema, place: string, word: string): boolean {
  const [, first = ''] = place.split('/')
  const others = [...propertiesOf(body).keys()].filter((name) => name !== nameAt(`/${first}`))

  return others.every((name) => {
    const plain = plainName(name)
    return ASIDE.test(plain) || (WRAPPERS.test(plain) && !isSameWord(name, word))
  })
}

/** Whether a body has one property only, and the place is that property. */
function isAlone(body: Schema, place: string): boolean {
  const names = [...propertiesOf(body).keys()]
  return depthOf(place) === 1 && names.length === 1 && names[0] === nameAt(place)
}

const known = new WeakMap<MediaType, Schema>()

/** The schema of a body; where it allows anything, one that describes the example of the document instead. */
export function schemaOrExample(media: MediaType): Schema {
  const { schema = {}, examples = [] } = media
  if (!isFree(schema)) return schema
  const described = known.get(media) ?? schemaOfExample(examples[0]?.value, schema)
  known.set(media, described)

  return described
}

/** Whether a schema tells nothing about the content of a body, or of the items of a list. A list may contain itself. */
export function isFree(schema: Schema): boolean {
  const visited = new Set<Schema>()
  let inner = schema
  for (let items = itemsOf(inner); items; items = itemsOf(inner)) {
    if (visited.has(items)) return false
    visited.add(items)
    inner = items
  }
  const types = [inner.type ?? 'object'].flat()

  return types.includes('object') && propertiesOf(inner).size === 0 && !inner.additionalProperties
}

function schemaOfExample(example: unknown, schema: Schema): Schema {
  const value = typeof example === 'string' ? parsed(example) : example
  return isObject(value) || (Array.isArray(value) && value.length > 0) ? describe(value, 0) : schema
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How deep examples are described. Records are not deeper in their envelopes. */
const MAX_DEPTH = 4

function describe(value: unknown, depth: number): Schema {
  if (depth > MAX_DEPTH) return {}
  if (Array.isArray(value)) return { type: 'array', items: describe(value[0], depth + 1) }
  if (isObject(value)) {
    const properties = Object.entries(value).map(
      ([name, inner]) => [name, describe(inner, depth + 1)] as const,
    )
    return { type: 'object', properties: Object.fromEntries(properties) }
  }
  return value === null || value === undefined ? {} : { type: typeof value }
}
