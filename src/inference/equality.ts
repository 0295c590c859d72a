import type { Schema } from '../contract/contract.ts'
import type { FilterHints } from '../contract/hints.ts'
import {
  isFreeObject,
  isNumeric,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
} from '../contract/schema.ts'
import { type Filter, isFreeText } from './comparisons.ts'
import { innerTargets, isReference, type Target } from './targets.ts'

// Filters whose value a property equals, or, where the description says so, contains or begins with.

/** A filter for equality with what has a name; `undefined` when nothing comparable has it. */
export function equalTo(
  filter: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const { schema, description } = filter
  const items = itemsOf(schema)
  const values = items ?? schema
  const singulars = singularsOf(plain)
  const isListed = !items && isFreeText(schema) && /comma/i.test(description)
  const isRepeated = items !== undefined || filter.parameter.endsWith('[]')
  for (const name of [plain, ...singulars]) {
    const property = placeOf(name, values, targets)
    if (!property) continue
    const isSeveral = isListed || (name !== plain && !isRepeated)
    // One value of a plural is an unlikely name.
    if (isSeveral && !isFreeText(values)) continue
    return equalityOf(filter, property, isSeveral)
  }
  return undefined
}

function equalityOf(
  filter: Filter,
  { place, schema }: FoundPlace,
  isSeveral: boolean,
): FilterHints {
  const values = itemsOf(filter.schema) ?? filter.schema
  const every = isFreeText(values) ? describedEvery(filter.description) : []
  const ignored = [...ignoredValues(values, schema), ...every]
  const usual = usualValue(values, ignored, isStated(filter, schema))
  const is = isSeveral ? 'in' : describedText(filter, { place, schema })

  return {
    property: place,
    ...(is && { is }),
    ...(ignored.length > 0 && { ignored }),
    ...(usual !== undefined && { default: usual }),
  }
}

/** Descriptions of a text that is a part of another. */
const PARTIAL =
  /\b(partial(ly)?|substring|fuzzy|wildcard)\b|^(an? |any )?part of (the|its|their)\b|\bcontain(s|ing)\b(?! (an? |the )?(ids?|list|comma))/i
const START = /\b(starts?|begins?|starting|beginning) with\b/i

/** How the description says that a text is compared; `undefined` when it is equal. */
function describedText(
  { schema, description }: Filter,
  { place, schema: property }: FoundPlace,
): 'contains' | 'starts' | undefined {
  const isText = typesIn(property).has('string') && isFreeText(property)
  if (typeof place !== 'string' || !isText || !isFreeText(schema)) return undefined
  if (START.test(description)) return 'starts'

  return PARTIAL.test(description) ? 'contains' : undefined
}

/** The values for every record that a description names, such as `all`. */
function describedEvery(description: string): readonly string[] {
  return [...description.matchAll(/[`'"“](all|any|\*)[`'"”]/gi)].flatMap(([, word]) => word ?? [])
}

/** `metadata[color]=red` selects by the properties of an object that may have any. */
export function membersOf(
  { schema }: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const target = targets.find((one) => one.plain === plain && isFreeObject(one.schema))
  return target && isFreeObject(schema) ? { property: target.place } : undefined
}

/** `city` is the city in an address: a property of the only object that has it, if that object is no record. */
export function equalToPart(
  filter: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const parts = targets.filter(
    ({ schema, plain: own }) => isReference(schema) && !hasKey(schema, own),
  )
  const inner = parts.flatMap((part) =>
    innerTargets(part).map((one) => ({ ...one, plain: one.plain.slice(part.plain.length) })),
  )
  const named = inner.filter((one) => one.plain === plain)
  return named.length === 1 ? equalTo(filter, plain, named) : undefined
}

/** Whether an object has the key of a record, such as `id`, or the `ownershipId` of an `ownership`. */
function hasKey(schema: Schema, called: string): boolean {
  const names = [...propertiesOf(itemsOf(schema) ?? schema).keys()].map(plainName)
  return names.some((name) => KEYS.test(name) || name === `${called}id`)
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
  const own = named(name) ?? list ?? flagNamed(name, values, targets)
  if (own) return own
  // Beside an `assignee` there may be several `assignees`.
  const references = targets.filter(
    ({ plain, schema }) =>
      isReference(schema) &&
      [plain, ...singularsOf(plain)].some((one) => [one, `${one}id`].includes(name)),
  )
  if (references.length > 0) return referencePlaces(references, name, values)
  const inner = targets
    .filter(({ schema }) => isReference(schema))
    .flatMap((target) => innerTargets(target).map((one) => ({ ...one, of: target.plain })))
  // Few have the name, and to compare the values takes longer.
  const isComparable = (one: Target): boolean => areComparable(values, one.schema)
  const found =
    inner.find((one) => one.plain === name && isComparable(one)) ??
    // `external_customer_id` is the `external_id` of the customer.
    inner.find(
      (one) => hasAround(name, one.of, one.plain.slice(one.of.length)) && isComparable(one),
    )
  if (found) return found

  return name.endsWith('id') && name.length > 2 ? named(name.slice(0, -2)) : named(`${name}id`)
}

/** Whether a name has that of an object inside the name of a property of this object. */
function hasAround(name: string, of: string, property: string): boolean {
  const at = name.indexOf(of)
  return at > 0 && name.slice(0, at) + name.slice(at + of.length) === property
}

/** `is_published` and `published` are the same flag. */
function flagNamed(name: string, values: Schema, targets: readonly Target[]): Target | undefined {
  const bare = name.replace(/^is(?=.)/, '')
  return targets.find(
    ({ plain, schema }) =>
      plain.replace(/^is(?=.)/, '') === bare &&
      typesIn(schema).has('boolean') &&
      areComparable(values, schema),
  )
}

const OBJECT: Schema = { type: 'object' }

/** Names by which records are called. */
const KEYS = /^(id|number|iid|name|login|username|slug|key|code|uuid|gid|handle)$/

/** The places of what may name a record in one of several references. */
function referencePlaces(
  references: readonly Target[],
  name: string,
  values: Schema,
): FoundPlace | undefined {
  const found = references.flatMap((one) => referencePlace(one, name, values) ?? [])
  const [first, ...others] = found
  if (!first || others.length === 0) return first

  return { ...first, place: found.flatMap(({ place }) => place) }
}

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

export function hasScalars(schema: Schema): boolean {
  return [...typesIn(schema)].some((type) => type !== 'object' && type !== 'null')
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
 * The value for requests without the parameter: its default, when another value is for every record, or the document states it. A default
 * of which a document says no more is often an example.
 */
function usualValue(
  { default: usual }: Schema,
  ignored: readonly unknown[],
  isStated: boolean,
): unknown {
  const hasEvery = ignored.some((one) => EVERY.test(String(one)))
  return (hasEvery || isStated) && !ignored.includes(usual) ? usual : undefined
}

/** Whether a parameter is described as a filter, and its default is one of the values that the property lists. */
function isStated({ schema, description }: Filter, property: Schema): boolean {
  const isListed = plainValues(property).includes(spelling(schema.default ?? ''))
  return isListed && /\bfilters?\b|\bonly\b|\bdefaults?\b/i.test(description)
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
