import type { Operation } from '../../contract/contract.ts'
import type { PagingHints } from '../../contract/hints.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { TextPair } from '../../requests/serialize-parameter.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { firstOf } from '../../resources/paging/read-page.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluation,
  failure,
  type LeftOut,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { recordsAt, recordTemplate, withPath } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { findSearchWord } from '../session/search-words.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { validRequest } from '../session/valid-request.ts'
import { unguessableWord } from '../test-data/unguessable.ts'
import { type PageSize, pageSizeOf } from '../test-data/values.ts'
import {
  hasFigure,
  hasPageCount,
  hasTotal,
  isNumbered,
  leadsToNext,
  nextPage,
  saysMore,
  statedPages,
  statedTotal,
} from './next-page.ts'
import { figureChecks, idsOf, MORE, TOO_FEW, type Walk, type WalkCheck } from './page-figures.ts'
import { ORDER, type Probe } from './probe.ts'

/** The most pages that are read. */
const MAX_PAGES = 4

/** The requests beside the pages: the whole list twice, a page of the usual size, and one after the last page. */
const MORE_REQUESTS = 4

/** Reads a list page by page, and compares the pages with the whole list, which is read before and after. */
export function pageWalkProbes(
  { bindings: { list } }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  if (!list?.hints.paging) return []
  const { paging } = list.hints
  const size = pageSizeOf(list.operation)
  if (!size || paging.size === undefined || paging.parameter === undefined) return []
  if (paging.style === 'cursor' && !leadsToNext(list)) return []

  return [
    {
      order: ORDER.pages - 0.5,
      maxRequests: MAX_PAGES + MORE_REQUESTS,
      checks: checksOf(list, texts),
      send: (session) => walk(session, list, paging, size),
    },
    ...fullPageProbe(list, size, texts),
    ...lastPageProbe(list, size),
    ...backwardProbe(list, paging, size),
    ...unknownPlaceProbe(list, paging, texts),
  ]
}

/** The whole list on one page that is full, or on a few: the last one is no other's. */
function fullPageProbe(list: ResourceBinding, size: PageSize, texts: DocumentTexts): Probe[] {
  const { paging } = list.hints
  // A service that counts its pages knows which one is the last.
  const isCounted = paging !== undefined && isNumbered(paging) && hasTotal(list)
  const isStated = hasFigure(list, 'hasMore', 'isLast') || isCounted || endsCursors(list, texts)
  if (!isStated && !hasPageCount(list)) return []
  const text = 'states that a full page is the last one when it has all records'
  const check = operationCheck(list.operation, 'walk/full', text, ([whole, ...pages]) => {
    const last = pages.at(-1)
    if (!whole || !last || !pages.every(isSuccess)) return TOO_FEW
    const all = isWhole(whole, list) ? idsOf(whole, list).length : statedTotal(whole, list)
    const listed = new Set(pages.flatMap((page) => idsOf(page, list)))
    if (listed.size !== all) return CHANGED
    const count = statedPages(last, list)
    if (typeof count === 'number' && count !== pages.length)
      return failure(last, `${pages.length} pages`, `${count}`)
    const isWrong = isStated && saysMore(last, list).includes(true)
    return passIf(!isWrong, last, 'that there are no more records')
  })
  return [
    {
      order: ORDER.pages - 0.2,
      maxRequests: 2 + MAX_FULL,
      checks: [check],
      send: async (session) => {
        const base = await listRequest(session, list)
        const send = (count: number, filters: readonly TextPair[]): Promise<ProbeResponse> => {
          const pairs = [[size.name, String(count)] as const, ...filters]
          const target = withQuery(
            base.target,
            (one) => pairs.some(([name]) => name === one),
            pairs,
          )
          return session.send({ ...base, target, isValid: true })
        }
        const longest = size.maximum ?? size.default ?? 1
        const all = await send(longest, [])
        const isLong = isSuccess(all) && !isWhole(all, list) && !fullSize(all, longest, list)
        const filters = isLong ? rarestValue(all, list) : []
        const whole = filters.length > 0 ? await send(longest, filters) : all
        const count = isSuccess(whole) ? fullSize(whole, longest, list) : undefined
        if (count === undefined) return [whole]
        const pages = [await send(count, filters)]
        const following = (): ProbeRequest | undefined =>
          nextPage(pages, list, count, session.target.base)
        const number = Math.ceil(Number(statedTotal(whole, list) ?? count) / count)
        for (let next = following(); next && pages.length < number; next = following())
          pages.push(await session.send(next))
        return [whole, ...pages]
      },
    },
  ]
}

/** The most full pages that are read of a list. */
const MAX_FULL = 6

/** How many records fill a few pages without a rest: all of them, if a page can have them. */
function fullSize(
  whole: ProbeResponse,
  longest: number,
  list: ResourceBinding,
): number | undefined {
  const count = recordsAt(whole, list)?.length ?? 0
  if (isWhole(whole, list)) return count === 0 ? undefined : count
  const total = Number(statedTotal(whole, list))
  const pages = Array.from({ length: MAX_FULL - 1 }, (_, at) => at + 2)
  const number = pages.find((one) => total % one === 0 && total / one <= longest)
  return number === undefined ? undefined : total / number
}

/** A filter that selects few of the records on a page; nothing where none does. */
function rarestValue(page: ProbeResponse, list: ResourceBinding): readonly TextPair[] {
  const records = (recordsAt(page, list) ?? []).filter(isObject)
  const values = Object.entries(list.hints.filters ?? {}).flatMap(([name, filter]) => {
    const { property, is = 'equal' } = typeof filter === 'string' ? { property: filter } : filter
    if (typeof property !== 'string' || is !== 'equal') return []
    return records.flatMap((record) => {
      const value = record[property]
      if (typeof value !== 'string' && typeof value !== 'boolean') return []
      const count = records.filter((one) => one[property] === value).length
      return [{ pair: [name, String(value)] as const, count }]
    })
  })
  const [rarest] = values.sort((one, other) => one.count - other.count)
  return rarest && rarest.count < records.length / 2 ? [rarest.pair] : []
}

/**
 * The last page of a list that has more than one of the greatest size: it has what is left, and no page after it. A page of one record is full,
 * and so is the last one.
 */
function lastPageProbe(list: ResourceBinding, { name, maximum }: PageSize): Probe[] {
  const { paging } = list.hints
  if (!paging?.parameter || !isNumbered(paging) || !hasTotal(list) || maximum === undefined)
    return []
  const { parameter } = paging
  const lastOf = (total: number, size: number): string => {
    const before = Math.ceil(total / size) - 1
    return String(firstOf(paging) + before * (paging.style === 'offset' ? size : 1))
  }
  const isNoOther = 'that there are no more records'
  const text = 'has what is left on the last page, and states no page after it'
  const check = operationCheck(list.operation, 'walk/last', text, ([whole, , last]) => {
    const [total, now] = [whole, last].map((one) => one && statedTotal(one, list))
    if (!last || !isSuccess(last) || typeof total !== 'number' || total !== now) return MORE
    const left = total - (Math.ceil(total / maximum) - 1) * maximum
    const count = recordsAt(last, list)?.length ?? 0
    if (count !== left) return failure(last, `${left} records`, `${count} records`)
    return passIf(!saysMore(last, list).includes(true), last, isNoOther)
  })
  const full = 'states no page after the last one, which is full'
  const fullCheck = operationCheck(list.operation, 'walk/single', full, ([whole, last]) => {
    const [total, now] = [whole, last].map((one) => one && statedTotal(one, list))
    const count = last && isSuccess(last) ? recordsAt(last, list)?.length : undefined
    if (!last || typeof total !== 'number' || total !== now || count !== 1) return MORE
    return passIf(!saysMore(last, list).includes(true), last, isNoOther)
  })
  return [
    {
      order: ORDER.pages - 0.19,
      maxRequests: 3,
      checks: [check, fullCheck],
      send: async (session) => {
        const base = await listRequest(session, list)
        const send = (...pairs: readonly TextPair[]): Promise<ProbeResponse> => {
          const names = new Set(pairs.map(([one]) => one))
          const target = withQuery(base.target, (one) => names.has(one), pairs)
          return session.send({ ...base, target, isValid: true })
        }
        const whole = await send([name, String(maximum)])
        const total = isSuccess(whole) ? statedTotal(whole, list) : undefined
        if (typeof total !== 'number' || total < 2) return [whole]
        const single = await send([name, '1'], [parameter, lastOf(total, 1)])
        if (total <= maximum) return [whole, single]
        const last = await send([name, String(maximum)], [parameter, lastOf(total, maximum)])
        return [whole, single, last]
      },
    },
  ]
}

/** What says that the last page leads to no other one: "`null` on the last page", "Present only when there are further records". */
const LAST =
  /\b(null|absent|missing|omitted|empty|not (there|present|sent))\b.*\b(last (page|one)|no (more|further|next)|nothing (more )?(follows|is left|comes))\b/i
const ONLY_MORE =
  /\b(only (there|present|given|sent|set)|(there|present|given|sent|set) only|only) (when|if|while|as long as)\b.*\b(more|further|next|another|follow)/i

/** Whether the description of a cursor or a link says that the last page has none. Otherwise, one may lead to an empty page. */
function endsCursors({ operation, hints }: ResourceBinding, texts: DocumentTexts): boolean {
  const places = Object.entries(hints.envelope ?? {}).filter(([, one]) => one === 'nextCursor')
  const names = places.map(([place]) => place.split('/').at(-1) ?? '')
  const ofAll = sentencesOf(`${texts.api} ${texts.operation(operation.id)}`)
  const said = [
    ...names.map((name) => texts.property(operation.id, name)),
    texts.header(operation.id, 'Link'),
    ...ofAll.filter((one) => names.some((name) => hasWords(one, name))),
  ]
  return said.some((one) => LAST.test(one) || ONLY_MORE.test(one))
}

/** What says that the `Link` of a page leads to the one before it. */
const BACK = /\blinks?\b.*\bprev(ious)?\b/i

function linksBack({ operation }: ResourceBinding, texts: DocumentTexts): boolean {
  const hasLink = operation.responses.some(
    ({ status, headers = [] }) =>
      status === 200 && headers.some(({ name }) => name.toLowerCase() === 'link'),
  )
  const own = `Link: ${texts.header(operation.id, 'Link')}`
  return hasLink && [own, ...sentencesOf(texts.api)].some((one) => BACK.test(one))
}

/** The page before a record, where clients can read a list in both directions. */
function backwardProbe(
  list: ResourceBinding,
  { style, size: sizeName = '', parameter = '', before }: PagingHints,
  { maximum = 100 }: PageSize,
): Probe[] {
  if (style !== 'after' || before === undefined) return []
  const { operation } = list
  const text = `lists the records before the one that ${before} names`
  const check = operationCheck(operation, `walk/${before}`, text, ([whole, page, again]) => {
    if (!whole || !page || !again || ![whole, page, again].every(isSuccess)) return TOO_FEW
    const [all, ids] = [whole, page].map((one) => idsOf(one, list))
    const known = all ?? []
    if (!sameIds(known, idsOf(again, list))) return CHANGED
    const wanted = known.slice(0, 2)
    const received = (ids ?? []).join(', ')
    return passIf(sameIds(ids ?? [], wanted), page, wanted.join(', '), received)
  })
  return [
    {
      order: ORDER.pages - 0.45,
      maxRequests: 3,
      checks: [check],
      send: async (session) => {
        const base = await listRequest(session, list)
        const names = new Set([sizeName, parameter, before])
        const send = (query: readonly TextPair[]): Promise<ProbeResponse> =>
          session.send({ ...base, target: withQuery(base.target, (one) => names.has(one), query) })
        const longest: TextPair = [sizeName, String(maximum)]
        const whole = await send([longest])
        const third = isSuccess(whole) ? idsOf(whole, list)[2] : undefined
        if (third === undefined) return [whole]
        const page = await send([longest, [before, third]])
        return [whole, page, await send([longest])]
      },
    },
  ]
}

/** What says that a cursor is refused that the service has not made: "An unknown cursor is answered with 400". */
const REFUSED = /\b(400|422|refused|rejected)\b/i
const UNKNOWN_PLACE =
  /\b(unknown|invalid|malformed|altered|changed|foreign|other|anything else|has not|have not|did not|not (given|made|issued|valid|from|one))\b/i

/** The sentence with which a description refuses cursors that the service has not made. */
function refusedPlace(
  operation: Operation,
  name: string,
  texts: DocumentTexts,
): string | undefined {
  const isRefusable = operation.responses.some(({ status }) => status === 400 || status === 422)
  const ofAll = sentencesOf(`${texts.api} ${texts.operation(operation.id)}`)
  const own = sentencesOf(texts.parameter(operation.id, name))
  const said = [...ofAll.filter((one) => hasWords(one, spaced(name), 's?')), ...own]
  return isRefusable
    ? said.find((one) => REFUSED.test(one) && UNKNOWN_PLACE.test(one.replace(REFUSED, '')))
    : undefined
}

/** A page after a record or a cursor that the service does not have. */
function unknownPlaceProbe(
  list: ResourceBinding,
  { style, parameter }: PagingHints,
  texts: DocumentTexts,
): Probe[] {
  const { operation } = list
  const query = operation.parameters.find(
    (one) => one.in === 'query' && one.name === parameter && one.schema.type === 'string',
  )
  const word = unguessableWord()
  if (!query || (style !== 'after' && style !== 'cursor') || !query.validate(word)) return []
  const text = `answers an unknown ${query.name} without an error of the server`
  const check = operationCheck(operation, `${query.name}=unknown`, text, ([response]) =>
    response ? passIf(response.status < 500, response, 'a status below 500') : TOO_FEW,
  )
  const sentence = refusedPlace(operation, query.name, texts)
  const refusal = operationCheck(
    operation,
    `${query.name}=unknown/refused`,
    `refuses a ${query.name} that it has not made`,
    ([response]) =>
      response ? passIf(!isSuccess(response), response, `400: "${sentence?.trim()}"`) : TOO_FEW,
  )
  return [
    {
      order: ORDER.pages + 0.5,
      maxRequests: 1,
      checks: sentence === undefined ? [check] : [check, refusal],
      send: async (session) => {
        const base = await listRequest(session, list)
        const target = withQuery(base.target, (one) => one === query.name, [[query.name, word]])
        return [await session.send({ ...base, target, isInvalid: true })]
      },
    },
  ]
}

/** A request for a list: below a record of this run, if the list is below one. */
export async function listRequest(
  session: Session,
  { operation, resource }: ResourceBinding,
): Promise<ProbeRequest> {
  await findSearchWord(await validRequest(operation, session), session)
  const request = await validRequest(operation, session)
  const template = recordTemplate(operation)
  // What has no ids is not known to be below a record of the run.
  if (resource.id.startsWith('$')) return request
  const own = session.gate.own.findFullest(template, operation.basePaths?.[0] ?? '', true)
  if (template.length === 0 || !own) return request
  const rest = operation.path.split('/').slice(template.length + 1)

  return {
    ...request,
    target: withPath(request.target, `/${[...own.slice(1), ...rest].join('/')}`),
  }
}

async function walk(
  session: Session,
  list: ResourceBinding,
  paging: PagingHints,
  { maximum, default: usual = Number.POSITIVE_INFINITY }: PageSize,
): Promise<readonly ProbeResponse[]> {
  const { size: sizeName = '', parameter = '' } = paging
  const base = await listRequest(session, list)
  const send = (pairs: readonly TextPair[]): Promise<ProbeResponse> => {
    const names = new Set(pairs.map(([name]) => name))
    return session.send({ ...base, target: withQuery(base.target, (one) => names.has(one), pairs) })
  }
  const longest: readonly TextPair[] = maximum === undefined ? [] : [[sizeName, String(maximum)]]
  const whole = await send(longest)
  const count = isSuccess(whole) ? (recordsAt(whole, list)?.length ?? 0) : 0
  const size = sizeOfPages(count, maximum, usual)
  if (count < 2 || size >= count) return [whole]
  const preset = count > usual ? [await send([])] : []
  const pages = [await send([[sizeName, String(size)]])]
  for (let next = following(pages); next && pages.length < MAX_PAGES; next = following(pages))
    pages.push(await session.send(next))
  const end = firstOf(paging) + (paging.style === 'page' ? MAX_PAGES + count : count + size)
  const after = isNumbered(paging)
    ? [
        await send([
          [sizeName, String(size)],
          [parameter, String(end)],
        ]),
      ]
    : []

  return [whole, ...preset, ...pages, ...after, await send(longest)]

  function following(before: readonly ProbeResponse[]): ProbeRequest | undefined {
    return nextPage(before, list, size, session.target.base)
  }
}

/**
 * A size that makes a few pages of so many records. It is not the usual one, so that a page shows whether the size was read, and the
 * last page is not full, because a service may leave out such a page.
 */
export function sizeOfPages(count: number, maximum: number | undefined, usual: number): number {
  const most = Math.min(maximum ?? count, count - 1)
  const size = Math.max(1, Math.min(Math.ceil(count / (MAX_PAGES - 1)), maximum ?? count))
  const sizes = Array.from({ length: Math.max(0, most - size + 1) }, (_, at) => size + at)
  const others = sizes.filter((one) => one !== usual)
  return others.find((one) => count % one > 0) ?? others[0] ?? Math.max(1, size - 1)
}

const CHANGED: LeftOut = { leftOut: 'the list changed while it was read' }
const NO_IDS: LeftOut = { leftOut: 'the list shows no ids, or not one for each record' }

function checksOf(list: ResourceBinding, texts: DocumentTexts): CheckDefinition[] {
  const { operation } = list
  const check: WalkCheck = (id, name, evaluate) =>
    operationCheck(operation, `walk/${id}`, name, (responses) => {
      const found = walkOf(responses, list)
      return 'leftOut' in found ? found : evaluate(found)
    })
  const { name, default: usual } = pageSizeOf(operation) ?? {}

  return [
    ...(usual === undefined
      ? []
      : [
          check('default', `lists ${usual} records when no ${name} is asked for`, ({ preset }) => {
            if (!preset || !isSuccess(preset)) return { leftOut: 'no more records than that' }
            const count = recordsAt(preset, list)?.length ?? 0
            return passIf(count === usual, preset, `${usual} records`, countOf(preset, list))
          }),
        ]),
    check('size', 'fills pages of the size that is asked for', ({ pages, size }) => {
      const wrong = pages.find((page, at) => {
        const count = recordsAt(page, list)?.length ?? 0
        return isSuccess(page) && (count > size || (at < pages.length - 1 && count < size))
      })
      return wrong ? failure(wrong, `${size} records`, countOf(wrong, list)) : 'passed'
    }),
    check('disjoint', 'lists no record again on a later page', ({ pages }) =>
      repeated(pages, list),
    ),
    check('complete', 'lists each record when all pages are read', (found) => missing(found, list)),
    ...figureChecks(list, check, (responses) => walkOf(responses, list), linksBack(list, texts)),
    check(
      'end',
      'has no records after the last page',
      ({ after, wholeIds, isComplete, ...one }) => {
        const isAfter = isComplete || (after !== undefined && isAfterAll(after, one, list))
        if (after && isAfter && isAbsentAfterLast(texts, operation))
          return passIf(after.status === 404, after, '404, as the description says')
        if (!after || !isComplete || !isSuccess(after)) return { leftOut: 'no page after the last' }
        const ids = idsOf(after, list)
        return passIf(!ids.some((id) => wholeIds.includes(id)), after, 'no records')
      },
    ),
  ]
}

/** Whether a page is after all records of a list, by the number of these that another page states. */
function isAfterAll(
  after: ProbeResponse,
  { pages, size }: Pick<Walk, 'pages' | 'size'>,
  list: ResourceBinding,
): boolean {
  const { paging } = list.hints
  const [first] = pages
  const total = first && statedTotal(first, list)
  if (!paging?.parameter || typeof total !== 'number') return false
  const place = Number(queryOf(after).get(paging.parameter)) - firstOf(paging)
  return place * (paging.style === 'page' ? size : 1) >= total
}

/** Whether a description says that there is no page after the last one, and not an empty one. */
function isAbsentAfterLast({ api, operation }: DocumentTexts, { id }: Operation): boolean {
  return sentencesOf(`${api} ${operation(id)}`).some((one) =>
    /\bpages? (after|beyond|past) the last\b.*\b404\b/i.test(one),
  )
}

/** The responses by what they are; why they say nothing about pages otherwise. */
function walkOf(responses: readonly ProbeResponse[], list: ResourceBinding): Walk | LeftOut {
  const [whole, ...others] = responses
  const last = others.at(-1)
  if (!whole || !last || !isSuccess(whole)) return TOO_FEW
  const wholeIds = idsOf(whole, list)
  // Records that have an id together, such as versions, cannot be told apart.
  if (wholeIds.length === 0 || new Set(wholeIds).size < wholeIds.length) return NO_IDS
  if (!sameIds(wholeIds, idsOf(last, list))) return CHANGED
  const { preset, pages, after } = partsOf(others, list)
  const [first] = pages
  if (!first || pages.some((page) => !isSuccess(page))) return TOO_FEW
  const size = Number(queryOf(first).get(list.hints.paging?.size ?? ''))
  const found = { whole, pages, size, wholeIds, isComplete: isWhole(whole, list) }

  return { ...found, ...(after && { after }), ...(preset && { preset }) }
}

/** What was read between the whole list and the whole list again. */
function partsOf(
  others: readonly ProbeResponse[],
  { hints: { paging } }: ResourceBinding,
): Pick<Walk, 'preset' | 'pages' | 'after'> {
  const hasNumbers = paging !== undefined && isNumbered(paging)
  const [first] = others
  const preset = first && !queryOf(first).has(paging?.size ?? '') ? first : undefined
  const after = hasNumbers ? others.at(-2) : undefined
  const pages = others.slice(preset ? 1 : 0, hasNumbers ? -2 : -1)

  return { pages, ...(after && { after }), ...(preset && { preset }) }
}

function queryOf({ request: { target } }: ProbeResponse): URLSearchParams {
  return new URL(target, 'http://server').searchParams
}

function sameIds(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify([...one].sort()) === JSON.stringify([...other].sort())
}

function countOf(page: ProbeResponse, list: ResourceBinding): string {
  return `${recordsAt(page, list)?.length ?? 0} records`
}

function repeated(pages: readonly ProbeResponse[], list: ResourceBinding): Evaluation {
  const seen = new Set<string>()
  for (const page of pages) {
    const ids = idsOf(page, list)
    const again = ids.find((id) => seen.has(id))
    if (again !== undefined) return failure(page, 'no record of an earlier page', `${again} again`)
    for (const id of ids) seen.add(id)
  }
  return 'passed'
}

function missing({ pages, wholeIds, isComplete, size }: Walk, list: ResourceBinding): Evaluation {
  const last = pages.at(-1)
  const seen = new Set(pages.flatMap((page) => idsOf(page, list)))
  // Of a list with more pages, those that were read are its start.
  const isEnded = last !== undefined && idsOf(last, list).length < size
  const known = isComplete || isEnded ? wholeIds : wholeIds.slice(0, seen.size)
  const absent = known.find((id) => !seen.has(id))
  if (!last) return MORE
  return passIf(absent === undefined, last, `the record ${absent} on a page`, 'it is on no page')
}
