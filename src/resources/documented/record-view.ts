import type { Schema } from '../../contract/contract.ts'
import { isObjectSchema, requiredNames } from '../../contract/schema-places.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { generateDocumentedValue } from '../../generate/documented-value.ts'
import { matches } from '../../generate/matches.ts'
import { type AnsweringService, generationTime } from '../../responses/answering-service.ts'
import type { StoredRecord } from '../../state/record-table.ts'
import { isObject } from '../../validation/is-object.ts'
import type { Resource } from '../resource.ts'
import { type PresetContext, presetOf, typedAs } from './record-preset.ts'

/** What a record is shown for. */
export interface ViewContext extends PresetContext {
  /** The collection at its concrete path, such as `orgs/acme/repos`. */
  readonly collection: string
  readonly service: AnsweringService
}

/** The views of each record that were made, by their schemas. Records are never changed in place. */
const views = new WeakMap<StoredRecord, Map<Schema, unknown>>()

/**
 * The part of a record that a schema describes. What the record lacks is generated: the same for the same record every time.
 * Properties that only clients set are left out until one sets them.
 */
export async function viewOf(
  record: StoredRecord,
  schema: Schema,
  context: ViewContext,
): Promise<unknown> {
  const known = views.get(record) ?? new Map<Schema, unknown>()
  views.set(record, known)
  if (known.has(schema)) return known.get(schema)
  const view = withIdFirst(await makeView(record, schema, context), context)
  known.set(schema, view)

  return view
}

/** A view in which readers find the id at once. */
function withIdFirst(view: unknown, { resource, hints }: ViewContext): unknown {
  const id = hints.id ?? resource.id
  return isObject(view) && Object.hasOwn(view, id) ? { [id]: view[id], ...view } : view
}

/** What the views of a record have shown of it besides its own properties. A changed record keeps that. */
export function shownBesides(record: StoredRecord): StoredRecord {
  const shown = [...(views.get(record)?.values() ?? [])].filter(isObject)
  return Object.fromEntries(shown.flatMap((one) => Object.entries(one)))
}

async function makeView(
  record: StoredRecord,
  schema: Schema,
  context: ViewContext,
): Promise<unknown> {
  const { resource, collection, service } = context
  const id = record[resource.id]
  if (!isObjectSchema(schema) && isRestricted(schema)) return typedAs(id, schema)
  const preset = presetOf(record, schema, context)
  const omitted = omittedNames(record, schema, resource)
  const names = [...propertiesOf(schema).keys()]
  const isWhole = names.every((name) => Object.hasOwn(preset, name) || omitted.has(name))
  if (isWhole && matches(schema, preset)) return preset
  const { value } = await generateDocumentedValue({
    schema,
    seed: [service.settings.seed, collection, String(id)].join(' '),
    now: generationTime(service),
    locale: service.settings.locale,
    place: resource.name,
    preset,
  })
  if (!isObject(value)) return value ?? preset
  const kept = Object.entries(value).filter(
    ([name]) => Object.hasOwn(preset, name) || !omitted.has(name),
  )
  const shown = Object.fromEntries(kept)

  return kept.length === Object.keys(value).length || matches(schema, shown) ? shown : value
}

/** Whether a schema says what its values are. One that only has an example of an object does not. */
function isRestricted(schema: Schema): boolean {
  return Object.entries(schema).some(([name, value]) => name !== 'example' || !isObject(value))
}

const writable = new WeakMap<Resource, ReadonlySet<string>>()

/** The properties that only clients set, that none has set in this record, and that the schema does not require. */
function omittedNames(
  record: StoredRecord,
  schema: Schema,
  resource: Resource,
): ReadonlySet<string> {
  const { sent = [] } = resource
  const names =
    writable.get(resource) ?? new Set(sent.flatMap((one) => [...propertiesOf(one).keys()]))
  writable.set(resource, names)
  const required = requiredNames(schema)

  return new Set(
    [...names].filter(
      (name) => !Object.hasOwn(record, name) && !required.has(name) && name !== resource.id,
    ),
  )
}
