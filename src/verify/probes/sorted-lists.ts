import { LATEST_ADDED } from '../../contract/hints.ts'
import { propertiesOf } from '../../contract/schema.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { TextPair } from '../../requests/serialize-parameter.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { readSort } from '../../resources/paging/read-sort.ts'
import { type CheckDefinition, failure, operationCheck, queryAccepted } from '../checks/check.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isSuccess, type ProbeResponse } from '../session/messages.ts'
import { recordsAt } from '../session/record-address.ts'
import { keyword, longestPage, pageSizeOf, parameterValues } from '../test-data/values.ts'
import { nextOf } from './filtered-pages.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe } from './probe.ts'
import { listProbe, NOT_LISTED } from './selected-lists.ts'
import { valueIn } from './value-filters.ts'

/** The most orders of a list, three properties in both directions and two more among them. */
const MAX_ORDERS = 8

/** Lists that are sorted by a parameter, or by what the document says of them. */
export function sortedListProbes({ bindings: { list } }: BoundResource): Probe[] {
  return list ? [...usualOrderProbe(list), ...askedOrderProbes(list)] : []
}

/** The order of a list without parameters, where the document says it. */
function usualOrderProbe(list: ResourceBinding): Probe[] {
  const { hints, resource } = list
  const order = readSort(hints.sort, {}, resource.schema)
  const isUnstated = hints.sort?.default === undefined || hints.sort.default === LATEST_ADDED
  if (isUnstated || order?.by === undefined || order.by.startsWith('$')) return []
  const { by: property, descending: isDescending = false } = order
  const checks = sortChecks(list, { query: [], what: 'order', property, isDescending })
  return [listProbe(list, [[]], checks.slice(1))]
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
    .flatMap((value) =>
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
          ...sortedPagesProbe(list, sorted),
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
    operationCheck(operation, `${what}/order`, `sorts by ${words} ${property}`, ([listed]) => {
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
