import type { Schema } from '../../contract/contract.ts'
import { type FilterHints, type OperationHints, SERVICE_VALUES } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { typedValue } from '../../contract/parse-text.ts'
import {
  isObjectSchema,
  parsePointer,
  pointerTo,
  propertiesOf,
  schemaAt,
} from '../../contract/schema.ts'
import type { CoreRequest } from '../../http/message.ts'
import {
  isComparison,
  type RecordCheck,
  type RecordSelection,
  type RecordTest,
} from '../../records/selection.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { readFilterValue, type SentFilter } from './filter-expression.ts'
import { queryValue } from './read-page.ts'

/** The request for a list, with the values of its query parameters. */
interface FilterRequest {
  readonly request: Pick<CoreRequest, 'query'>
  readonly query: Input['query']
  /** Those values that the body has. */
  readonly sent?: Input['query'] | undefined
  /** The schema of a record. */
  readonly schema: Schema
}

/**
 * Which records a request selects, by the hints of its operation. A default of the document filters nothing unless the hint has it: a
 * record that a client creates is in the list. A value that is not understood filters nothing, either.
 */
export function readFilters(
  filters: OperationHints['filters'],
  { schema, ...asked }: FilterRequest,
): RecordSelection {
  const where: Record<string, unknown> = {}
  const asking = valuesOf(filters, asked).filter(
    ({ filter, value }) => value !== undefined && value !== '' && !isIgnored(value, filter),
  )
  const tests: RecordCheck[] = asking.flatMap(({ filter, value }) => meantBy(value, filter) ?? [])
  const sent = asking.filter(({ filter, value }) => !meantBy(value, filter))
  const expressions = sent.filter(({ filter, value }) => isExpression(filter, value))
  for (const { filter, value } of sent) {
    if (isExpression(filter, value)) continue
    const name = isObject(value) ? undefined : equalName(filter)
    if (name !== undefined && !Object.hasOwn(where, name))
      where[name] = wantedValue(value, filter, propertiesOf(schema).get(name) ?? {})
    else
      tests.push(...(isObject(value) ? membersIn(value, filter, schema) : testsOf(value, filter)))
  }
  if (expressions.length === 0) return { where, ...(tests.length > 0 && { tests }) }
  return { where, tests: [...tests, ...expressed(expressions, schema, asked.request)] }
}

/** Whether the value of a filter is a language of its own: also a search such as `email:'ann@example.com'`, whatever its description says. */
export function isExpression({ is, property }: FilterHints, value: unknown): boolean {
  const isSearch = is === 'contains' && Array.isArray(property) && typeof value === 'string'
  return is === 'expression' || is === 'labels' || (isSearch && COMPARES.test(value))
}

/** A name, what compares it, and a value. */
const COMPARES = /[\w\])]\s*(?:[:~=]|[<>!]=?)\s*\S/

/** What the expressions of a request ask of the records. */
function expressed(
  expressions: readonly SentFilter[],
  schema: Schema,
  request: FilterRequest['request'],
): readonly RecordCheck[] {
  // A text that is no expression is searched where the hint says so.
  return expressions.flatMap(
    (one) =>
      readFilterValue(one, schema, request.query) ??
      testsOf(one.value, { property: one.filter.property, is: 'contains' }),
  )
}

/** What records have for a value of which the hint says it, such as `unapproved`; of several, for one of them. */
function meantBy(value: unknown, { values }: FilterHints): RecordCheck | undefined {
  if (!values) return undefined
  const either = [value].flat().flatMap((one: unknown) => {
    const meant = getOwn(values, String(one))
    return meant ? [Object.entries(meant).map(testFor)] : []
  })
  return either.length > 0 ? { either } : undefined
}

/** The names of the properties by which a value selects. */
function meantNames(value: unknown, { values = {} }: FilterHints): readonly string[] {
  return [value].flat().flatMap((one) => Object.keys(getOwn(values, String(one)) ?? {}))
}

/** The test of a property: that it has a value or a comparison holds. */
function testFor([name, wanted]: readonly [string, unknown]): RecordTest {
  const places = [parsePointer(pointerTo(name))]
  const [[is, value] = []] = isObject(wanted) ? Object.entries(wanted) : []
  if (isComparison(is)) return { places, is, wanted: [value].flat() }
  return wanted === SERVICE_VALUES.absent
    ? { places, is: 'exists', wanted: [false] }
    : { places, is: 'equal', wanted: [wanted].flat() }
}

/** The filters with the values that a request has for them, or the usual ones. */
function valuesOf(
  filters: OperationHints['filters'],
  asked: Omit<FilterRequest, 'schema'>,
): readonly SentFilter[] {
  const read = Object.entries(filters ?? {}).map(([parameter, hint]) => {
    const filter: FilterHints = typeof hint === 'string' ? { property: hint } : hint
    return { filter, parameter, sent: sentValue(asked, parameter) }
  })
  const chosen = read.flatMap(({ filter, sent }) =>
    sent === undefined ? [] : [filter.property, ...meantNames(sent, filter)].flat(),
  )

  // A request that selects by the property in another way is not about the usual records.
  return read.map(({ filter, parameter, sent }) => ({
    ...{ filter, parameter },
    value:
      sent ??
      ([filter.property].flat().some((one) => chosen.includes(one)) ? undefined : filter.default),
  }))
}

/** What an object asks of the properties of another one; nothing of what is no object. */
function membersIn(
  values: Readonly<Record<string, unknown>>,
  { property }: FilterHints,
  schema: Schema,
): readonly RecordTest[] {
  const [place] = [property].flat()
  const own = place === undefined ? undefined : schemaAt(schema, pointerTo(place))
  if (place === undefined || !own || !isObjectSchema(own)) return []
  return Object.entries(values).map(([name, value]) => ({
    places: [[...parsePointer(pointerTo(place)), name]],
    is: 'equal',
    wanted: [value].flat(),
  }))
}

/** The value that a request has for a parameter; `undefined` where it is only a default. */
function sentValue(
  { request, query, sent = {} }: Omit<FilterRequest, 'schema'>,
  name: string,
): unknown {
  const isAsked = isInQuery(request, name)
  // An object may be sent as JSON under its own name.
  const isInside = !isAsked && name.includes('[') && isInQuery(request, name.replace(/\[.*$/, ''))
  const isSent = isAsked || isInside || queryValue(sent, name) !== undefined
  // What is in brackets alone is no value that the document declares.
  return isSent ? (queryValue(query, name) ?? (isAsked ? {} : undefined)) : undefined
}

function isIgnored(value: unknown, { ignored = [] }: FilterHints): boolean {
  const texts = ignored.map(String)
  return [value].flat().some((one) => texts.includes(String(one)))
}

/** The property of which one value is wanted, for which there may be an index. */
function equalName({ property, is = 'equal' }: FilterHints): string | undefined {
  if (typeof property !== 'string' || property.startsWith('/')) return undefined
  return is === 'equal' || is === 'in' ? property : undefined
}

/** The value that a property must have, or a list of values of which it must have one. */
function wantedValue(value: unknown, { is }: FilterHints, schema: Schema): unknown {
  if (is !== 'in') return typedValue(value, schema)
  const values = partsOf(value).map((part) => typedValue(part, schema))
  return values.length === 1 ? values[0] : values
}

/** The texts between the commas of a text, or of each text in a list. */
function partsOf(value: unknown): readonly unknown[] {
  return [value].flat().flatMap((one: unknown) => {
    if (typeof one !== 'string') return [one]
    return one.split(',').flatMap((part) => part.trim() || [])
  })
}

/** What a value asks of the records besides the equality of a property; nothing when it is not understood. */
function testsOf(
  value: unknown,
  { property, is = 'equal' }: Pick<FilterHints, 'property' | 'is'>,
): readonly RecordTest[] {
  const places = [property].flat().map((one) => parsePointer(pointerTo(one)))
  if (places.length === 0 || is === 'expression' || is === 'labels') return []
  const wanted = is === 'in' ? partsOf(value) : [value].flat()
  if (is === 'in') return [{ places, is: 'equal', wanted }]
  if (is === 'exists' || is === 'missing') return presenceTests(value, places, is)
  const understood = wanted.flatMap((one): unknown => {
    if (BOUNDS.test(is)) return isBound(one) ? [one] : []
    if (!TEXTS.test(is)) return [one]
    return searchedText(one) ?? []
  })
  return understood.length > 0 ? [{ places, is, wanted: understood }] : []
}

/** The flag that asks whether there is a value; nothing for what is no flag. */
function presenceTests(
  value: unknown,
  places: RecordTest['places'],
  is: 'exists' | 'missing',
): readonly RecordTest[] {
  const text = String(value).toLowerCase()
  if (!/^(true|false|1|0)$/.test(text)) return []
  const isWanted = /^(true|1)$/.test(text) === (is === 'exists')

  return [{ places, is: 'exists', wanted: [isWanted] }]
}

const BOUNDS = /^(on|after|from|before|to)$/
const TEXTS = /^(contains|starts|ends)$/

/** Whether others can be more or less than a value: a number, or a date, with or without a time. */
function isBound(value: unknown): boolean {
  if (typeof value === 'number') return true
  if (typeof value !== 'string' || value.trim() === '') return false
  return !Number.isNaN(Number(value)) || (/^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value)))
}

/** The text that is searched, without what stands for any text; `undefined` for an expression of a query language. */
function searchedText(value: unknown): string | undefined {
  const text = String(value).replaceAll(/^["%*\s]+|["%*\s]+$/g, '')
  return text === '' || /\w[:=]|[<>{}()|]|\b(AND|OR|NOT)\b/.test(text) ? undefined : text
}

/** Whether a request has a query parameter, so that its value is no default. */
function isInQuery({ query }: Pick<CoreRequest, 'query'>, name: string): boolean {
  if (query === '') return false
  const names = [...new URLSearchParams(query).keys()]
  return names.some((sent) => sent === name || sent.startsWith(`${name}[`))
}
