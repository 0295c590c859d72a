import type { BodyPlace, EnvelopeFigure, PagingHints } from '../../contract/hints.ts'
import { parsePointer } from '../../contract/schema.ts'
import type { CoreRequest } from '../../http/message.ts'
import type { Id } from '../../records/record-table.ts'
import { digitsOf } from '../../validation/large-integers.ts'
import { firstOf } from './read-page.ts'

/** What is known about a page of a list. */
export interface PageFacts {
  readonly paging: PagingHints | undefined
  readonly request: Pick<CoreRequest, 'base' | 'path' | 'query'>
  /** Where the body has the list. */
  readonly list: BodyPlace
  /** How many records the page has. */
  readonly count: number
  /** The most records of a page; absent when there is no limit. */
  readonly size?: number | undefined
  /** How many records come before the page; absent when that is not known. */
  readonly offset?: number | undefined
  /** How many records all pages have; absent when it was not counted. */
  readonly total?: number | undefined
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** Whether the page was asked for by the record after it. */
  readonly isBackwards: boolean
  readonly firstId?: Id | undefined
  readonly lastId?: Id | undefined
  /** The tokens for the pages beside this one. */
  readonly nextToken?: (() => string) | undefined
  readonly previousToken?: (() => string) | undefined
}

/** Reads a figure: `null` when there is none, such as the link to the page after the last; `undefined` when it is not known. */
export type ReadFigure = (figure: EnvelopeFigure) => unknown

/** The figures that need the number of all records. */
export const COUNTED: ReadonlySet<EnvelopeFigure> = new Set([
  ...(['total', 'pages', 'lastPage', 'lastUrl'] as const),
])

/** What happened to the record that an event shows, where nothing is known but that it exists. */
const ADDED = 'ADDED'

/** The figures of a response that shows records with these ids, and no page of a list. */
export function figuresOfShown(ids: readonly unknown[]): ReadFigure {
  const figures: Partial<Record<EnvelopeFigure, unknown>> = { event: ADDED, id: ids[0], ids }
  return (figure) => figures[figure]
}

/** The figures of a page. */
export function figuresOf(facts: PageFacts): ReadFigure {
  return (figure) => FIGURES[figure](facts)
}

const FIGURES: Readonly<Record<EnvelopeFigure, (facts: PageFacts) => unknown>> = {
  total: ({ total }) => total,
  count: ({ count }) => count,
  size: ({ size, count }) => size ?? count,
  offset: ({ paging, offset }) =>
    offset === undefined ? undefined : offset + (paging?.style === 'offset' ? firstOf(paging) : 0),
  page: pageOf,
  pages: pagesOf,
  nextPage: (facts) => (facts.hasNext ? plus(pageOf(facts), 1) : null),
  previousPage: (facts) => (facts.hasPrevious ? plus(pageOf(facts), -1) : null),
  lastPage: lastPageOf,
  // A client that goes backwards asks whether there are more in that direction.
  hasMore: ({ isBackwards, hasPrevious, hasNext, paging }) =>
    isBackwards && paging?.style === 'after' ? hasPrevious : hasNext,
  hasPrevious: ({ hasPrevious }) => hasPrevious,
  isFirst: ({ hasPrevious }) => !hasPrevious,
  isLast: ({ hasNext }) => !hasNext,
  isEmpty: ({ count }) => count === 0,
  nextCursor: (facts) => nextValue(facts) ?? null,
  previousCursor: (facts) => previousValue(facts) ?? null,
  firstId: ({ firstId }) => firstId ?? null,
  lastId: ({ lastId }) => lastId ?? null,
  event: () => ADDED,
  listName: ({ list }) => parsePointer(list).at(-1),
  id: () => undefined,
  ids: () => undefined,
  selfUrl: ({ request }) => urlWith(request, []),
  nextUrl: (facts) => linkTo(facts, facts.paging?.parameter, nextValue(facts)),
  previousUrl: (facts) => {
    const { parameter, before, style } = facts.paging ?? {}
    return linkTo(
      facts,
      before ?? (style === 'after' ? undefined : parameter),
      previousValue(facts),
    )
  },
  firstUrl: ({ request, paging }) => urlWith(request, pagingChanges(paging)),
  lastUrl: (facts) => linkTo(facts, facts.paging?.parameter, lastValue(facts)),
}

function plus(number: number | undefined, more: number): number | undefined {
  return number === undefined ? undefined : number + more
}

function firstNumber({ paging }: PageFacts): number {
  return paging?.style === 'page' ? firstOf(paging) : 1
}

function pageOf(facts: PageFacts): number | undefined {
  const { offset, size } = facts
  if (offset === undefined) return undefined

  return firstNumber(facts) + (size ? Math.floor(offset / size) : 0)
}

function pagesOf({ total, size }: PageFacts): number | undefined {
  if (total === undefined) return undefined
  return size ? Math.ceil(total / size) : Math.min(total, 1)
}

function lastPageOf(facts: PageFacts): number | undefined {
  const pages = pagesOf(facts)
  return pages === undefined ? undefined : firstNumber(facts) + Math.max(pages, 1) - 1
}

/** The value of the paging parameter for the next page; `undefined` when there is none. */
function nextValue(facts: PageFacts): string | number | undefined {
  const { paging, hasNext, offset, count, nextToken, lastId } = facts
  if (!hasNext || paging?.parameter === undefined) return undefined
  if (paging.style === 'page') return plus(pageOf(facts), 1)
  if (paging.style === 'after') return lastId
  if (nextToken) return nextToken()

  return plus(offset, count + firstOf(paging))
}

/** The value of the paging parameter for the page before, or the id of the record that follows it. */
function previousValue(facts: PageFacts): string | number | undefined {
  const { paging, hasPrevious, offset, size, previousToken, firstId } = facts
  if (!hasPrevious || !paging) return undefined
  if (paging.style === 'after') return firstId
  if (paging.style === 'page') return plus(pageOf(facts), -1)
  if (previousToken) return previousToken()

  return offset === undefined ? undefined : Math.max(0, offset - (size ?? 0)) + firstOf(paging)
}

/** The value of the paging parameter for the last page, where it is a number. */
function lastValue(facts: PageFacts): number | undefined {
  const { paging, total, size } = facts
  if (paging?.style === 'page') return lastPageOf(facts)
  if (paging?.style !== 'offset' || total === undefined || !size) return undefined

  return Math.max(0, Math.ceil(total / size) - 1) * size + firstOf(paging)
}

type Changes = readonly (readonly [name: string, value: string | number | undefined])[]

/** What a link to the first page changes in the query. */
function pagingChanges(paging: PagingHints | undefined): Changes {
  const { parameter, before } = paging ?? {}
  const number = paging?.style === 'page' ? firstOf(paging) : undefined

  return [
    ...(parameter === undefined ? [] : [[parameter, number] as const]),
    ...(before === undefined ? [] : [[before, undefined] as const]),
  ]
}

function linkTo(
  { request, paging }: PageFacts,
  parameter: string | undefined,
  value: string | number | undefined,
): string | null {
  if (parameter === undefined || value === undefined) return null
  return urlWith(request, [...pagingChanges(paging), [parameter, value]])
}

/** The URL of a request with other values of some query parameters; a parameter without a value is left out. */
function urlWith({ base, path, query }: PageFacts['request'], changes: Changes): string {
  const values = new URLSearchParams(query)
  for (const [name, value] of changes) {
    if (value === undefined) values.delete(name)
    else values.set(name, digitsOf(String(value)))
  }
  return `${base}${path}${values.size > 0 ? `?${values}` : ''}`
}
