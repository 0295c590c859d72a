import type { Operation, Parameter } from '../../contract/contract.ts'
import type { FilterHints } from '../../contract/hints.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  failure,
  type LeftOut,
  operationCheck,
  passIf,
  queryAccepted,
} from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { idIn, recordsAt, valueAt } from '../record-address.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { unguessableWord } from '../test-data/unguessable.ts'
import { keyword, longestPage, typeOf } from '../test-data/values.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe } from './probe.ts'

/** The filters of a list that select the records with one value of a property. */
export function equalFilters({
  operation,
  hints,
}: ResourceBinding): readonly (readonly [Parameter, string])[] {
  return Object.entries(hints.filters ?? {}).flatMap(([name, filter]) => {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name)
    const property = propertyOf(filter)
    const isPlain = ['string', 'boolean'].includes(typeOf(parameter?.schema ?? {}) ?? '')
    // One that is true or false by default decides what a record shows, not which records there are.
    const isSwitch = typeof parameter?.schema.default === 'boolean'
    return parameter && property !== undefined && isPlain && !isSwitch
      ? [[parameter, property] as const]
      : []
  })
}

function propertyOf(filter: string | FilterHints): string | undefined {
  if (typeof filter === 'string') return filter
  const { property, is = 'equal', ignored } = filter
  return is === 'equal' && typeof property === 'string' && !ignored ? property : undefined
}

export function valueIn(record: unknown, property: string): unknown {
  if (property.startsWith('/')) return valueAt(record, property)
  return isObject(record) ? record[property] : undefined
}

/**
 * Filters by a value that a listed record has, such as a tag, an address or the id of another record: they list records with this value
 * only, and that record is among them.
 */
export function listedValueProbes(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  return listedFilters(list, texts).map((filter) => {
    const absent = absentValue(filter)
    const isExact = EXACT.test(texts.parameter(list.operation.id, filter.name))
    return {
      order: ORDER.pages - 0.35,
      maxRequests: isExact ? 4 : 3,
      checks: [
        ...listedValueChecks(list, filter),
        ...absentValueChecks(list, filter, absent),
        ...(isExact ? [partCheck(list, filter)] : []),
      ],
      send: async (session) => {
        const base = await listRequest(session, list)
        const target = withQuery(base.target, () => false, longestPage(list.operation))
        const all = await session.send({ ...base, target })
        const responses = [all]
        const part = isExact ? partToFind(all, list, filter) : undefined
        for (const value of [valueToFind(all, list, filter), absent, part]) {
          if (value === undefined) continue
          const pair = [filter.name, value] as const
          const selected = withQuery(target, (name) => name === filter.name, [pair])
          responses.push(await session.send({ ...base, target: selected, isValid: true }))
        }
        return responses
      },
    }
  })
}

/** "Works whose `months` is empty are there in every month": what a property must be that no value of a filter leaves out. */
const FOR_ALL =
  /\bwhose (\w+) (?:is|are) (?:empty|null|not set|missing|absent)\b.*\b(?:every|all|any|each|always)\b/i

/** The property that records without a value have which a filter lists by any value, as its description says. */
export function listedForAll(
  texts: DocumentTexts,
  { id }: Operation,
  name: string,
): string | undefined {
  const sentences = sentencesOf(texts.parameter(id, name))
  return sentences.flatMap((one) => FOR_ALL.exec(one)?.[1] ?? []).at(0)
}

/** A filter by a text or a number that may have any value. */
interface ListedFilter {
  readonly name: string
  readonly parameter: Parameter
  readonly properties: readonly string[]
  /** Whether it is not clear what the filter selects by a value that nothing has. */
  readonly isOpen: boolean
}

function listedFilters(list: ResourceBinding, texts: DocumentTexts): readonly ListedFilter[] {
  return valueFilters(list, texts).filter(({ parameter }) => !keyword(parameter.schema, 'enum'))
}

/** The filters that select the records with one text or number. */
function valueFilters(
  { operation, hints }: ResourceBinding,
  texts: DocumentTexts,
): readonly ListedFilter[] {
  return Object.entries(hints.filters ?? {}).flatMap(([name, filter]) => {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name)
    const {
      property,
      is = 'equal',
      ignored,
    } = typeof filter === 'string' ? { property: filter } : { ...filter }
    const isText = ['string', 'integer'].includes(typeOf(parameter?.schema ?? {}) ?? '')
    if (!parameter || is !== 'equal' || ignored || !isText) return []
    if (property === undefined || listedForAll(texts, operation, name)) return []
    const isOpen = typeof filter === 'object' && filter.unknown !== undefined
    return [{ name, parameter, properties: [property].flat(), isOpen }]
  })
}

/** The values that a record has for a filter: of a list, all. */
function valuesFor(record: unknown, { properties }: ListedFilter): readonly string[] {
  return properties
    .flatMap((one) => valueIn(record, one))
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
}

/** A value that one listed record has, and another has not. The response has to show it of all. */
function valueToFind(
  all: ProbeResponse,
  list: ResourceBinding,
  filter: ListedFilter,
): string | undefined {
  const records = isSuccess(all) ? (recordsAt(all, list) ?? []) : []
  return records
    .flatMap((record) => valuesFor(record, filter))
    .find(
      (value) =>
        /^[\p{L}\p{N}_.@-]+$/u.test(value) &&
        allows(filter, value) &&
        records.some((one) => !mayHave(one, value, filter)),
    )
}

/** Whether a filter takes the text of a value. */
function allows({ parameter }: ListedFilter, text: string): boolean {
  return parameter.validate(text) || (/^-?\d+$/.test(text) && parameter.validate(Number(text)))
}

/** Whether a record has a value, in any case and as a part of its own: the document does not say how texts are compared. */
function mayHave(record: unknown, value: string, filter: ListedFilter): boolean {
  const values = valuesFor(record, filter)
  return (
    (values.length === 0 && !isKnown(record, filter)) ||
    values.some((one) => one.toLowerCase().includes(value.toLowerCase()))
  )
}

/** Whether a record shows what a filter is about: a value, none, or a list without any. */
function isKnown(record: unknown, { properties }: ListedFilter): boolean {
  return properties.some((one) => {
    const value = valueIn(record, one)
    return value === null || Array.isArray(value)
  })
}

const NO_VALUE: LeftOut = { leftOut: 'no record is listed with a value that others have not' }

/** A day that no record has. */
const ABSENT_DAY = '2187-03-04'

/** A value that no record has; `undefined` where the document allows none. Ids that name no record may be refused. */
function absentValue({ name, parameter, isOpen }: ListedFilter): string | undefined {
  const isReference = referenceName(name).hasIdSuffix
  const isText = typeOf(parameter.schema) === 'string'
  const values = isText ? [unguessableWord(), ABSENT_DAY, `${ABSENT_DAY}T00:00:00Z`] : []
  return isReference || isOpen ? undefined : values.find((one) => parameter.validate(one))
}

function absentValueChecks(
  list: ResourceBinding,
  { name }: ListedFilter,
  absent: string | undefined,
): CheckDefinition[] {
  if (absent === undefined) return []
  const text = `lists nothing for a ${name} that no record has`
  const isOfAbsent = ({ request }: ProbeResponse): boolean =>
    request.target.includes(encodeURIComponent(absent))
  return [
    operationCheck(list.operation, `${name}=absent`, text, ([all, ...others]) => {
      const found = others.find(isOfAbsent)
      if (!all || !found || !isSuccess(all))
        return { leftOut: 'the request for the list was refused' }
      if (!isSuccess(found)) return queryAccepted(list.operation, found)
      const [known, listed] = [all, found].map((one) => recordsAt(one, list) ?? [])
      if (known?.length === 0) return { leftOut: 'no record is listed' }
      return passIf(listed?.length === 0, found, 'no records', `${listed?.length} records`)
    }),
  ]
}

/** What says that a filter does not select the records that have a value as a part of theirs. */
const EXACT = /\bexact(ly)?\b/i

/** The start of a listed value, which no record has as its whole one. */
function partToFind(
  all: ProbeResponse,
  list: ResourceBinding,
  filter: ListedFilter,
): string | undefined {
  const records = isSuccess(all) ? (recordsAt(all, list) ?? []) : []
  const values = new Set(records.flatMap((record) => valuesFor(record, filter)))
  return [...values]
    .map((one) => one.slice(0, -1))
    .find((one) => /^[\p{L}\p{N}]{2,}$/u.test(one) && allows(filter, one) && !values.has(one))
}

function partCheck(list: ResourceBinding, filter: ListedFilter): CheckDefinition {
  const { name } = filter
  const text = `lists no records whose ${name} has the value as a part only`
  return operationCheck(list.operation, `${name}=part`, text, ([all, ...others]) => {
    const part = all && partToFind(all, list, filter)
    const found = others.at(-1)
    if (!found || part === undefined || !isSuccess(found)) return NO_VALUE
    if (new URL(found.request.target, 'http://server').searchParams.get(name) !== part)
      return NO_VALUE
    const other = (recordsAt(found, list) ?? []).find((one) => {
      const values = valuesFor(one, filter)
      const isWhole = values.some((value) => value.toLowerCase() === part.toLowerCase())
      return (values.length > 0 || isKnown(one, filter)) && !isWhole
    })
    return passIf(!other, found, `only records with ${part}`, JSON.stringify(other))
  })
}

function listedValueChecks(list: ResourceBinding, filter: ListedFilter): CheckDefinition[] {
  const { operation } = list
  const { name } = filter
  const ids = (records: readonly unknown[]): readonly string[] =>
    records.flatMap((one) => idIn(one, list) ?? [])
  return [
    operationCheck(
      operation,
      `${name}=listed`,
      `lists the records with the ${name} that is asked for`,
      ([all, found]) => {
        const value = all && valueToFind(all, list, filter)
        if (!all || !found || !isSuccess(found) || value === undefined) return NO_VALUE
        const records = recordsAt(found, list) ?? []
        const other = records.find((one) => !mayHave(one, value, filter))
        if (other) return failure(found, `only records with ${value}`, JSON.stringify(other))
        const wanted = (recordsAt(all, list) ?? []).filter((one) =>
          valuesFor(one, filter).includes(value),
        )
        const [first] = ids(wanted)
        return first === undefined || ids(wanted).some((one) => ids(records).includes(one))
          ? 'passed'
          : failure(found, `the record ${first}, which has ${value}`, 'it is missing')
      },
    ),
  ]
}

/** The most pairs of filters that are sent for one list. */
const MAX_PAIRS = 2

/** Two filters at once list only records that match both. */
export function combinedFilterProbes(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  const filters = valueFilters(list, texts)
  const pairs = filters.flatMap((one, at) => filters.slice(at + 1).map((other) => [one, other]))
  return pairs.slice(0, MAX_PAIRS).map((pair) => {
    const names = pair.map(({ name }) => name)
    const check = operationCheck(
      list.operation,
      `${names.join('&')}/both`,
      `lists only records that match both ${names.join(' and ')}`,
      ([all, found]) => {
        const values = all && valuesOfBoth(all, list, pair)
        if (!values || !found || !isSuccess(found)) return NO_PAIR
        const other = recordsAt(found, list)?.find((record) => !matchesAll(record, pair, values))
        if (!other) return 'passed'
        return failure(found, `only records with ${values.join(' and ')}`, JSON.stringify(other))
      },
    )
    return {
      order: ORDER.pages - 0.35,
      maxRequests: 2,
      checks: [check],
      send: async (session) => {
        const base = await listRequest(session, list)
        const target = withQuery(base.target, () => false, longestPage(list.operation))
        const all = await session.send({ ...base, target })
        const values = valuesOfBoth(all, list, pair)
        if (!values) return [all]
        const query = names.map((name, at) => [name, values[at] ?? ''] as const)
        const both = withQuery(target, (name) => names.includes(name), query)
        return [all, await session.send({ ...base, target: both, isValid: true })]
      },
    }
  })
}

const NO_PAIR: LeftOut = { leftOut: 'no two values select different records' }

/** The most values of each filter that are combined. */
const MAX_VALUES = 8

/** A value for each of two filters, of which each alone lists a record that the other one does not. */
function valuesOfBoth(
  all: ProbeResponse,
  list: ResourceBinding,
  pair: readonly ListedFilter[],
): readonly string[] | undefined {
  const records = isSuccess(all) ? (recordsAt(all, list) ?? []) : []
  const [first = [], second = []] = pair.map((filter) => {
    const values = records.flatMap((record) => valuesFor(record, filter))
    return [...new Set(values)].filter((one) => allows(filter, one)).slice(0, MAX_VALUES)
  })
  const combined = first.flatMap((one) => second.map((other) => [one, other]))
  return combined.find((values) =>
    pair.every((filter, at) =>
      records.some(
        (record) =>
          valuesFor(record, filter).includes(values[at] ?? '') && !matchesAll(record, pair, values),
      ),
    ),
  )
}

function matchesAll(
  record: unknown,
  filters: readonly ListedFilter[],
  values: readonly string[],
): boolean {
  return filters.every((filter, at) => mayHave(record, values[at] ?? '', filter))
}
