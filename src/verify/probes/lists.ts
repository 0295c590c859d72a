import type { Operation, Parameter } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import {
  acceptsQuery,
  type CheckDefinition,
  hasSuccessStatus,
  idsIn,
  lastResponse,
  listsAtMost,
  operationCheck,
  passIf,
  recordsIn,
  succeeds,
  withRecords,
} from '../checks/check.ts'
import { linkOf, type ProbeResponse } from '../messages.ts'
import type { ResourceOperations } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { keyword, longestPage, pageSizeOf, parameterValues, typeOf } from '../test-data/values.ts'
import { ORDER, type Probe, type Query, requestTo, singleRequestProbe } from './probe.ts'

/** Requests for a list with valid parameters. */
export function listProbes({ resource, operations: { list } }: ResourceOperations): Probe[] {
  if (!list) return []
  return [
    defaultListProbe(list, resource),
    ...pageSizeProbes(list, resource),
    ...filterProbes(list, resource),
  ]
}

/** HEAD is decided by this program: it returns the headers of GET without a body (RFC 9110, section 9.3.2). */
export function headProbe(list: Operation): Probe {
  const more = { decision: true, clause: 'RFC 9110, section 9.3.2' } as const
  const isEmpty = lastResponse((one) => passIf(one.text === '', one, 'no body'))
  const checks = [
    operationCheck(list, 'head', 'accepts HEAD', succeeds(list), more),
    operationCheck(list, 'head/empty', 'returns no body for HEAD', isEmpty, more),
  ]
  return singleRequestProbe(ORDER.decidedRejection, list, checks, () => ({
    ...requestTo(list),
    method: 'HEAD',
  }))
}

/** A request without parameters. Its records are the input of other probes. */
function defaultListProbe(list: Operation, resource: Resource): Probe {
  const { name = 'limit', default: preset } = pageSizeOf(list) ?? {}
  const limitName = `lists at most ${preset} records when ${name} is omitted`

  return listProbe(list, resource, [], ORDER.list, [
    operationCheck(list, 'served', 'accepts a request with a valid key', succeeds(list)),
    ...(preset === undefined
      ? []
      : [operationCheck(list, 'limit/default', limitName, listsAtMost(preset))]),
    uniqueIdsCheck(list, resource, 'ids', 'lists each id once'),
  ])
}

function pageSizeProbes(list: Operation, resource: Resource): Probe[] {
  const { name: sizeName = '', maximum } = pageSizeOf(list) ?? {}
  const limit = list.parameters.find(({ name }) => name === sizeName)

  return (limit ? parameterValues(limit).valid : []).map((value) => {
    const what = `${sizeName}=${value}`
    const size = Number(value)
    const isMaximum = size === maximum
    const obeyedName = `lists no more records than ${what} allows`
    const checks = [
      operationCheck(list, what, `accepts ${what}`, acceptsQuery(list)),
      // For some services, a limit of 0 means that there is none.
      ...(size === 0
        ? []
        : [operationCheck(list, `${what}/obeyed`, obeyedName, listsAtMost(size))]),
      ...(isMaximum
        ? [
            uniqueIdsCheck(list, resource, `${what}/ids`, `lists each id once for ${what}`),
            ...(hasOwnOrder(list) ? [] : [orderCheck(list, resource)]),
          ]
        : []),
    ]
    const order = isMaximum ? ORDER.longestList : ORDER.shortList
    return listProbe(list, resource, [[sizeName, value]], order, checks)
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
  const { name: sizeName, default: preset } = pageSizeOf(list) ?? {}
  const [, limit] = query.find(([name]) => name === sizeName) ?? []
  const pageSize = Number(limit ?? preset)
  return {
    order,
    maxRequests: 1,
    isPrerequisite: true,
    checks,
    send: async (session) => {
      const response = await session.send(requestTo(list, { query }))
      const records = recordsIn(response)
      const isLastPage = linkOf(response.headers, 'next') === undefined
      session.records.addList(resource, records, isLastPage && !(records.length >= pageSize))

      return [response]
    },
  }
}

function uniqueIdsCheck(
  list: Operation,
  resource: Resource,
  checkId: string,
  name: string,
): CheckDefinition {
  const evaluate = withRecords((_, response) => {
    const ids = idsIn(response, resource)
    const repeated = ids.find((one, at) => ids.indexOf(one) !== at)
    const received = `${JSON.stringify(repeated)} more than once`
    return passIf(repeated === undefined, response, 'each id once', received)
  })
  return operationCheck(list, checkId, name, evaluate)
}

/** Whether the document says in which order a list is. */
function hasOwnOrder({ hints, parameters }: Operation): boolean {
  const { by, direction, default: usual } = hints?.sort ?? {}
  const isPreset = ({ name, schema }: Parameter): boolean =>
    (name === by || name === direction) && schema.default !== undefined
  return usual !== undefined || parameters.some(isPreset)
}

/** OpenAPI does not define an order, so this is a decision. */
function orderCheck(list: Operation, resource: Resource): CheckDefinition {
  const name = `lists records by ascending ${resource.id}`
  const evaluate = withRecords((_, response) => {
    const ids = idsIn(response, resource)
    const at = ids.findIndex((one, index) => index > 0 && isLess(one, ids[index - 1]))
    const received = `${JSON.stringify(ids[at])} after ${JSON.stringify(ids[at - 1])}`
    return passIf(at < 0, response, `ascending values of ${resource.id}`, received)
  })
  return operationCheck(list, 'order', name, evaluate, { decision: true })
}

function isLess(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other
  return typeof one === 'string' && typeof other === 'string' && one < other
}

/** Requests for lists that are filtered by a property: by each value of its enum, by true and false, else by a value of the first record. */
function filterProbes(list: Operation, resource: Resource): Probe[] {
  const parameters = list.parameters.filter(({ name }) => resource.filters.includes(name))

  return parameters.flatMap((parameter) => {
    const { name, schema } = parameter
    const isBoolean = typeOf(schema) === 'boolean' && schema.default === undefined
    const members = keyword(schema, 'enum') ? filteringValues(list, parameter) : []
    const values = isBoolean ? ['true', 'false'] : members
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

/** The valid values of a parameter, without those that filter nothing. */
export function filteringValues({ hints }: Operation, parameter: Parameter): readonly string[] {
  const filter = hints?.filters?.[parameter.name]
  const ignored = typeof filter === 'object' ? (filter.ignored ?? []).map(String) : []
  return parameterValues(parameter).valid.filter((value) => !ignored.includes(value))
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
      operationCheck(list, what, `accepts ${what}`, acceptsQuery(list)),
      onlyMatchesCheck(list, name, what),
      allMatchesCheck(list, resource, name, what),
    ],
    send: async (session) => {
      const value = valueFor(session)
      // An empty text often means that there is no filter.
      if (value === undefined || value === '' || typeof value === 'object') return []
      const query = [[name, String(value)] as const, ...longestPage(list)]
      return [await session.send(requestTo(list, { query }))]
    },
  }
}

function onlyMatchesCheck(list: Operation, name: string, what: string): CheckDefinition {
  const evaluate = withRecords((records, response) => {
    const other = records.find((record) => String(record[name]) !== filterValue(response, name))
    return passIf(!other, response, `only records with this ${name}`, JSON.stringify(other))
  })
  return operationCheck(list, `${what}/fits`, `lists only records that match ${what}`, evaluate)
}

function allMatchesCheck(
  list: Operation,
  resource: Resource,
  name: string,
  what: string,
): CheckDefinition {
  const checkName = `lists all records that match ${what}`
  return operationCheck(list, `${what}/all`, checkName, ([response], known) => {
    const { records, isComplete } = known.list(resource)
    if (!response || !isComplete) return { leftOut: 'the list has more than one page' }
    if (hasSuccessStatus(list, response) !== 'passed') {
      return { leftOut: 'the filter was not accepted' }
    }
    const value = filterValue(response, name)
    const listed = new Set(idsIn(response, resource))
    const missing = records.find(
      (record) => String(record[name]) === value && !listed.has(record[resource.id]),
    )
    const expected = `a list with ${JSON.stringify(missing)}`
    return passIf(!missing, response, expected, 'the record is missing')
  })
}

function filterValue({ request }: ProbeResponse, name: string): string | null {
  return new URL(request.target, 'http://server').searchParams.get(name)
}
