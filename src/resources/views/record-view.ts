import type { Schema } from '../../contract/contract.ts'
import { type OperationHints, SERVICE_VALUES } from '../../contract/hints.ts'
import { decodeComponent } from '../../contract/parse-text.ts'
import {
  isObjectSchema,
  itemsOf,
  plainName,
  propertiesOf,
  requiredNames,
  schemaAt,
  typesIn,
  withBranches,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { type AnsweringService, generateFor } from '../../responses/answering-service.ts'
import { getOwn, isObject, once, setOwn } from '../../validation/objects.ts'
import { UNCHECKED } from '../hidden-properties.ts'
import { itemEnding, nameInPath, shownId } from '../keys.ts'
import { type Resource, shownSchemas } from '../resource.ts'
import { absentNames, type PathPlace, pathPlaces, valueAt, withValue } from './service-values.ts'

/** What a record is shown for. */
export interface ViewContext {
  readonly resource: Resource
  readonly hints: OperationHints
  /** The collection at its concrete path, such as `orgs/acme/repos`. */
  readonly collection: string
  readonly service: AnsweringService
  /** The address of the API, for links to records; absent where no request came to it. */
  readonly base?: string
}

/** A view of a record, and how it was made. */
interface MadeView {
  readonly plan: ViewPlan
  /** The address of the API; `undefined` when the view has no link to the record. */
  readonly base: string | undefined
  readonly view: unknown
}

/** The collections of records in a list of several ones. Others are in that of the request. */
export const collectionOf: WeakMap<StoredRecord, string> = new WeakMap()

/** The views of each record that were made. Records are never changed in place. */
const views = new WeakMap<StoredRecord, MadeView[]>()

/**
 * The part of a record that a schema describes. What the record lacks is generated: the same for the same record every time.
 * Properties that only clients set are left out until one sets them.
 */
export function viewOf(
  record: StoredRecord,
  schema: Schema,
  given: ViewContext,
): Awaitable<unknown> {
  const context = { ...given, collection: collectionOf.get(record) ?? given.collection }
  const known = views.get(record) ?? []
  const plan = planOf(schema, context)
  const base = plan.links.length > 0 ? context.base : undefined
  const made = known.find((one) => one.plan === plan && one.base === base)
  if (made) return made.view
  const bare = makeView(record, plan, context)
  const view =
    base === undefined ? bare : whenKnown(bare, (one) => withOwnLinks(one, record, plan, context))
  // A new record may never be read again, and what was not generated is soon made again.
  if (context.hints.action === 'create' && !(view instanceof Promise)) return view

  return whenKnown(view, (kept) => {
    known.push({ plan, base, view: kept })
    views.set(record, known)
    return kept
  })
}

/** The same of a record that is not stored yet, and will never be viewed again. */
export function firstViewOf(
  record: StoredRecord,
  schema: Schema,
  context: ViewContext,
): Awaitable<unknown> {
  return makeView(record, planOf(schema, context), context)
}

/** A view whose links to the record itself lead to it, as a URL or, where the schema has it so, as a path. */
function withOwnLinks(
  view: unknown,
  record: StoredRecord,
  { links }: ViewPlan,
  { resource, collection, base }: ViewContext,
): unknown {
  if (!isObject(view)) return view
  const path = resource.parents?.length ? `/${collection}` : resource.path
  const name = nameInPath(record, resource)
  const address = `${base}${path}/${encodeURIComponent(name)}`
  const own = address + itemEnding(resource)
  const template = resource.path.split('/')
  const segments = path.split('/').map(decodeComponent)
  const parents = segments.filter((_, at) => template[at]?.startsWith('{'))
  const names = [...parents, name].join('/')
  let linked: StoredRecord = view
  for (const { place, schema, isAddress, relative, parameter } of links) {
    if (parameter !== undefined) {
      const value = segments[template.indexOf(`{${parameter}}`)]
      if (value !== undefined) linked = withValue(linked, place, value)
      continue
    }
    if (valueAt(linked, place) === undefined) continue
    const linking = linkedAddress({ address, own }, relative)
    const forms = isAddress ? [linking, new URL(linking).pathname] : [names]
    const link = forms.find((one) => matches(schema, one))
    if (link !== undefined) linked = withValue(linked, place, link)
  }
  return linked
}

/** The address of a record, one below it, or that of the record above it. `own` has the ending of its path. */
function linkedAddress(
  { address, own }: { readonly address: string; readonly own: string },
  relative: string | undefined,
): string {
  if (relative === undefined) return own
  if (relative !== '..') return `${address}/${relative}`
  return address.split('/').slice(0, -2).join('/')
}

/** What the responses of all operations show of a record. A changed record keeps what is not its own, whether it was shown or not. */
export function shownOf(
  record: StoredRecord,
  context: Omit<ViewContext, 'hints'>,
): Awaitable<StoredRecord> {
  const shown = shownSchemas(context.resource).map(({ schema, hints }) => {
    const own = hints.item === undefined ? schema : (schemaAt(schema, hints.item) ?? {})
    return viewOf(record, own, { ...context, hints })
  })
  return whenKnown(allKnown(shown), (all) =>
    Object.fromEntries(all.filter(isObject).flatMap((one) => Object.entries(one))),
  )
}

/** How views of a schema are made: what depends on the document only. */
interface ViewPlan {
  readonly schema: Schema
  /** Of the hints, a view depends on the id and the views. */
  readonly hints: OperationHints
  /** The property that shows the id. */
  readonly id: string
  /** The object that contains the id, such as `metadata`, the property in it, and the schema of that. */
  readonly nestedId: readonly [outer: string, inner: string, schema: Schema] | undefined
  /** Whether the view is the id, because the schema describes no object. */
  readonly isId: boolean
  /** The properties of the schema, with those of a record that they may show. */
  readonly properties: readonly (readonly [
    name: string,
    schema: Schema,
    sources: readonly string[],
  ])[]
  /** The property with what requests contain instead of the record: a response may show it outside of its property. */
  readonly part: string | undefined
  /** The properties that only clients set or that new records do not have, and that the schema does not require. */
  readonly optional: ReadonlySet<string>
  /** The properties that only other responses show. */
  readonly unseen: ReadonlySet<string>
  /** The properties that cannot be `null`, and need not be there: a record with `null` does not have them. */
  readonly absent: ReadonlySet<string>
  /** The properties of a record that are not shown besides those of the schema; `undefined` when that allows no others. */
  readonly unshown: ReadonlySet<string> | undefined
  /** Whether the id, which tells which record it is, is shown besides the properties of the schema. */
  readonly showsId: boolean
  /** Where the view has links to the record itself, or what its path says, with their schemas. */
  readonly links: readonly (PathPlace & { readonly schema: Schema })[]
}

/** The plans of each schema. */
const plansOf = once((_resource: Resource) => once((_schema: Schema): ViewPlan[] => []))

function planOf(schema: Schema, { resource, hints }: ViewContext): ViewPlan {
  const plans = plansOf(resource)(schema)
  const unseen = unseenNames(resource)(hints)
  const known = plans.find(
    (one) => one.hints.id === hints.id && one.hints.views === hints.views && one.unseen === unseen,
  )
  if (known) return known
  const plan = { ...makePlan(schema, resource, hints), unseen }
  plans.push(plan)

  return plan
}

const NOTHING: ReadonlySet<string> = new Set()

/** The properties that the response of an operation does not show, because only others do: a creation, and what replaces them. */
const unseenNames = once(({ shownOnce = [] }: Resource) =>
  once(({ action, set = {} }: OperationHints): ReadonlySet<string> => {
    if (shownOnce.length === 0 || action === 'create') return NOTHING
    const names = new Set(shownOnce.filter((name) => set[name] !== SERVICE_VALUES.revision))
    return names.size > 0 ? names : NOTHING
  }),
)

function makePlan(
  schema: Schema,
  resource: Resource,
  hints: OperationHints,
): Omit<ViewPlan, 'unseen'> {
  const { operations = [], sent = [] } = resource
  const id = hints.id ?? resource.id
  const properties = [...propertiesOf(schema)]
  const required = requiredNames(schema)
  const links = pathPlaces(resource).flatMap((shown) => {
    const link = schemaAt(schema, `/${shown.place.join('/')}`)
    return link ? [{ ...shown, schema: link }] : []
  })
  const outer = links.flatMap(({ place: [name] }) => name ?? [])
  const shown = new Set([resource.id, ...required, ...outer])
  const optional = [...namesIn(sent), ...absentNames(resource)].filter((name) => !shown.has(name))

  return {
    schema,
    hints,
    id,
    nestedId: nestedId(schema, hints),
    isId: !isObjectSchema(schema) && isRestricted(schema),
    properties: properties.map(([name, property]) => {
      const source = name === hints.id ? resource.id : getOwn(hints.views ?? {}, name)
      // A record that no request made has the name of the response.
      return [name, property, source === undefined ? [name] : [source, name]]
    }),
    part: operations.find(({ hints: { part } }) => part !== undefined)?.hints.part,
    optional: new Set(optional),
    absent: new Set(
      properties.flatMap(([name, own]) => (required.has(name) || matches(own, null) ? [] : name)),
    ),
    unshown: isOpen(schema) ? unshownNames(schema, resource) : undefined,
    showsId: !(id.startsWith('/') || (id === resource.id && isHiddenId(id))),
    links,
  }
}

/** Whether a schema says what its values are. One that only has an example of an object does not. */
function isRestricted(schema: Schema): boolean {
  return Object.entries(schema).some(([name, value]) => name !== 'example' || !isObject(value))
}

function nestedId(schema: Schema, { id = '' }: OperationHints): ViewPlan['nestedId'] {
  if (!id.startsWith('/')) return undefined
  const [outer, inner] = id.split('/').slice(1)
  return outer === undefined || inner === undefined
    ? undefined
    : [outer, inner, schemaAt(schema, id) ?? {}]
}

function isOpen(schema: Schema): boolean {
  return withBranches(schema).every(
    ({ additionalProperties, unevaluatedProperties }) =>
      additionalProperties !== false && unevaluatedProperties !== false,
  )
}

/** The properties that some schema of the resource names, and the hidden ones. */
function unshownNames(schema: Schema, resource: Resource): ReadonlySet<string> {
  // A schema without properties does not say which part of the record it means.
  const named = propertiesOf(schema).size > 0 ? knownNames(resource) : []
  const hiddenIds = isHiddenId(resource.id) ? [resource.id] : []

  return new Set([...named, ...propertiesOf(schema).keys(), ...resource.hidden, ...hiddenIds])
}

/** Whether records have an id that no schema knows. */
function isHiddenId(id: string): boolean {
  return id.startsWith('$')
}

/** The properties that some schema of the resource names. A view whose schema does not name them does not show them. */
const knownNames = once((resource: Resource): readonly string[] =>
  namesIn([
    resource.schema,
    ...(resource.sent ?? []),
    ...shownSchemas(resource).map(({ schema }) => schema),
  ]),
)

function namesIn(schemas: readonly Schema[]): readonly string[] {
  return [...new Set(schemas.flatMap((schema) => [...propertiesOf(schema).keys()]))]
}

function makeView(
  record: StoredRecord,
  plan: ViewPlan,
  { resource, collection, service }: ViewContext,
): Awaitable<unknown> {
  const { schema, properties, optional, unseen } = plan
  const id = record[resource.id]
  if (plan.isId) return typedAs(id, schema)
  const preset = presetOf(record, plan, resource)
  const isOmitted = (name: string): boolean =>
    unseen.has(name) ||
    (optional.has(name) && !Object.hasOwn(record, name)) ||
    isAbsent(name, getOwn(record, name), plan)
  const isWhole = properties.every(([name]) => Object.hasOwn(preset, name) || isOmitted(name))
  if (isWhole && matches(schema, preset)) return withIdFirst(preset, plan)

  return generateFor(service, {
    schema,
    seed: [collection, String(id)],
    place: resource.name,
    preset,
  }).then(({ value }) => {
    if (!isObject(value)) return value ?? withIdFirst(preset, plan)
    const kept = Object.entries(value).filter(
      ([name]) => Object.hasOwn(preset, name) || !isOmitted(name),
    )
    const shown = Object.fromEntries(kept)
    if (isUnchecked(record)) return withIdFirst({ ...shown, ...preset }, plan)
    const isAllowed = kept.length === Object.keys(value).length || matches(schema, shown)

    return withIdFirst(isAllowed ? shown : value, plan)
  })
}

/** Whether a client has sent what the document does not allow. It is shown as it was sent. */
export function isUnchecked(record: StoredRecord): boolean {
  return record[UNCHECKED] === true
}

/** Whether a record says by `null` that it does not have a property. */
function isAbsent(name: string, value: unknown, { absent }: ViewPlan): boolean {
  return value === null && absent.has(name)
}

/** A view in which readers find the id at once. */
function withIdFirst(view: StoredRecord, { id }: ViewPlan): StoredRecord {
  const isLater = Object.hasOwn(view, id) && Object.keys(view)[0] !== id
  return isLater ? { [id]: view[id], ...view } : view
}

/** The values of the record that a schema has properties for, and those that it allows besides. */
function presetOf(record: StoredRecord, plan: ViewPlan, resource: Resource): StoredRecord {
  const { id, hidden } = resource
  const sent = secretsIn(resource)
  const { part: partName = '' } = plan
  const part = plan.part === undefined ? undefined : record[partName]
  const preset: Record<string, unknown> = {}
  for (const [name, schema, sources] of plan.properties) {
    const known = sources.find((one) => Object.hasOwn(record, one))
    const values = known === undefined && isObject(part) ? part : record
    const source = known ?? name
    if (!Object.hasOwn(values, source) || hidden.has(source) || plan.unseen.has(name)) continue
    const value =
      source === id ? typedAs(shownId(values, resource), schema) : textOf(values[source], schema)
    if (isAbsent(name, value, plan)) continue
    const described = propertiesIn(values === record ? sent : propertiesIn(sent, partName), source)
    setOwn(preset, name, withoutWriteOnly(value, schema, described))
  }
  addNestedId(preset, record[id], plan)
  addUnnamed(preset, record, plan, resource)

  return preset
}

/** The state in an object that other responses show, where this one has a text: `running` of `{ status: 'running', since: … }`. */
function textOf(value: unknown, schema: Schema): unknown {
  if (!isObject(value) || isObjectSchema(schema) || !typesIn(schema).has('string')) return value
  const name = Object.keys(value).find((one) => /^(status|state)$/.test(plainName(one)))
  return name === undefined ? value : value[name]
}

/** Adds the id in the object that contains it. */
function addNestedId(
  preset: Record<string, unknown>,
  id: unknown,
  { nestedId: place }: ViewPlan,
): void {
  if (!place || id === undefined) return
  const [outer, inner, schema] = place
  setOwn(preset, outer, { ...Object(preset[outer]), [inner]: typedAs(id, schema) })
}

/** The schemas of requests that may mark something as write-only. */
const secretsIn: (resource: Resource) => readonly Schema[] = once(({ sent = [] }) =>
  sent.filter(mayHaveWriteOnly),
)

/** So many schemas inside of one are read. Those of a large document lead to all others. */
const MOST_READ = 300

/** Whether a schema, or one inside of it, marks a property as write-only. It may where more are inside of it than are read. */
function mayHaveWriteOnly(schema: Schema): boolean {
  const found = new Set([schema])
  for (const one of found) {
    if (one.writeOnly || found.size > MOST_READ) return true
    for (const inner of propertiesOf(one).values()) found.add(inner)
    const items = itemsOf(one)
    if (items) found.add(items)
  }
  return false
}

/** The schemas that a property has in some of the schemas. */
function propertiesIn(schemas: readonly Schema[], name: string): readonly Schema[] {
  return schemas.length === 0
    ? schemas
    : schemas.flatMap((schema) => listOf(propertiesOf(schema).get(name)))
}

function listOf(schema: Schema | undefined): readonly Schema[] {
  return schema ? [schema] : []
}

/** A value without the properties inside of it that requests mark as write-only, unless the schema of the response has them. */
function withoutWriteOnly(value: unknown, shown: Schema, sent: readonly Schema[]): unknown {
  if (sent.length === 0) return value
  if (Array.isArray(value)) {
    const items = sent.flatMap((schema) => listOf(itemsOf(schema)))
    return value.map((one) => withoutWriteOnly(one, itemsOf(shown) ?? {}, items))
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const own = propertiesOf(shown).get(name)
    const inner = propertiesIn(sent, name)
    const isSecret = inner.some(({ writeOnly }) => writeOnly) && (own?.writeOnly ?? true)
    return isSecret ? [] : [[name, withoutWriteOnly(one, own ?? {}, inner)] as const]
  })
  return Object.fromEntries(entries)
}

/** Adds the values of the record that a schema has no properties for, but allows: the id, and what no other response shows. */
function addUnnamed(
  preset: Record<string, unknown>,
  record: StoredRecord,
  { unshown, showsId, id: name }: ViewPlan,
  resource: Resource,
): void {
  if (!unshown) return
  const { id } = resource
  const sent = secretsIn(resource)
  if (showsId && Object.hasOwn(record, id) && !Object.hasOwn(preset, name))
    setOwn(preset, name, record[id])
  for (const other of Object.keys(record))
    if (!unshown.has(other))
      setOwn(preset, other, withoutWriteOnly(record[other], {}, propertiesIn(sent, other)))
}

/** An id with the type that a schema has for it. */
function typedAs(id: unknown, schema: Schema): unknown {
  if (matches(schema, id)) return id
  const text = String(id)
  const number = Number(id)
  const values = String(number) === text ? [text, number] : [text]

  return values.find((value) => matches(schema, value)) ?? id
}
