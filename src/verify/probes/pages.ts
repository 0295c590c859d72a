import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import {
  type CheckDefinition,
  type Evaluation,
  failure,
  type LeftOut,
  lastResponse,
  listLength,
  operationCheck,
  recordsIn,
  succeeds,
} from '../checks/check.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import { linkOf, type ProbeResponse } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { pageSizeOf, parameterValues } from '../test-data/parameter-values.ts'
import { listRequest, ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { decidedRejectionChecks } from './refusals.ts'

const MAX_PAGES = 4

/** Follows the `Link` header (RFC 8288) from page to page, where the document has this header. */
export function pageProbes({ resource, operations: { list } }: ResourceOperations): Probe[] {
  const headers = list?.responses.flatMap((response) => response.headers ?? []) ?? []
  if (!list || !pageSizeOf(list) || !headers.some(({ name }) => name === 'Link')) return []

  return [
    {
      order: ORDER.pages,
      maxRequests: MAX_PAGES,
      checks: pageChecks(list, resource),
      send: (session) => fetchPages(session, list, resource),
    },
    ...filteredPageProbe(list, resource),
    ...forgedCursorProbe(list),
  ]
}

/** HEAD is decided by this program: it returns the headers of GET without a body (RFC 9110, section 9.3.2). */
export function headProbe(list: Operation): Probe {
  const request = { ...listRequest(list, []), method: 'HEAD' }
  const more = { decision: true, clause: 'RFC 9110, section 9.3.2' } as const
  return singleRequestProbe(ORDER.decidedRejection, request, [
    operationCheck(list, 'head', 'accepts HEAD', succeeds(list), more),
    operationCheck(
      list,
      'head/empty',
      'returns no body for HEAD',
      lastResponse((response) => (response.text === '' ? 'passed' : failure(response, 'no body'))),
      more,
    ),
  ])
}

/** The page size is chosen so that a few pages contain all known records. */
async function fetchPages(
  session: Session,
  list: Operation,
  resource: Resource,
): Promise<ProbeResponse[]> {
  const { records } = session.records.list(resource)
  const size = Math.max(1, Math.ceil(records.length / (MAX_PAGES - 1)))
  const maximum = pageSizeOf(list)?.maximum ?? size
  const pages: ProbeResponse[] = []
  let request = listRequest(list, [['limit', String(Math.min(size, maximum))]])
  while (pages.length < MAX_PAGES) {
    const page = await session.send(request)
    pages.push(page)
    const next = nextTarget(page, session.base)
    if (next === undefined) break
    request = { ...request, target: next }
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
    ({ name, schema }) => resource.filters.includes(name) && schema.enum,
  )
  if (!filter) return []
  const { name } = filter
  const [value = ''] = parameterValues(filter).valid
  const request = listRequest(list, [
    [name, value],
    ['limit', '1'],
  ])
  const filterName = `keeps ${name}=${value} on the next page`

  return [
    {
      order: ORDER.pages,
      maxRequests: 2,
      checks: [
        operationCheck(
          list,
          'pages/filter',
          filterName,
          ([, page]) => {
            if (!page) return TOO_FEW_RECORDS
            const other = recordsIn(page).find((record) => String(record[name]) !== value)
            return other ? failure(page, `${name}: ${value}`, JSON.stringify(other)) : 'passed'
          },
          { decision: true },
        ),
        operationCheck(
          list,
          'pages/limit',
          'keeps limit=1 on the next page',
          ([, page]) => {
            if (!page) return TOO_FEW_RECORDS
            return listLength(page) === 1
              ? 'passed'
              : failure(page, '1 record', `${listLength(page)} records`)
          },
          { decision: true },
        ),
      ],
      send: async (session) => {
        const first = await session.send(request)
        const target = nextTarget(first, session.base)
        return target === undefined ? [first] : [first, await session.send({ ...request, target })]
      },
    },
  ]
}

function forgedCursorProbe(list: Operation): Probe[] {
  if (list.parameters.every(({ name }) => name !== 'cursor')) return []
  const checks = decidedRejectionChecks(
    list,
    [400, 422],
    'a cursor that it did not create',
    'cursor',
  )
  return checks.length === 0
    ? []
    : [
        singleRequestProbe(
          ORDER.decidedRejection,
          listRequest(list, [['cursor', 'verify']]),
          checks,
        ),
      ]
}

const TOO_FEW_RECORDS: LeftOut = { leftOut: 'too few records for two pages' }

/** OpenAPI does not define paging, so these checks are decisions. */
const DECISION = { decision: true } as const

/** Checks of the consecutive pages of a list. */
function pageChecks(list: Operation, resource: Resource): CheckDefinition[] {
  return [
    disjointCheck(list, resource),
    completeCheck(list, resource),
    fullPagesCheck(list, resource),
  ]
}

function disjointCheck(list: Operation, resource: Resource): CheckDefinition {
  return operationCheck(
    list,
    'pages/disjoint',
    'lists no record on two pages',
    (pages, records) => {
      const [first] = pages
      if (!first || pages.length < 2) {
        return isSinglePage(first, records.list(resource).records.length)
      }
      const seen = new Set<unknown>()
      for (const page of pages) {
        const repeated = idsOn(page, resource).find((id) => seen.has(id))
        if (repeated !== undefined) {
          const received = `${resource.id} ${JSON.stringify(repeated)} again`
          return failure(page, 'no record of an earlier page', received)
        }
        for (const id of idsOn(page, resource)) seen.add(id)
      }
      return 'passed'
    },
    DECISION,
  )
}

function completeCheck(list: Operation, resource: Resource): CheckDefinition {
  return operationCheck(
    list,
    'pages/complete',
    'lists every record on one of its pages',
    (pages, known) => {
      const last = pages.at(-1)
      if (!last || linkOf(last.headers, 'next') !== undefined) {
        return { leftOut: 'there are more pages than the check requests' }
      }
      const seen = new Set(pages.flatMap((page) => idsOn(page, resource)))
      const { records } = known.list(resource)
      const missing = records.find((record) => !seen.has(record[resource.id]))
      return missing
        ? failure(last, `${JSON.stringify(missing)} on a page`, 'the record is on no page')
        : 'passed'
    },
    DECISION,
  )
}

function fullPagesCheck(list: Operation, resource: Resource): CheckDefinition {
  return operationCheck(
    list,
    'pages/full',
    'fills every page except the last',
    (pages, records) => {
      const [first] = pages
      if (!first || pages.length < 2) {
        return isSinglePage(first, records.list(resource).records.length)
      }
      const limit = Number(new URLSearchParams(first.request.target.split('?')[1]).get('limit'))
      const short = pages.slice(0, -1).find((page) => listLength(page) !== limit)
      return short ? failure(short, `${limit} records`, `${listLength(short)} records`) : 'passed'
    },
    DECISION,
  )
}

function idsOn(page: ProbeResponse, { id }: Resource): unknown[] {
  return recordsIn(page).map((record) => record[id])
}

/** A page without a link to the next one must have all known records. */
function isSinglePage(page: ProbeResponse | undefined, known: number): Evaluation {
  if (!page || known <= listLength(page)) return TOO_FEW_RECORDS
  return failure(page, 'Link: <…>; rel="next"', page.headers.get('Link') ?? 'no Link')
}
