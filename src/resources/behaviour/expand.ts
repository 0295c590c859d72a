import type { Contract, Schema } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import {
  isSameRecord,
  itemsOf,
  parsePointer,
  propertiesOf,
  typesIn,
  withBranches,
} from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { type Awaitable, allKnown, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'
import { resourcesIn } from '../bind.ts'
import type { Resource } from '../resource.ts'
import { viewOf } from '../views/record-view.ts'
import { valueAt } from '../views/service-values.ts'
import type { RecordRequest } from './record-request.ts'

/** So many references are shown as records, one below the other. */
const MAX_DEPTH = 4

/** Whether a request names references that it wants as records. */
export function expandsIn(
  { expand }: OperationHints,
  input: Pick<Input, 'query' | 'body'>,
): boolean {
  return expand !== undefined && namesIn(wantedIn(expand, input)).length > 0
}

/** What a request has at the place where it names references: in its query, or in its body. */
function wantedIn(expand: string, { query, body }: Pick<Input, 'query' | 'body'>): unknown {
  return expand.startsWith('/') ? valueAt(body, parsePointer(expand)) : query[expand]
}

/** The names in `expand=customer,product` and in `expand[]=customer`. */
function namesIn(value: unknown): readonly string[] {
  return [value].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
}

/**
 * Shows the references in a view that a request names as the records that they refer to, as far as these exist and the schema allows
 * them; `undefined` when the request names none.
 */
export function expansionFor(
  request: RecordRequest,
): ((view: unknown, schema: Schema) => Awaitable<unknown>) | undefined {
  const { hints } = request.binding
  const { input } = request.admitted
  if (hints.expand === undefined || !expandsIn(hints, input)) return undefined
  const paths = namesIn(wantedIn(hints.expand, input)).map((name) => name.trim().split('.'))

  return (view, schema) => expanded(view, schema, { paths, depth: 1, request })
}

interface Expansion {
  /** The names of properties, one below the other. */
  readonly paths: readonly (readonly string[])[]
  readonly depth: number
  readonly request: ExpandingPlace
}

function expanded(view: unknown, schema: Schema, expansion: Expansion): Awaitable<unknown> {
  if (!isObject(view) || expansion.depth > MAX_DEPTH) return view
  const properties = propertiesOf(schema)
  const found = Object.keys(view).flatMap((name) => {
    const property = properties.get(name)
    // In a list, names may begin with that of its envelope.
    const ends = expansion.depth === 1 ? [0, 1] : [0]
    const own = expansion.paths.flatMap((path) => {
      const at = ends.find((end) => path[end] === name)
      return at === undefined ? [] : [path.slice(at + 1)]
    })
    return property && own.length > 0 ? [{ name, property, paths: own }] : []
  })
  const values = found.map(({ name, property, paths }) => {
    const value = getOwn(view, name)
    const below = { ...expansion, depth: expansion.depth + 1, paths }
    return Array.isArray(value)
      ? allKnown(value.map((item) => referred(item, itemsOf(property) ?? {}, below)))
      : referred(value, property, below)
  })
  return whenKnown(allKnown(values), (all) => {
    const whole = { ...view, ...Object.fromEntries(found.map(({ name }, at) => [name, all[at]])) }
    return matches(schema, whole) ? whole : view
  })
}

/** Where references are followed. */
type ExpandingPlace = Pick<RecordRequest, 'store' | 'view'>

/**
 * The values of a record in which the items of its lists show the records that a request names by their ids, where the schema allows nothing
 * else: `[{ price: 'p1' }]` for items that have the whole `price`. A list may be in a page, such as `{ data: [ … ] }`.
 */
export async function withRecordsInItems(
  values: StoredRecord,
  schema: Schema,
  place: ExpandingPlace,
): Promise<StoredRecord> {
  const shown = async (value: unknown, own: Schema): Promise<unknown> => {
    if (isObject(value)) {
      const properties = propertiesOf(own)
      const all = Object.entries(value).map(async ([name, one]) => {
        const property = properties.get(name) ?? {}
        const isNamed =
          (typeof one === 'string' || typeof one === 'number') && !hasScalars(property)
        return [name, await (isNamed ? whole(one, property) : shown(one, property))] as const
      })
      return Object.fromEntries(await Promise.all(all))
    }
    const items = itemsOf(own)
    return items && Array.isArray(value)
      ? Promise.all(value.map((one) => shown(one, items)))
      : value
  }
  const whole = (one: unknown, property: Schema): Awaitable<unknown> =>
    referred(one, property, { paths: [], depth: MAX_DEPTH, request: place })
  const lists = Object.entries(values).filter(([, value]) => hasItems(value))
  const properties = propertiesOf(schema)
  const changed = lists.map(
    async ([name, value]) => [name, await shown(value, properties.get(name) ?? {})] as const,
  )
  return { ...values, ...Object.fromEntries(await Promise.all(changed)) }
}

/** Whether a value is a list of objects, or an object with one. */
export function hasItems(value: unknown): boolean {
  const lists = isObject(value) ? Object.values(value) : [value]
  return lists.some((list) => Array.isArray(list) && list.some(isObject))
}

function hasScalars(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.size === 0 || ['string', 'number', 'integer'].some((type) => types.has(type))
}

/** The record with an id, as one of the branches of a schema describes it; the value itself when there is none. */
function referred(value: unknown, schema: Schema, expansion: Expansion): Awaitable<unknown> {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const { store, view: context } = expansion.request
  const branches = withBranches(schema)
  const resource = resourcesBySchema(context.service.settings.contract).find(([own]) =>
    branches.some((branch) => isSameRecord(branch, own)),
  )?.[1]
  if (!resource || resource.parents?.length) return value
  const hints = resource.viewHints ?? { action: 'read' }
  return whenKnown(store.open(resource), (records) =>
    whenKnown(records.idNamed(String(value)), (id) =>
      whenKnown(records.get(id), (record: StoredRecord | undefined) => {
        if (!record) return value
        const shown = { ...context, resource, hints, collection: records.name }
        return whenKnown(viewOf(record, resource.schema, shown), (one) =>
          expanded(one, resource.schema, expansion),
        )
      }),
    ),
  )
}

/** The resources that a reference may be to, by the schemas of their records. */
const resourcesBySchema = once(
  (contract: Contract): readonly (readonly [schema: Schema, resource: Resource])[] =>
    resourcesIn(contract).map((resource) => [resource.schema, resource] as const),
)
