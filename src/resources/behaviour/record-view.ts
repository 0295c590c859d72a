import type { Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import type { OperationHints } from '../../contract/hints.ts'
import {
  isObjectSchema,
  itemsOf,
  propertiesOf,
  requiredNames,
  schemaAt,
  valuesOf,
  withBranches,
} from '../../contract/schema.ts'
import { generateDocumentedValue } from '../../generate/generate-value.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { type AnsweringService, generationTime } from '../../responses/answering-service.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'

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

/** Whose values are shown, and what is known about the response. */
interface PresetContext {
  readonly resource: Resource
  readonly hints: OperationHints
}

/** The values of the record that a schema has properties for. */
function presetOf(record: StoredRecord, schema: Schema, context: PresetContext): StoredRecord {
  const { resource, hints } = context
  const properties = propertiesOf(schema)
  const part = partOf(record, resource)
  const preset: Record<string, unknown> = {}
  for (const name of properties.keys()) {
    // A record that no request made has the name of the response.
    const names = [sourceOf(name, resource, hints), name]
    const source = names.find((one) => Object.hasOwn(record, one)) ?? name
    const values = Object.hasOwn(record, source) ? record : part
    if (!Object.hasOwn(values, source) || resource.hidden.has(source)) continue
    const value = values[source]
    const isId = source === resource.id
    setOwn(preset, name, isId ? typedAs(value, properties.get(name) ?? {}) : value)
  }
  const shown = { ...preset, ...nestedId(record, preset, schema, context) }

  return isOpen(schema) ? { ...shown, ...unnamedValues(record, shown, schema, context) } : shown
}

/** The object of a record that contains its id, such as `metadata`, with the id. */
function nestedId(
  record: StoredRecord,
  preset: StoredRecord,
  schema: Schema,
  { resource, hints }: PresetContext,
): StoredRecord {
  const id = record[resource.id]
  const [outer, inner] = hints.id?.startsWith('/') ? hints.id.split('/').slice(1) : []
  if (id === undefined || outer === undefined || inner === undefined) return {}
  const property = schemaAt(schema, hints.id ?? '') ?? {}

  return { [outer]: { ...Object(preset[outer]), [inner]: typedAs(id, property) } }
}

/** The values of the record that a schema has no properties for, but allows: the id, and what no other response shows. */
function unnamedValues(
  record: StoredRecord,
  preset: StoredRecord,
  schema: Schema,
  { resource, hints }: PresetContext,
): StoredRecord {
  const properties = propertiesOf(schema)
  // A schema without properties does not say which part of the record it means.
  const isKnown = properties.size > 0 ? knownNames(resource) : NO_NAMES
  const more = Object.entries(record).filter(
    ([name]) =>
      !(isKnown.has(name) || properties.has(name) || resource.hidden.has(name)) &&
      !isHiddenId(name, resource),
  )
  // The id tells which record it is, where the schema allows that.
  const shown = hints.id ?? resource.id
  const isShown =
    !Object.hasOwn(record, resource.id) ||
    Object.hasOwn(preset, shown) ||
    shown.startsWith('/') ||
    isHiddenId(shown, resource)

  return { ...(isShown ? {} : { [shown]: record[resource.id] }), ...Object.fromEntries(more) }
}

/** What requests contain instead of the record: a response may show it outside of its property. */
function partOf(record: StoredRecord, { operations = [] }: Resource): StoredRecord {
  const name = operations.find(({ hints }) => hints.part !== undefined)?.hints.part
  const part = name === undefined ? undefined : record[name]

  return isObject(part) ? part : {}
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** The property of the record that a view shows under a name. */
function sourceOf(name: string, { id }: Resource, hints: OperationHints): string {
  if (name === hints.id) return id
  return getOwn(hints.views ?? {}, name) ?? name
}

function isHiddenId(name: string, { id }: Resource): boolean {
  return name === id && name.startsWith('$')
}

function isOpen(schema: Schema): boolean {
  return withBranches(schema).every(
    ({ additionalProperties, unevaluatedProperties }) =>
      additionalProperties !== false && unevaluatedProperties !== false,
  )
}

const known = new WeakMap<Resource, ReadonlySet<string>>()

/** The properties that some schema of the resource names. A view whose schema does not name them does not show them. */
function knownNames(resource: Resource): ReadonlySet<string> {
  const present = known.get(resource)
  if (present) return present
  const schemas = [
    resource.schema,
    ...(resource.sent ?? []),
    ...shownSchemas(resource).map(({ schema }) => schema),
  ]
  const names = new Set(schemas.flatMap((schema) => [...propertiesOf(schema).keys()]))
  known.set(resource, names)

  return names
}

const shown = new WeakMap<Resource, ReturnType<typeof shownSchemas>>()

/** The schemas of the records in all responses. */
function shownSchemas(
  resource: Resource,
): readonly { readonly schema: Schema; readonly hints: OperationHints }[] {
  const present = shown.get(resource)
  if (present) return present
  const found = (resource.operations ?? []).flatMap(({ operation, hints }) => {
    const { schema } = chooseResponse(operation).documented ?? {}
    const own = schema && hints.record !== undefined ? schemaAt(schema, hints.record) : undefined
    if (!own) return []
    const values = hints.action === 'list' ? valuesOf(own) : undefined
    return { schema: itemsOf(own) ?? values ?? own, hints }
  })
  shown.set(resource, found)

  return found
}

/** An id with the type that a schema has for it. */
function typedAs(id: unknown, schema: Schema): unknown {
  const text = String(id)
  const number = Number(id)
  const values = String(number) === text ? [id, text, number] : [id, text]

  return values.find((value) => matches(schema, value)) ?? id
}
