import type { Operation, Parameter, Schema } from '../contract/contract.ts'
import type { FilterHints, PagingHints, SortHints } from '../contract/hints.ts'
import {
  escapeKey,
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
} from '../contract/schema.ts'
import {
  comparedTarget,
  type Filter,
  isDate,
  isFreeText,
  type NamedComparison,
  readComparisons,
  type Target,
} from './comparisons.ts'
import { listParametersOf } from './paging.ts'
import { PARTS } from './value-rules.ts'

/** What else is known about a list. */
export interface ListContext {
  readonly paging?: PagingHints | undefined
  readonly sort?: SortHints | undefined
  /** The description of a query parameter, or of the list. */
  readonly describe?: (parameter?: string) => string
  /** The name in the record of a property that the response may call otherwise; default: the same. */
  readonly nameOf?: (property: string) => string
  /** The schema of the records where a response shows most of them: a list may show less, and be filtered by all. */
  readonly known?: Schema | undefined
}

/** Parameters that decide how the response looks, whatever the record has. */
const OTHER =
  /^(fields?|select|expand|embed|include|includes|format|pretty|callback|sort|sortby|orderby)$/

/** Parameters with a text that is searched in the whole record. */
const SEARCH =
  /^(q|query|search|search(term|text|query|string|key|keyword)|keywords?|term|fulltext|freetext)$/

/** Descriptions of a search by a language of queries. */
const LANGUAGE = /syntax|operator|lucene|expression|query language|jmespath|odata|qualifier|regex/i

/**
 * How query parameters filter a list. A parameter with the name of a property filters by it when both have comparable values; other names
 * say how they compare, or search in texts. A required parameter selects what the list is about, so it is no filter.
 */
export function inferFilters(
  operation: Operation,
  recordSchema: Schema,
  context: ListContext = {},
): Readonly<Record<string, string | FilterHints>> | undefined {
  const { paging, sort, describe = () => '' } = context
  const taken = new Set<string | undefined>([
    ...[paging?.parameter, paging?.size, paging?.before],
    ...[sort?.by, sort?.direction],
  ])
  const shown = targetsIn(recordSchema, context)
  const hidden = targetsIn(context.known ?? {}).filter(
    ({ plain }) => !shown.some((one) => one.plain === plain),
  )
  const targets = [...shown, ...hidden]
  const filters = listParametersOf(operation).flatMap((parameter) => {
    if (parameter.required || taken.has(parameter.name)) return []
    return filtersIn(parameter, describe(parameter.name)).flatMap((filter) => {
      const hints = filterBy(filter, targets)
      return hints ? [[filter.parameter, brief(hints)] as const] : []
    })
  })
  return filters.length > 0 ? Object.fromEntries(filters) : undefined
}

/** Equality of one property is its name alone. */
function brief(hints: FilterHints): string | FilterHints {
  const { property, is = 'equal', ignored } = hints
  return typeof property === 'string' && is === 'equal' && !ignored ? property : hints
}

/** The places of a record: its properties, and those of the parts that have them. */
function targetsIn(
  schema: Schema,
  { nameOf = (name) => name }: ListContext = {},
): readonly Target[] {
  return [...propertiesOf(schema)].flatMap(([shown, property]): readonly Target[] => {
    const name = nameOf(shown)
    const target = { plain: plainName(shown), place: name, schema: property }
    if (!(PARTS.test(target.plain) && isObjectSchema(property))) return [target]
    const inner = innerTargets(target).map((one) => ({
      ...one,
      plain: one.plain.slice(target.plain.length),
    }))
    return [target, ...inner]
  })
}

/** The places of the properties in an object, or in the objects of a list. */
function innerTargets({ plain, place, schema }: Target): readonly Target[] {
  const outer = place.startsWith('/') ? place : `/${escapeKey(place)}`
  return [...propertiesOf(itemsOf(schema) ?? schema)].map(([name, property]) => ({
    plain: plain + plainName(name),
    place: `${outer}/${escapeKey(name)}`,
    schema: property,
  }))
}

/** `filter[name]` and `filter.name` are filters by `name`. */
const GROUP = /^(?:filters?|where)(?=[[.])/i

/** The values of a parameter: of an object, those of its properties. */
function filtersIn(
  { name, schema }: Pick<Parameter, 'name' | 'schema'>,
  description: string,
): readonly Filter[] {
  const isGroup = /^(filters?|where)$/i.test(name)
  const inner = [...propertiesOf(schema)].flatMap(([key, property]) => {
    const parameter = `${name}[${key}]`
    return filtersIn({ name: parameter, schema: property }, description)
  })
  const own = {
    parameter: name,
    name: name.replace(GROUP, '').replace(/^\[([^\]]*)\]/, '$1'),
    schema,
    description,
  }
  const isObject = inner.length > 0 && !hasScalars(schema)
  return isGroup || isObject ? inner : [own, ...inner]
}

export function hasScalars(schema: Schema): boolean {
  return [...typesIn(schema)].some((type) => type !== 'object' && type !== 'null')
}

/** How a value of a query filters records; `undefined` when nothing tells it. */
function filterBy(filter: Filter, targets: readonly Target[]): FilterHints | undefined {
  const plain = plainName(filter.name)
  if (OTHER.test(plain)) return undefined
  if (SEARCH.test(plain)) return searchIn(filter, targets)
  const equal = equalTo(filter, plain, targets)
  if (equal) return equal
  for (const comparison of readComparisons(filter.name)) {
    const found = comparedBy(comparison, filter, targets)
    if (found) return found
  }
  return undefined
}

function comparedBy(
  comparison: NamedComparison,
  filter: Filter,
  targets: readonly Target[],
): FilterHints | undefined {
  const { base, is } = comparison
  if (is !== 'equal' && is !== 'in' && is !== 'not') {
    const target = comparedTarget(comparison, filter, targets)
    return target && { property: target.place, is }
  }
  const found = base === '' ? undefined : equalTo(filter, base, targets)
  return found && is !== 'equal' ? { ...found, is } : found
}

/** The most properties in which a text is searched. */
const MAX_SEARCHED = 20

/** A search in the texts of a record. */
function searchIn(
  { schema, description }: Filter,
  targets: readonly Target[],
): FilterHints | undefined {
  if (!isFreeText(schema) || LANGUAGE.test(description)) return undefined
  const texts = targets.filter((target) => isSearchable(target))
  const property = texts.slice(0, MAX_SEARCHED).map(({ place }) => place)
  return property.length > 0 ? { property, is: 'contains' } : undefined
}

/** Names of texts that clients do not search. */
const NO_TEXT = /(id|url|uri|href|link|token|hash|etag|color|key|secret|password|cursor|at|date)$/

/** Whether a text of a record is one that people write. */
function isSearchable({ plain, schema }: Pick<Target, 'plain' | 'schema'>): boolean {
  const isText = isFreeText(schema) && typesIn(schema).has('string')
  return (
    isText &&
    !isDate({ plain, schema }) &&
    !NO_TEXT.test(plain) &&
    /^(|email|markdown|html)$/.test(schema.format ?? '')
  )
}

/** A filter for equality with what has a name; `undefined` when nothing comparable has it. */
function equalTo(
  filter: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const { schema, description } = filter
  const items = itemsOf(schema)
  const values = items ?? schema
  const singulars = singularsOf(plain)
  const isListed = !items && isFreeText(schema) && /comma/i.test(description)
  for (const name of [plain, ...singulars]) {
    const property = placeOf(name, values, targets)
    if (!property) continue
    const isSeveral = isListed || (name !== plain && !items)
    // One value of a plural is an unlikely name.
    if (isSeveral && !isFreeText(values)) continue
    const ignored = ignoredValues(values, property.schema)
    const usual = usualValue(values, ignored)
    return {
      property: property.place,
      ...(isSeveral && { is: 'in' as const }),
      ...(ignored.length > 0 && { ignored }),
      ...(usual !== undefined && { default: usual }),
    }
  }
  return undefined
}

/** The names that may have a plural. */
function singularsOf(plain: string): readonly string[] {
  if (!plain.endsWith('s') || plain.endsWith('ss')) return []
  return [plain.slice(0, -1), plain.replace(/es$/, ''), plain.replace(/ies$/, 'y')]
}

interface FoundPlace {
  readonly place: string | readonly string[]
  readonly schema: Schema
}

/** Where a record has the values of a name: a property, the items of a list, or a property of an object that the record refers to. */
function placeOf(name: string, values: Schema, targets: readonly Target[]): FoundPlace | undefined {
  const named = (wanted: string): Target | undefined =>
    targets.find((one) => one.plain === wanted && areComparable(values, one.schema))
  const list = targets.find(
    ({ plain, schema }) =>
      [plain, ...singularsOf(plain)].includes(name) &&
      areComparable(values, itemsOf(schema) ?? OBJECT),
  )
  const own = named(name) ?? list
  if (own) return own
  const reference = targets.find(
    ({ plain, schema }) =>
      isReference(schema) &&
      [plain, ...singularsOf(plain)].some((one) => [one, `${one}id`].includes(name)),
  )
  if (reference) return referencePlace(reference, name, values)
  const inner = targets
    .filter(({ schema }) => isReference(schema))
    .flatMap((target) => innerTargets(target))
    .find((one) => one.plain === name && areComparable(values, one.schema))
  if (inner) return inner

  return name.endsWith('id') && name.length > 2 ? named(name.slice(0, -2)) : named(`${name}id`)
}

const OBJECT: Schema = { type: 'object' }

/** Whether a property has the properties of another record. */
function isReference(schema: Schema): boolean {
  const inner = itemsOf(schema) ?? schema
  return isObjectSchema(inner) && propertiesOf(inner).size > 0
}

/** Names by which records are called. */
const KEYS = /^(id|name|login|username|slug|key|code|uuid|gid|handle)$/

/** The places of what may name a record in a reference: the reference itself, where it may be an id, and the names in it. */
function referencePlace(target: Target, name: string, values: Schema): FoundPlace | undefined {
  const prefix = target.plain.length
  const isId = name.endsWith('id') && name !== target.plain
  const keys = innerTargets(target).filter((one) => {
    const key = one.plain.slice(prefix)
    return (isId ? key === 'id' : KEYS.test(key)) && areComparable(values, one.schema)
  })
  const places = [
    ...(hasScalars(itemsOf(target.schema) ?? target.schema) ? [target.place] : []),
    ...keys.map(({ place }) => place),
  ]
  const [only] = places
  if (only === undefined) return undefined
  const [key] = keys
  return { place: places.length === 1 ? only : places, schema: key?.schema ?? {} }
}

/** Whether values of both schemas can be equal. Moments rarely are, so a parameter with one is a bound. */
function areComparable(parameter: Schema, property: Schema): boolean {
  const given = typesIn(parameter)
  const own = typesIn(property)
  if ([...own].some((type) => type === 'object' || type === 'array')) return false
  if (given.has('array') || (given.has('object') && !hasScalars(parameter))) return false
  if (property.format === 'date-time' || parameter.format === 'date-time') return false
  const listed = plainValues(property)
  const offered = plainValues(parameter)
  if (listed.length > 0 && offered.length > 0) return offered.some((one) => listed.includes(one))
  if (own.size === 0 || given.size === 0) return false
  if (own.has('boolean') !== given.has('boolean')) return given.has('string')

  // Numbers are often declared as texts in a query.
  return !isNumeric(parameter) || isNumeric(property)
}

function plainValues(schema: Schema): readonly string[] {
  return listedValues(schema).map((value) => spelling(value))
}

/** A listed value without its spelling. */
function spelling(value: unknown): string {
  return plainName(String(value)) || String(value)
}

/** Words for every value. */
export const EVERY: RegExp = /^(all|any|both|every|everything|\*)$/i

/**
 * The value for requests without the parameter: its default, when another value is for every record. Without such a value, a document
 * often has its default as an example.
 */
function usualValue({ default: usual }: Schema, ignored: readonly unknown[]): unknown {
  const hasEvery = ignored.some((one) => EVERY.test(String(one)))
  return hasEvery && !ignored.includes(usual) ? usual : undefined
}

/** The values that a parameter lists and the property cannot have. */
function ignoredValues(parameter: Schema, property: Schema): readonly unknown[] {
  const isFlag = typesIn(property).has('boolean')
  const listed = isFlag ? ['true', 'false'] : plainValues(property)
  const offered = listedValues(parameter)
  return listed.length > 0
    ? offered.filter((one) => !listed.includes(spelling(one)))
    : offered.filter((one) => EVERY.test(String(one)))
}
