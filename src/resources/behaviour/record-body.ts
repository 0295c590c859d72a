import type { MediaType, Schema } from '../../contract/contract.ts'
import { isJson } from '../../contract/json.ts'
import { itemsOf, parsePointer, schemaAt, valuesOf } from '../../contract/schema.ts'
import { generateDocumentedValue } from '../../generate/generate-value.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { generationTime } from '../../responses/answering-service.ts'
import {
  documentedValue,
  type ExampleContent,
  fitValue,
  knownValues,
  type ValueContext,
  type ValueResult,
} from '../../responses/documented-value.ts'
import { isObject, setOwn } from '../../validation/objects.ts'
import type { ReadFigure } from '../paging/page-figures.ts'
import { writeEnvelope } from '../paging/write-envelope.ts'
import { type ViewContext, viewOf } from './record-view.ts'

/** What a response contains of records, and what it is made for. */
interface BodyContext extends ViewContext, Omit<ValueContext, 'service'> {}

/** The records of a response: a list of them, or one. */
type Shown = StoredRecord | readonly StoredRecord[]

/** A body that contains records as its schema describes them; `undefined` when it contains none, or no such body is valid. */
export async function recordBody(
  shown: Shown,
  media: MediaType,
  context: BodyContext,
  figure?: ReadFigure,
): Promise<ValueResult | undefined> {
  const { schema = {}, validate } = media
  const { record: place } = context.hints
  if (place === undefined) return undefined
  // Where the schema describes nothing, anything is allowed.
  const value = await contentFor(shown, schemaAt(schema, place) ?? {}, context)
  if (value === undefined) return undefined
  if (place === '') return fitted(value, media, context)
  const envelope = await envelopeFor(media, context)
  if (!envelope) return undefined
  const body = withValueAt(envelope, parsePointer(place), value)
  const complete = withFigures(body, media, context, figure)
  if (complete !== body || !validate || validate(body)) return { value: complete }
  const result = await fitted(body, media, context)

  return result && 'value' in result
    ? { ...result, value: withFigures(result.value, media, context, figure) }
    : result
}

/** A valid body with true figures about the page. A body that is not valid stays as it is. */
function withFigures(
  body: unknown,
  { schema, validate = () => true }: MediaType,
  { hints: { envelope } }: BodyContext,
  figure: ReadFigure | undefined,
): unknown {
  if (!envelope || !figure || !schema) return body
  return writeEnvelope(body, { envelope, figure, schema, validate })
}

/** The records as the schema at their place describes them. */
async function contentFor(shown: Shown, target: Schema, context: BodyContext): Promise<unknown> {
  if (!isList(shown)) {
    const items = itemsOf(target)
    return items ? [await viewOf(shown, items, context)] : viewOf(shown, target, context)
  }
  const byId = valuesOf(target)
  const schema = itemsOf(target) ?? byId ?? {}
  const items = await Promise.all(shown.map((record) => itemFor(record, schema, context)))
  if (!byId) return items
  const ids = shown.map((record) => String(record[context.resource.id]))

  return Object.fromEntries(ids.map((id, at) => [id, items[at]]))
}

/** A record as an item of a list, which may contain more than the record. */
async function itemFor(
  record: StoredRecord,
  schema: Schema,
  context: BodyContext,
): Promise<unknown> {
  const { hints, collection, resource, service } = context
  if (hints.item === undefined) return viewOf(record, schema, context)
  const view = await viewOf(record, schemaAt(schema, hints.item) ?? {}, context)
  const preset = withValueAt({}, parsePointer(hints.item), view)
  const { value } = await generateDocumentedValue({
    ...{ schema, place: resource.name, now: generationTime(service) },
    locale: service.settings.locale,
    seed: [service.settings.seed, collection, String(record[resource.id])].join(' '),
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

async function fitted(
  value: unknown,
  media: MediaType,
  context: BodyContext,
): Promise<ValueResult | undefined> {
  if (!isJson(media.mediaType)) return { value }
  const result = await fitValue(value, media, context)

  return 'value' in result ? result : undefined
}

type Envelope = Readonly<Record<string, unknown>>

/** The envelope of each media type, without what requests name. It is the same for all records, and for all orders of requests. */
const envelopes = new WeakMap<MediaType, Promise<Envelope | undefined>>()

/** The body in which a response contains records: with the values that the request's path names, and with any records. */
async function envelopeFor(media: MediaType, context: ValueContext): Promise<Envelope | undefined> {
  const made = envelopes.get(media) ?? makeEnvelope(media, context)
  envelopes.set(media, made)
  const envelope = await made
  const known = knownValues(context.operation, context.parameters, media.schema)
  if (!envelope || Object.keys(known).length === 0) return envelope
  const changed = { ...envelope, ...known }

  return !media.validate || media.validate(changed) ? changed : envelope
}

async function makeEnvelope(
  media: MediaType,
  context: ValueContext,
): Promise<Envelope | undefined> {
  const result = await documentedValue(media, { ...context, parameters: {} }, { takesText: false })

  return 'value' in result && isObject(result.value) ? result.value : undefined
}

/**
 * A body that contains records where no body is valid, such as by two branches of `oneOf` that allow the same. The document then
 * contradicts itself, and clients rather need the records than an empty body.
 */
export async function invalidRecordBody(
  shown: Shown,
  { schema = {} }: MediaType,
  context: BodyContext,
): Promise<ExampleContent | undefined> {
  const { record: place } = context.hints
  if (place === undefined) return undefined
  const value = await contentFor(shown, schemaAt(schema, place) ?? {}, context)

  return value === undefined ? undefined : { value: withValueAt({}, parsePointer(place), value) }
}
