import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/resource.ts'
import { type CheckDefinition, operationCheck } from '../checks/check.ts'
import { failure, hasSuccessStatus, recordsIn, succeeds, withRecords } from '../checks/evaluate.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import type { Session } from '../requests/session.ts'
import { longestPage } from '../test-data/page-size.ts'
import { parameterValues } from '../test-data/parameter-values.ts'
import { listRequest } from './build-request.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/** Requests for lists that are filtered by a property: by each value of its enum, else by a value of the first record. */
export function filterProbes(list: Operation, resource: Resource): Probe[] {
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
