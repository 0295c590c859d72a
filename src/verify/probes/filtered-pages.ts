import type { Parameter } from '../../contract/contract.ts'
import type { FilterHints } from '../../contract/hints.ts'
import { itemsOf, propertiesOf } from '../../contract/schema.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { TextPair } from '../../requests/serialize-parameter.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { type CheckDefinition, failure, operationCheck, passIf } from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { idIn, pathOf, recordsAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { keyword, longestPage, type PageSize, pageSizeOf } from '../test-data/values.ts'
import {
  hasTotal,
  isNumbered,
  leadsToNext,
  linkedPage,
  linkOfPage,
  nextPage,
  statedTotal,
} from './next-page.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe } from './probe.ts'
import { idsIn, OTHER_PAGES, valuesOf } from './selected-lists.ts'
import { equalFilters, valueIn } from './value-filters.ts'

/** The most pages of a filtered list that are read after the first one. */
const MAX_NEXT = 3

/** Whether a property is a list, in which a filter finds one of several values. */
function isList({ resource }: ResourceBinding, property: string): boolean {
  const schema = propertiesOf(resource.schema).get(property)
  return schema !== undefined && itemsOf(schema) !== undefined
}

/** The first filter by one of a few values. */
function plainFilter(list: ResourceBinding): ReturnType<typeof equalFilters>[number] | undefined {
  return equalFilters(list).find(
    ([parameter, property]) => valuesOf(parameter).length > 0 && !isList(list, property),
  )
}

/** Whether the next page of a list can be read: a response leads to it, or it has a number. */
function hasNextPages(list: ResourceBinding): boolean {
  const { paging } = list.hints
  return leadsToNext(list) || (paging !== undefined && isNumbered(paging))
}

/** The next pages of a filtered list have the filter, too, and all records that match are on one of them. */
export function filteredPageProbes({ bindings: { list } }: BoundResource): Probe[] {
  const size = list && pageSizeOf(list.operation)
  const filter = list && plainFilter(list)
  if (!size || !filter || !hasNextPages(list)) return []
  const [{ name }, property] = filter
  const shownValue = (record: unknown): string => String(valueIn(record, property))
  const checkName = `keeps the filter ${name} on the next page`
  const check = operationCheck(list.operation, `${name}/next`, checkName, ([, first, ...next]) => {
    const value = first && shownValue(recordsAt(first, list)?.[0])
    const pages = next.filter((one) => isSuccess(one) && recordsAt(one, list)?.length)
    if (pages.length === 0) return { leftOut: 'no next page' }
    for (const page of pages) {
      const other = recordsAt(page, list)?.find((record) => shownValue(record) !== value)
      if (other !== undefined)
        return failure(page, `only records with this ${property}`, JSON.stringify(other))
    }
    return 'passed'
  })
  const complete = completeCheck(list, name, size.name, shownValue)
  return [
    {
      order: ORDER.pages - 0.3,
      maxRequests: 4 + MAX_NEXT,
      checks: [
        check,
        complete,
        cutCheck(list, name, size.name),
        ...(hasTotal(list) ? [countCheck(list, name, shownValue)] : []),
      ],
      send: (session) => readFiltered(session, list, filter, size),
    },
  ]
}

/** Values of parameters with which a list still has several of the records on a page. */
function sharedValues(list: ResourceBinding, records: readonly unknown[]): readonly TextPair[] {
  let left = records
  return Object.entries(list.hints.filters ?? {}).flatMap(([name, filter]): TextPair[] => {
    const parameter = parameterOf(list, name)
    const {
      property = [],
      is = 'equal',
      ignored,
    } = typeof filter === 'string' ? { property: filter } : filter
    if (ignored || !parameter || parameter.schema.default !== undefined) return []
    const textsOf = (record: unknown): readonly string[] =>
      [property].flat().flatMap((one) => {
        const value = valueIn(record, one)
        return /^(string|number|boolean)$/.test(typeof value) ? [String(value)] : []
      })
    const value = sharedValue(is, left.flatMap(textsOf), parameter) ?? ''
    const isValid = [value, Number(value), value === 'true'].some((one) => parameter.validate(one))
    const chosen = left.filter((one) =>
      textsOf(one).some(
        (text) => (is !== 'equal' && (is !== 'contains' || text.includes(value))) || text === value,
      ),
    )
    if (value === '' || !isValid || chosen.length < 2) return []
    left = chosen
    return [[name, value]]
  })
}

/** A value with which a filter selects most of the records that have these texts. */
function sharedValue(
  is: FilterHints['is'],
  texts: readonly string[],
  { schema }: Parameter,
): string | undefined {
  const most = (values: readonly string[], countOf: (one: string) => number): string | undefined =>
    values.toSorted((one, other) => countOf(other) - countOf(one)).at(0)
  const isDay = keyword(schema, 'format') === 'date'
  switch (is) {
    case 'equal':
      return most(texts, (one) => countIn(texts, one))
    case 'contains':
      return most(
        [...new Set(texts.join('').match(/[a-z]/g))],
        (one) => texts.filter((text) => text.includes(one)).length,
      )
    case 'from':
    case 'to':
      return texts
        .map((one) => (isDay ? one.slice(0, 10) : one))
        .toSorted(inOrder)
        .at(is === 'from' ? 0 : -1)
    default:
      return undefined
  }
}

/** The order of two texts, of numbers by their values. */
function inOrder(one: string, other: string): number {
  const difference = Number(one) - Number(other)
  if (!Number.isNaN(difference)) return difference
  return one < other ? -1 : 1
}

function parameterOf(
  { operation }: ResourceBinding,
  name: string | undefined,
): Parameter | undefined {
  return operation.parameters.find((one) => one.in === 'query' && one.name === name)
}

/** An order of a list that is not its usual one. */
function unusualOrder(list: ResourceBinding): readonly TextPair[] {
  const { sort } = list.hints
  return [sort?.by, sort?.direction].flatMap((name) => {
    const parameter = parameterOf(list, name)
    const other = parameter && valuesOf(parameter).find((one) => one !== parameter.schema.default)
    return name !== undefined && other !== undefined ? [[name, other] as const] : []
  })
}

/** The link of a page to the next one has what the request had: filters, words to search for, and the order. */
export function linkedQueryProbes({ bindings: { list } }: BoundResource): Probe[] {
  const size = list && pageSizeOf(list.operation)
  const paging = list?.hints.paging
  // What a cursor stands for is the matter of the service.
  if (!size || !paging || !isNumbered(paging) || !leadsToNext(list)) return []
  const asked = Object.keys(list.hints.filters ?? {}).length > 0 || unusualOrder(list).length > 0
  if (!asked) return []
  const text = 'links to the next page with the parameters of the request'
  const check = operationCheck(list.operation, 'walk/query', text, ([page]) => {
    const link = page && isSuccess(page) ? linkOfPage(page, list) : undefined
    if (!page || link === undefined || !URL.canParse(link, page.url)) return NO_LINK
    const [sent, next] = [new URL(page.request.target, page.url), new URL(link, page.url)]
    const names = [...sent.searchParams.keys()].filter((name) => name !== size.name)
    const lost = names.find((name) => !next.searchParams.has(name))
    // A service may keep all of them in one parameter of its own.
    const known = new Set(list.operation.parameters.map(({ name }) => name))
    if ([...next.searchParams.keys()].some((name) => !known.has(name))) return NO_LINK
    const expected = `a link with ${lost}=${sent.searchParams.get(lost ?? '')}`
    return passIf(lost === undefined, page, expected, link)
  })
  return [
    {
      order: ORDER.pages - 0.29,
      maxRequests: 2,
      checks: [check],
      send: async (session) => {
        const base = await listRequest(session, list)
        const known = session.responses.findLast(
          (one) => one.request.operation === list.operation && isOfAll(one, base, list),
        )
        const query = known ? sharedValues(list, recordsAt(known, list) ?? []) : []
        const pairs = [[size.name, '1'] as const, ...query, ...unusualOrder(list)]
        if (pairs.length < 2) return []
        const names = new Set(pairs.map(([name]) => name))
        const target = withQuery(base.target, (name) => names.has(name), pairs)
        return [await session.send({ ...base, target, isValid: true })]
      },
    },
  ]
}

const NO_LINK = { leftOut: 'no link to the next page' } as const

/** Whether a response has the records of a list without any filter, several of them. */
function isOfAll(response: ProbeResponse, base: ProbeRequest, list: ResourceBinding): boolean {
  const names = longestPage(list.operation).map(([name]) => name)
  const { searchParams } = new URL(response.request.target, 'http://server')
  return (
    isSuccess(response) &&
    response.request.credentials === 'key' &&
    pathOf(response.request.target) === pathOf(base.target) &&
    [...searchParams.keys()].every((name) => names.includes(name)) &&
    (recordsAt(response, list)?.length ?? 0) > 1
  )
}

/** The list, the pages of its most frequent value with the filter, and a page of one record with the rest after it. */
async function readFiltered(
  session: Session,
  list: ResourceBinding,
  [parameter, property]: ReturnType<typeof equalFilters>[number],
  size: PageSize,
): Promise<readonly ProbeResponse[]> {
  const { name } = parameter
  const shownValue = (record: unknown): string => String(valueIn(record, property))
  const base = await listRequest(session, list)
  const send = (query: readonly TextPair[]): Promise<ProbeResponse> => {
    const names = new Set(query.map(([one]) => one))
    const target = withQuery(base.target, (one) => names.has(one), query)
    return session.send({ ...base, target, isValid: true })
  }
  const all = await send(longestPage(list.operation))
  const values = (isSuccess(all) ? (recordsAt(all, list) ?? []) : []).map(shownValue)
  const known = valuesOf(parameter).filter((one) => values.includes(one))
  const [value] = known.sort((one, other) => countIn(values, other) - countIn(values, one))
  const count = value === undefined ? 0 : countIn(values, value)
  if (value === undefined || count < 2) return [all]
  const most = Math.min(count - 1, size.maximum ?? count)
  const first = await send([
    [name, value],
    [size.name, String(most)],
  ])
  const pages = await linkedPages(first, list, most, session)
  // What is left on a single page shows most of a filter that is lost.
  const single = await send([
    [name, value],
    [size.name, '1'],
  ])
  const next = nextOf([single], list, 1, session)
  if (!next) return [all, ...pages, single]
  const rest = withQuery(next.target, (one) => one === size.name, longestPage(list.operation))
  return [all, ...pages, single, await session.send({ ...next, target: rest })]
}

/** The first page of a filtered list is full: a service may filter what is on the page only. */
function cutCheck(list: ResourceBinding, name: string, sizeName: string): CheckDefinition {
  const text = `fills the page of a list that ${name} filters`
  return operationCheck(list.operation, `${name}/cut`, text, ([all, first]) => {
    if (!all || !first || !isWhole(all, list) || !isSuccess(first)) return OTHER_PAGES
    const query = new URL(first.request.target, 'http://server').searchParams
    const [asked, count] = [Number(query.get(sizeName)), recordsAt(first, list)?.length ?? 0]
    return passIf(count === asked, first, `${asked} records`, `${count} records`)
  })
}

/** A page of a filtered list states the number of all records that match, and not of those on the page. */
function countCheck(
  list: ResourceBinding,
  name: string,
  shownValue: (record: unknown) => string,
): CheckDefinition {
  const text = `states the number of all records that match ${name}`
  return operationCheck(list.operation, `${name}/counted`, text, ([all, first]) => {
    const total = first && isSuccess(first) ? statedTotal(first, list) : undefined
    if (!all || !first || !isWhole(all, list) || typeof total !== 'number') return OTHER_PAGES
    const value = shownValue(recordsAt(first, list)?.[0])
    const count = countIn((recordsAt(all, list) ?? []).map(shownValue), value)
    return passIf(total === count, first, `${count}`, `${total}`)
  })
}

/** The pages of a filtered list have all records that match, as far as they were read to the end. */
function completeCheck(
  list: ResourceBinding,
  name: string,
  sizeName: string,
  shownValue: (record: unknown) => string,
): CheckDefinition {
  const text = `lists each record that matches ${name} once when all pages are read`
  const sizeIn = ({ request }: ProbeResponse): string | null =>
    new URL(request.target, 'http://server').searchParams.get(sizeName)
  return operationCheck(list.operation, `${name}/pages`, text, ([all, ...others]) => {
    const [first] = others
    const pages = others.filter((one) => first && sizeIn(one) === sizeIn(first) && isSuccess(one))
    const last = pages.at(-1)
    if (!all || !first || !last || !isWhole(all, list)) return OTHER_PAGES
    const isRead = (recordsAt(last, list)?.length ?? 0) < Number(sizeIn(first))
    if (pages.length < 2 || !isRead) return { leftOut: 'no next page' }
    const value = shownValue(recordsAt(first, list)?.[0])
    const wanted = (recordsAt(all, list) ?? []).filter((one) => shownValue(one) === value)
    const read = pages.flatMap((one) => idsIn(one, list) ?? [])
    const again = read.find((id, at) => read.indexOf(id) !== at)
    if (again !== undefined) return failure(last, 'each record once', `${again} again`)
    const seen = new Set(read)
    const lost = wanted.map((one) => idIn(one, list) ?? '').find((id) => !seen.has(id))
    return passIf(lost === undefined, last, `the record ${lost} on a page`, 'it is on no page')
  })
}

/** A page, and those to which it leads. A link has to have everything that the request had. */
async function linkedPages(
  first: ProbeResponse,
  list: ResourceBinding,
  size: number,
  session: Session,
): Promise<readonly ProbeResponse[]> {
  const pages = [first]
  while (pages.length <= MAX_NEXT) {
    const next = nextOf(pages, list, size, session)
    if (!next) break
    pages.push(await session.send(next))
  }
  return pages
}

/** The request for the page after those that were read, as a link says it, else as a client makes it. */
export function nextOf(
  pages: readonly ProbeResponse[],
  list: ResourceBinding,
  size: number,
  { target: { base } }: Session,
): ProbeRequest | undefined {
  const last = pages.at(-1)
  return (last && linkedPage(last, list, base)) ?? nextPage(pages, list, size, base)
}

function countIn(values: readonly string[], value: string): number {
  return values.filter((one) => one === value).length
}
