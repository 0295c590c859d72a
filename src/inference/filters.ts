import type { Operation, Parameter, Schema } from '../contract/contract.ts'
import {
  CONDITION,
  type FilterHints,
  type PagingHints,
  SERVICE_VALUES,
  type SortHints,
} from '../contract/hints.ts'
import {
  isFreeObject,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
  withBranches,
} from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'
import {
  comparedTarget,
  type Filter,
  isDate,
  isFreeText,
  momentOf,
  type NamedComparison,
  readComparisons,
} from './comparisons.ts'
import { EVERY, equalTo, equalToPart, hasScalars, membersOf } from './equality.ts'
import { wordsOf } from './id-property.ts'
import { listParametersOf } from './paging.ts'
import { selectedBy } from './state-hints.ts'
import { innerTargets, type Target, targetsIn } from './targets.ts'
import { ENDED_STATE } from './time-names.ts'

/** What else is known about a list. */
export interface ListContext {
  readonly paging?: PagingHints | undefined
  readonly sort?: SortHints | undefined
  /** The description of a query parameter, or of the list. */
  readonly describe?: (parameter?: string) => string
  /** The name in the record of a property that the response may call otherwise; default: the same. */
  readonly nameOf?: (property: string) => string
  /** The property with the id, which `ids` means whatever it is called. */
  readonly id?: string
  /** The schema of the records where a response shows most of them: a list may show less, and be filtered by all. */
  readonly known?: Schema | undefined
}

/** Parameters that decide how the response looks, whatever the record has. */
const OTHER =
  /^(fields?|select|expand|embed|include|includes|format|pretty|callback|sort|sortby|orderby)$/

/** Parameters with a text that is searched in the whole record. */
const SEARCH =
  /^(q|query|search|search(term|text|query|string|key|keyword)|keywords?|(filter)?term|fulltext|freetext)$/

/** Parameters with an expression that compares properties. */
const EXPRESSION =
  /^(odata)?(filters?|where)(by|expr|expression|query|string)?$|^(criteria|rsql|fiql|advancedfilter)$/

/** Descriptions of a search by a language of queries. */
const LANGUAGE = /syntax|operator|lucene|expression|query language|jmespath|odata|qualifier|regex/i

/**
 * How query parameters filter a list. A parameter with the name of a property filters by it when both have comparable values; other names
 * say how they compare, or search in texts. A required parameter may select what the list is about: a value that no record has shows all.
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
  const shown = targetsIn(recordSchema, context.nameOf)
  const hidden = targetsIn(context.known ?? {}).filter(
    ({ plain }) => !shown.some((one) => one.plain === plain),
  )
  const targets = withId([...shown, ...hidden], context.id)
  const filters = listParametersOf(operation).flatMap((parameter) => {
    if (taken.has(parameter.name)) return []
    if (hasConditions(parameter.schema)) return [[parameter.name, EXPRESSED] as const]
    return filtersIn(parameter, describe(parameter.name)).flatMap((filter) => {
      const hints = filterBy(filter, targets)
      const open = parameter.required ? ({ unknown: 'all' } as const) : {}
      return hints ? [[filter.parameter, brief({ ...hints, ...open })] as const] : []
    })
  })
  return filters.length > 0 ? Object.fromEntries(filters) : undefined
}

/** The places with one that is called `id`: the id of the records has a name of its own in some. */
function withId(targets: readonly Target[], id: string | undefined): readonly Target[] {
  const own = targets.find(({ place }) => place === id)
  const isNamed = targets.some(({ plain }) => plain === 'id')

  return own && !isNamed ? [...targets, { ...own, plain: 'id' }] : targets
}

/** Equality of one property is its name alone. */
function brief(hints: FilterHints): string | FilterHints {
  const { property, is = 'equal', ...others } = hints
  const isEqual = typeof property === 'string' && is === 'equal'
  return isEqual && Object.keys(others).length === 0 ? property : hints
}

/** `filter[name]`, `filter.name` and `query[filter][name]` are filters by `name`. */
function withoutGroups(name: string): string {
  const parts = name.split(/[[\].]+/).filter(Boolean)
  const first = parts.findIndex((part) => !GROUP.test(part))
  const [own = name, ...inner] = parts.slice(Math.max(0, first))

  return first < 1 ? name : own + inner.map((part) => `[${part}]`).join('')
}

/** Objects of a parameter that have filters: `filter`, and `state_filter` inside of it. */
const GROUP = /^(query|filters?|where)$|[a-z](_f|-f|F)ilters?$/i

/** So deep in the object of a parameter are values that are filters. */
const MAX_DEPTH = 4

/** The values of a parameter: of an object, those of its properties. `above` are the schemas of the objects that it is in. */
function filtersIn(
  { name, schema }: Pick<Parameter, 'name' | 'schema'>,
  description: string,
  above: readonly Schema[] = [],
): readonly Filter[] {
  if (above.includes(schema) || above.length > MAX_DEPTH) return []
  const isOpen = isFreeText(itemsOf(schema) ?? schema) || isFreeObject(schema)
  const isGroup =
    /^(filters?|where)$/i.test(name) && !isOpen && !hasScalars(itemsOf(schema) ?? schema)
  const inner = [...propertiesOf(schema)].flatMap(([key, property]) => {
    const parameter = `${name}[${key}]`
    return filtersIn({ name: parameter, schema: property }, description, [...above, schema])
  })
  const own = {
    parameter: name,
    name: withoutGroups(name),
    schema,
    description,
  }
  const isObject = inner.length > 0 && !hasScalars(schema)
  return isGroup || isObject ? inner : [own, ...inner]
}

/** A rule for what a value of a query means. `plain` is its name without spelling. */
interface FilterRule {
  readonly name: string
  /** The filter; `undefined` when the rule says nothing about the value. */
  readonly infer: (
    filter: Filter,
    plain: string,
    targets: readonly Target[],
  ) => FilterHints | undefined
}

/** Every rule, in the order in which they are asked. The first one that applies decides. */
export const FILTER_RULES: readonly FilterRule[] = [
  { name: 'expression', infer: expressionIn },
  {
    name: 'search',
    infer: (filter, plain, targets) =>
      SEARCH.test(plain) ? (searchIn(filter, targets) ?? NOTHING) : undefined,
  },
  {
    name: 'equal',
    infer: (filter, plain, targets) =>
      equalTo(filter, plain, targets) ?? namedMember(filter, plain, targets),
  },
  { name: 'members', infer: membersOf },
  { name: 'labels', infer: labelsIn },
  {
    name: 'comparison',
    infer: (filter, _plain, targets) => {
      for (const comparison of readComparisons(filter.name)) {
        const found = comparedBy(comparison, filter, targets)
        if (found) return found
      }
      return undefined
    },
  },
  { name: 'moment', infer: momentOf },
  { name: 'presence', infer: presenceOf },
  { name: 'part', infer: equalToPart },
  { name: 'included', infer: includedIn },
  { name: 'words', infer: wordsIn },
  {
    name: 'described search',
    infer: (filter, plain, targets) =>
      SEARCHED.test(plain) || SAYS_SEARCH.test(filter.description)
        ? searchIn(filter, targets)
        : undefined,
  },
]

/** Parameters that add what a list leaves out, and the states that lists leave out. */
const INCLUDES = /^(include|includes|including|with|show)(?=.)/
const LEFT_OUT =
  /^(hidden|inactive|deactivated|draft|private|spam|muted|unpublished|internal|invisible|snoozed)$/

/** A flag such as `include_archived`: without it, a list has no records in that state. */
function includedIn(
  { schema, name }: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  if (!(typesIn(schema).has('boolean') && INCLUDES.test(plain)) || schema.default === true)
    return undefined
  const [, first = '', ...others] = wordsOf(name)
  const word = [[first, ...others].join(''), first].find(
    (one) => ENDED_STATE.test(one) || LEFT_OUT.test(one),
  )
  const held = word === undefined ? undefined : selectedBy(word, targets)
  const [property, value] = Object.entries(held ?? {})[0] ?? []
  if (property === undefined) return undefined
  const left = isObject(value) ? SERVICE_VALUES.absent : { not: value }
  const values = { false: { [property]: left } }
  return { property: [property], values, ignored: [true], default: false }
}

/** Parameters whose values say which records are meant, whatever these have under the name. */
const KINDS =
  /(type|filter|filterby|show|state|status|view|scope|only|kind|visibility|which|category|mode)s?$/

/** A parameter that lists words for what records are, such as `unapproved`, `closed` and `unassigned`. */
function wordsIn(
  { schema }: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const offered = listedValues(itemsOf(schema) ?? schema).filter((one) => typeof one === 'string')
  const words = offered.filter((one) => !EVERY.test(one))
  if (!KINDS.test(plain) || words.length === 0) return undefined
  const values = words.flatMap((word) => {
    const selected = selectedBy(word, targets)
    return selected ? [[word, selected] as const] : []
  })
  if (values.length * 2 < words.length || values.length === 0) return undefined
  const ignored = offered.filter((one) => EVERY.test(one))

  return {
    property: [],
    values: Object.fromEntries(values),
    ...(ignored.length > 0 && { ignored }),
  }
}

const EXPRESSED: FilterHints = { property: [], is: 'expression' }

/** The deepest objects that compare properties. */
const MAX_CONDITION_DEPTH = 4

/** Whether the values of a schema are comparisons such as `{ field, operator, value }`, or lists of them. */
function hasConditions(schema: Schema, depth = 0): boolean {
  if (depth > MAX_CONDITION_DEPTH) return false
  const items = itemsOf(schema)
  if (items) return hasConditions(items, depth + 1)
  return withBranches(schema).some((branch) => {
    const properties = [...propertiesOf(branch)]
    const has = (names: RegExp): boolean => properties.some(([name]) => names.test(plainName(name)))
    if (has(CONDITION.field) && has(CONDITION.operator) && has(CONDITION.value)) return true
    const inner = properties.filter(
      ([name]) => CONDITION.all.test(plainName(name)) || CONDITION.any.test(plainName(name)),
    )
    return inner.some(([, own]) => hasConditions(own, depth + 1))
  })
}

/** A text that compares properties: of a filter that no property is called as, or of a search that is described so. */
function expressionIn(
  filter: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const { schema } = filter
  if (targets.some((one) => one.plain === plain)) return undefined
  const isOpen = isFreeText(itemsOf(schema) ?? schema) || isFreeObject(schema)
  if (EXPRESSION.test(plain)) return isOpen ? EXPRESSED : undefined
  if (SEARCH.test(plain) && isFreeObject(schema)) return EXPRESSED
  if (!isFreeText(schema)) return undefined
  const isDescribed = SEARCH.test(plain) && LANGUAGE.test(filter.description)
  return isDescribed ? { property: textsIn(targets), is: 'expression' } : undefined
}

/** One of the texts in a list by what it is called: `tag_name` of `tags`. */
function namedMember(
  filter: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const lists = targets.filter(({ schema }) => typesIn(itemsOf(schema) ?? {}).has('string'))
  return plain.endsWith('name') ? equalTo(filter, plain.slice(0, -'name'.length), lists) : undefined
}

/** Parameters with a label selector, and descriptions of one. */
const SELECTOR = /selectors?$/
const USUAL_SELECTOR = /^(labels?|tags?)?selectors?$/
const SAYS_SELECTOR = /\b(label|tag)[ _-]?selectors?\b|\bkey\s*[=:]\s*value\b/i

/** A text such as `env=prod,!old`, which compares the labels in an object that may have any. */
function labelsIn(
  { schema, description }: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const values = itemsOf(schema) ?? schema
  const isNamed = SELECTOR.test(plain)
  if (!isFreeText(values) || !(isNamed || SAYS_SELECTOR.test(description))) return undefined
  const wanted = plain.replace(SELECTOR, '').replace(/s$/, '')
  const objects = targets.filter((one) => isFreeObject(one.schema))
  const target =
    objects.find((one) => one.plain.replace(/s$/, '') === wanted) ??
    (USUAL_SELECTOR.test(plain) ? objects.find((one) => LABELS.test(one.plain)) : undefined)

  return target && { property: target.place, is: 'labels' }
}

/** What labels are called. */
const LABELS = /^(labels?|tags?|metadatalabels)$/

/** A filter that is known to mean nothing that records have. */
const NOTHING: FilterHints = { property: [] }

/** Names of a text that is searched where no property has the name, and descriptions of one. */
const SEARCHED = /^(text|phrase|contains)$/
const SAYS_SEARCH =
  /^(an? |the )?(text|term|keyword|string|phrase|word)s? (to|that is) (search|look)|^search(es)? (for|by|in|text|term|string|query|keyword|phrase)\b/i

/** How a value of a query filters records; `undefined` when nothing tells it. */
function filterBy(filter: Filter, targets: readonly Target[]): FilterHints | undefined {
  const plain = plainName(filter.name)
  if (OTHER.test(plain)) return undefined
  for (const { infer } of FILTER_RULES) {
    const found = infer(filter, plain, targets)
    if (found) return found === NOTHING ? undefined : found
  }
  return undefined
}

function comparedBy(
  comparison: NamedComparison,
  filter: Filter,
  targets: readonly Target[],
): FilterHints | undefined {
  const { base, is } = comparison
  if (is === 'exists' || is === 'missing') return presentBy(comparison, filter, targets)
  if (is !== 'equal' && is !== 'in' && is !== 'not') {
    const target = comparedTarget(comparison, filter, targets)
    return target && { property: target.place, is }
  }
  const found = base === '' ? undefined : equalTo(filter, base, targets)
  return found && is !== 'equal' ? { ...found, is } : found
}

/** `has_assignee` selects the records with an assignee, or those without. */
function presenceOf(
  filter: Filter,
  plain: string,
  targets: readonly Target[],
): FilterHints | undefined {
  const base = /^has(?=.)/.test(plain) ? plain.slice('has'.length) : undefined
  return base === undefined ? undefined : presentBy({ base, is: 'exists' }, filter, targets)
}

/** Whether a property has a value, by a flag. */
function presentBy(
  { base, is }: NamedComparison,
  { schema }: Filter,
  targets: readonly Target[],
): FilterHints | undefined {
  if (!typesIn(schema).has('boolean')) return undefined
  const target = [base, `${base}s`, `${base}id`].flatMap(
    (name) => targets.find(({ plain }) => plain === name) ?? [],
  )[0]

  return target && { property: target.place, is }
}

/** The most properties in which a text is searched. */
const MAX_SEARCHED = 20

/** A search in the texts of a record. */
function searchIn(
  { schema, description }: Filter,
  targets: readonly Target[],
): FilterHints | undefined {
  if (!isFreeText(schema) || LANGUAGE.test(description)) return undefined
  const all = textsIn(targets)
  const named = all.filter((place) => isNamedIn(description, place))
  const property = named.length > 0 ? named : all
  return property.length > 0 ? { property, is: 'contains' } : undefined
}

/** "First or last name" is the first name or the last name. */
export const EACH_NAME: RegExp = /\b(\w+) (or|and) (\w+) (name)\b/g

/** Whether a description says that a text is searched: "whose title contains this text", "in name or city". */
function isNamedIn(description: string, place: string): boolean {
  const words = place
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  const said = description
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(EACH_NAME, '$1 $4 $2 $3 $4')
  const [, whose = '', inside = ''] =
    /\bwhose (.+?) (?:contains?|has|have|includes?|match(?:es)?)\b|\bin (?:the |its |their )?([\w` ,]+)/.exec(
      said,
    ) ?? []
  return new RegExp(`(?<![\\w/])${words.replace(/[^\w ]/g, '.')}(?!\\w)`).test(whose + inside)
}

/** The places of the texts that are searched. */
function textsIn(targets: readonly Target[]): readonly string[] {
  const inParts = targets.flatMap((target) =>
    DESCRIBING.test(target.plain) ? innerTargets(target) : [],
  )
  const texts = [...targets, ...inParts].filter((target) => isSearchable(target))
  return texts.slice(0, MAX_SEARCHED).map(({ place }) => place)
}

/** Objects in a record that describe it. */
const DESCRIBING = /^(profile|fields|content|fullname|contactinfo|personalinfo|basicinfo)$/

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
