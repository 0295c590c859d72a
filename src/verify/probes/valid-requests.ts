import type { Contract, Operation } from '../../contract/contract.ts'
import {
  type CheckDefinition,
  expectedSuccess,
  type LeftOut,
  operationCheck,
  passIf,
  unlessUnknown,
} from '../checks/check.ts'
import { isGone, isSafeMethod, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  idForParameter,
  isParameter,
  recordTemplate,
  segmentsOf,
  withPath,
} from '../record-address.ts'
import { validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'

/** A valid request with all that the operation requires. */
function validRequestProbe(operation: Operation, order: number, id: string, name: string): Probe {
  const checks = [servedCheck(operation, id, name)]
  const probe = singleRequestProbe(order, operation, checks, async (session) => ({
    ...(await validRequest(operation, session)),
    isValid: true,
  }))
  return { ...probe, exercises: operation }
}

/** A valid request for an operation that no probe of its resource has exercised. */
export function fallbackProbe(operation: Operation): Probe {
  const order = operation.method === 'DELETE' ? ORDER.fallbackRemoval : ORDER.fallback
  const probe = validRequestProbe(operation, order, 'valid', 'accepts a valid request')
  return { ...probe, isFallback: true }
}

/**
 * A documented 404 or 410 passes for a path with an id, because the document does not say which records exist. A
 * documented 409 passes where the record may exist already.
 */
function servedCheck(operation: Operation, id: string, name: string): CheckDefinition {
  const { method, path, responses } = operation
  const { allows, text } = expectedSuccess(operation)
  const absent = [
    ...(path.includes('{') ? absentStatuses(operation) : []),
    ...(method === 'POST' && responses.some(({ status }) => status === 409) ? [409] : []),
  ]
  return operationCheck(
    operation,
    id,
    name,
    unlessUnknown((response) => {
      if (isRefusedByState(operation, response)) return OTHER_STATE
      if (isKeptFromKey(operation, response)) return NOT_FOR_KEY
      const isRight = allows(response.status) || absent.includes(response.status)
      return passIf(isRight, response, [text, ...absent].join(' or '))
    }),
  )
}

/** Whether a service keeps what is of a record from the key, for which the document has a 403. A list may show records of others. */
function isKeptFromKey({ method, path, responses }: Operation, { status }: ProbeResponse): boolean {
  const isOfRecord = isSafeMethod(method) && path.includes('{')
  return isOfRecord && status === 403 && responses.some((one) => one.status === 403)
}

const NOT_FOR_KEY: LeftOut = {
  leftOut: 'the record may be of somebody else, for which the document has the status',
}

/**
 * Whether a service refuses a change by a documented status, for which only the state of the record can be the reason: without a body
 * any that is about the request, and with one a conflict.
 */
export function isRefusedByState(
  { method, path, body, responses }: Operation,
  { status }: ProbeResponse,
): boolean {
  const isState = body === undefined ? REFUSED_BY_STATE.has(status) : CONFLICT.has(status)
  return (
    !isSafeMethod(method) &&
    path.includes('{') &&
    isState &&
    responses.some((one) => one.status === status)
  )
}

const REFUSED_BY_STATE: ReadonlySet<number> = new Set([400, 409, 412, 422, 423])
const CONFLICT: ReadonlySet<number> = new Set([409, 423])

export const OTHER_STATE: LeftOut = {
  leftOut:
    'the record may be in a state that does not allow it, for which the document has the status',
}

/** The documented statuses of an absent record. */
function absentStatuses({ responses, otherResponses = [] }: Operation): readonly number[] {
  const own = responses.filter(isGone).map(({ status }) => status)
  const hasRange = otherResponses.some(({ range }) => range === '4XX' || range === 'default')

  return hasRange && own.length === 0 ? [404] : own
}

const ORDER_BY_METHOD: Readonly<Record<string, number>> = {
  POST: ORDER.statelessPost,
  PUT: ORDER.statelessChange,
  PATCH: ORDER.statelessChange,
  DELETE: ORDER.statelessRemoval,
}

/**
 * A valid request to each operation without a resource. Those that change and remove come last, and what is below other paths is
 * removed before them.
 */
export function statelessProbe(operation: Operation): Probe {
  const { method, path, secured } = operation
  const order = ORDER_BY_METHOD[method] ?? ORDER.stateless
  const depth = method === 'DELETE' ? path.split('/').length / 1000 : 0
  const name = secured ? 'accepts a request with a valid key' : 'accepts a valid request'

  return validRequestProbe(operation, order - depth, 'served', name)
}

/** The most records of the service below which something is read. */
const MAX_KNOWN = 2

/**
 * What is at a word after a record, such as the occupancy of a ward, of records that the service had before: those of the run have little
 * that it could show. Lists are checked elsewhere.
 */
export function knownRecordProbes(contract: Contract): Probe[] {
  return contract.operations.flatMap((operation) => {
    const template = recordTemplate(operation)
    const words = segmentsOf(operation.path).slice(template.length)
    const above = template.slice(0, -1)
    const isOfRecord = template.length > 1 && words.length > 0 && !above.some(isParameter)
    const isList = boundTo(contract, operation)?.action === 'list'
    if (operation.method !== 'GET' || !isOfRecord || isList) return []
    const name = 'accepts a request for a record that the service had before'
    const check = servedCheck(operation, 'known', name)
    const send: Probe['send'] = async (session) => {
      const collection = `/${above.join('/')}`
      const request = await validRequest(operation, session)
      const [base = ''] = operation.basePaths ?? []
      const known = session.ids.recordsOf(collection).flatMap((record) => {
        const id = idForParameter(record, template.at(-1) ?? '')
        const path = [base, ...above, encodeURIComponent(id ?? '')]
        return id === undefined || session.gate.own.has(path) ? [] : [path]
      })
      const responses: ProbeResponse[] = []
      for (const [, ...path] of known.slice(0, MAX_KNOWN)) {
        const target = withPath(request.target, `/${[...path, ...words].join('/')}`)
        responses.push(await session.send({ ...request, target, isGuessed: true }))
      }
      return responses
    }
    return [{ order: ORDER.readListed + 0.5, maxRequests: MAX_KNOWN, checks: [check], send }]
  })
}

/** Whether an operation can be called without a body and without ids. */
export function needsNoInput({ method, path }: Operation): boolean {
  return method === 'GET' && !path.includes('{')
}
