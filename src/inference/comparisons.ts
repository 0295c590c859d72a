import type { Schema } from '../contract/contract.ts'
import { FILTER_COMPARISONS, type FilterHints } from '../contract/hints.ts'
import { isNumeric, listedValues, plainName, typesIn } from '../contract/schema.ts'
import type { Target } from './targets.ts'
import { CHANGED, CREATED, TIME } from './time-names.ts'

/** A value of a query: that of a parameter, or of a property of one, such as `filter[name]`. */
export interface Filter {
  readonly parameter: string
  /** The name without that of its group. */
  readonly name: string
  readonly schema: Schema
  readonly description: string
}

type FilterComparison = NonNullable<FilterHints['is']>

/** A comparison that a name spells, with the rest of the name without spelling. */
export interface NamedComparison {
  readonly base: string
  readonly is: FilterComparison
}

/** The words at the end of a name that compare, such as `created_after`, `amount[gte]` and `name__contains`. */
const ENDINGS = comparisonsBy({
  equal: 'eq equals exact is',
  in: 'in any anyof oneof',
  not: 'ne neq not n notequal nin notin',
  after: 'gt after greaterthan newerthan',
  from: 'gte ge gteq min minimum from since start starting onorafter',
  before: 'lt before lessthan olderthan',
  to: 'lte le lteq max maximum to until till end ending onorbefore',
  contains: 'contains contain like ilike icontains ic match search',
  starts: 'startswith beginswith isw prefix',
  ends: 'endswith iew suffix',
  exists: 'exists present',
  missing: 'isnull empty isempty null absent missing',
})

/** The words at the beginning of a name that compare, such as `min_price` and `until`. */
const BEGINNINGS = comparisonsBy({
  not: 'not exclude',
  after: 'after',
  from: 'min minimum from since start starting',
  before: 'before',
  to: 'max maximum to until till end ending',
  exists: 'exists',
})

function comparisonsBy(
  words: Readonly<Partial<Record<FilterComparison, string>>>,
): ReadonlyMap<string, FilterComparison> {
  const pairs = FILTER_COMPARISONS.flatMap((is) =>
    (words[is]?.split(' ') ?? []).map((word) => [word, is] as const),
  )
  return new Map(pairs)
}

/** The comparisons that a name may spell, the likely one first. */
export function readComparisons(name: string): readonly NamedComparison[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  // `published_since_date` is `published_since`.
  const said = words.length > 2 && /^(date|time)$/.test(words.at(-1) ?? '') ? [0, 1] : [0]
  const atEnd = said.flatMap((dropped) => {
    const before = words.slice(0, words.length - dropped)
    return [-3, -2, -1].map((from) => ({
      is: ENDINGS.get(before.slice(from).join('')),
      base: before.slice(0, from).join(''),
    }))
  })
  const atStart = { is: BEGINNINGS.get(words[0] ?? ''), base: words.slice(1).join('') }

  return [...atEnd, atStart].flatMap(({ is, base }) => (is ? [{ is, base }] : []))
}

/** Units at the end of names: `min_depth` is about `depth_metres`. */
const UNITS =
  'm metres meters cm mm km ft kg g grams l litres liters seconds minutes hours days percent cents eur usd'.split(
    ' ',
  )

/** What a filter compares as a text, a number or a moment; `undefined` when nothing fits. */
export function comparedTarget(
  { base, is }: NamedComparison,
  filter: Filter,
  targets: readonly Target[],
): Target | undefined {
  const { schema, name } = filter
  const isText = is === 'contains' || is === 'starts' || is === 'ends'
  if (isText)
    return isFreeText(schema)
      ? targets.find((one) => one.plain === base && isFreeText(one.schema))
      : undefined
  if (!isOrdered(schema)) return undefined
  const described = describedTarget(filter, targets)
  if (described) return described
  const exact = [base, `${base}count`, ...UNITS.map((unit) => base + unit)].flatMap(
    (wanted) => targets.find((one) => one.plain === wanted && isOrdered(one.schema)) ?? [],
  )[0]
  if (exact && base !== '') return exact
  const dates = targets.filter((one) => isDate(one))
  const own = dates.find(({ plain }) => plain === plainName(name))
  if (own) return own
  if (/^(|date|time|timestamp|datetime|day)$/.test(base)) return dateOf(filter, base, dates)
  return dateNamed(base, dates)
}

/** The only property of the same kind that a description spells as records do: "Only trips whose `planned_start` is on this day or later". */
function describedTarget(
  { schema, description }: Filter,
  targets: readonly Target[],
): Target | undefined {
  const isDay = /^date/.test(schema.format ?? '')
  if (!isDay && !isNumeric(schema)) return undefined
  const spelled = new Set(description.match(/[A-Za-z][\w/]*/g))
  const marked = new Set(description.match(/(?<=`)[\w/]+(?=`)/g))
  const isSpelled = (name: string): boolean =>
    marked.has(name) || (/[a-z](_|[A-Z])/.test(name) && spelled.has(name))
  const [only, other] = targets.filter(
    (one) => isSpelled(one.place) && (isDay ? isDate(one) : isNumeric(one.schema) && !isDate(one)),
  )
  return other ? undefined : only
}

/** Descriptions of a bound in time, and those of a range. */
const SAYS_FROM = /\b(after|since|newer|later|from|greater|starting)\b/i
const SAYS_TO = /\b(before|until|older|prior|earlier|less|up to|ending)\b/i
const SAYS_RANGE = /\b(range|between|interval|period)\b/i

/** A date or a time with the name of a moment of the record: that day or that time, unless the description says a bound. */
export function momentOf(
  { schema, description }: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  if (!isOrdered(schema) || SAYS_RANGE.test(description)) return undefined
  const dates = targets.filter((one) => isDate(one))
  const target = dates.find((one) => one.plain === plain) ?? dateNamed(plain, dates)
  if (!target) return undefined
  const [isFrom, isTo] = [SAYS_FROM.test(description), SAYS_TO.test(description)]
  const bound = isFrom ? 'from' : 'to'

  return { property: target.place, is: isFrom === isTo ? 'on' : bound }
}

/** The moment of an event, such as `created_at` of `creation` and `publishedOn` of `published`. */
export function dateNamed(event: string, dates: readonly Target[]): Target | undefined {
  const stem = eventOf(event)
  return dates.find(
    ({ plain }) =>
      eventOf(plain) === stem ||
      (CREATION.test(event) && CREATED.test(plain)) ||
      (CHANGE.test(event) && CHANGED.test(plain)),
  )
}

const CREATION = /^creat(ed|ion)?(date|time|at|on)?$/
const CHANGE = /^(last)?(updated?|modified|modification|changed?|edited)(date|time|at|on)?$/

/** What happened at a moment: its name without the words for a time, such as `created` of `created_at`. */
export function eventOf(plain: string): string {
  return plain.replace(new RegExp(`^(date|time)(?=.)|(?<=.)${TIME}$`, 'g'), '')
}

/** Whether any text is a value. */
export function isFreeText(schema: Schema): boolean {
  const types = typesIn(schema)
  const isOther = ['array', 'object', 'boolean'].some((type) => types.has(type))
  return !(isOther || isNumeric(schema)) && listedValues(schema).length === 0
}

/** Whether values can be more or less than others. */
function isOrdered(schema: Schema): boolean {
  return isFreeText(schema) || (isNumeric(schema) && listedValues(schema).length === 0)
}

/** Whether a property is a moment, by its format or its name. */
export function isDate({ plain, schema }: Pick<Target, 'plain' | 'schema'>): boolean {
  if (/^date/.test(schema.format ?? '')) return true
  if (!isOrdered(schema)) return false
  return CREATED.test(plain) || CHANGED.test(plain) || /(date|timestamp)$/.test(plain)
}

/** The one moment of a record that a parameter such as `since` or `end_date` means; `undefined` when it is not clear. */
function dateOf(
  { name, schema, description }: Filter,
  base: string,
  dates: readonly Target[],
): Target | undefined {
  const isNamed = isFreeText(schema) && /since|until|date|time/i.test(name)
  const isMoment =
    isNamed ||
    /^date/.test(schema.format ?? '') ||
    /\b(date|time|timestamp|datetime)\b|iso.?8601|rfc.?3339/i.test(description)
  if (!isMoment) return undefined
  const created = dates.filter(({ plain }) => CREATED.test(plain))
  const changed = dates.filter(({ plain }) => CHANGED.test(plain))
  const named = namedIn(description, dates)
  const saysCreated = /\b(creat|added|posted)/i.test(description)
  const saysChanged = /\b(updat|modif|chang|edited)/i.test(description)
  if (saysChanged && !saysCreated && changed[0]) return changed[0]
  if (saysCreated && !saysChanged && created[0]) return created[0]
  if (named) return named
  // A range of dates without a word for what happened is one of creations.
  const isRange = base !== '' || !/since|until/i.test(name)
  if (isRange && created[0]) return created[0]
  const known = base === '' ? [...created, ...changed] : []
  const [only, other] = known.length === 0 ? dates.filter((one) => !changed.includes(one)) : known

  return other ? undefined : only
}

/** The moment without any event, else the one whose event a description names, such as `starts_on` in "Only events that start later". */
function namedIn(description: string, dates: readonly Target[]): Target | undefined {
  const plain = dates.find((one) => /^(date|time|timestamp|datetime)$/.test(one.plain))
  if (plain) return plain
  const [said, other] = dates.filter((one) => {
    const stem = eventOf(one.plain)
      .replace(/(?<=ed)for$/, '')
      .replace(/(ed|e|s)$/, '')
    const isBound = new RegExp(`\\b${stem}(ing)? (date|time|of)\\b`, 'i').test(description)
    return stem.length >= 3 && new RegExp(`\\b${stem}`, 'i').test(description) && !isBound
  })
  return other || SAYS_RANGE.test(description) ? undefined : said
}
