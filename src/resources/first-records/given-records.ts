import type { Contract, Schema } from '../../contract/contract.ts'
import {
  itemsOf,
  parsePointer,
  plainName,
  propertiesOf,
  requiredNames,
  schemaAt,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/documented-value.ts'
import { areEqual, groupBy, isObject, once, setOwn } from '../../validation/objects.ts'
import type { ValuePath } from '../../validation/value-check.ts'
import { parametersIn } from '../collect-examples.ts'
import { hasParents, ofSchema } from '../collection-name.ts'
import { type Resource, shownSchemas } from '../resource.ts'
import { isCollectionOf } from '../start-of.ts'
import { withValueAt } from '../views/record-body.ts'
import { valueAt } from '../views/service-values.ts'

// Records may be given as any response or request of the document shows them: in an envelope, with the names of another view, and
// with `null` for what they do not have.

/** A record that was given, as the store has it. */
export interface GivenRow {
  /** The record; what was given instead, if it is no object. */
  readonly value: unknown
  /** Where a part of the record was given. */
  readonly at: (inner: ValuePath) => ValuePath
}

/** The collection that was meant, and its name for the option `records`. */
export interface GivenCollection {
  readonly resource: Resource
  readonly name: string
  /** What the path says of its records, where it is not their own. */
  readonly values: StoredRecord
}

/**
 * The collection that a name or a path of the document means, also the path of one of its operations, with the path of the server, or the
 * name of the schema of its records; `undefined` when there is none.
 */
export function givenCollection(
  text: string,
  resources: readonly Resource[],
  { basePath, basePaths = [basePath] }: Pick<Contract, 'basePath' | 'basePaths'>,
): GivenCollection | undefined {
  const starts = ['', ...basePaths.filter((base) => base !== '' && text.startsWith(`${base}/`))]
  for (const start of starts) {
    const own = text.slice(start.length)
    const name = own.replace(/^\//, '')
    const found =
      resources.find((one) => isCollectionOf(one, own)) ??
      ofSchema(resources, own) ??
      resources.find((one) => isPathOf(one, name))
    if (found)
      return {
        resource: found,
        name: name.includes('/') && hasParents(found) ? name : found.name,
        values: {},
      }
    const other = otherPath(name, resources)
    if (other) return other
  }
  return undefined
}

/** Whether a path is that of an operation on the whole collection. */
function isPathOf({ operations = [], parents }: Resource, name: string): boolean {
  return (
    !parents &&
    operations.some(({ operation: { path }, hints: { action } }) => {
      return /^(list|create)$/.test(action) && path === `/${name}`
    })
  )
}

/** The collection to which another path leads, with the values of the parameters of that path in its records. */
function otherPath(name: string, resources: readonly Resource[]): GivenCollection | undefined {
  for (const resource of resources) {
    const alias = hasParents(resource)
      ? undefined
      : resource.aliases?.find(({ at }) => isCollectionOf({ name: '', path: at.path }, name))
    if (!alias || alias.by.some(({ place: [first] }) => first.startsWith('x-sandbox-'))) continue
    const parameters = parametersIn(alias.at.path, name)
    const values = alias.by.reduce<unknown>(
      (record, { parameter, place, schema }) =>
        withValueAt(record, place, asType(parameters[parameter], schema)),
      {},
    )
    return { resource, name: resource.name, values: isObject(values) ? values : {} }
  }
  return undefined
}

type Place = readonly [string, ...string[]]

/** How the responses and requests of a resource show its records. */
interface Views {
  readonly schemas: readonly Schema[]
  /** The names of the properties in all views. */
  readonly names: ReadonlySet<string>
  /** The properties that a view calls otherwise: the name in the record by that in the view. */
  readonly renamed: ReadonlyMap<string, string>
  /** Where views have the id, if it is elsewhere than in the record. */
  readonly ids: readonly string[]
  /** Where bodies have a list of records. */
  readonly lists: readonly Place[]
  /** Where bodies, or the items of lists, have a record. */
  readonly envelopes: readonly Place[]
  /** The property of the record that some requests contain instead of it. */
  readonly part: string | undefined
}

const viewsIn: (resource: Resource) => Views = once((resource) => {
  const { operations = [], schema, sent = [], creation, id } = resource
  const hints = operations.map((one) => one.hints)
  const shown = shownSchemas(resource).flatMap((one) => {
    const own = schemaAt(one.schema, one.hints.item ?? '')
    return own ? [own] : []
  })
  const schemas = [...new Set([schema, ...shown, ...sent, ...(creation ? [creation.schema] : [])])]
  const records = hints.flatMap(({ record, body }) => [record, body])

  return {
    schemas,
    names: new Set([id, ...schemas.flatMap((one) => [...propertiesOf(one).keys()])]),
    renamed: new Map(hints.flatMap(({ views = {} }) => Object.entries(views))),
    ids: [...new Set(hints.flatMap((one) => one.id ?? []))].filter((one) => one !== id),
    lists: places(records),
    envelopes: places([...hints.map(({ item }) => item), ...records]),
    part: hints.find(({ part }) => part !== undefined)?.part,
  }
})

function places(pointers: readonly (string | undefined)[]): readonly Place[] {
  return [...new Set(pointers)].flatMap((pointer = '') => {
    const [first, ...inner] = parsePointer(pointer)
    return first === undefined ? [] : [[first, ...inner] as const]
  })
}

/** The schemas of a property in those schemas that have it. */
export function propertySchemas(name: string, schemas: readonly Schema[]): readonly Schema[] {
  return namesIn(schemas).get(name) ?? NONE
}

/** The schemas of the records of a resource in all responses and requests. */
export function schemasOf(resource: Resource): readonly Schema[] {
  return viewsIn(resource).schemas
}

/**
 * The records in what was given for a collection: a list of them, a body of the document with one, or one record. All of them get `values`.
 */
export function givenRows(
  value: unknown,
  resource: Resource,
  values: StoredRecord = {},
): readonly GivenRow[] {
  const { lists } = viewsIn(resource)
  const place = lists.find(
    (one) => isEnvelope(value, one, resource) && Array.isArray(valueAt(value, one)),
  )
  const list = place ? valueAt(value, place) : value
  const row = (one: unknown, start: ValuePath): GivenRow => {
    const { value: record, at } = givenRecord(one, resource)
    return {
      value: isObject(record) ? { ...record, ...values } : record,
      at: (inner) => [...start, ...at(inner)],
    }
  }

  return Array.isArray(list)
    ? list.map((one, at) => row(one, [...(place ?? []), at]))
    : [row(value, [])]
}

/** Whether an object is around what is at a place in it, rather than a record with such a property. */
function isEnvelope(value: unknown, [name]: Place, resource: Resource): boolean {
  if (!(isObject(value) && Object.hasOwn(value, name))) return false
  const { names } = viewsIn(resource)
  return !names.has(name) || Object.keys(value).every((one) => one === name || !names.has(one))
}

/** One record, taken out of an envelope of the document and with the names that the record has. */
export function givenRecord(value: unknown, resource: Resource): GivenRow {
  const { envelopes, part, schemas } = viewsIn(resource)
  const place = envelopes.find((one) => {
    return isEnvelope(value, one, resource) && isObject(valueAt(value, one))
  })
  const record = place ? valueAt(value, place) : value
  if (!isObject(record)) return { value: record, at: (inner) => inner }
  const origins = new Map<string, ValuePath>()
  const own = withOwnNames(record, resource, origins)
  const partOf = part !== undefined && isPartOf(own, part, resource) ? part : undefined
  const fitted = fittedObject(partOf === undefined ? own : inPart(own, partOf, resource), {
    schemas,
    isKept: !resource.isValidated,
    origins,
    path: [],
  })

  return {
    value: fitted,
    at: (inner) => [
      ...(place ?? []),
      ...originOf(inner[0] === partOf ? inner.slice(1) : inner, origins),
    ],
  }
}

/** Whether a request has these values as those of one property of the record. */
function isPartOf(record: StoredRecord, part: string, resource: Resource): boolean {
  const { names: known, schemas } = viewsIn(resource)
  const inner = propertySchemas(part, schemas)
  const names = Object.keys(record).filter((name) => name !== resource.id)
  return (
    names.length > 0 &&
    names.every((name) => !known.has(name) && inner.some((one) => propertiesOf(one).has(name)))
  )
}

function inPart(record: StoredRecord, part: string, { id }: Resource): StoredRecord {
  const { [id]: own, ...values } = record
  return { ...(own !== undefined && { [id]: own }), [part]: values }
}

/** A record with the names that it has itself where a view calls a property, or the id, otherwise. */
function withOwnNames(
  record: StoredRecord,
  resource: Resource,
  origins: Map<string, ValuePath>,
): StoredRecord {
  const { renamed, ids } = viewsIn(resource)
  const { id } = resource
  const own: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    const isId = ids.includes(name) && !propertiesOf(resource.schema).has(name)
    const target = isId ? id : renamed.get(name)
    const isFree = target !== undefined && !Object.hasOwn(record, target)
    const to = isFree ? target : name
    if (to !== name) origins.set(JSON.stringify([to]), [name])
    setOwn(own, to, value)
  }
  const place = ids.find((one) => one.startsWith('/'))
  const inside = place === undefined ? undefined : valueAt(record, parsePointer(place))
  const isText = typeof inside === 'string' || typeof inside === 'number'
  return isText && !Object.hasOwn(own, id) ? { [id]: inside, ...own } : own
}

const NONE: readonly Schema[] = []

/** What the parts of a record are fitted to. */
interface Fitting {
  readonly schemas: readonly Schema[]
  /** Whether `null` stays where no schema allows it. */
  readonly isKept: boolean
  /** The places of parts that were renamed, by their new places as JSON. */
  readonly origins: Map<string, ValuePath>
  /** Where the value is in the record. */
  readonly path: ValuePath
}

/** An object with the spelling of the document, and without `null` where the document has no `null` for what is not there. */
function fittedObject(object: StoredRecord, fitting: Fitting): StoredRecord {
  const { schemas, origins, path, isKept } = fitting
  const known = namesIn(schemas)
  if (known.size === 0) return object
  const spelled = spellingsOf(known)
  const fitted: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const own = spelledName(name, object, spelled)
    if (own === undefined || (value === null && !isKept && isAbsent(own, schemas))) continue
    const at = [...path, own]
    if (own !== name) origins.set(JSON.stringify(at), [...originOf(path, origins), name])
    const inner = known.get(own) ?? NONE
    setOwn(fitted, own, fittedValue(value, { schemas: inner, isKept: false, origins, path: at }))
  }
  return fitted
}

/** A name in the spelling of the document; `undefined` where the object has the same value in that spelling, too. */
function spelledName(
  name: string,
  object: StoredRecord,
  spelled: ReadonlyMap<string, string>,
): string | undefined {
  const own = spelled.get(plainName(name)) ?? name
  if (own === name || !Object.hasOwn(object, own)) return own
  return areEqual(object[own], object[name]) ? undefined : name
}

function fittedValue(value: unknown, fitting: Fitting): unknown {
  if (isObject(value)) return fittedObject(value, fitting)
  if (!Array.isArray(value)) return value
  const items = itemsIn(fitting.schemas)
  return value.map((item, at) =>
    fittedValue(item, { ...fitting, schemas: items, path: [...fitting.path, at] }),
  )
}

/** Whether `null` stands for no value: no schema allows it, and not all of them require the property. */
export function isAbsent(name: string, schemas: readonly Schema[]): boolean {
  const own = schemas.filter((one) => propertiesOf(one).has(name))
  return (
    own.length > 0 &&
    !own.some((one) => matches(propertiesOf(one).get(name) ?? {}, null)) &&
    !own.every((one) => requiredNames(one).has(name))
  )
}

/** The schemas of the properties in several schemas, by their names. */
const namesIn = once((schemas: readonly Schema[]): ReadonlyMap<string, readonly Schema[]> => {
  const names = new Map<string, Schema[]>()
  for (const schema of schemas) {
    for (const [name, own] of propertiesOf(schema))
      names.set(name, [...(names.get(name) ?? []), own])
  }
  return names
})

const itemsIn = once((schemas: readonly Schema[]): readonly Schema[] =>
  schemas.flatMap((one) => {
    const items = itemsOf(one)
    return items ? [items] : []
  }),
)

/** The names by their spelling; without those that differ only in it. */
const spellingsOf = once((known: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> => {
  const bySpelling = groupBy([...known.keys()], plainName)
  return new Map(
    [...bySpelling].flatMap(([plain, [name = '', ...others]]) =>
      others.length === 0 ? [[plain, name] as const] : [],
    ),
  )
})

/** Where a part of a record was given. */
function originOf(path: ValuePath, origins: ReadonlyMap<string, ValuePath>): ValuePath {
  for (let length = path.length; length > 0; length -= 1) {
    const origin = origins.get(JSON.stringify(path.slice(0, length)))
    if (origin) return [...origin, ...path.slice(length)]
  }
  return path
}
