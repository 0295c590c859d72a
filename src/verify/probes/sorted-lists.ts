import type { Schema } from '../../contract/contract.ts'
import { LATEST_ADDED } from '../../contract/hints.ts'
import { parseJsonText } from '../../contract/json.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { TextPair } from '../../requests/serialize-parameter.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { readSort } from '../../resources/paging/read-sort.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, failure, operationCheck, queryAccepted } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  idForParameter,
  isParameter,
  pathOf,
  plainName,
  recordsAt,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valueAt,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { ENDINGS } from '../session/record-states.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { withValues } from '../test-data/full-body.ts'
import {
  isDate,
  isNumber,
  keyword,
  longestPage,
  pageSizeOf,
  parameterValues,
  withoutNull,
} from '../test-data/values.ts'
import { isOnRecord, onAction } from './actions.ts'
import { countNames } from './child-counts.ts'
import { nextOf } from './filtered-pages.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe } from './probe.ts'
import { listProbe, NOT_LISTED } from './selected-lists.ts'
import { creation, inLongestPage, listBeside, NOT_REACHED, storyOf } from './steps.ts'
import { valueIn } from './value-filters.ts'

/** The most orders of a list, and those of them whose next pages are read: four properties in both directions. */
const MAX_ORDERS = 16
const MAX_PAGED_ORDERS = 8

/** Lists that are sorted by a parameter, or by what the document says of them. */
export function sortedListProbes(
  { bindings, actions }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  const { list, create } = bindings
  if (!list) return []
  const isOwn = create?.operation.method === 'POST' && create.operation.path === list.operation.path
  return [
    ...(isOwn ? [...variedRecordsProbe(list, create), ...endedProbe(list, create, actions)] : []),
    ...usualOrderProbe(list, texts),
    ...askedOrderProbes(list),
  ]
}

/** Days and numbers of the records that are created to be sorted, from those of a usual one. */
const SHIFTS = [-3, -1, -2] as const

/**
 * New records with other days and numbers where a list is sorted or selected by them: what a run has created otherwise has the same ones,
 * so that no order and no range shows.
 */
function variedRecordsProbe(list: ResourceBinding, create: ResourceBinding): Probe[] {
  const order = usualOrderOf(list)
  const properties = propertiesOf(
    schemaAt(create.operation.body?.schema ?? {}, sentPlace(create)) ?? {},
  )
  const ranges = Object.values(list.hints.filters ?? {}).flatMap((filter) =>
    typeof filter === 'object' && /^(from|to|after|before)$/.test(filter.is ?? '')
      ? [filter.property].flat()
      : [],
  )
  const asked = askedProperties(list).filter((name) => name !== order?.property)
  const names = [...new Set([order?.property ?? '', ...ranges, ...asked])].filter((name) =>
    isShifted(properties.get(name) ?? {}),
  )
  if (names.length === 0) return []
  const { property = '', isDescending = false } = order ?? {}
  const [, sorted] = sortChecks(list, { query: [], what: 'order/varied', property, isDescending })
  const text = `takes other days and numbers: ${names.join(', ')}`
  const created = operationCheck(create.operation, 'varied', text, (all) => {
    const failed = all.find(({ status }) => status >= 500)
    if (failed) return failure(failed, 'a record, or a refusal')
    return all.slice(0, -1).some(isSuccess) ? 'passed' : NOT_REACHED
  })
  const last = sorted && order && names.includes(property) ? [sorted] : []
  return [
    {
      order: ORDER.pages - 0.6,
      maxRequests: SHIFTS.length + 1,
      creations: SHIFTS.length,
      requires: 'writes',
      checks: [created, ...last],
      send: async (session) => {
        const base = await listRequest(session, list)
        const responses: ProbeResponse[] = []
        for (const [at, shift] of SHIFTS.entries()) {
          const plain = await creationRequest(create.operation, session)
          const sent = valueAt(parseJsonText(plain.body ?? ''), sentPlace(create))
          const values = names.flatMap((name) => {
            const value = isObject(sent) ? sent[name] : undefined
            const schema = properties.get(name) ?? {}
            const digits = asked.includes(name) && isNumber(schema) ? digitsOf(schema) : []
            const other = digits[at] ?? shifted(value, shift, schema)
            return other === undefined ? [] : [[name, other] as const]
          })
          const varied = withValues(plain, create, Object.fromEntries(values))
          const target = withPath(plain.target, pathOf(base.target))
          responses.push(
            await session.send({ ...varied, target, isValid: true, keepsParent: true }),
          )
        }
        return [...responses, await session.send(inLongestPage(base, list))]
      },
    },
  ]
}

/**
 * A record that has ended and the one after it, where only one at a time may be below another, such as the stays in a bed: the list is
 * sorted by a time that the service sets.
 */
function endedProbe(
  list: ResourceBinding,
  create: ResourceBinding,
  actions: readonly ResourceBinding[],
): Probe[] {
  const { property, isDescending } = usualOrderOf(list) ?? {}
  const sent = propertiesOf(schemaAt(create.operation.body?.schema ?? {}, sentPlace(create)) ?? {})
  const isEnding = (word: string): boolean => ENDINGS.test(word)
  const ending = actions.find(
    (one) => isOnRecord(one, create) && segmentsOf(one.operation.path).slice(-1).some(isEnding),
  )
  const isBelow = recordTemplate(create.operation).length > 0
  const schema = propertiesOf(list.resource.schema).get(property ?? '')
  if (!ending || !isBelow || property === undefined || sent.has(property)) return []
  if (!schema || keyword(schema, 'format') !== 'date-time' || isDescending === undefined) return []
  const [, check] = sortChecks(list, { query: [], what: 'order/ended', property, isDescending })
  const next = creation(create, (request) => ({ ...request, keepsParent: true }), 0)
  const steps = [creation(create), onAction(ending, create), next, listBeside(list, 0)]
  return check ? [storyOf(ORDER.pages - 0.59, steps, [check])] : []
}

/** The properties by which a parameter sorts a list. */
function askedProperties({ operation, hints: { sort }, resource }: ResourceBinding): string[] {
  const by = operation.parameters.find((one) => one.in === 'query' && one.name === sort?.by)
  if (!sort || !by) return []
  return parameterValues(by)
    .valid.slice(0, MAX_ORDERS)
    .flatMap((value) => readSort(sort, { [by.name]: value }, resource.schema)?.by ?? [])
}

/** Two numbers that are in another order as texts: 99 and 100. */
function digitsOf(schema: Schema): readonly number[] {
  const [power] = [100, 10, 1000, 10_000].filter((one) =>
    [one - 1, one].every((number) => surelyMatches(withoutNull(schema), number)),
  )
  return power === undefined ? [] : [power - 1, power]
}

function isShifted(schema: Schema): boolean {
  return isDate(schema) || isNumber(schema)
}

function shifted(value: unknown, by: number, schema: Schema): unknown {
  if (typeof value === 'number') return value + by
  const time = Date.parse(String(value)) + by * 24 * 3_600_000
  if (Number.isNaN(time)) return undefined
  const text = new Date(time).toISOString()
  return keyword(schema, 'format') === 'date' ? text.slice(0, 10) : text
}

/** The order of a list without parameters, where the document says it. */
function usualOrderProbe(list: ResourceBinding, texts: DocumentTexts): Probe[] {
  const order = usualOrderOf(list) ?? orderOfIds(list, texts)
  if (!order) return []
  const { property, isDescending } = order
  const sorted = { query: [], what: 'order', property, isDescending } as const
  return [
    listProbe(list, [[]], sortChecks(list, sorted).slice(1)),
    ...knownParentsProbe(list, { ...sorted, what: 'order/known' }),
  ]
}

/** What lists below a record say: "By ascending id", where that is no order of equal values only. */
const BY_ID =
  /^(?!.*\b(?:equal|same|ties?|then)\b).*\b(?:by (?:(?:ascending|descending) ids?|ids?,? (?:ascending|descending))|(?:ascending|descending) order of (?:the |their )?ids?|(?:sorted|ordered) by id)\b/i

function orderOfIds(
  { operation, resource }: ResourceBinding,
  texts: DocumentTexts,
): Pick<Sorted, 'property' | 'isDescending'> | undefined {
  const isBelow = recordTemplate(operation).length > 0
  const said = sentencesOf(texts.operation(operation.id)).find((one) => BY_ID.test(one))
  if (said === undefined || !isBelow || resource.id.startsWith('$')) return undefined
  return { property: resource.id, isDescending: /\bdescending\b/i.test(said) }
}

/** The most records whose lists are read to find one with several records. */
const MAX_PARENTS = 4

/** The order of a list below records that the service had before, those first that say that they have many. */
function knownParentsProbe(list: ResourceBinding, sorted: Sorted): Probe[] {
  const { operation } = list
  const template = recordTemplate(operation)
  const [parameter = '', ...above] = [...template].reverse()
  const words = segmentsOf(operation.path).slice(template.length)
  if (template.length === 0 || above.some(isParameter) || words.length !== 1) return []
  const counts = countNames(words[0] ?? '')
  const countOf = (record: JsonObject): number => {
    const [, value] =
      Object.entries(record).find(([name]) => counts.includes(plainName(name))) ?? []
    return typeof value === 'number' ? value : 0
  }
  const [, check] = sortChecks(list, sorted)
  if (!check) return []
  return [
    {
      // The run has created none yet.
      order: ORDER.readListed + 0.6,
      maxRequests: MAX_PARENTS,
      checks: [check],
      send: async (session) => {
        const collection = `/${template.slice(0, -1).join('/')}`
        const base = inLongestPage(await validRequest(operation, session), list)
        const parents = session.ids
          .recordsOf(collection)
          .toSorted((one, other) => countOf(other) - countOf(one))
        const responses: ProbeResponse[] = []
        for (const parent of parents.slice(0, MAX_PARENTS)) {
          const id = idForParameter(parent, parameter.slice(1, -1))
          const path = [collection, encodeURIComponent(id ?? ''), ...words].join('/')
          if (id === undefined) continue
          const listed = await session.send({ ...base, target: withPath(base.target, path) })
          if (isSuccess(listed)) responses.push(listed)
          if (new Set(valuesIn(listed, list, sorted.property)).size > 2) break
        }
        return responses
      },
    },
  ]
}

/** The order of a list without parameters, as far as the document says it: in words, or by the default of a parameter. */
function usualOrderOf({
  operation,
  hints: { sort },
  resource,
}: ResourceBinding): Pick<Sorted, 'property' | 'isDescending'> | undefined {
  const by = operation.parameters.find((one) => one.in === 'query' && one.name === sort?.by)
  const way = operation.parameters.find((one) => one.in === 'query' && one.name === sort?.direction)
  const isUnstated = sort?.default === undefined || sort.default === LATEST_ADDED
  const presets = [by, way].flatMap((one) => {
    const preset = one && keyword(one.schema, 'default')
    return typeof preset === 'string' ? [[one?.name ?? '', preset] as const] : []
  })
  // A direction without a default is not known.
  if (isUnstated && presets.length < (way ? 2 : 1)) return undefined
  const asked = isUnstated ? Object.fromEntries(presets) : {}
  const order = readSort(sort, asked, resource.schema)
  if (order?.by === undefined || order.by.startsWith('$')) return undefined

  return { property: order.by, isDescending: order.descending === true }
}

function askedOrderProbes(list: ResourceBinding): Probe[] {
  const { operation, hints, resource } = list
  const { sort } = hints
  const by = operation.parameters.find((one) => one.in === 'query' && one.name === sort?.by)
  const direction = operation.parameters.find(
    (one) => one.in === 'query' && one.name === sort?.direction,
  )
  if (!sort || !by || !keyword(by.schema, 'enum')) return []
  const directions =
    direction && keyword(direction.schema, 'enum')
      ? parameterValues(direction).valid.slice(0, 2)
      : [undefined]

  return parameterValues(by)
    .valid.slice(0, MAX_ORDERS)
    .flatMap((value, at) =>
      directions.flatMap((way) => {
        const query: readonly TextPair[] = [
          [by.name, value],
          ...(direction && way !== undefined ? [[direction.name, way] as const] : []),
        ]
        const order = readSort(sort, Object.fromEntries(query), resource.schema)
        if (order?.by === undefined || order.by.startsWith('$')) return []
        const what = query.map((pair) => pair.join('=')).join('&')
        const sorted = { query, what, property: order.by, isDescending: order.descending === true }
        return [
          listProbe(list, [query], sortChecks(list, sorted)),
          ...(at < MAX_PAGED_ORDERS ? sortedPagesProbe(list, sorted) : []),
        ]
      }),
    )
}

/** How a list is sorted. */
interface Sorted {
  readonly query: readonly TextPair[]
  readonly what: string
  readonly property: string
  readonly isDescending: boolean
}

/** The most pages of a sorted list that are read. */
const MAX_PAGES = 3

/** The order of a list goes on from page to page: a service may sort each page by itself. */
function sortedPagesProbe(
  list: ResourceBinding,
  { query, what, property, isDescending }: Sorted,
): Probe[] {
  const size = pageSizeOf(list.operation)
  const isRanked = rankedValues(list, property) !== undefined
  if (!size || isRanked || list.hints.paging?.parameter === undefined) return []
  const text = `goes on sorting by ${property} on the next page`
  const check = operationCheck(list.operation, `${what}/pages`, text, ([whole, ...pages]) => {
    const shown = pages.filter((one) => isSuccess(one))
    if (!whole || shown.length < 2) return { leftOut: 'no next page' }
    for (const [at, page] of shown.entries()) {
      const [before, own] = [shown[at - 1], page].map((one) => valuesIn(one, list, property))
      const [last, first] = [before?.at(-1), own?.[0]]
      if (last !== undefined && first !== undefined && isAfter(last, first, isDescending))
        return failure(page, `a first ${property} that follows ${JSON.stringify(last)}`)
    }
    return 'passed'
  })
  return [
    {
      order: ORDER.pages - 0.35,
      maxRequests: 1 + MAX_PAGES,
      checks: [check],
      send: async (session) => {
        const base = await listRequest(session, list)
        const send = (own: readonly TextPair[]): Promise<ProbeResponse> => {
          const pairs = [...own, ...query]
          const names = new Set(pairs.map(([name]) => name))
          const target = withQuery(base.target, (name) => names.has(name), pairs)
          return session.send({ ...base, target, isValid: true })
        }
        const whole = await send(longestPage(list.operation))
        const count = valuesIn(whole, list, property).length
        if (count < 3 || new Set(valuesIn(whole, list, property)).size < 3) return [whole]
        const most = Math.min(Math.ceil(count / MAX_PAGES), size.maximum ?? count)
        const pages = [await send([[size.name, String(most)]])]
        while (pages.length < MAX_PAGES) {
          const next = nextOf(pages, list, most, session)
          if (!next) break
          pages.push(await session.send(next))
        }
        return [whole, ...pages]
      },
    },
  ]
}

/** The values of a property in a list; none where there is no list. */
function valuesIn(
  response: ProbeResponse | undefined,
  list: ResourceBinding,
  property: string,
): readonly unknown[] {
  const records = response && isSuccess(response) ? recordsAt(response, list) : undefined
  return (records ?? [])
    .map((one) => valueIn(one, property))
    .filter((one) => one !== undefined && one !== null)
}

function sortChecks(
  list: ResourceBinding,
  { what, property, isDescending }: Sorted,
): CheckDefinition[] {
  const { operation } = list
  const words = isDescending ? 'descending' : 'ascending'
  return [
    operationCheck(operation, what, `accepts ${what}`, ([listed]) =>
      listed ? queryAccepted(operation, listed) : NOT_LISTED,
    ),
    operationCheck(operation, `${what}/order`, `sorts by ${words} ${property}`, (all) => {
      const listed = all.at(-1)
      if (!listed || !isSuccess(listed)) return NOT_LISTED
      const values = valuesIn(listed, list, property)
      if (new Set(values).size < 2) return { leftOut: 'fewer than two different values' }
      const ranked = rankedValues(list, property)
      if (ranked && isRanked(values, ranked)) return 'passed'
      const at = values.findIndex(
        (value, index) => index > 0 && isAfter(values[index - 1], value, isDescending),
      )
      const received = `${JSON.stringify(values[at])} after ${JSON.stringify(values[at - 1])}`
      return at < 0 ? 'passed' : failure(listed, `${words} values of ${property}`, received)
    }),
  ]
}

/** The values of an enum, which a service may sort in the order of the document, such as `low`, `normal` and `high`. */
function rankedValues(
  { resource }: ResourceBinding,
  property: string,
): readonly unknown[] | undefined {
  const schema = propertiesOf(resource.schema).get(property)
  return schema && keyword(schema, 'enum')
}

/** Whether values are in the order of the document, or in the opposite one: its first value may be the least or the greatest. */
function isRanked(values: readonly unknown[], ranked: readonly unknown[]): boolean {
  const places = values.map((one) => ranked.indexOf(one))
  return [1, -1].some((sign) =>
    places.every((place, at) => at === 0 || sign * (place - (places[at - 1] ?? 0)) >= 0),
  )
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** Whether one value belongs after another by every order that services have for texts. */
function isAfter(one: unknown, other: unknown, isDescending: boolean): boolean {
  const sign = isDescending ? -1 : 1
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other) > 0
  if (typeof one !== 'string' || typeof other !== 'string') return false
  // Times may be written with fractions of a second, and with offsets.
  if ([one, other].every((text) => TIME.test(text)))
    return sign * (Date.parse(one) - Date.parse(other)) > 0
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const orders = [
    compare(one, other),
    compare(plain(one), plain(other)),
    one.localeCompare(other, 'en'),
    one.localeCompare(other, 'en', { numeric: true }),
  ]
  return orders.every((order) => sign * order > 0)
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
