import { linkTo } from '../../http/headers.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { firstOf } from '../../resources/paging/read-page.ts'
import {
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  failure,
  isResponseTo,
  type LeftOut,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, linkOf as linkOfPage, type ProbeResponse } from '../messages.ts'
import { idIn, recordsAt } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { pageSizeOf } from '../test-data/values.ts'
import {
  figureOf,
  hasFigure,
  hasPageCount,
  hasTotal,
  isNumbered,
  leadsToNext,
  linkedPage,
  saysBefore,
  saysMore,
  statedPages,
  statedTotal,
} from './next-page.ts'

/** The responses of a walk. */
export interface Walk {
  readonly whole: ProbeResponse
  /** The page of the size that the document has as the default, if there are more records. */
  readonly preset?: ProbeResponse
  readonly pages: readonly ProbeResponse[]
  readonly size: number
  /** The page after the last one; absent where pages have no numbers. */
  readonly after?: ProbeResponse
  readonly wholeIds: readonly string[]
  /** Whether the whole list fits into one page. */
  readonly isComplete: boolean
}

export const TOO_FEW: LeftOut = { leftOut: 'too few records for two pages' }
export const MORE: LeftOut = { leftOut: 'the list has more pages than were read' }

/** Makes a check of a walk. */
export type WalkCheck = (
  id: string,
  name: string,
  evaluate: (one: Walk) => Evaluation,
) => CheckDefinition

/** What the pages of a list say of the list and of each other: totals, numbers of pages, and links. */
export function figureChecks(
  list: ResourceBinding,
  check: WalkCheck,
  walkOf: (responses: readonly ProbeResponse[]) => Walk | LeftOut,
  isLinkedBack: boolean,
): CheckDefinition[] {
  const isCounted = list.hints.paging !== undefined && isNumbered(list.hints.paging)
  return [
    ...(hasTotal(list) ? [totalCheck(list, walkOf), longestCheck(list)] : []),
    ...(hasFigure(list, 'hasMore', 'isLast', 'nextPage') || leadsToNext(list)
      ? [check('more', 'states whether there are more pages', (one) => more(one, list))]
      : []),
    ...(hasPageCount(list)
      ? [check('pages', 'states the number of pages', (one) => numberOfPages(one, list))]
      : []),
    ...(hasFigure(list, 'offset', 'page', 'nextPage', 'previousPage')
      ? [check('place', 'states which page it is', (one) => placeOf(one, list))]
      : []),
    ...(isCounted && hasFigure(list, 'hasPrevious', 'previousUrl', 'previousPage')
      ? [check('before', 'states whether there is a page before', (one) => before(one, list))]
      : []),
    ...(isCounted
      ? [
          check('link', 'links to the next page with its number and size', (one) =>
            linkOf(one, list),
          ),
          check('links', 'links to the page before and to the first one', (one) =>
            linksBack(one, list, isLinkedBack),
          ),
        ]
      : []),
  ]
}

/** Only the first page has none before it. */
function before({ pages }: Walk, list: ResourceBinding): Evaluation {
  const wrong = pages.find((page, at) => saysBefore(page, list).includes(at === 0))
  const expected = wrong === pages[0] ? 'no page before' : 'a page before'
  return wrong ? failure(wrong, expected) : 'passed'
}

/** The records of a page, each by what no other one has. */
export function idsOf(response: ProbeResponse, list: ResourceBinding): readonly string[] {
  // Records without ids, such as readings, are told apart by all that they show.
  const keyOf = (record: unknown): string | undefined =>
    list.resource.id.startsWith('$') ? JSON.stringify(record) : idIn(record, list)
  return recordsAt(response, list)?.flatMap((one) => keyOf(one) ?? []) ?? []
}

/** The number of all records on each page, and on the only one of a list that fits into it. */
function totalCheck(
  list: ResourceBinding,
  walkOf: (responses: readonly ProbeResponse[]) => Walk | LeftOut,
): CheckDefinition {
  const name = 'states the number of all records'
  return operationCheck(list.operation, 'walk/total', name, (responses) => {
    const [whole] = responses
    const records = whole && isSuccess(whole) ? recordsAt(whole, list) : undefined
    if (!whole || !records) return TOO_FEW
    const found = walkOf(responses)
    const pages = 'leftOut' in found ? [] : pagesOf(found)
    const total = isWhole(whole, list) ? records.length : totalOfAll(responses, list)
    if (total === undefined) return MORE
    const wrong = [whole, ...pages].find((page) => {
      const stated = statedTotal(page, list)
      return stated !== undefined && stated !== null && Number(stated) !== total
    })
    return wrong ? failure(wrong, `${total}`, `${statedTotal(wrong, list)}`) : 'passed'
  })
}

/** The pages of a walk, and the one after them. */
function pagesOf({ pages, after }: Walk): readonly ProbeResponse[] {
  return after && isSuccess(after) ? [...pages, after] : pages
}

/** A page of the greatest documented size has as many records as there are, or as many as it may have. */
function longestCheck(list: ResourceBinding): CheckDefinition {
  const { maximum } = pageSizeOf(list.operation) ?? {}
  const name = `fills a page of the greatest size, ${maximum}`
  return operationCheck(list.operation, 'walk/longest', name, ([whole]) => {
    const total = whole && isSuccess(whole) ? statedTotal(whole, list) : undefined
    const count = whole && recordsAt(whole, list)?.length
    if (!whole || typeof total !== 'number' || count === undefined || maximum === undefined)
      return MORE
    const expected = Math.min(total, maximum)
    return passIf(count === expected, whole, `${expected} records`, `${count} records`)
  })
}

/** The number of records of a list with more pages, which is the same on each of them; `undefined` when it changes. */
function totalOfAll(
  responses: readonly ProbeResponse[],
  list: ResourceBinding,
): number | undefined {
  const [first, last] = [responses.at(0), responses.at(-1)].map(
    (one) => one && statedTotal(one, list),
  )
  return typeof first === 'number' && first === last && responses.length > 1 ? first : undefined
}

function numberOfPages(
  { pages, wholeIds, isComplete, size }: Walk,
  list: ResourceBinding,
): Evaluation {
  const expectedOf = (page: ProbeResponse): number | undefined => {
    const total = isComplete ? wholeIds.length : statedTotal(page, list)
    return typeof total === 'number' ? Math.ceil(total / size) : undefined
  }
  if (pages.every((page) => expectedOf(page) === undefined)) return MORE
  const wrong = pages.find((page) => {
    const [stated, expected] = [statedPages(page, list), expectedOf(page)]
    return typeof stated === 'number' && expected !== undefined && stated !== expected
  })
  return wrong ? failure(wrong, `${expectedOf(wrong)}`, `${statedPages(wrong, list)}`) : 'passed'
}

/** The number of records that a page may have: as its request says, or by default. */
function sizeIn({ request }: ProbeResponse, { operation }: ResourceBinding): number | undefined {
  const size = pageSizeOf(operation)
  const sent = new URL(request.target, 'http://server').searchParams.get(size?.name ?? '')
  return sent === null ? size?.default : Number(sent)
}

function isListed(one: ProbeResponse, { operation }: ResourceBinding): boolean {
  return isResponseTo(operation, one) && isSuccess(one) && one.request.isInvalid !== true
}

/** A first page that is not full states as many records as it has, whoever asks for which of them. Evaluates all responses of a run. */
export function wholePageChecks({ bindings: { list } }: BoundResource): CheckDefinition[] {
  // The total of a report without pages may be a sum.
  if (!list?.hints.paging || !hasTotal(list)) return []
  const { parameter = '', before = '' } = list.hints.paging
  const isFirst = ({ request }: ProbeResponse): boolean => {
    const query = new URL(request.target, 'http://server').searchParams
    return !query.has(parameter) && !query.has(before)
  }
  const evaluate = everyResponse(
    (one) => isListed(one, list) && isFirst(one),
    (page) => {
      const [total, count] = [statedTotal(page, list), recordsAt(page, list)?.length]
      const most = sizeIn(page, list)
      if (typeof total !== 'number' || count === undefined) return 'passed'
      const isAll = most !== undefined && count < most
      return passIf(!isAll || total === count, page, `${count}`, `${total}`)
    },
  )
  const text = 'states as many records as it lists, if these are all'
  return [operationCheck(list.operation, 'total', text, evaluate)]
}

/** Each page states the number of pages that the number of all records and its size make. Evaluates all responses of a run. */
export function pageCountChecks({ bindings: { list } }: BoundResource): CheckDefinition[] {
  if (!list || !pageSizeOf(list.operation) || !hasPageCount(list) || !hasTotal(list)) return []
  const evaluate = everyResponse(
    (one) => isListed(one, list),
    (page) => {
      const [total, pages] = [statedTotal(page, list), statedPages(page, list)]
      const asked = sizeIn(page, list)
      if (typeof total !== 'number' || typeof pages !== 'number' || !asked) return 'passed'
      const expected = Math.ceil(total / asked)
      const isRight = pages === expected || (total === 0 && pages === 1)
      return passIf(isRight, page, `${expected} pages`, `${pages} pages`)
    },
  )
  const text = 'states as many pages as all records need'
  return [operationCheck(list.operation, 'pages', text, evaluate)]
}

/** The link of each page has the number or the offset of the next one, and the size that was asked for. */
function linkOf({ pages, size }: Walk, list: ResourceBinding): Evaluation {
  const { paging } = list.hints
  const { name: sizeName = '', default: usual } = pageSizeOf(list.operation) ?? {}
  const links = pages.map((page) => linkedPage(page, list, baseOf(page)))
  if (!paging?.parameter || links.every((link) => link === undefined))
    return { leftOut: 'no page has a link to the next one' }
  const { parameter, style } = paging
  for (const [at, page] of pages.entries()) {
    const query = links[at] && new URL(links[at].target, 'http://server').searchParams
    const number = query?.get(parameter)
    const wanted = firstOf(paging) + (at + 1) * (style === 'offset' ? size : 1)
    const sent = query?.get(sizeName) ?? usual
    const isWrong = number && (Number(number) !== wanted || Number(sent ?? size) !== size)
    if (isWrong)
      return failure(page, `${parameter}=${wanted}&${sizeName}=${size}`, links[at]?.target ?? '')
  }
  return linkedOn(pages, links, list)
}

/** If the first page has a link, each has one that others follow. */
function linkedOn(
  pages: readonly ProbeResponse[],
  links: readonly unknown[],
  list: ResourceBinding,
): Evaluation {
  if (links[0] === undefined) return 'passed'
  const unlinked = pages.find((_, at) => !links[at] && hasRecords(pages[at + 1], list))
  return unlinked ? failure(unlinked, 'a link to the next page') : 'passed'
}

function hasRecords(page: ProbeResponse | undefined, list: ResourceBinding): boolean {
  return page !== undefined && isSuccess(page) && idsOf(page, list).length > 0
}

/** The last page to which a link leads is the last one with records. Evaluates all responses of a run. */
export function lastLinkChecks({ bindings: { list } }: BoundResource): CheckDefinition[] {
  const { paging } = list?.hints ?? {}
  if (!list || !paging?.parameter || !isNumbered(paging) || !hasTotal(list)) return []
  if (!list.operation.responses.some(({ headers = [] }) => headers.some(isLink))) return []
  const { parameter, style } = paging
  const evaluate = everyResponse(
    (one) => isListed(one, list) && linkOfPage(one.headers, 'last') !== undefined,
    (page) => {
      const [total, size] = [statedTotal(page, list), sizeIn(page, list)]
      const link = linkOfPage(page.headers, 'last') ?? ''
      if (typeof total !== 'number' || total === 0 || !size || !URL.canParse(link, page.url))
        return 'passed'
      const number = Number(new URL(link, page.url).searchParams.get(parameter) ?? firstOf(paging))
      const start = style === 'offset' ? number : (number - firstOf(paging)) * size
      return passIf(
        start < total && start + size >= total,
        page,
        `the end of ${total} records`,
        link,
      )
    },
  )
  const text = 'links to the last page that has records'
  return [operationCheck(list.operation, 'last-link', text, evaluate)]
}

function isLink({ name }: { readonly name: string }): boolean {
  return name.toLowerCase() === 'link'
}

/** The links of each page to the one before it, which only the first page has not, and to the first one. */
function linksBack({ pages, size }: Walk, list: ResourceBinding, isStated: boolean): Evaluation {
  const { paging } = list.hints
  const { name: sizeName = '', default: usual } = pageSizeOf(list.operation) ?? {}
  const linksOf = (relation: string): readonly (string | undefined)[] =>
    pages.map((page) => linkTo(page.headers.get('Link') ?? '', relation))
  const before = linksOf('prev').map((one, at) => one ?? linksOf('previous')[at])
  const start = paging ? firstOf(paging) : 0
  const isWrong = (link: string | undefined, at: number, wanted: number): boolean => {
    if (link === undefined || !URL.canParse(link, pages[at]?.url)) return false
    const query = new URL(link, pages[at]?.url).searchParams
    const [number, sent] = [query.get(paging?.parameter ?? ''), query.get(sizeName) ?? usual]
    return Number(number ?? start) !== wanted || Number(sent ?? size) !== size
  }
  const step = paging?.style === 'offset' ? size : 1
  const wanted = before.map((_link, at) => start + (at - 1) * step)
  const isAny = before.some((one) => one !== undefined)
  const first = linksOf('first')
  if (!isAny && !isStated && first.every((one) => one === undefined)) return NO_LINKS
  const wrong = pages.find((_page, at) => {
    const isThere = before[at] !== undefined
    const isMissing = at === 0 ? isThere : (isAny || isStated) && !isThere
    return isMissing || isWrong(before[at], at, wanted[at] ?? 0) || isWrong(first[at], at, start)
  })
  const expected = 'the page before, if there is one, and the first one, with their size'
  return wrong ? failure(wrong, expected, wrong.headers.get('Link') ?? 'no Link') : 'passed'
}

const NO_LINKS: LeftOut = { leftOut: 'no page has a link to another one before it' }

/** The base address of a response, as far as its request shows it. */
function baseOf({ url, request: { target } }: ProbeResponse): string {
  return url.endsWith(target) ? url.slice(0, -target.length) : url
}

/** What a page says of the next one, by each of its figures. */
function more({ pages, isComplete, wholeIds, size }: Walk, list: ResourceBinding): Evaluation {
  const [first] = pages
  const isFirstWrong = first && wholeIds.length > size && saysMore(first, list).includes(false)
  if (isFirstWrong) return failure(first, 'that there are more records')
  const end = pages.find((page, at) => {
    const read = new Set(pages.slice(0, at + 1).flatMap((one) => idsOf(one, list)))
    return statedTotal(page, list) === read.size && saysMore(page, list).includes(true)
  })
  if (end) return failure(end, 'that there are no more records than the number of all records')
  const last = pages.at(-1)
  const seen = new Set(pages.flatMap((page) => idsOf(page, list)))
  const isEnd = isComplete && wholeIds.every((id) => seen.has(id))
  if (!last || !isEnd) return first ? 'passed' : MORE
  // A cursor may lead to an empty page.
  const isFull = idsOf(last, list).length >= size
  const isWrong = !isFull && saysMore(last, list).includes(true)

  return passIf(!isWrong, last, 'that there are no more records')
}

function placeOf({ pages, size }: Walk, list: ResourceBinding): Evaluation {
  const { paging } = list.hints
  const first = paging ? firstOf(paging) : 0
  const wrong = pages.find((page, at) => {
    const [offset, number] = [figureOf(page, list, 'offset'), figureOf(page, list, 'page')]
    const isOffsetWrong =
      typeof offset === 'number' && paging?.style === 'offset' && offset !== first + at * size
    const isNumberWrong =
      typeof number === 'number' && paging?.style === 'page' && number !== first + at
    const next = figureOf(page, list, 'nextPage')
    const isNextWrong =
      typeof next === 'number' && paging?.style === 'page' && next !== first + at + 1
    const previous = figureOf(page, list, 'previousPage')
    const isPreviousWrong =
      typeof previous === 'number' && paging?.style === 'page' && previous !== first + at - 1
    return isOffsetWrong || isNumberWrong || isNextWrong || (at > 0 && isPreviousWrong)
  })
  return wrong ? failure(wrong, 'the place of the page that was asked for') : 'passed'
}
