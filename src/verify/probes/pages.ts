import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type Evaluation,
  failure,
  idsIn,
  type LeftOut,
  listLength,
  operationCheck,
  passIf,
  recordsIn,
} from '../checks/check.ts'
import { linkOf, type ProbeResponse } from '../messages.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { keyword, pageSizeOf } from '../test-data/values.ts'
import { filteringValues } from './lists.ts'
import { queryProbe } from './parameters.ts'
import { ORDER, type Probe, requestTo } from './probe.ts'
import { decidedRejectionChecks } from './refusals.ts'

const MAX_PAGES = 4

const TOO_FEW_RECORDS: LeftOut = { leftOut: 'too few records for two pages' }

/** Follows the `Link` header (RFC 8288) from page to page, where the document has this header. */
export function pageProbes({ resource, operations: { list } }: ResourceOperations): Probe[] {
  const headers = list?.responses.flatMap((response) => response.headers ?? []) ?? []
  if (!list || !pageSizeOf(list) || !headers.some(({ name }) => name === 'Link')) return []

  return [
    {
      order: ORDER.pages,
      maxRequests: MAX_PAGES,
      checks: [
        pageCheck(list, 'disjoint', 'lists no record on two pages', areDisjoint(resource)),
        pageCheck(
          list,
          'complete',
          'lists every record on one of its pages',
          areComplete(resource),
        ),
        pageCheck(list, 'full', 'fills every page except the last', areFull(list, resource)),
      ],
      send: (session) => fetchPages(session, list, resource),
    },
    ...filteredPageProbe(list, resource),
    ...forgedCursorProbe(list),
  ]
}

/** OpenAPI does not define paging, so these checks are decisions. */
function pageCheck(list: Operation, id: string, name: string, evaluate: Evaluate): CheckDefinition {
  return operationCheck(list, `pages/${id}`, name, evaluate, { decision: true })
}

/** The page size is chosen so that a few pages contain all known records. */
async function fetchPages(
  session: Session,
  list: Operation,
  resource: Resource,
): Promise<ProbeResponse[]> {
  const { records } = session.records.list(resource)
  const size = Math.max(1, Math.ceil(records.length / (MAX_PAGES - 1)))
  const { name = 'limit', maximum = size } = pageSizeOf(list) ?? {}
  const pages: ProbeResponse[] = []
  let request = requestTo(list, { query: [[name, String(Math.min(size, maximum))]] })
  while (pages.length < MAX_PAGES) {
    const page = await session.send(request)
    pages.push(page)
    const target = nextTarget(page, session.target.base)
    if (target === undefined) break
    request = { ...request, target }
  }
  return pages
}

/** The target of the next page; `undefined` when the link leaves the base address, so that no other server gets the key. */
function nextTarget(page: ProbeResponse, base: string): string | undefined {
  const link = linkOf(page.headers, 'next')
  if (link === undefined) return undefined
  const current = base + page.request.target
  const address = URL.canParse(link, current) ? new URL(link, current).href : ''

  return address.startsWith(base) ? address.slice(base.length) : undefined
}

/** The second page of a list with a filter and a page size. */
function filteredPageProbe(list: Operation, resource: Resource): Probe[] {
  const filter = list.parameters.find(
    ({ name, schema }) => resource.filters.includes(name) && keyword(schema, 'enum'),
  )
  if (!filter) return []
  const { name } = filter
  const [value = ''] = filteringValues(list, filter)
  const query = [[name, value] as const, [pageSizeOf(list)?.name ?? 'limit', '1'] as const]
  const request = requestTo(list, { query })

  return [
    {
      order: ORDER.pages,
      maxRequests: 2,
      checks: [
        pageCheck(list, 'filter', `keeps ${name}=${value} on the next page`, ([, page]) => {
          if (!page) return TOO_FEW_RECORDS
          const other = recordsIn(page).find((record) => String(record[name]) !== value)
          return passIf(!other, page, `${name}: ${value}`, JSON.stringify(other))
        }),
        pageCheck(list, 'limit', 'keeps limit=1 on the next page', ([, page]) => {
          if (!page) return TOO_FEW_RECORDS
          const length = listLength(page)
          return passIf(length === 1, page, '1 record', `${length} records`)
        }),
      ],
      send: async (session) => {
        const first = await session.send(request)
        const target = nextTarget(first, session.target.base)
        return target === undefined ? [first] : [first, await session.send({ ...request, target })]
      },
    },
  ]
}

function forgedCursorProbe(list: Operation): Probe[] {
  if (list.parameters.every(({ name }) => name !== 'cursor')) return []
  const checks = decidedRejectionChecks(list, 'a cursor that it did not create', 'cursor')
  return [queryProbe(ORDER.decidedRejection, list, [['cursor', 'verify']], checks)]
}

function areDisjoint(resource: Resource): Evaluate {
  return withSeveralPages(resource, (pages) => {
    const seen = new Set<unknown>()
    for (const page of pages) {
      const ids = idsIn(page, resource)
      const repeated = ids.find((id) => seen.has(id))
      if (repeated !== undefined) {
        const received = `${resource.id} ${JSON.stringify(repeated)} again`
        return failure(page, 'no record of an earlier page', received)
      }
      for (const id of ids) seen.add(id)
    }
    return 'passed'
  })
}

function areComplete(resource: Resource): Evaluate {
  return (pages, known) => {
    const last = pages.at(-1)
    if (!last || linkOf(last.headers, 'next') !== undefined) {
      return { leftOut: 'there are more pages than the check requests' }
    }
    const seen = new Set(pages.flatMap((page) => idsIn(page, resource)))
    const { records } = known.list(resource)
    const missing = records.find((record) => !seen.has(record[resource.id]))
    const expected = `${JSON.stringify(missing)} on a page`

    return passIf(!missing, last, expected, 'the record is on no page')
  }
}

function areFull(list: Operation, resource: Resource): Evaluate {
  return withSeveralPages(resource, (pages, { request: { target } }) => {
    const name = pageSizeOf(list)?.name ?? 'limit'
    const limit = Number(new URLSearchParams(target.split('?')[1]).get(name))
    const short = pages.slice(0, -1).find((page) => listLength(page) !== limit)
    return short ? failure(short, `${limit} records`, `${listLength(short)} records`) : 'passed'
  })
}

/** Evaluates consecutive pages. A page without a link to the next one must have all known records. */
function withSeveralPages(
  resource: Resource,
  evaluate: (pages: readonly ProbeResponse[], first: ProbeResponse) => Evaluation,
): Evaluate {
  return (pages, known) => {
    const [first] = pages
    if (first && pages.length > 1) return evaluate(pages, first)
    if (!first || known.list(resource).records.length <= listLength(first)) return TOO_FEW_RECORDS
    return failure(first, 'Link: <…>; rel="next"', first.headers.get('Link') ?? 'no Link')
  }
}
