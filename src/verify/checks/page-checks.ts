import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { linkOf } from '../requests/response-headers.ts'
import { type CheckDefinition, type Evaluation, type LeftOut, operationCheck } from './check.ts'
import { failure, listLength, recordsIn } from './evaluate.ts'

export const TOO_FEW_RECORDS: LeftOut = { leftOut: 'too few records for two pages' }

/** OpenAPI does not define paging, so these checks are decisions. */
const DECISION = { decision: true } as const

/** Checks of the consecutive pages of a list. */
export function pageChecks(list: Operation, resource: Resource): CheckDefinition[] {
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
