import type { Operation, ResponseHeader } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { linkHeader } from '../../http/headers.ts'
import type { CoreRequest } from '../../http/message.ts'
import { type Awaitable, bothKnown, whenKnown } from '../../records/awaitable.ts'
import type { Id, Page, Sort, StoredRecord } from '../../records/record-table.ts'
import type { RecordSelection } from '../../records/selection.ts'
import { once } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import { byBothNames } from '../keys.ts'
import { COUNTED, figuresOf, type PageFacts, type ReadFigure } from '../paging/page-figures.ts'
import { readFilters } from '../paging/read-filters.ts'
import {
  isExample,
  parameterOf,
  positionOf,
  type RequestedPage,
  readPage,
  refuse,
  takesTokens,
  toToken,
} from '../paging/read-page.ts'
import { readSort } from '../paging/read-sort.ts'
import type { Records } from '../store/records.ts'
import { bothSelections } from '../views/aliases.ts'
import type { UnitedRecords } from '../views/united-records.ts'

/** The request for a list. */
export interface ListRequest {
  readonly request: Pick<CoreRequest, 'base' | 'path' | 'query'>
  readonly operation: Operation
  readonly hints: Pick<OperationHints, 'paging' | 'filters' | 'sort' | 'envelope' | 'record'>
  readonly query: Input['query']
  /** Those values of the query that the body has; default: none. */
  readonly sent?: Input['query']
  readonly records: Pick<Records, 'name' | 'resource' | 'get' | 'page' | 'count'> &
    Partial<Pick<UnitedRecords, 'keyOf'>>
  /** The records that the list is of; default: all. */
  readonly among?: RecordSelection
}

/** A page of a list, and what can be said about it. */
export interface ListedPage {
  readonly records: readonly StoredRecord[]
  readonly figure: ReadFigure
  /** What the page depends on, besides the request: its records, and what is known about its place. */
  readonly made: readonly unknown[]
  /**
   * `Link`, where the client finds the other pages nowhere else, or the document has the header. A function and no getter: V8 makes
   * a hidden class for each object that a literal with a getter creates, and each keeps its request until the next full collection.
   */
  readonly readHeaders: () => Readonly<Record<string, string>>
}

/**
 * The page of a list that a request asks for, by the hints of its operation: filtered, sorted, and with true figures. Throws a
 * Problem, or rejects with it, when the request names no page.
 */
export function listPage(list: ListRequest): Awaitable<ListedPage> {
  const { hints, query, records, request, sent } = list
  const { schema } = records.resource

  return whenKnown(readFilters(hints.filters, { request, query, sent, schema }), (found) =>
    pageOf(list, found),
  )
}

function pageOf(list: ListRequest, found: RecordSelection): Awaitable<ListedPage> {
  const { hints, operation, query, records } = list
  const { name, resource } = records
  const { schema } = resource
  const asked = { operation, query, name, idSchema: resource.idSchema, hasLinks: hasLinks(list) }
  const filtered = byBothNames(found, resource)
  const selection = bothSelections(list.among, filtered)
  const sort = readSort(hints.sort, query, schema)
  const requested = readPage(hints.paging, asked)
  const pageAt = (one: RequestedPage): Awaitable<ListedPage> =>
    bothKnown(
      records.page({ ...one.query, ...selection, ...(sort && { sort }) }),
      totalFor(list, selection),
      (page, total) => describePage(list, { requested: one, page, sort, total }),
    )
  const { anchor } = requested
  if (!anchor) return pageAt(requested)

  const present = presentId(anchor.id, records)
  // A store that is asked has the page under way meanwhile. Usually the record is there.
  if (present instanceof Promise)
    askAhead(pageAt({ ...requested, query: besideId(requested.query, anchor.id) }))
  return whenKnown(present, (id) => {
    if (id !== undefined) return pageAt({ ...requested, query: besideId(requested.query, id) })
    const isOwn = !isExample(anchor.parameter, asked)
    if (isOwn) refuse(asked, anchor.parameter, 'must be the id of a record')
    const { after: _, before: __, ...rest } = requested.query

    // An id has its place among the others even when no record has it.
    return isOwn && !sort ? pageAt(requested) : pageAt({ query: rest, offset: 0 })
  })
}

/** Asks for what is probably needed next. Whoever needs it meets its error. */
function askAhead(asked: Awaitable<unknown>): void {
  if (asked instanceof Promise) asked.catch(() => undefined)
}

/** The id of a record as it is stored: a number may be sent as text. */
function presentId(id: Id, records: ListRequest['records']): Awaitable<Id | undefined> {
  const other = typeof id === 'number' ? String(id) : Number(id)
  return whenKnown(records.get(id), (found) => {
    if (found) return id
    if (Number.isNaN(other)) return undefined
    return whenKnown(records.get(other), (one) => (one ? other : undefined))
  })
}

function besideId({ limit, after }: RequestedPage['query'], id: Id): RequestedPage['query'] {
  const size = limit === undefined ? {} : { limit }
  return after === undefined ? { ...size, before: id } : { ...size, after: id }
}

interface FoundPage {
  readonly requested: RequestedPage
  readonly page: Page
  readonly sort: Sort | undefined
  readonly total: number | undefined
}

/** How many records all pages have; `undefined` when nothing in the response says it. */
function totalFor(
  { hints, operation, records }: ListRequest,
  selection: RecordSelection,
): Awaitable<number | undefined> {
  return hasTotal(operation, hints) ? records.count(selection) : undefined
}

/** Whether the body of a list, or a header, says how many records or pages there are. */
function hasTotal(operation: Operation, { envelope = {}, paging }: ListRequest['hints']): boolean {
  if (Object.values(envelope).some((figure) => COUNTED.has(figure))) return true
  const isCounted = paging?.style === 'page' || paging?.style === 'offset'
  const names = isCounted ? /total|count|pages|link/i : /total|count|pages/i
  return documentedHeaders(operation).some(({ name }) => names.test(name))
}

/** The documented headers of the response. */
function documentedHeaders({ responses }: Operation): readonly ResponseHeader[] {
  return responses.find(({ status }) => status >= 200 && status < 300)?.headers ?? []
}

const documentedLink = once((operation: Operation): ResponseHeader | undefined =>
  documentedHeaders(operation).find(({ name }) => name.toLowerCase() === 'link'),
)

/** Whether a `Link` leads to the other pages: clients find them nowhere else, or the document has the header. */
function hasLinks({
  hints: { paging, envelope },
  operation,
}: Pick<ListRequest, 'hints' | 'operation'>): boolean {
  const hasParameter = paging?.parameter !== undefined || paging?.before !== undefined
  return hasParameter && (!envelope || documentedLink(operation) !== undefined)
}

const NO_HEADERS = {}

/** The figures are made when they are read: the latest response to the same request needs none. */
function describePage(list: ListRequest, found: FoundPage): ListedPage {
  const { page, total, requested } = found
  let figures: ReadFigure | undefined
  const figure: ReadFigure = (name) => {
    figures ??= figuresOf(factsOf(list, found))
    return figures(name)
  }
  return {
    records: page.records,
    figure,
    made: [page.next, page.previous, total, requested.offset, ...page.records],
    readHeaders: () => (hasLinks(list) ? linksOf(figure, list) : NO_HEADERS),
  }
}

function factsOf(
  { hints, operation, request, records }: ListRequest,
  { requested: { query, offset }, page, sort, total }: FoundPage,
): PageFacts {
  const { paging, record: list = '' } = hints
  const listed = page.records
  const { name, resource } = records
  const [first, last] = [listed[0], listed.at(-1)]
  const idIn = (record: StoredRecord | undefined) =>
    record && (records.keyOf?.(record) ?? idOf(record, resource.id))
  const [firstId, lastId] = [idIn(first), idIn(last)]
  const isBackwards = query.before !== undefined
  const hasTokens =
    paging?.style === 'cursor' && takesTokens(parameterOf(operation, paging.parameter ?? ''))
  return {
    ...{ paging, request, list, count: listed.length, size: query.limit, offset, total },
    ...{ isBackwards, firstId, lastId },
    hasNext: isBackwards || page.next !== undefined,
    hasPrevious: isBackwards ? page.previous !== undefined : offset === undefined || offset > 0,
    ...(hasTokens &&
      last &&
      lastId !== undefined && {
        nextToken: () => toToken(name, 'after', positionOf(lastId, last, sort)),
      }),
    ...(hasTokens &&
      first &&
      firstId !== undefined && {
        previousToken: () => toToken(name, 'before', positionOf(firstId, first, sort)),
      }),
  }
}

/**
 * The links to other pages. A cursor or an id only leads on. Pages that are counted have a first and a last one, too. When the document
 * shows a `Link` as an example, there are no relations besides those of the example.
 */
function linksOf(
  figure: ReadFigure,
  { hints: { paging }, operation }: ListRequest,
): Readonly<Record<string, string>> {
  const isCounted = paging?.style === 'page' || paging?.style === 'offset'
  const shown = documentedLink(operation)?.example
  const target = (relation: string, name: Parameters<ReadFigure>[0]): string | undefined => {
    if (typeof shown === 'string' && !shown.includes(`rel="${relation}"`)) return undefined
    const url = figure(name)
    return typeof url === 'string' ? url : undefined
  }
  const link = linkHeader({
    next: target('next', 'nextUrl'),
    prev: target('prev', 'previousUrl'),
    ...(isCounted && { first: target('first', 'firstUrl'), last: target('last', 'lastUrl') }),
  })
  return link === '' ? {} : { Link: link }
}
