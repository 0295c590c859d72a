import type { MediaType } from '../contract/contract.ts'
import { isAnyText, type StreamedSchema, streamedSchemas } from '../contract/event-stream.ts'
import { itemsOf, propertiesOf, typesIn } from '../contract/schema.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import type { StreamEvent } from '../responses/content/event-stream.ts'
import { roundedValue, writeLargeIntegers } from '../validation/large-integers.ts'
import { once } from '../validation/objects.ts'
import type { Happened, NumberedEvent } from './cause.ts'
import { documentedBody, shownRecord } from './event-body.ts'
import { happeningOf, listedName } from './event-names.ts'

/** The stream of an operation, and what its events are made with. */
interface StreamContext {
  readonly media: MediaType
  readonly service: AnsweringService
  /** The address of the API, for links to records. */
  readonly base: string
}

/** What a client names as the last event that it got: the id of the event, or its number where the schema wants one. */
export function streamedId({ event, number }: NumberedEvent, media: MediaType): string | number {
  return hasNumbers(media) ? number : event.id
}

const hasNumbers = once((media: MediaType): boolean =>
  streamedSchemas(media).some(({ isEvent, schema }) => {
    const types = typesIn((isEvent && propertiesOf(schema).get('id')) || {})
    return types.has('integer') || types.has('number')
  }),
)

/**
 * Makes the server-sent event of what happened, as the document describes it: the first kind of event that has a name for it and is valid.
 * `undefined` when the document has none.
 */
export async function streamedEvent(
  happened: NumberedEvent,
  context: StreamContext,
): Promise<StreamEvent | undefined> {
  const { media } = context
  const id = streamedId(happened, media)
  for (const kind of streamedSchemas(media)) {
    const type = nameIn(kind, happened)
    if (type === undefined) continue
    const own = { id, ...(hasName(kind) && { event: type }) }
    const isText = isAnyText(kind.data)
    const sentAs = (data: unknown): unknown =>
      kind.isEvent ? { ...own, data: isText ? JSON.stringify(data) : data } : asText(data, isText)
    const isValid = (data: unknown): boolean => isValidIn(media, sentAs(data))
    const data = await dataOf({ ...happened, type }, kind, { ...context, isValid })
    if (isValid(data)) return { ...own, data: writeLargeIntegers(JSON.stringify(data)) }
  }
  return undefined
}

function asText(data: unknown, isText: boolean): unknown {
  return isText ? JSON.stringify(data) : data
}

/** Whether an event has its name outside of its data. */
function hasName({ isEvent, schema }: StreamedSchema): boolean {
  return !isEvent || propertiesOf(schema).has('event')
}

function isValidIn({ schema = {}, validate, isSequence }: MediaType, value: unknown): boolean {
  if (!validate) return true
  return validate(roundedValue(!isSequence && itemsOf(schema) ? [value] : value))
}

/** The name that events of a kind have for what happened; `undefined` when there is none. */
function nameIn({ names }: StreamedSchema, { event, change }: Happened): string | undefined {
  if (names.length === 0 || names.includes(event.type)) return event.type
  return change && listedName(happeningOf(change), names)
}

/** The data of an event: the record where the document says nothing of it. */
async function dataOf(
  { event, type, change, data }: Happened & { readonly type: string },
  { data: schema }: StreamedSchema,
  { service, base, isValid }: StreamContext & { readonly isValid: (value: unknown) => boolean },
): Promise<unknown> {
  const content = { event: { ...event, type }, service, change, data, base }
  if (isAnyText(schema)) return change ? shownRecord(change.record, change, content) : data
  const validate = Object.assign(isValid, { errors: null })

  return documentedBody(content, { mediaType: 'application/json', schema, validate })
}
