import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import { operationCheck } from '../checks/check.ts'
import { failure, lastResponse, listLength, recordsIn, succeeds } from '../checks/evaluate.ts'
import { pageChecks, TOO_FEW_RECORDS } from '../checks/page-checks.ts'
import { decidedRejectionChecks } from '../checks/rejection-checks.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { linkOf } from '../requests/response-headers.ts'
import type { Session } from '../requests/session.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import { pageSizeOf } from '../test-data/page-size.ts'
import { parameterValues } from '../test-data/parameter-values.ts'
import { listRequest } from './build-request.ts'
import { ORDER } from './order.ts'
import { type Probe, singleRequestProbe } from './probe.ts'

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
