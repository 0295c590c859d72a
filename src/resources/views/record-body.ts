import type { MediaType, Schema } from '../../contract/contract.ts'
import { isEvent, type OperationHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { isJson } from '../../contract/json.ts'
import {
  itemsOf,
  parsePointer,
  plainName,
  propertiesOf,
  requiredNames,
  schemaAt,
  valuesById,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { PARTS } from '../../inference/value-rules.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { generateFor } from '../../responses/answering-service.ts'
import {
  type ExampleContent,
  fitValue,
  type ValueContext,
  type ValueResult,
} from '../../responses/documented-value.ts'
import { getOwn, isObject, once, setOwn } from '../../validation/objects.ts'
import type { ReadFigure } from '../paging/page-figures.ts'
import { queryValue } from '../paging/read-page.ts'
import type { FollowedRecords } from './followed-records.ts'
import { envelopeFor, withFigures } from './record-envelope.ts'
import { isUnchecked, type ViewContext, viewOf } from './record-view.ts'

/** What a response contains of records, and what it is made for. */
interface BodyContext extends ViewContext, Omit<ValueContext, 'service'> {
  /** The properties that the request names; default: all. */
  readonly fields?: Fields
  /** Shows the records that a record refers to as they are now; absent when it refers to none. */
  readonly follow?: FollowedRecords['show']
  /** Shows the references that the request names as records; absent when it names none. */
  readonly expand?: (view: unknown, schema: Schema) => Awaitable<unknown>
}

/** The properties that a request wants to see: each by the names that lead to it, without spelling; `undefined` when it names none. */
export function fieldsIn({ fields }: OperationHints, query: Input['query']): Fields | undefined {
  const value = fields === undefined ? undefined : queryValue(query, fields)
  if (value === undefined) return undefined
  return [value].flat().flatMap((one) => String(one).split(BETWEEN).flatMap(pathsIn))
}

/** Names that lead to properties, without spelling. */
type Fields = readonly (readonly string[])[]

/** What is between the names of properties. In `author(name,born)`, a comma in the parentheses is between those of the author. */
const BETWEEN = /[,\s]+(?![^(]*\))/

/** `author.name`, `author/name` and `author(name)` are the name of the author. */
function pathsIn(field: string): Fields {
  const [, outer, inner] = /^([^(]+)\(([^()]*)\)$/.exec(field) ?? []
  if (outer !== undefined && inner !== undefined)
    return inner.split(',').map((one) => [plainName(outer), plainName(one)])
  return field === '' ? [] : [field.split(/[./]/).map(plainName)]
}

/** The properties of a value that fields name, and those that must be there. A value without any of them stays as it is. */
function chosenIn(value: unknown, schema: Schema, fields: Fields): unknown {
  if (Array.isArray(value)) return value.map((one) => chosenIn(one, itemsOf(schema) ?? {}, fields))
  if (!isObject(value)) return value
  const required = requiredNames(schema)
  const chosen = Object.entries(value).map(([name, one]) => {
    const own = fields.filter(([first]) => first === plainName(name))
    const inner = own.map(([, ...rest]) => rest).filter((rest) => rest.length > 0)
    const isWhole = own.length > inner.length
    const shown = isWhole || inner.length === 0
    const kept = shown ? one : chosenIn(one, propertiesOf(schema).get(name) ?? {}, inner)
    return { name, kept, isNamed: own.length > 0 }
  })
  if (!chosen.some(({ isNamed }) => isNamed)) return inPartOf(value, schema, fields)
  const kept = chosen.filter(({ name, isNamed }) => isNamed || required.has(name))

  return Object.fromEntries(kept.map(({ name, kept: one }) => [name, one]))
}

/** The same of a record whose properties are in a part of it, such as its attributes. */
function inPartOf(value: StoredRecord, schema: Schema, fields: Fields): StoredRecord {
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const own = propertiesOf(schema).get(name) ?? {}
    const shown = PARTS.test(plainName(name)) && isObject(part) ? chosenIn(part, own, fields) : part
    return shown === part ? [] : [[name, shown] as const]
  })
  return parts.length === 0 ? value : { ...value, ...Object.fromEntries(parts) }
}

/** The view of a record, with the properties that the request names, and those that must be there. */
function shownView(record: StoredRecord, schema: Schema, context: BodyContext): Awaitable<unknown> {
  const { fields, follow, expand } = context
  const own = viewOf(record, schema, context)
  const present = follow ? whenKnown(own, (one) => follow(one, schema, record)) : own
  const view = expand ? whenKnown(present, (one) => expand(one, schema)) : present
  if (!fields) return view
  return whenKnown(view, (whole) => {
    const chosen = chosenIn(whole, schema, fields)
    return matches(schema, chosen) ? chosen : whole
  })
}

/** The records of a response: a list of them, or one. */
type Shown = StoredRecord | readonly StoredRecord[]

/** Where the records are in the bodies of a media type. */
interface RecordPlace {
  /** The names that lead there. */
  readonly path: readonly string[]
  readonly schema: Schema
  /** The schema of a record, where the schema is of a list. */
  readonly items: Schema | undefined
}

const placeIn = once(({ record: place }: OperationHints) =>
  once((media: MediaType): RecordPlace | undefined => {
    if (place === undefined) return undefined
    // Where the schema describes nothing, anything is allowed.
    const schema = schemaAt(media.schema ?? {}, place) ?? {}
    return { path: parsePointer(place), schema, items: itemsOf(schema) }
  }),
)

/** A body that contains records as its schema describes them; `undefined` when it contains none, or no such body is valid. */
export function recordBody(
  shown: Shown,
  media: MediaType,
  context: BodyContext,
  figure?: ReadFigure,
): Awaitable<ValueResult | undefined> {
  const place = placeIn(context.hints)(media)
  if (!place) return figure && onlyFigures(media, context, figure)

  return whenKnown(contentFor(shown, place, context), (value) => {
    if (value === undefined) return undefined
    const { validate: _, ...unchecked } = media
    const content = [shown].flat().some(isUnchecked) ? unchecked : media
    return place.path.length === 0
      ? fitted(value, content, context)
      : inEnvelope(value, place, content, context, figure)
  })
}

/** A body with figures about records, but without records; `undefined` where it has no figures. */
async function onlyFigures(
  media: MediaType,
  context: BodyContext,
  figure: ReadFigure,
): Promise<ValueResult | undefined> {
  if (!context.hints.envelope) return undefined
  const envelope = (await envelopeFor(media, context)) ?? {}

  return { value: withFigures(envelope, media, context, figure) }
}

/** A body that contains a value at a place. */
async function inEnvelope(
  value: unknown,
  { path }: RecordPlace,
  media: MediaType,
  context: BodyContext,
  figure: ReadFigure | undefined,
): Promise<ValueResult | undefined> {
  const { validate } = media
  const envelope = await envelopeFor(media, context)
  if (!envelope) return undefined
  const body = withValueAt(envelope, path, value)
  const complete = withFigures(body, media, context, figure)
  if (complete !== body || !validate || validate(body)) return { value: complete }
  const result = await fitted(body, media, context)

  return result && 'value' in result
    ? { ...result, value: withFigures(result.value, media, context, figure) }
    : result
}

/** The records as the schema at their place describes them. */
function contentFor(
  shown: Shown,
  { schema, items }: RecordPlace,
  context: BodyContext,
): Awaitable<unknown> {
  const [first] = [shown].flat()
  if (isEvent(context.hints)) {
    // The document does not say what the object of an event contains.
    return first && shownView(first, context.resource.schema, context)
  }
  if (!isList(shown))
    return items
      ? whenKnown(shownView(shown, items, context), (view) => [view])
      : shownView(shown, schema, context)
  const byId = items ? undefined : valuesById(schema, context.resource.idParameter)
  // A list of which the document shows one record only.
  if (!items && !byId && propertiesOf(schema).size > 0)
    return first && shownView(first, schema, context)
  const views = shown.map((record) => itemFor(record, items ?? byId ?? {}, context))

  return whenKnown(allKnown(views), (all) => {
    if (!byId) return all
    const ids = shown.map((record) => String(record[context.resource.id]))
    return Object.fromEntries(ids.map((id, at) => [id, all[at]]))
  })
}

/** A record as an item of a list, which may contain more than the record. */
function itemFor(record: StoredRecord, schema: Schema, context: BodyContext): Awaitable<unknown> {
  return context.hints.item === undefined
    ? shownView(record, schema, context)
    : wrappedItem(record, context.hints.item, schema, context)
}

async function wrappedItem(
  record: StoredRecord,
  place: string,
  schema: Schema,
  context: BodyContext,
): Promise<unknown> {
  const { collection, resource, service } = context
  const view = await shownView(record, schemaAt(schema, place) ?? {}, context)
  if (itemsOf(schema)) return [view]
  const preset = withValueAt({}, parsePointer(place), view)
  const { value } = await generateFor(service, {
    ...{ schema, place: resource.name },
    seed: [collection, String(record[resource.id])],
    ...(isObject(preset) && { preset }),
  })
  return value
}

function isList(shown: Shown): shown is readonly StoredRecord[] {
  return Array.isArray(shown)
}

/** A copy of a body with another value at a place. */
export function withValueAt(body: unknown, place: readonly string[], value: unknown): unknown {
  const [name, ...rest] = place
  if (name === undefined) return value
  const copy: Record<string, unknown> = isObject(body) ? { ...body } : {}
  setOwn(copy, name, withValueAt(copy[name], rest, value))

  return copy
}

function fitted(
  value: unknown,
  media: MediaType,
  context: BodyContext,
): Awaitable<ValueResult | undefined> {
  if (!isJson(media.mediaType)) return { value }
  return whenKnown(fitValue(value, media, context), (result) =>
    'value' in result ? result : undefined,
  )
}

/**
 * A body that contains records where no body is valid, such as by two branches of `oneOf` that allow the same. The document then
 * contradicts itself, and clients rather need the records than an empty body.
 */
export async function invalidRecordBody(
  shown: Shown,
  media: MediaType,
  context: BodyContext,
): Promise<InvalidBody | undefined> {
  const place = placeIn(context.hints)(media)
  if (!place) return undefined
  const value = await contentFor(shown, place, context)
  if (value === undefined) return undefined
  const required = [...requiredNames(place.schema)]
  const lacksValue = isObject(value) && required.some((name) => getOwn(value, name) === undefined)

  return { value: withValueAt({}, place.path, value), lacksValue }
}

interface InvalidBody extends ExampleContent {
  /** Whether it lacks what its schema requires, because no value of that can be made. */
  readonly lacksValue: boolean
}
