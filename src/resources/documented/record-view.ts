import type { Schema } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { isObjectSchema, propertiesOf, requiredNames, schemaAt } from '../../contract/schema.ts'
import { generateDocumentedValue } from '../../generate/generate-value.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { type AnsweringService, generationTime } from '../../responses/answering-service.ts'
import { isObject } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'
import { type PresetContext, presetOf, shownSchemas, typedAs } from './record-preset.ts'

/** What a record is shown for. */
export interface ViewContext extends PresetContext {
  /** The collection at its concrete path, such as `orgs/acme/repos`. */
  readonly collection: string
  readonly service: AnsweringService
}

/** A view of a record, and what it was made for. */
interface MadeView {
  readonly schema: Schema
  readonly hints: OperationHints
  readonly view: unknown
}

/** The views of each record that were made. Records are never changed in place. */
const views = new WeakMap<StoredRecord, MadeView[]>()

/**
 * The part of a record that a schema describes. What the record lacks is generated: the same for the same record every time.
 * Properties that only clients set are left out until one sets them.
 */
export async function viewOf(
  record: StoredRecord,
  schema: Schema,
  context: ViewContext,
): Promise<unknown> {
  const known = views.get(record) ?? []
  views.set(record, known)
  const { hints } = context
  // Of the hints, a view depends on these.
  const made = known.find(
    (one) => one.schema === schema && one.hints.id === hints.id && one.hints.views === hints.views,
  )
  if (made) return made.view
  const view = withIdFirst(await makeView(record, schema, context), context)
  known.push({ schema, hints, view })

  return view
}

/** A view in which readers find the id at once. */
function withIdFirst(view: unknown, { resource, hints }: ViewContext): unknown {
  const id = hints.id ?? resource.id
  return isObject(view) && Object.hasOwn(view, id) ? { [id]: view[id], ...view } : view
}

/** What the responses of all operations show of a record. A changed record keeps what is not its own, whether it was shown or not. */
export async function shownOf(
  record: StoredRecord,
  context: Omit<ViewContext, 'hints'>,
): Promise<StoredRecord> {
  const shown = await Promise.all(
    shownSchemas(context.resource).map(({ schema, hints }) => {
      const own = hints.item === undefined ? schema : (schemaAt(schema, hints.item) ?? {})
      return viewOf(record, own, { ...context, hints })
    }),
  )
  return Object.fromEntries(shown.filter(isObject).flatMap((one) => Object.entries(one)))
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
