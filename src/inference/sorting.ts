import type { Operation, Schema } from '../contract/contract.ts'
import { LATEST_ADDED, type SortHints } from '../contract/hints.ts'
import { isNumeric, listedValues, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import { dateNamed, isDate } from './comparisons.ts'
import { type QueryParameter, queryParametersOf } from './paging.ts'
import type { Target } from './targets.ts'
import { CHANGED, CREATED } from './value-rules.ts'

const BY =
  /^(sort|sorts|sorting|sortby|sortfield|sortcolumn|sortkey|order|orderby|orderfield|ordering)$/
const DIRECTION =
  /^(order|direction|dir|sort|sortorder|sortdirection|sortdir|sorttype|orderdirection|orderdir|ordertype)$/
const DIRECTIONS: ReadonlySet<string> = new Set(['asc', 'desc', 'ascending', 'descending'])

/** What decides the order of a list besides its parameters. */
interface SortContext {
  /** What the document says of the operation, or of a parameter. */
  readonly describe?: ((parameter?: string) => string) | undefined
  /** Whether requests can add records to the list, and it has pages. Who adds one finds it on the first of them. */
  readonly isPaged?: boolean
}

/**
 * How the documented query parameters sort a list, and in which order it is without them; `undefined` when no parameter sorts, or no
 * value of it names a property, and the description says no order.
 */
export function inferSort(
  operation: Operation,
  recordSchema: Schema,
  { describe = () => '', isPaged = false }: SortContext = {},
): SortHints | undefined {
  const parameters = queryParametersOf(operation).filter(({ parameter }) =>
    isText(parameter.schema),
  )
  const direction = parameters.find((one) => DIRECTION.test(one.plain) && hasDirections(one))
  const targets = targetsIn(recordSchema)
  const by = parameters.find(
    (one) => one !== direction && BY.test(one.plain) && namesProperties(one, targets),
  )
  const values = by && meantValues(by, targets)
  const hasDefault = [by, direction].some((one) => one?.parameter.schema.default !== undefined)
  const said = `${describe()} ${by ? describe(by.parameter.name) : ''}`
  const added = isPaged && !ORDERED.test(said) ? LATEST_ADDED : undefined
  const usual = hasDefault ? undefined : (describedOrder(said, targets) ?? added)
  // Only a direction: the records are sorted by their ids.
  const parameter = by ?? direction
  if (!parameter && usual === undefined) return undefined

  return {
    ...(parameter && { by: parameter.parameter.name }),
    ...(by && direction && { direction: direction.parameter.name }),
    ...(values && { values }),
    ...(usual !== undefined && { default: usual }),
  }
}

function isText(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.size === 0 || types.has('string') || types.has('array')
}

/** The properties of a record that have one value. */
function targetsIn(schema: Schema): readonly Target[] {
  return [...propertiesOf(schema)].flatMap(([place, property]) => {
    const types = typesIn(property)
    const isSortable = !(types.has('object') || types.has('array'))
    return isSortable ? [{ plain: plainName(place), place, schema: property }] : []
  })
}

function valuesOf({ parameter: { schema } }: QueryParameter): readonly string[] {
  return listedValues(schema.items ?? schema).map(String)
}

function hasDirections(parameter: QueryParameter): boolean {
  const values = valuesOf(parameter)
  if (values.length > 0) return values.every((value) => DIRECTIONS.has(value.toLowerCase()))
  const { default: usual, example } = parameter.parameter.schema

  return DIRECTIONS.has(String(usual ?? example ?? '').toLowerCase())
}

/** Whether a value of the parameter may name a property, such as `-name`, `name:desc` or `name_asc`, or means an order. */
function namesProperties(parameter: QueryParameter, targets: readonly Target[]): boolean {
  const values = valuesOf(parameter)
  const isOrder = (value: string): boolean =>
    namesProperty(value, targets) || orderMeant(value, targets) !== undefined
  return values.length === 0 || values.some(isOrder)
}

const SORTED = /^([+-]?)(.*?)(?:[\s:.,_]+(asc|desc)(?:ending)?)?$/i

/** Whether a value of a sorting parameter names a property, with or without its direction. */
function namesProperty(value: string, targets: readonly Target[]): boolean {
  const [, , name = ''] = SORTED.exec(value) ?? []
  const names = [value, name].map(plainName)
  return targets.some(({ plain }) => names.includes(plain))
}

/** The orders that values mean which name no property; `undefined` when there are none. */
function meantValues(
  parameter: QueryParameter,
  targets: readonly Target[],
): SortHints['values'] | undefined {
  const meant = valuesOf(parameter).flatMap((value) => {
    const order = namesProperty(value, targets) ? undefined : orderMeant(value, targets)
    return order === undefined ? [] : [[value, order] as const]
  })
  return meant.length > 0 ? Object.fromEntries(meant) : undefined
}

/** Words for an order by time. */
const NEWEST =
  /^(newest|latest|(most)?recent(ly)?|recency|newtoold|dated?desc)(first|created|added)?$/
const OLDEST = /^(oldest|earliest|oldtonew|dateasc)(first|created|added)?$/
const RECENTLY_CHANGED = /^((most)?recently|last|latest)(updated?|modified|changed)$/
const ALPHABETICAL = /^(alpha(betical(ly)?)?|az|atoz|nameaz|nameatoz)$/

/** The order that a value means by its words, such as `newest` or `created_desc`; `undefined` for an unknown one. */
function orderMeant(value: string, targets: readonly Target[]): string | undefined {
  const plain = plainName(value)
  const dates = targets.filter(isDate)
  const created = dates.find((one) => CREATED.test(one.plain))?.place
  const changed = dates.find((one) => CHANGED.test(one.plain))?.place
  if (RECENTLY_CHANGED.test(plain)) return changed && `-${changed}`
  if (NEWEST.test(plain)) return created && `-${created}`
  if (OLDEST.test(plain)) return created
  if (ALPHABETICAL.test(plain))
    return targets.find((one) => /^(name|title|fullname|displayname)$/.test(one.plain))?.place
  const [, sign = '', name = '', ending = ''] = SORTED.exec(value) ?? []
  const date = dateNamed(plainName(name), dates)?.place ?? (plainName(name) === 'date' && created)
  const isDown = sign === '-' || /^desc/i.test(ending)

  return date ? `${isDown ? '-' : ''}${date}` : undefined
}

/** Descriptions of lists that begin with the latest records. */
const NEWEST_FIRST =
  /\b(newest|latest|most recent(ly)?)\b[^.,;]{0,40}\b(first|to (the )?oldest)\b|revers(e|ed) chronological|descending (chronological|date|time|creat)|descending order (of|by) [^.]{0,20}(creat|date)|(start|begin)(s|ning|ing)? with the (most recent|newest|latest)|(creat|date)[^.;]{0,30} in descending/i

/** Descriptions of lists that have an order of their own. */
const ORDERED = /\b(ascending|alphabetical|chronological|oldest)\b|\b(sorted|ordered) by\b/i

/** The order that a description says: the latest first; `undefined` when it says none. */
function describedOrder(description: string, targets: readonly Target[]): string | undefined {
  const [said] = NEWEST_FIRST.exec(description) ?? []
  if (said === undefined) return undefined
  const dates = targets.filter(
    (one) => isDate(one) && (isText(one.schema) || isNumeric(one.schema)),
  )
  const rule = /updat|modif|chang/i.test(said) ? CHANGED : CREATED
  const date = dates.find(({ plain }) => rule.test(plain))

  return date && `-${date.place}`
}
