import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import {
  type CheckDefinition,
  failure,
  hasSuccessStatus,
  listsAtMost,
  operationCheck,
  recordsIn,
  succeeds,
  withRecords,
} from '../checks/check.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import { linkOf, type ProbeResponse } from '../session/messages.ts'
import type { Session } from '../session/session.ts'
import { longestPage, pageSizeOf, parameterValues } from '../test-data/parameter-values.ts'
import { listRequest, ORDER, type Probe, type Query } from './probe.ts'

/** Requests for a list with valid parameters. */
export function listProbes({ resource, operations: { list } }: ResourceOperations): Probe[] {
  if (!list) return []
  return [
    defaultListProbe(list, resource),
    ...pageSizeProbes(list, resource),
    ...filterProbes(list, resource),
  ]
}

/** A request without parameters. Its records are the input of other probes. */
function defaultListProbe(list: Operation, resource: Resource): Probe {
  const preset = pageSizeOf(list)?.default
  const sizeChecks =
    preset === undefined
      ? []
      : [
          operationCheck(
            list,
            'limit/default',
            `lists at most ${preset} records when limit is omitted`,
            listsAtMost(preset),
          ),
        ]

  return listProbe(list, resource, [], ORDER.list, [
    operationCheck(list, 'served', 'accepts a request with a valid key', succeeds(list)),
    ...sizeChecks,
    uniqueIdsCheck(list, resource, 'ids', 'lists each id once'),
  ])
}

function pageSizeProbes(list: Operation, resource: Resource): Probe[] {
  const limit = list.parameters.find(({ name }) => name === 'limit')
  const maximum = pageSizeOf(list)?.maximum

  return (limit ? parameterValues(limit).valid : []).map((value) => {
    const what = `limit=${value}`
    const isMaximum = Number(value) === maximum
    const checks = [
      operationCheck(list, what, `accepts ${what}`, succeeds(list)),
      // For some services, a limit of 0 means that there is none.
      ...(Number(value) === 0
        ? []
        : [
            operationCheck(
              list,
              `${what}/obeyed`,
              `lists no more records than ${what} allows`,
              listsAtMost(Number(value)),
            ),
          ]),
      ...(isMaximum
        ? [
            uniqueIdsCheck(list, resource, `${what}/ids`, `lists each id once for ${what}`),
            orderCheck(list, resource),
          ]
        : []),
    ]
    const order = isMaximum ? ORDER.longestList : ORDER.shortList
    return listProbe(list, resource, [['limit', value]], order, checks)
  })
}

/** A request for a list. Its records are remembered. */
function listProbe(
  list: Operation,
  resource: Resource,
  query: Query,
  order: number,
  checks: readonly CheckDefinition[],
): Probe {
  const [, limit] = query.find(([name]) => name === 'limit') ?? []
  const pageSize = Number(limit ?? pageSizeOf(list)?.default)
  return {
    order,
    maxRequests: 1,
    isPrerequisite: true,
    checks,
    send: async (session) => {
      const response = await session.send(listRequest(list, query))
      const records = recordsIn(response)
      const isLastPage = linkOf(response.headers, 'next') === undefined
      session.records.addList(resource, records, isLastPage && !(records.length >= pageSize))

      return [response]
    },
  }
}

function uniqueIdsCheck(
  list: Operation,
  { id }: Resource,
  checkId: string,
  name: string,
): CheckDefinition {
  return operationCheck(
    list,
    checkId,
    name,
    withRecords((records, response) => {
      const ids = records.map((record) => record[id])
      const repeated = ids.find((one, at) => ids.indexOf(one) !== at)
      return repeated === undefined
        ? 'passed'
        : failure(response, 'each id once', `${JSON.stringify(repeated)} more than once`)
    }),
  )
}

/** OpenAPI does not define an order, so this is a decision. */
function orderCheck(list: Operation, { id }: Resource): CheckDefinition {
  return operationCheck(
    list,
    'order',
    `lists records by ascending ${id}`,
    withRecords((records, response) => {
      const ids = records.map((record) => record[id])
      const at = ids.findIndex((one, index) => index > 0 && isLess(one, ids[index - 1]))
      if (at < 0) return 'passed'
      const received = `${JSON.stringify(ids[at])} after ${JSON.stringify(ids[at - 1])}`
      return failure(response, `ascending values of ${id}`, received)
    }),
    { decision: true },
  )
}

function isLess(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other
  return typeof one === 'string' && typeof other === 'string' && one < other
}

/** Requests for lists that are filtered by a property: by each value of its enum, else by a value of the first record. */
function filterProbes(list: Operation, resource: Resource): Probe[] {
  const parameters = list.parameters.filter(({ name }) => resource.filters.includes(name))

  return parameters.flatMap((parameter) => {
    const { name, schema } = parameter
    const values = schema.enum ? parameterValues(parameter).valid : []
    if (values.length > 0) {
      return values.map((value) =>
        filterProbe(list, resource, name, `${name}=${value}`, () => value),
      )
    }
    const valueOfRecord = ({ records }: Session): unknown => {
      const value = records.first(resource)?.[name]
      return [value, String(value), [value]].some((one) => parameter.validate(one))
        ? value
        : undefined
    }
    return [filterProbe(list, resource, name, `${name}=…`, valueOfRecord)]
  })
}

function filterProbe(
  list: Operation,
  resource: Resource,
  name: string,
  what: string,
  valueFor: (session: Session) => unknown,
): Probe {
  return {
    order: ORDER.filter,
    maxRequests: 1,
    checks: [
      operationCheck(list, what, `accepts ${what}`, succeeds(list)),
      onlyMatchesCheck(list, name, what),
      allMatchesCheck(list, resource, name, what),
    ],
    send: async (session) => {
      const value = valueFor(session)
      // An empty text often means that there is no filter.
      if (value === undefined || value === '' || typeof value === 'object') return []
      const query = [[name, String(value)] as const, ...longestPage(list)]
      return [await session.send(listRequest(list, query))]
    },
  }
}

function onlyMatchesCheck(list: Operation, name: string, what: string): CheckDefinition {
  return operationCheck(
    list,
    `${what}/fits`,
    `lists only records that match ${what}`,
    withRecords((records, response) => {
      const other = records.find((record) => String(record[name]) !== filterValue(response, name))
      return other
        ? failure(response, `only records with this ${name}`, JSON.stringify(other))
        : 'passed'
    }),
  )
}

function allMatchesCheck(
  list: Operation,
  resource: Resource,
  name: string,
  what: string,
): CheckDefinition {
  return operationCheck(
    list,
    `${what}/all`,
    `lists all records that match ${what}`,
    ([response], known) => {
      const { records, isComplete } = known.list(resource)
      if (!response || !isComplete) return { leftOut: 'the list has more than one page' }
      if (hasSuccessStatus(list, response) !== 'passed') {
        return { leftOut: 'the filter was not accepted' }
      }
      const listed = new Set(recordsIn(response).map((record) => record[resource.id]))
      const missing = records.find(
        (record) =>
          String(record[name]) === filterValue(response, name) && !listed.has(record[resource.id]),
      )
      return missing
        ? failure(response, `a list with ${JSON.stringify(missing)}`, 'the record is missing')
        : 'passed'
    },
  )
}

function filterValue({ request }: ProbeResponse, name: string): string | null {
  return new URL(request.target, 'http://server').searchParams.get(name)
}
