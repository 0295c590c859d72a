import type { Operation, Schema } from '../contract/contract.ts'
import { LATEST_ADDED, type SortHints } from '../contract/hints.ts'
import {
  isNumeric,
  isObjectSchema,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
} from '../contract/schema.ts'
import { dateNamed, eventOf, isDate } from './comparisons.ts'
import { type QueryParameter, queryParametersOf } from './paging.ts'
import { innerTargets, type Target, targetsIn } from './targets.ts'
import { CHANGED, CREATED, HAPPENED } from './time-names.ts'

/** The opposite of `LATEST_ADDED`: what requests added comes last, the latest of it at the end. */
export const FIRST_ADDED = '-{added}'

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
  const query = queryParametersOf(operation)
  const targets = sortablePlaces(recordSchema)
  const direction = directionOf(query)
  const by = query.find(
    (one) => one !== direction && isText(one.parameter.schema) && sortsBy(one, targets),
  )
  const group = by || direction ? undefined : groupIn(query, targets)
  if (group !== undefined) return { by: group }
  const values = by && meantValues(by, targets, describe(by.parameter.name))
  const usual = usualOrder({ by, direction, targets, describe, isPaged })
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

/** The order of a list without parameters; `undefined` when the document says none, or a parameter has a default. */
function usualOrder({
  by,
  direction,
  targets,
  describe,
  isPaged,
}: {
  readonly describe: NonNullable<SortContext['describe']>
  readonly isPaged: boolean
  readonly by: QueryParameter | undefined
  readonly direction: QueryParameter | undefined
  readonly targets: readonly Target[]
}): string | undefined {
  const said = `${describe()} ${by ? describe(by.parameter.name) : ''}`.replace(/\s+/g, ' ')
  const [own, way] = [by, direction].map((one) => one?.parameter.schema.default)
  const order = own === undefined ? describedOrder(said, targets) : undefined
  // A direction with a default is one of the order that the description says.
  if (by === undefined && way !== undefined)
    return order && `${/^desc/i.test(String(way)) ? '-' : ''}${order.replace(/^-/, '')}`
  const added = isPaged && !ORDERED.test(said) ? LATEST_ADDED : undefined

  return own === undefined && way === undefined ? (order ?? added) : undefined
}

/** The parameter with the direction. One that does not say its values is one only beside another that sorts. */
function directionOf(query: readonly QueryParameter[]): QueryParameter | undefined {
  const named = query.filter((one) => DIRECTION.test(one.plain) && isText(one.parameter.schema))
  const unsaid = [
    ...named.filter(saysNoValues),
    ...query.filter((one) => FLAG.test(one.plain) && isFlag(one)),
  ]
  const isBeside = (direction: QueryParameter): boolean =>
    query.some((one) => one !== direction && BY.test(one.plain) && !hasDirections(one))

  return named.find(hasDirections) ?? unsaid.find(isBeside)
}

/** Flags that say the direction, or reverse the order. */
const FLAG =
  /^(sort|order|is)?(desc|descending|asc|ascending)$|^(sort|order)?(reverse|reversed)(order|sort)?$/

function isFlag({ parameter: { schema } }: QueryParameter): boolean {
  return typesIn(schema).has('boolean')
}

/** Whether nothing but the name says that a text is a direction. A `sort` alone rather names a property. */
function saysNoValues({ plain, parameter: { schema } }: QueryParameter): boolean {
  return plain !== 'sort' && listedValues(schema).length === 0 && !typesIn(schema).has('array')
}

/** `sort[name]` and `sort[price]`, or an object with these properties: the name of the group. */
function groupIn(query: readonly QueryParameter[], targets: readonly Target[]): string | undefined {
  const isNamed = (name: string): boolean => targets.some(({ plain }) => plain === plainName(name))
  for (const { parameter, plain } of query) {
    const [, group, inner] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(parameter.name) ?? []
    if (group !== undefined && inner !== undefined && BY.test(plainName(group)) && isNamed(inner))
      return group
    const names = [...propertiesOf(parameter.schema).keys()]
    if (BY.test(plain) && names.some(isNamed)) return parameter.name
  }
  return undefined
}

function isText(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.size === 0 || types.has('string') || types.has('array')
}

/** The places of a record that have one value: its properties, and those of objects in it. */
function sortablePlaces(record: Schema): readonly Target[] {
  const all = targetsIn(record)
  const inner = all.filter((one) => isObjectSchema(one.schema)).flatMap(innerTargets)

  return [...all, ...inner].filter(isSortable)
}

/** The places by which a list can be sorted, by what they are called. A moment is also called by what happened, as `created_at` by `created`. */
export function sortableNames(record: Schema): ReadonlyMap<string, string> {
  const places = sortablePlaces(record)
  const events = places.filter(isDate).map((one) => ({ ...one, plain: eventOf(one.plain) }))
  const named = [...places, ...events].filter(({ plain }) => plain !== '')

  // Of places with one name, the first counts.
  return new Map(named.reverse().map(({ plain, place }) => [plain, place]))
}

function isSortable({ schema, place }: Target): boolean {
  const types = typesIn(schema)
  return !(types.has('object') || types.has('array')) && place !== ''
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

/** Whether a parameter names what a list is sorted by. */
function sortsBy(parameter: QueryParameter, targets: readonly Target[]): boolean {
  return BY.test(parameter.plain) && namesProperties(parameter, targets)
}

/** Whether a value of the parameter may name a property, such as `-name`, `name:desc` or `name_asc`, or means an order. */
function namesProperties(parameter: QueryParameter, targets: readonly Target[]): boolean {
  const values = valuesOf(parameter)
  const isOrder = (value: string): boolean =>
    namesProperty(value, targets) || orderMeant(value, targets) !== undefined
  return values.length === 0 || values.some(isOrder)
}

const SORTED = /^([+-]?)(.*?)(?:[\s:.,_]+(asc|desc)(?:ending)?)?$/i
/** A direction without a separator, as in `nameDesc`. */
const CAMEL = /^([+-]?)(.*?[a-z\d])(Asc|Desc)(?:ending)?$/

/** The parts of a value that sorts, such as `-name`, `name:desc` and `nameDesc`. */
export function readOrder(value: string): {
  readonly sign: string
  readonly name: string
  readonly ending: string
} {
  const text = value.trim()
  const [, sign = '', name = '', ending = ''] = CAMEL.exec(text) ?? SORTED.exec(text) ?? []

  return { sign, name, ending }
}

/** Whether a value of a sorting parameter names a property, with or without its direction. */
function namesProperty(value: string, targets: readonly Target[]): boolean {
  const names = [value, readOrder(value).name].map(plainName)
  return targets.some(({ plain }) => names.includes(plain))
}

/** The orders that values mean which name no property; `undefined` when there are none. */
function meantValues(
  parameter: QueryParameter,
  targets: readonly Target[],
  said: string,
): SortHints['values'] | undefined {
  const meant = valuesOf(parameter).flatMap((value) => {
    const order = namesProperty(value, targets)
      ? describedMeaning(value, targets, said)
      : orderMeant(value, targets)
    return order === undefined ? [] : [[value, order] as const]
  })
  return meant.length > 0 ? Object.fromEntries(meant) : undefined
}

/** The property by which a value sorts first, where a description says another one than it names: "`number` sorts by season first". */
function describedMeaning(
  value: string,
  targets: readonly Target[],
  said: string,
): string | undefined {
  const { sign, name } = readOrder(value)
  const words = said.replace(/[`.,;]/g, '').split(/\s+/)
  const at = words.findIndex((one, place) => one === name && words[place + 1] === 'sorts')
  const other = words[at + 2] === 'by' && words[at + 4] === 'first' ? words[at + 3] : undefined
  const found = at < 0 ? undefined : targets.find(({ plain }) => plain === plainName(other ?? ''))

  return found && `${sign === '-' ? '-' : ''}${found.place}`
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
  const created = createdIn(dates)?.place
  const changed = dates.find((one) => CHANGED.test(one.plain))?.place
  if (RECENTLY_CHANGED.test(plain)) return changed && `-${changed}`
  const time = created ?? numberIn(targets)
  if (NEWEST.test(plain)) return time === undefined ? LATEST_ADDED : `-${time}`
  if (OLDEST.test(plain)) return time ?? FIRST_ADDED
  if (ALPHABETICAL.test(plain))
    return targets.find((one) => /^(name|title|fullname|displayname)$/.test(one.plain))?.place
  return orderByTime(value, dates)
}

/** The order by a time that a value names without its ending, such as `created` and `-created`. */
function orderByTime(value: string, dates: readonly Target[]): string | undefined {
  const { sign, name, ending } = readOrder(value)
  const plain = plainName(name)
  const created = createdIn(dates)?.place
  const date = dateNamed(plain, dates)?.place ?? (plain === 'date' && created)
  const isDown = sign === '-' || /^desc/i.test(ending)
  if (date) return `${isDown ? '-' : ''}${date}`
  // Without a time of the creation, the sandbox knows what requests have added.
  if (created !== undefined || !CREATED.test(plain)) return undefined

  return isDown ? LATEST_ADDED : FIRST_ADDED
}

/** The number that counts the records in the order of their creation. */
function numberIn(targets: readonly Target[]): string | undefined {
  return targets.find(({ plain, schema }) => plain === 'id' && isNumeric(schema))?.place
}

/** The time of a creation, or the one at which happened what a record is about. */
function createdIn(dates: readonly Target[]): Target | undefined {
  return (
    dates.find(({ plain }) => CREATED.test(plain)) ??
    dates.find(({ plain }) => HAPPENED.test(plain))
  )
}

/** Descriptions of lists that begin with the latest records. */
const NEWEST_FIRST =
  /\b(newest|latest|most recent(ly)?)\b[^.,;]{0,40}\b(first|to (the )?oldest)\b|revers(e|ed) chronological|descending (chronological|date|time|creat)|descending order (of|by) [^.]{0,20}(creat|date)|(start|begin)(s|ning|ing)? with the (most recent|newest|latest)|(creat|date)[^.;]{0,30} in descending/i

/** Descriptions of lists that have an order of their own. */
const ORDERED = /\b(ascending|alphabetical|chronological|oldest)\b|\b(sorted|ordered) by\b/i

/** The order that a description says: the latest first, or by a property; `undefined` when it says none. */
function describedOrder(description: string, targets: readonly Target[]): string | undefined {
  const [said] = NEWEST_FIRST.exec(description) ?? []
  const named = namedOrder(description, targets)
  if (named !== undefined) return said === undefined ? named : `-${named.replace(/^-/, '')}`
  if (said === undefined) return undefined
  const dates = targets.filter(
    (one) => isDate(one) && (isText(one.schema) || isNumeric(one.schema)),
  )
  const isChange = /updat|modif|chang/i.test(said)
  const date = isChange ? dates.find(({ plain }) => CHANGED.test(plain)) : createdIn(dates)

  return date && `-${date.place}`
}

/** Descriptions of lists that name a property: "Ordered by date, then by id", "in ascending order of their code", "by date, the oldest first". */
const ORDERED_BY =
  /\b(?:(?:sorted|ordered|listed)(?: in (\w+) order)?|order is) by ([^.;,(]+)|\b(?:in|by) (?:the |an? )?(?:(ascending|descending|alphabetical) )?order (?:of|by) ([^.;,(]+)|\bby ([^.;,( ]+), (?:the )?(?:oldest|newest|latest|earliest|(ascending|descending))\b/i

/**
 * "By position ascending", "by ascending number". What is said of equal values is not the order of all, and without any order records
 * are in that of their ids.
 */
const BY_AND_WAY =
  /(?<!\b(?:equal|same|ties)\b[^.;]*)\bby (?!ascending `?id\b|`?id`? ascending)(?:(ascending|descending) `?([\w.]+)|`?([\w.]+)`?(?: \([^)]*\))? (ascending|descending))\b/i

/** Descriptions of lists that say which value of a property comes first: "the latest `inspected_on` first". */
const FIRST =
  /(?:\bthe |(?:^|[.,;:] ))(latest|newest|most recent|highest|largest|greatest|oldest|earliest|lowest|smallest) ([^.;,(]+?) first\b/i
const DOWN = /^(latest|newest|most recent|highest|largest|greatest)$/i

/** Descriptions of lists whose new records are at the end. */
const AS_ADDED = /\bin the order in which they (?:were|are) (?:added|created)\b/i

/** Descriptions of lists with a label: "Order: by last_name, then by first_name, ascending", "Default order: code descending". */
const LABELLED = /\border: (?:by )?`?(\w+)`?\b(?:[^.;]{0,80}?\b(ascending|descending)\b)?/i

/** The most words in the name of a property. */
const MAX_WORDS = 4

/** The order by the property that a description names first. */
function namedOrder(description: string, targets: readonly Target[]): string | undefined {
  const dates = targets.filter(isDate)
  if (AS_ADDED.test(description)) return createdIn(dates)?.place
  const [, label = '', course = ''] = LABELLED.exec(description) ?? []
  const labelled = targets.find(({ plain }) => label !== '' && plain === plainName(label))
  if (labelled) return `${/^desc/i.test(course) ? '-' : ''}${labelled.place}`
  const [, rank = '', first = ''] = FIRST.exec(description) ?? []
  const [, before = '', by = '', direction = '', of = '', at = '', way = ''] =
    ORDERED_BY.exec(description) ?? []
  const [, up = '', below = '', alone = '', down = ''] = BY_AND_WAY.exec(description) ?? []
  const said = (first || `${by}${of}${at}` || `${below}${alone}`).replace(/<\/?code>|`/g, '')
  const words = said
    .split(/\s+/)
    .filter((one) => !/^(|a|an|the|its|their|by|ascending|descending|asc|desc)$/i.test(one))
  const names = words.slice(0, MAX_WORDS).map((_, at) => plainName(words.slice(0, at + 1).join('')))
  const [found] = names.reverse().flatMap((name) => {
    const own =
      targets.find(({ plain }) => plain === name || `${plain}s` === name) ?? dateNamed(name, dates)
    return own ? [own.place] : []
  })
  const isDown =
    [before, direction, way, up, down].some((one) => /^desc/i.test(one)) ||
    /\bdesc(ending)?\b/i.test(said) ||
    DOWN.test(rank)

  return found === undefined ? undefined : `${isDown ? '-' : ''}${found}`
}
