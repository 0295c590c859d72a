import type { Operation } from '../../contract/contract.ts'
import type { EnvelopeFigure, PagingHints } from '../../contract/hints.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { firstOf } from '../../resources/paging/read-page.ts'
import { integerIn, isSuccess, linkOf, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { idIn, recordsAt, valueAt } from '../record-address.ts'
import type { Session } from '../session/session.ts'

/** What a response says about its page; `undefined` when the document has no place for it. */
export function figureOf(
  { json }: ProbeResponse,
  { hints: { envelope = {} } }: ResourceBinding,
  figure: EnvelopeFigure,
): unknown {
  const place = Object.entries(envelope).find(([, one]) => one === figure)?.[0]
  return place === undefined ? undefined : valueAt(json, place)
}

/** A documented header with the number of all records. */
function totalHeaderOf({ responses }: Operation): string | undefined {
  const headers = responses.find(({ status }) => status < 300)?.headers ?? []
  return headers.find(({ name }) => /^x-total(-count)?$|^total-count$/i.test(name))?.name
}

/** Whether a list states the number of all records, in its body or a header. */
export function hasTotal(list: ResourceBinding): boolean {
  return hasFigure(list, 'total') || totalHeaderOf(list.operation) !== undefined
}

/** The number of all records that a page states. */
export function statedTotal(page: ProbeResponse, list: ResourceBinding): unknown {
  const header = totalHeaderOf(list.operation)
  return figureOf(page, list, 'total') ?? (header && integerIn(page.headers, header))
}

/** A documented header with the number of pages. */
function pagesHeaderOf({ responses }: Operation): string | undefined {
  const headers = responses.find(({ status }) => status < 300)?.headers ?? []
  return headers.find(({ name }) => /^(x-)?(total-pages|pages?-count|pages)$/i.test(name))?.name
}

/** Whether a list states the number of its pages: in its body, in a header, or by a link to the last one. */
export function hasPageCount(list: ResourceBinding): boolean {
  const isStated = hasFigure(list, 'pages') || pagesHeaderOf(list.operation) !== undefined
  return isStated || (hasPageNumbers(list) && (hasFigure(list, 'lastUrl') || hasLink(list)))
}

function hasPageNumbers({ hints: { paging } }: ResourceBinding): boolean {
  return paging?.style === 'page' && firstOf(paging) === 1
}

/** The number of pages that a page states. */
export function statedPages(page: ProbeResponse, list: ResourceBinding): unknown {
  const header = pagesHeaderOf(list.operation)
  const stated = figureOf(page, list, 'pages') ?? (header && integerIn(page.headers, header))
  return stated ?? (hasPageNumbers(list) ? lastLinkedPage(page, list) : undefined)
}

/** The number of the page to which a link leads as the last one. */
function lastLinkedPage(page: ProbeResponse, list: ResourceBinding): number | undefined {
  const link = figureOf(page, list, 'lastUrl') ?? linkOf(page.headers, 'last')
  if (typeof link !== 'string' || !URL.canParse(link, page.url)) return undefined
  const number = new URL(link, page.url).searchParams.get(list.hints.paging?.parameter ?? '')
  return number && /^\d+$/.test(number) ? Number(number) : undefined
}

/** What a page says of the one before it: whether there is one. */
export function saysBefore(page: ProbeResponse, list: ResourceBinding): readonly boolean[] {
  const hasPrevious = figureOf(page, list, 'hasPrevious')
  const places = (['previousUrl', 'previousPage'] as const).filter((one) => hasFigure(list, one))
  return [
    ...(typeof hasPrevious === 'boolean' ? [hasPrevious] : []),
    ...places.map((one) => {
      const value = figureOf(page, list, one)
      return value !== undefined && value !== null && value !== '' && value !== 0
    }),
  ]
}

/** Whether a list has a place for one of these figures. */
export function hasFigure(
  { hints }: ResourceBinding,
  ...names: readonly EnvelopeFigure[]
): boolean {
  return Object.values(hints.envelope ?? {}).some((one) => names.includes(one))
}

/** Whether responses of a list lead to the next page: by a cursor or a link, in the body or in a header of the document. */
export function leadsToNext(list: ResourceBinding): boolean {
  return (
    hasFigure(list, 'nextCursor', 'nextUrl') || hasLink(list) || cursorHeader(list) !== undefined
  )
}

/** What a page says of the next one, by each of its figures and headers: whether there is one. */
export function saysMore(page: ProbeResponse, list: ResourceBinding): readonly boolean[] {
  const [hasMore, isLast] = [figureOf(page, list, 'hasMore'), figureOf(page, list, 'isLast')]
  const next = (['nextCursor', 'nextUrl', 'nextPage'] as const).filter((one) =>
    hasFigure(list, one),
  )
  const header = cursorHeader(list)
  return [
    ...(typeof hasMore === 'boolean' ? [hasMore] : []),
    ...(typeof isLast === 'boolean' ? [!isLast] : []),
    ...next.map((one) => {
      const value = figureOf(page, list, one)
      return value !== undefined && value !== null && value !== '' && value !== false
    }),
    ...(header === undefined ? [] : [(page.headers.get(header) ?? '') !== '']),
    ...(hasLink(list) ? [linkOf(page.headers, 'next') !== undefined] : []),
  ]
}

/** The request for the page after those that were read, as a client makes it; `undefined` after the last page. */
export function nextPage(
  pages: readonly ProbeResponse[],
  list: ResourceBinding,
  size: number,
  base: string,
): ProbeRequest | undefined {
  const { paging } = list.hints
  const page = pages.at(-1)
  const records = page && isSuccess(page) ? (recordsAt(page, list) ?? []) : []
  if (!page || records.length === 0) return undefined
  const { request } = page
  const link = linkOfPage(page, list)
  const linked = linkedPage(page, list, base)
  if (linked && isFollowed(list)) return linked
  const position = paging && positionAfter(pages, records, { list, paging, size, link })
  if (!paging?.parameter || position === undefined) return undefined
  const { parameter } = paging
  const target = withQuery(request.target, (name) => name === parameter, [[parameter, position]])

  return { ...request, target }
}

/** The request for the page to which a link of another one leads; `undefined` when it leaves the base address, so that no other server gets the key. */
export function linkedPage(
  page: ProbeResponse,
  list: ResourceBinding,
  base: string,
): ProbeRequest | undefined {
  const link = linkOfPage(page, list)
  if (link === undefined || !URL.canParse(link, page.url)) return undefined
  const { href } = new URL(link, page.url)
  return href.startsWith(base) ? { ...page.request, target: href.slice(base.length) } : undefined
}

/** A list whose pages have numbers is read by them: its links are figures besides. */
function isFollowed({ hints: { paging } }: ResourceBinding): boolean {
  return paging?.parameter === undefined || !isNumbered(paging)
}

/** Whether clients choose the page by its number or its offset. */
export function isNumbered({ style }: PagingHints): boolean {
  return style === 'page' || style === 'offset'
}

interface Place {
  readonly list: ResourceBinding
  readonly paging: PagingHints
  readonly size: number
  readonly link: string | undefined
}

/** The value of the paging parameter for the page after those that were read; `undefined` after the last page. */
function positionAfter(
  pages: readonly ProbeResponse[],
  records: readonly unknown[],
  { list, paging, size, link }: Place,
): string | undefined {
  const page = pages.at(-1)
  const cursor = page && !isNumbered(paging) ? cursorIn(page, list, paging, link) : undefined
  if (paging.style === 'cursor' || cursor !== undefined) return cursor
  // A list that has no records for a page is at its end.
  if (records.length < size) return undefined
  if (paging.style === 'after') return idIn(records.at(-1), list)

  return String(firstOf(paging) + pages.length * (paging.style === 'offset' ? size : 1))
}

function cursorIn(
  page: ProbeResponse,
  list: ResourceBinding,
  { parameter = '' }: PagingHints,
  link: string | undefined,
): string | undefined {
  const header = cursorHeader(list)
  const cursor = figureOf(page, list, 'nextCursor') ?? (header && page.headers.get(header))
  if (cursor !== undefined && cursor !== null && cursor !== '') return String(cursor)
  if (link === undefined || !URL.canParse(link, page.url)) return undefined

  return new URL(link, page.url).searchParams.get(parameter) ?? undefined
}

/** The address of the next page in a response. */
export function linkOfPage(page: ProbeResponse, list: ResourceBinding): string | undefined {
  const link = figureOf(page, list, 'nextUrl') ?? linkOf(page.headers, 'next')
  return typeof link === 'string' && link !== '' ? link : undefined
}

function hasLink({ operation }: ResourceBinding): boolean {
  return headersOf(operation).some((name) => name.toLowerCase() === 'link')
}

/** A documented header with the cursor of the next page. */
function cursorHeader({ operation }: ResourceBinding): string | undefined {
  return headersOf(operation).find((name) =>
    /next[-_]?(page[-_]?)?(cursor|token|marker)|(cursor|token)[-_]?next|^x-(cursor|continuation(-token)?)$/i.test(
      name,
    ),
  )
}

/** The documented headers of a list, but for those that another author need not have. */
function headersOf({ responses }: ResourceBinding['operation']): readonly string[] {
  const { headers = [] } = responses.find(({ status }) => status < 300) ?? {}
  return headers.flatMap(({ name, decision }) => (decision ? [] : [name]))
}

/** The most pages that are read to find a record. */
export const MAX_SEARCHED = 5

/** Reads a list page by page until one has what is looked for, after the pages that were read before. Returns all of them. */
export async function readUntil(
  session: Session,
  request: ProbeRequest,
  list: ResourceBinding,
  isFound: (page: ProbeResponse) => boolean,
  before: readonly ProbeResponse[] = [],
): Promise<readonly ProbeResponse[]> {
  const pages = [...before]
  for (let next: ProbeRequest | undefined = request; next && pages.length < MAX_SEARCHED; ) {
    const page = await session.send(next)
    pages.push(page)
    if (isFound(page)) break
    next = pageAfter(pages, list, session)
  }
  return pages
}

/** The request for the page after those that were read, each as long as the first one. */
export function pageAfter(
  pages: readonly ProbeResponse[],
  list: ResourceBinding,
  { target }: Session,
): ProbeRequest | undefined {
  const [first] = pages
  return nextPage(pages, list, (first && recordsAt(first, list)?.length) ?? 0, target.base)
}
