import type { Parameter } from '../../contract/contract.ts'
import type { FilterHints } from '../../contract/hints.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  firstProblem,
  hasSuccessStatus,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { plainName, recordsAt, valueAt, valuesIn } from '../record-address.ts'
import { escaped, hasWords, spaced } from '../session/stated-rules.ts'
import { isDate, isNumber, keyword, longestPage, typeOf } from '../test-data/values.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe } from './probe.ts'

/** A query parameter that selects the records with more, or with less, than a value. */
interface RangeFilter {
  readonly parameter: Parameter
  readonly property: string
  readonly isLeast: boolean
  /** Whether the value itself is in the range; `undefined` where nobody knows. */
  readonly isInclusive: boolean | undefined
  /** Whether it is not clear what it selects when all records are beyond its value. */
  readonly isOpen: boolean
  /** Whether its name says which property it is about. A filter by dates may be about another date of the record. */
  readonly isNamed: boolean
}

/** Lists of the records in a range: with at least so much, or before a day. The value is that of a record in the middle. */
export function rangeFilterProbes(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  const filters = rangeFilters(list, texts)
  return [
    ...filters.map((one) => rangeProbe(list, one)),
    ...pairProbes(list, filters),
    ...spanFilters(list, texts).map((one) => spanProbe(list, one)),
  ]
}

/** A query parameter that selects the records whose range has a value: those that begin at it or before, and do not end before it. */
interface SpanFilter {
  readonly parameter: Parameter
  readonly least: string
  readonly greatest: string
  /** Whether what has no end is selected, too. */
  readonly isOpen: boolean
}

/** What a description says of the beginning of a range, and of its end, that have a value between them. */
const BEGINS =
  /\b(not? (more|greater|later|higher)|at most|or (earlier|before|less|lower|fewer)|on or before|not after)\b/i
const GOES_ON =
  /\b(not? (less|fewer|earlier|lower)|at least|or (later|after|more|greater|higher)|on or after|not before)\b/i

/** "`min_players` is not more and `max_players` not less": the only two properties of the same kind that a description names. */
function spanFilters(
  { operation, resource }: ResourceBinding,
  texts: DocumentTexts,
): readonly SpanFilter[] {
  return operation.parameters.flatMap((parameter) => {
    const isDay = keyword(parameter.schema, 'format') === 'date'
    if (parameter.in !== 'query' || !(isDay || isNumber(parameter.schema))) return []
    const text = spaced(texts.parameter(operation.id, parameter.name))
    const places = [...propertiesOf(resource.schema)].flatMap(([name, schema]) => {
      const at = text.search(new RegExp(`\\b${escaped(spaced(name))}\\b`))
      const isAlike = isDay ? isDate(schema) : isNumber(schema)
      return isAlike && at >= 0 ? [{ name, at }] : []
    })
    const [first, second, ...more] = places.sort((one, other) => one.at - other.at)
    if (!first || !second || more.length > 0) return []
    const [before, after] = [text.slice(first.at, second.at), text.slice(second.at)]
    const isInOrder = BEGINS.test(before) && GOES_ON.test(after)
    const isTurned = GOES_ON.test(before) && BEGINS.test(after)
    if (isInOrder === isTurned) return []
    const [least, greatest] = isInOrder ? [first, second] : [second, first]
    const isOpen = /\bnull\b|\bno end\b|\babsent\b/.test(isInOrder ? after : before)
    return [{ parameter, least: least.name, greatest: greatest.name, isOpen }]
  })
}

/** Whether the range of a record has a value. */
function spanPlace(
  record: unknown,
  value: string,
  { parameter, least, greatest, isOpen }: SpanFilter,
): { readonly place: Place; readonly what: string } {
  const limit = compared(value)
  const measures = [least, greatest].map((name) => {
    const own = propertyIn(record, name)
    if (own === null && name === greatest && isOpen) return Number.POSITIVE_INFINITY
    return measureOf(own) === undefined ? undefined : compared(shortened(String(own), parameter))
  })
  const [start, end] = measures
  if (start === undefined || end === undefined) return { place: 'unknown', what: '' }
  const [hasBegun, goesOn] = [start <= limit, end >= limit]
  const edges = `${start === limit ? 'starts' : ''} ${end === limit ? 'ends' : ''}`
  return { place: hasBegun && goesOn ? 'in' : 'out', what: `${hasBegun} ${goesOn} ${edges}` }
}

/** Whether a list has the records whose range has its value, and no others. */
function spanSelected(
  found: ProbeResponse,
  known: readonly unknown[],
  list: ResourceBinding,
  filter: SpanFilter,
): Evaluation {
  if (!isSuccess(found)) return hasSuccessStatus(list.operation, found)
  const { parameter, least, greatest } = filter
  const { searchParams } = new URL(found.request.target, 'http://server')
  const value = searchParams.get(parameter.name) ?? ''
  const listed = recordsOf(found, list)
  const shown = new Set(listed.map((record) => JSON.stringify(record)))
  const placeIn = (record: unknown): Place => spanPlace(record, value, filter).place
  const isLost = (record: unknown): boolean =>
    placeIn(record) === 'in' && !shown.has(JSON.stringify(record))
  // What is at the beginning of a page of all is on that of some, too.
  const first = isWhole(found, list) ? known : known.slice(0, known.length / 2)
  const isRight = !first.some(isLost) && listed.every((record) => placeIn(record) !== 'out')
  const received = `${listed.length} of ${known.length} records`
  return passIf(isRight, found, `the records with ${least} ≤ ${value} ≤ ${greatest}`, received)
}

/** The most values of a span that are asked for. */
const MAX_VALUES = 3

/** Values that records start or end at, which differ in what else there is: such as records that start later, or that ended before. */
function spanValues(records: readonly unknown[], filter: SpanFilter): readonly string[] {
  const all = records.flatMap((one) =>
    [filter.least, filter.greatest].flatMap((name) => {
      const own = propertyIn(one, name)
      const text = shortened(String(own), filter.parameter)
      const isValid = [text, Number(text)].some((value) => filter.parameter.validate(value))
      return measureOf(own) !== undefined && isValid ? [text] : []
    }),
  )
  const kinds = [...new Set(all)].map((value) => ({
    value,
    kinds: new Set(records.map((one) => spanPlace(one, value, filter).what)),
  }))
  const [values, known]: [string[], Set<string>] = [[], new Set()]
  const news = (one: (typeof kinds)[number]): number =>
    [...one.kinds].filter((kind) => !known.has(kind)).length
  while (values.length < MAX_VALUES) {
    const [best] = kinds.sort((one, other) => news(other) - news(one))
    if (!best || news(best) === 0) break
    values.push(best.value)
    for (const kind of best.kinds) known.add(kind)
  }
  return values
}

function spanProbe(list: ResourceBinding, filter: SpanFilter): Probe {
  const { name } = filter.parameter
  const { least, greatest } = filter
  const text = `lists the records between whose ${least} and ${greatest} ${name} is, and no others`
  const check = operationCheck(list.operation, `${name}=…/spans`, text, ([all, ...found]) =>
    all && isSuccess(all) && found.length > 0
      ? firstProblem(found.map((one) => spanSelected(one, recordsOf(all, list), list, filter)))
      : TOO_FEW,
  )
  return {
    order: ORDER.pages - 0.33,
    maxRequests: 1 + MAX_VALUES,
    checks: [check],
    send: async (session) => {
      const base = await listRequest(session, list)
      const responses = [await session.send(inRange(base, list, []))]
      for (const value of spanValues(
        responses.flatMap((one) => recordsOf(one, list)),
        filter,
      ))
        responses.push(await session.send(inRange(base, list, [[name, value]])))
      return responses
    },
  }
}

/** Both ends of a range at once: a service may take one of them only. */
function pairProbes(list: ResourceBinding, filters: readonly RangeFilter[]): readonly Probe[] {
  const ofPairs = filters.filter(({ isNamed }) => isNamed)
  return ofPairs.flatMap((least) => {
    const most = ofPairs.find((one) => one.property === least.property && !one.isLeast)
    return least.isLeast && most ? [pairProbe(list, least, most)] : []
  })
}

function pairProbe(list: ResourceBinding, least: RangeFilter, most: RangeFilter): Probe {
  const names = [least, most].map(({ parameter }) => parameter.name)
  const text = `lists the records in the range of ${names.join(' and ')}, and no others`
  const check = operationCheck(
    list.operation,
    `${names.join('&')}=…/fits`,
    text,
    ([all, found]) => {
      if (!(all && found) || ![all, found].every(isSuccess)) return TOO_FEW
      const [known = [], listed = []] = [all, found].map((one) => recordsAt(one, list) ?? [])
      const { searchParams } = new URL(found.request.target, 'http://server')
      const placesOf = (record: unknown): readonly Place[] =>
        [least, most].map((filter) => {
          const value = searchParams.get(filter.parameter.name) ?? ''
          return placeOf(record, filter.property, value, filter)
        })
      const texts = new Set(listed.map((one) => JSON.stringify(one)))
      const isLost = (one: unknown): boolean =>
        placesOf(one).every((place) => place === 'in') && !texts.has(JSON.stringify(one))
      const isRight =
        listed.every((one) => !placesOf(one).includes('out')) &&
        (!isWhole(found, list) || !known.some(isLost))
      const expected = `the records with ${least.property} between ${[...searchParams.values()].slice(-2).join(' and ')}`
      return passIf(isRight, found, expected, `${listed.length} of ${known.length} records`)
    },
  )
  return {
    order: ORDER.pages - 0.34,
    maxRequests: 2,
    checks: [check],
    send: async (session) => {
      const base = await listRequest(session, list)
      const send = async (pairs: readonly (readonly [string, string])[]): Promise<ProbeResponse> =>
        await session.send(inRange(base, list, pairs))
      const all = await send([])
      const values = sortedValues(recordsOf(all, list), least)
      const [start, end] = [values.at(Math.floor(values.length / 4)), values.at(-2)]
      const valid = [validValue(start, least), validValue(end, most)]
      const pairs = names.flatMap((name, at) => {
        const value = valid[at]
        return value === undefined ? [] : [[name, value] as const]
      })
      if (values.length < MIN_OF_PAIR || pairs.length < 2) return [all]
      return [all, await send(pairs)]
    },
  }
}

/** So many different values a list must have for a range between two of them. */
const MIN_OF_PAIR = 4

/** The request for a list in the longest page, with parameters. */
function inRange(
  base: ProbeRequest,
  list: ResourceBinding,
  pairs: readonly (readonly [string, string])[],
): ProbeRequest {
  const query = [...longestPage(list.operation), ...pairs]
  const names = new Set(query.map(([one]) => one))
  const target = withQuery(base.target, (one) => names.has(one), query)
  return { ...base, target, isValid: true }
}

function rangeProbe(list: ResourceBinding, filter: RangeFilter): Probe {
  const { name } = filter.parameter
  return {
    order: ORDER.pages - 0.35,
    maxRequests: 4,
    checks: rangeChecks(list, filter),
    send: async (session) => {
      const base = await listRequest(session, list)
      const send = (pairs: readonly (readonly [string, string])[]): Promise<ProbeResponse> =>
        session.send(inRange(base, list, pairs))
      const all = await send([])
      const records = recordsOf(all, list)
      const value = isWhole(all, list) ? middleOf(records, filter) : fewOf(records, filter)
      const ask = async (own: string | undefined): Promise<readonly ProbeResponse[]> =>
        own === undefined ? [] : [await send([[name, own]])]
      const [found, none] = [await ask(value), await ask(beyond(records, filter))]
      const isLong = found.some((one) => isSuccess(one) && !isWhole(one, list))
      if (isLong && filter.isInclusive) {
        const [base = all] = none.filter((one) => recordsOf(one, list).length > 0)
        return [base, ...(await ask(edgeOf(recordsOf(base, list), filter)))]
      }
      // What is beyond the first page may have more values than that.
      const [more] = value === undefined ? none : []
      const within = more && middleOf(recordsOf(more, list), filter)
      return more && within ? [more, ...(await ask(within))] : [all, ...found, ...none]
    },
  }
}

function recordsOf(response: ProbeResponse, list: ResourceBinding): readonly unknown[] {
  return isSuccess(response) ? (recordsAt(response, list) ?? []) : []
}

/** What a description says of a range to which its limit belongs. */
const INCLUSIVE =
  /\bor (earlier|later|before|after(?:wards)?|onwards?|less|more|fewer|greater|higher|lower|newer|older)\b|\binclu(ded|sive|ding)\b|\b(on|at) or (before|after)\b|\bat (least|most)\b/i

/** What a description says of a range to which its limit does not belong: "due before this day; those due on the day are left out". */
const EXCLUSIVE =
  /\b(before|after|earlier than|later than|less than|more than|greater than|below|above) (this|that|the given)\b|\bexclusive\b|\b(left out|not (included|listed))\b/i

/** Whether the limit of a range belongs to it; `undefined` when nothing says so. */
function isInclusive({ name, schema }: Parameter, text: string): boolean | undefined {
  if (typeOf(schema) !== 'string' && /min|max|[gl]te/i.test(name)) return true
  if (INCLUSIVE.test(text)) return /\b(not|n't|exclu)/i.test(text) ? undefined : true
  return EXCLUSIVE.test(text) ? false : undefined
}

const COMPARISONS: ReadonlySet<unknown> = new Set<FilterHints['is']>([
  'from',
  'after',
  'to',
  'before',
])

function rangeFilters(
  { operation, hints }: ResourceBinding,
  texts: DocumentTexts,
): readonly RangeFilter[] {
  return Object.entries(hints.filters ?? {}).flatMap(([name, filter]) => {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name)
    if (!parameter || typeof filter === 'string' || !COMPARISONS.has(filter.is)) return []
    const { property, is, ignored } = filter
    const type = typeOf(parameter.schema)
    const isKnown = type === 'integer' || type === 'number' || isDate(parameter.schema)
    if (typeof property !== 'string' || !isKnown || ignored) return []
    const stem = plainName(property).replace(/(at|on|date|time)$/, '')
    return [
      {
        ...{ parameter, property },
        isLeast: is === 'from' || is === 'after',
        isOpen: filter.unknown !== undefined,
        isInclusive: isInclusive(parameter, texts.parameter(operation.id, name)),
        isNamed:
          type !== 'string' ||
          (stem !== '' && plainName(name).includes(stem)) ||
          isAbout(texts.parameter(operation.id, name), property),
      },
    ]
  })
}

/** Whether a text is about a time: "Only pickups scheduled for this day or later", "Records created since". */
function isAbout(text: string, property: string): boolean {
  const words = spaced(property)
  const deed = words.replace(/ (at|on|for|date|time)$/, '')
  // "Courses that start on this day or later" is about `starts_on`.
  const does = new RegExp(`\\b(that|which|who) ${escaped(deed.replace(/s$/, ''))}s?\\b`)
  return (
    (/s$/.test(deed) && does.test(spaced(text))) ||
    [words, ...(/ed$/.test(deed) ? [deed] : [])].some((one) => hasWords(spaced(text), one))
  )
}

/** What a value of a record or a parameter is compared by; `undefined` for what cannot be compared. */
function measureOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

function propertyIn(record: unknown, property: string): unknown {
  if (property.startsWith('/')) return valueAt(record, property)
  const values = valuesIn(record)
  return isObject(values) ? values[property] : undefined
}

/** The properties that a filter may be about. */
function candidates(records: readonly unknown[], filter: RangeFilter): readonly string[] {
  if (filter.isNamed) return [filter.property]
  const [first] = records
  const values = valuesIn(first)
  const dates = isObject(values)
    ? Object.keys(values).filter((name) => measureOf(values[name]) !== undefined)
    : []
  return [...new Set([filter.property, ...dates])].filter(
    (name) => typeof propertyIn(first, name) === 'string',
  )
}

/** So many different values are enough. */
const ENOUGH = 5

/** A value of a record that others are below and above. */
function middleOf(records: readonly unknown[], filter: RangeFilter): string | undefined {
  const values = sortedValues(records, filter)
  const { length } = values
  // Where the limit is known to belong to the range, or not to, one value selects all or none.
  if (length === 1 && filter.isNamed && filter.isInclusive !== undefined)
    return validValue(values[0], filter)
  const at = filter.isLeast ? Math.ceil(length / 2) : Math.floor((length - 1) / 2)
  return validValue(values[length < 2 ? -1 : at], filter)
}

/** A value of a record that selects so few that they are likely to be on one page. */
function fewOf(records: readonly unknown[], filter: RangeFilter): string | undefined {
  const values = sortedValues(records, filter)
  if (values.length >= 3) return validValue(values.at(filter.isLeast ? -2 : 1), filter)
  // All records may have one value: they are in the range to whose limit they belong.
  const isClear = filter.isNamed && filter.isInclusive !== undefined
  return isClear ? edgeOf(records, filter) : undefined
}

/** The value of a record that selects the fewest. */
function edgeOf(records: readonly unknown[], filter: RangeFilter): string | undefined {
  return validValue(sortedValues(records, filter).at(filter.isLeast ? -1 : 0), filter)
}

function validValue(value: string | undefined, { parameter }: RangeFilter): string | undefined {
  const isValid =
    value !== undefined && [value, Number(value)].some((one) => parameter.validate(one))
  return isValid ? value : undefined
}

/** The different values of the property that a filter is most likely about. */
function sortedValues(records: readonly unknown[], filter: RangeFilter): readonly string[] {
  const { parameter } = filter
  const lists = candidates(records, filter).map((name) => {
    const values = records.map((one) => propertyIn(one, name))
    const texts = values.flatMap((one) =>
      measureOf(one) === undefined ? [] : [shortened(String(one), parameter)],
    )
    return [...new Set(texts)].sort((one, other) => compared(one) - compared(other))
  })
  // The property that the filter is most likely about comes first.
  const enough = (list: readonly string[]): number => Math.min(list.length, ENOUGH)
  const [longest = []] = lists.sort((one, other) => enough(other) - enough(one))
  return longest
}

const DAY = 24 * 3_600_000

/** A day or a number beyond those of all listed records; where it is not clear which dates a filter is about, beyond all of them. */
function beyond(records: readonly unknown[], filter: RangeFilter): string | undefined {
  const { parameter, isLeast, isOpen } = filter
  if (isOpen) return undefined
  const values = candidates(records, filter).flatMap((name) =>
    records.map((one) => propertyIn(one, name)).filter((one) => measureOf(one) !== undefined),
  )
  const measures = values.map((one) => measureOf(one) ?? 0)
  if (measures.length === 0) return undefined
  const isTime = typeof values[0] === 'string'
  const step = isTime ? 2 * DAY : 1
  const limit = isLeast ? Math.max(...measures) + step : Math.min(...measures) - step
  const value = isTime ? shortened(new Date(limit).toISOString(), parameter) : String(limit)
  return [value, Number(value)].some((one) => parameter.validate(one)) ? value : undefined
}

function compared(text: string): number {
  return measureOf(/^-?[\d.]+$/.test(text) ? Number(text) : text) ?? 0
}

function shortened(text: string, { schema }: Parameter): string {
  return keyword(schema, 'format') === 'date' ? text.slice(0, 10) : text
}

function rangeChecks(list: ResourceBinding, filter: RangeFilter): CheckDefinition[] {
  const { operation } = list
  const { parameter, isLeast } = filter
  const { name } = parameter
  return [
    operationCheck(operation, `${name}=…`, `accepts ${name}`, ([, found]) =>
      found ? hasSuccessStatus(operation, found) : TOO_FEW,
    ),
    operationCheck(
      operation,
      `${name}=…/fits`,
      `lists the records in the range of ${name}, and no others`,
      ([all, found]) => {
        if (!(all && found) || ![all, found].every(isSuccess)) return TOO_FEW
        const [known = [], listed = []] = [all, found].map((one) => recordsAt(one, list) ?? [])
        const value = new URL(found.request.target, 'http://server').searchParams.get(name) ?? ''
        const isExplained = candidates(known, filter).some((property) =>
          isRange({ known, listed, property, value, filter, isWhole: isWhole(found, list) }),
        )
        const words = isLeast ? 'at least' : 'at most'
        return passIf(
          isExplained,
          found,
          `the records with ${filter.property} of ${words} ${value}`,
          `${listed.length} of ${known.length} records`,
        )
      },
    ),
    operationCheck(
      operation,
      `${name}=…/none`,
      `lists nothing where all records are beyond ${name}`,
      ([all, , none]) => {
        if (!all || !none || !isSuccess(all)) return TOO_FEW
        if (!isSuccess(none)) return hasSuccessStatus(operation, none)
        const count = recordsAt(none, list)?.length ?? 0
        if (!isWhole(all, list)) return { leftOut: 'the list has more than one page' }
        return passIf(count === 0, none, 'no records', `${count} records`)
      },
    ),
  ]
}

const TOO_FEW = { leftOut: 'the list has too few different values' } as const

interface Selection {
  readonly known: readonly unknown[]
  readonly listed: readonly unknown[]
  readonly property: string
  readonly value: string
  readonly filter: RangeFilter
  readonly isWhole: boolean
}

/** Whether listed records are those in the range by a property. */
function isRange({ known, listed, property, value, filter, isWhole }: Selection): boolean {
  const place = (record: unknown): Place => placeOf(record, property, value, filter)
  const texts = new Set(listed.map((one) => JSON.stringify(one)))
  return (
    listed.every((one) => place(one) !== 'out') &&
    (!isWhole || known.every((one) => place(one) !== 'in' || texts.has(JSON.stringify(one))))
  )
}

type Place = 'in' | 'out' | 'unknown'

/** Whether a record is in a range by a property. */
function placeOf(
  record: unknown,
  property: string,
  value: string,
  { isLeast, isInclusive, parameter }: RangeFilter,
): Place {
  const limit = compared(value)
  const own = propertyIn(record, property)
  const measure = measureOf(own)
  if (measure === undefined) return 'unknown'
  const isAtLimit = compared(shortened(String(own), parameter)) === limit
  if (isAtLimit && isInclusive === undefined) return 'unknown'
  if (isAtLimit) return isInclusive ? 'in' : 'out'
  return measure > limit === isLeast ? 'in' : 'out'
}
