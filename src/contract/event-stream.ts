import type { MediaType, Operation, Schema } from './contract.ts'
import { chooseResponse, contentOf } from './documented-response.ts'
import { itemsOf, listedValues, plainName, propertiesOf, withBranches } from './schema.ts'

/** The media type of server-sent events (HTML, section 9.2). */
export const EVENT_STREAM = 'text/event-stream'

/** What the document says about the server-sent events of an operation; `undefined` when its success has none. */
export function eventStreamOf(operation: Operation): MediaType | undefined {
  const { status, documented } = chooseResponse(operation)
  if (operation.method !== 'GET' || status >= 300 || !documented) return undefined
  return contentOf(documented).find(({ mediaType }) => mediaType === EVENT_STREAM)
}

/** The fields of an event. */
const FIELDS = new Set(['data', 'event', 'id', 'retry'])

/** Whether an object with these properties is the event itself, and not its data. */
export function describesEvent(names: readonly string[]): boolean {
  return names.includes('data') && names.every((name) => FIELDS.has(name))
}

/** What one server-sent event is by its schema. */
export interface StreamedSchema {
  /** The schema of the event, or of its data. */
  readonly schema: Schema
  /** Whether the schema is that of the event with its fields. */
  readonly isEvent: boolean
  /** The schema of the data. */
  readonly data: Schema
  /** The names that the schema lists for events; empty when it lists none. */
  readonly names: readonly string[]
}

/** The kinds of events that a media type describes: one for each branch of its schema. */
export function streamedSchemas({ schema: whole = {} }: MediaType): readonly StreamedSchema[] {
  const schema = itemsOf(whole) ?? whole
  const branches = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  const own = streamedSchema(schema)
  const named = branches
    .map((branch) => ({
      ...streamedSchema(branch),
      // Branches say only what is different.
      ...(own.isEvent && { schema, isEvent: true }),
    }))
    .filter(({ names }) => names.length > 0)

  return named.length > 1 && named.length === branches.length ? named : [own]
}

function streamedSchema(schema: Schema): StreamedSchema {
  const properties = propertiesOf(schema)
  const isEvent = describesEvent([...properties.keys()])
  const data = isEvent ? (properties.get('data') ?? {}) : schema
  const inData = [...propertiesOf(data)].flatMap(([name, property]) =>
    EVENT_NAME.test(plainName(name)) || EVENT_ACTION.test(plainName(name)) ? [property] : [],
  )
  const places = [...(isEvent ? [properties.get('event') ?? {}] : []), ...inData]
  const [names = []] = places.map(textsIn).filter((texts) => texts.length > 0)

  return { schema, isEvent, data, names }
}

function textsIn(schema: Schema): readonly string[] {
  return [...new Set(listedValues(schema).filter((value) => typeof value === 'string'))]
}

/** Properties that have the name of an event, and those that have the word for what happened, by their plain names. */
export const EVENT_NAME: RegExp =
  /^((event)?(type|name)|event|topic|kind|trigger|notificationtype|webhookevent)$/
export const EVENT_ACTION: RegExp = /^(action|verb|operation|changetype|activity)$/

/** Whether a schema says nothing about the data of events, but that it is a text. */
export function isAnyText(schema: Schema): boolean {
  return withBranches(schema).every(
    ({ type, properties, items, enum: values }) =>
      properties === undefined &&
      items === undefined &&
      values === undefined &&
      (type === undefined || [type].flat().every((one) => one === 'string' || one === 'null')),
  )
}
