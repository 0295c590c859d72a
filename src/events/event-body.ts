import type { Schema, SentRequest } from '../contract/contract.ts'
import { EVENT_ACTION, EVENT_NAME } from '../contract/event-stream.ts'
import { isJson } from '../contract/json.ts'
import {
  escapeKey,
  isObjectSchema,
  listedValues,
  plainName,
  propertiesOf,
  schemaAt,
} from '../contract/schema.ts'
import { doneWords } from '../inference/action-effects.ts'
import { isSameWord, wordsOf } from '../inference/id-property.ts'
import { wordOf } from '../inference/path-shape.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { momentFor } from '../resources/effects.ts'
import { withoutHidden } from '../resources/hidden-properties.ts'
import { idOf } from '../resources/id-generator.ts'
import { singular } from '../resources/reference-names.ts'
import { type Resource, shownSchemas } from '../resources/resource.ts'
import type { RecordChange } from '../resources/store/record-change.ts'
import { withValueAt } from '../resources/views/record-body.ts'
import { viewOf } from '../resources/views/record-view.ts'
import { type AnsweringService, generateFor } from '../responses/answering-service.ts'
import { writerOf } from '../responses/content/writers.ts'
import { firstExample } from '../responses/documented-value.ts'
import { roundedValue, writeLargeIntegers } from '../validation/large-integers.ts'
import { isObject } from '../validation/objects.ts'
import type { SentEvent } from './delivery.ts'

/** An event, and what its body is made of. */
export interface EventContent {
  readonly event: SentEvent
  readonly service: AnsweringService
  /** What happened to a record; absent when the event is about none. */
  readonly change?: EventChange | undefined
  /** What somebody emits by hand instead of a record. */
  readonly data?: unknown
  /** The address of the API, for links to records. */
  readonly base?: string | undefined
}

/** The part of a change that bodies show. */
export type EventChange = Pick<
  RecordChange,
  'kind' | 'collection' | 'record' | 'before' | 'action'
> & {
  readonly resource: Resource
}

/** A body as it is sent. */
export interface EventBody {
  readonly body: string
  readonly contentType: string
}

/** The body of an event: as the document describes it, else an envelope with the event and the record. */
export async function eventBody(
  content: EventContent,
  sent: Pick<SentRequest, 'content'> | undefined,
): Promise<EventBody> {
  const media = sent?.content?.find(({ mediaType }) => isJson(mediaType)) ?? sent?.content?.[0]
  if (!media) {
    const body = writeLargeIntegers(JSON.stringify(await plainEnvelope(content)))
    return { body, contentType: 'application/json' }
  }
  const value = await documentedBody(content, media)
  const { contentType: usual = media.mediaType, mediaType } = media
  const chosen = { media, mediaType, contentType: usual }
  const written = writerOf(mediaType).write(value, chosen, content.event.type)
  const { body, contentType = usual } = written

  return {
    body: typeof body === 'string' ? writeLargeIntegers(body) : new TextDecoder().decode(body),
    contentType,
  }
}

/** The envelope of an event that the document does not describe, as Standard Webhooks recommends it. */
async function plainEnvelope(content: EventContent): Promise<StoredRecord> {
  const { event, change, data } = content
  const shown = change ? await shownRecord(change.record, change, content) : data
  const previous = change?.before && differences(change.before, change.record, change.resource)

  return {
    id: event.id,
    type: event.type,
    timestamp: new Date(event.at).toISOString(),
    ...(shown !== undefined && { data: shown }),
    ...(previous && { previous }),
  }
}

/** The values of a record before a change, as far as they were others. */
function differences(before: StoredRecord, after: StoredRecord, resource: Resource): StoredRecord {
  const [old, present] = [withoutHidden(before, resource), withoutHidden(after, resource)]
  const changed = Object.entries(old).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(present[name]),
  )
  return Object.fromEntries(changed)
}

/** A record as bodies show it, by the schema of its resource or another one. */
export function shownRecord(
  record: StoredRecord,
  { resource, collection }: EventChange,
  { service, base }: EventContent,
  schema: Schema = resource.schema,
): Promise<unknown> {
  const hints = resource.viewHints ?? { action: 'read' }
  const context = { resource, hints, collection, service, ...(base !== undefined && { base }) }
  return Promise.resolve(viewOf(record, schema, context))
}

type Media = NonNullable<SentRequest['content']>[number]

/**
 * The body that a schema describes: an example or a generated value, in which the record and the event are put where they fit. Each is left
 * out where the body would not be valid with it.
 */
export async function documentedBody(content: EventContent, media: Media): Promise<unknown> {
  const { event, service } = content
  const { schema = {}, validate } = media
  const example = firstExample(media, false)?.value
  const generated =
    example ??
    (await generateFor(service, {
      schema,
      ...(validate && { validate }),
      seed: [event.id],
      place: event.type,
    }).then(({ value }) => value))
  let body = generated
  for (const { place, value } of [
    ...(await recordPart(content, schema)),
    ...eventParts(schema, content),
  ]) {
    const changed = withValueAt(body, place, value)
    if (!validate || validate(roundedValue(changed))) body = changed
  }
  return body
}

/** A value, and where a body has it. */
interface BodyPart {
  readonly place: readonly string[]
  readonly value: unknown
}

/** The record in a body, and the one before the change where the body has a place for it. */
async function recordPart(content: EventContent, schema: Schema): Promise<readonly BodyPart[]> {
  const { change, data } = content
  if (!change) {
    if (!isObject(data)) return []
    const name = [...propertiesOf(schema).keys()].find((one) => DATA.test(plainName(one)))
    return [{ place: name === undefined ? [] : [name], value: data }]
  }
  const { record, before } = change
  const found = recordPlace(schema, change.resource)
  if (!found) return []
  const { place } = found
  const value = await shownRecord(record, change, content, found.schema)
  const old = beforePlace(schema, place)
  const parts: BodyPart[] = [{ place, value }]
  if (before && old) {
    const own = schemaAt(schema, pointerOf(old)) ?? found.schema
    parts.push({ place: old, value: await shownRecord(before, change, content, own) })
  }
  return parts
}

/** Where a body has a record, and with which schema. */
interface RecordPlace {
  readonly place: readonly string[]
  readonly schema: Schema
}

/** How deep in a body records are looked for. */
const MAX_DEPTH = 3
/** The part of a record's properties that an object must have to be a view of it. */
const MIN_SHARE = 0.5
const SAME_SCHEMA = 10

/** The object in a body that is most like a record: by its schema, by the properties that they have in common, and by its name. */
function recordPlace(body: Schema, resource: Resource): RecordPlace | undefined {
  const shown = [resource.schema, ...shownSchemas(resource).map(({ schema }) => schema)]
  const own = [...propertiesOf(resource.schema).keys()]
  const scoreOf = (schema: Schema, place: readonly string[]): number => {
    if (shown.includes(schema)) return SAME_SCHEMA - place.length
    const names = propertiesOf(schema)
    const name = plainName(place.at(-1) ?? '')
    const isNamed = isSameWord(name, wordOf(resource.path))
    if (names.size === 0) return isNamed || DATA.test(name) ? 1 - place.length / 10 : 0
    const share = own.filter((one) => names.has(one)).length / Math.max(own.length, 1)
    return share < MIN_SHARE ? 0 : 2 + 3 * share + (isNamed ? 2 : 0) - place.length / 10
  }
  const candidates = objectsIn(body).map((one) => ({
    ...one,
    score: scoreOf(one.schema, one.place),
  }))
  const [best] = candidates.sort((one, other) => other.score - one.score)

  return best && best.score > 0 ? best : undefined
}

function objectsIn(schema: Schema, place: readonly string[] = []): readonly RecordPlace[] {
  const inner =
    place.length === MAX_DEPTH
      ? []
      : [...propertiesOf(schema)].flatMap(([name, property]) =>
          isObjectSchema(property) ? objectsIn(property, [...place, name]) : [],
        )
  return [{ place, schema }, ...inner]
}

function pointerOf(place: readonly string[]): string {
  return place.map((name) => `/${escapeKey(name)}`).join('')
}

const DATA = /^(data|payload|object|resource|body|content|attributes|eventdata)$/
const BEFORE =
  /^(before|previous|old|prior|previous(data|attributes|values|object|state)|old(data|object|value))$/

function beforePlace(schema: Schema, place: readonly string[]): readonly string[] | undefined {
  const outer = place.slice(0, -1)
  const around = schemaAt(schema, pointerOf(outer))
  const name = [...propertiesOf(around ?? {}).keys()].find((one) => BEFORE.test(plainName(one)))

  return name === undefined || place.length === 0 ? undefined : [...outer, name]
}

const ID = /^((event|webhook|notification|message|delivery)?(id|uuid))$/
const TIME =
  /^(at|when|created|createdat|createdon|timestamp|time|occurredat|occurredon|date|eventtime|sentat|triggeredat|datecreated)$/

/** What a body says of the event itself, at its top and in an object for the event. */
function eventParts(schema: Schema, content: EventContent): readonly BodyPart[] {
  const { event, change } = content
  // The id and the dates of a record are its own.
  if (change && recordPlace(schema, change.resource)?.place.length === 0) return []
  const subject = change && plainName(singular(wordOf(change.resource.path)))

  return [...propertiesOf(schema)].flatMap(([name, property]) => {
    const plain = plainName(name)
    const place = [name]
    if (EVENT_ACTION.test(plain)) return partOf(place, actionValue(property, content))
    if (EVENT_NAME.test(plain)) {
      if (propertiesOf(property).size === 0) return partOf(place, typeValue(property, event.type))
      return eventParts(property, content).map((part) => ({
        ...part,
        place: [name, ...part.place],
      }))
    }
    if (plain === `${subject}id`)
      return partOf(place, change && idOf(change.record, change.resource.id))
    if (ID.test(plain)) return partOf(place, event.id)
    return TIME.test(plain) ? partOf(place, momentFor(property, event.at)) : []
  })
}

function partOf(place: readonly string[], value: unknown): readonly BodyPart[] {
  return value === undefined ? [] : [{ place, value }]
}

/** The name of the event, in the spelling that the schema lists. */
function typeValue(schema: Schema, type: string): unknown {
  const values = listedValues(schema)
  if (values.length === 0) return type
  return values.find((value) => plainName(String(value)) === plainName(type))
}

/** The word for the change, such as `opened` or `created`, which the schema lists. */
function actionValue(schema: Schema, { change }: EventContent): unknown {
  if (!change) return undefined
  const { kind, action } = change
  const words =
    action === undefined ? [] : [...doneWords(action), ...wordsOf(action), `${action}ed`]
  const wanted = [...words, ...ACTION_WORDS[kind]]
  const values = listedValues(schema)
  if (values.length === 0) return wanted[0]

  return wanted.flatMap((word) => values.filter((value) => plainName(String(value)) === word))[0]
}

const ACTION_WORDS = {
  created: ['created', 'create', 'added', 'opened', 'new', 'insert'],
  updated: ['updated', 'update', 'edited', 'changed', 'modified'],
  deleted: ['deleted', 'delete', 'removed', 'closed', 'destroyed'],
} as const
