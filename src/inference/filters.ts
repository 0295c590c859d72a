import type { Operation, Parameter, Schema } from '../contract/contract.ts'
import type { PagingHints, SortHints } from '../contract/hints.ts'
import { isNumeric, listedValues, plainName, propertiesOf, typesIn } from '../contract/schema.ts'

/** The parameters of a list that have another meaning than a filter. */
export interface OtherParameters {
  readonly paging?: PagingHints | undefined
  readonly sort?: SortHints | undefined
}

/** Parameters that decide how the response looks, or search in many properties, whatever the record has. */
const OTHER =
  /^(q|query|search|searchterm|keywords?|term|fields?|select|expand|embed|include|includes|format|pretty|callback|sort|sortby|orderby)$/

/** `filter[name]`, `filter.name` and `filter[name][eq]` are filters by `name`. */
const GROUPED = /^(?:filters?|where)(?:\[([^[\]]+)\](?:\[eq\])?|\.([^.[\]]+))$/i

/**
 * The properties by which query parameters filter a list: a parameter with the name of a property filters by it when both have
 * comparable values. A required parameter selects what the list is about, so it is no filter.
 */
export function inferFilters(
  operation: Operation,
  recordSchema: Schema,
  others: OtherParameters = {},
): Readonly<Record<string, string>> | undefined {
  const properties = [...propertiesOf(recordSchema)]
  const taken = namesIn(others)
  const filters = operation.parameters.flatMap((parameter) => {
    if (parameter.in !== 'query' || parameter.required || taken.has(parameter.name)) return []
    return filtersOf(parameter, properties)
  })
  return filters.length > 0 ? Object.fromEntries(filters) : undefined
}

function namesIn({ paging, sort }: OtherParameters): ReadonlySet<string | undefined> {
  return new Set([paging?.parameter, paging?.size, paging?.before, sort?.by, sort?.direction])
}

type Properties = readonly (readonly [name: string, schema: Schema])[]

/** The filters of a parameter by their names: of a `filter` with properties (`deepObject`), one for each of them. */
function filtersOf(
  { name, schema }: Parameter,
  properties: Properties,
): readonly (readonly [parameter: string, property: string])[] {
  const inner = /^(filters?|where)$/i.test(name) ? [...propertiesOf(schema)] : []
  const named =
    inner.length > 0
      ? inner.map(([key, value]) => [`${name}[${key}]`, key, value] as const)
      : [[name, GROUPED.exec(name)?.slice(1).find(Boolean) ?? name, schema] as const]

  return named.flatMap(([parameter, key, value]) => {
    const property = OTHER.test(plainName(key)) ? undefined : findProperty(key, value, properties)
    return property === undefined ? [] : [[parameter, property] as const]
  })
}

/** The property with the name of a parameter; a parameter with a list of values may have its plural. */
function findProperty(name: string, schema: Schema, properties: Properties): string | undefined {
  const isList = typesIn(schema).has('array')
  const values = isList ? (schema.items ?? {}) : schema
  const plain = plainName(name)
  const names = isList ? [plain, plain.replace(/s$/, ''), plain.replace(/es$/, '')] : [plain]
  for (const wanted of names) {
    const found = properties.find(
      ([property, own]) => plainName(property) === wanted && areComparable(values, own),
    )
    if (found) return found[0]
  }
  return undefined
}

/** Whether values of both schemas can be equal. Moments rarely are, so a parameter with one is a bound. */
function areComparable(parameter: Schema, property: Schema): boolean {
  const given = typesIn(parameter)
  const own = typesIn(property)
  if ([...own, ...given].some((type) => type === 'object' || type === 'array')) return false
  if (property.format === 'date-time' || parameter.format === 'date-time') return false
  const listed = listedValues(property).map(String)
  const offered = listedValues(parameter).map(String)
  if (listed.length > 0 && offered.length > 0) return offered.some((one) => listed.includes(one))
  if (own.size === 0 || given.size === 0) return false
  if (own.has('boolean') !== given.has('boolean')) return given.has('string')

  // Numbers are often declared as texts in a query.
  return !isNumeric(parameter) || isNumeric(property)
}
