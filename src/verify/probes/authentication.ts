import type { Contract, Operation } from '../../contract/contract.ts'
import { alternativesOf, isCheckable } from '../../contract/credentials.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { SOURCE_HEADER } from '../../http/message.ts'
import {
  isOnlyErrors,
  NO_RESPONSE,
  operationCheck,
  passIf,
  unlessRemoved,
  unlessUnknown,
} from '../checks/check.ts'
import { isSuccess, isUnauthorized, NotSent, type ProbeResponse } from '../session/messages.ts'
import { concretePath, pathOf, withPath } from '../session/record-address.ts'
import type { Session } from '../session/session.ts'
import { validRequest } from '../session/valid-request.ts'
import type { CheckResult } from '../verification.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'

const WRONG_KEY = 'wrong-key'

/** Requests that a server must refuse, the most important ones first. */
const CASES = [
  { credentials: 'none', id: 'no-key', what: 'a request without a key' },
  { credentials: 'invalid-key', id: WRONG_KEY, what: 'an invalid key' },
  { credentials: 'other-scheme', id: 'wrong-scheme', what: 'another authentication scheme' },
] as const

/** A service may compare only as many characters as it is sent: every other operation gets this invalid key. */
const BEGINNING = { credentials: 'cut-key', id: WRONG_KEY, what: 'an invalid key' } as const

/** A service may compare keys without regard to capitals: one operation gets this invalid key. */
const OTHER_CASE = {
  credentials: 'other-case',
  id: 'wrong-case',
  what: 'the key in other capitals',
} as const

/** What says that a service checks keys before it looks for records. */
const CHECKED_FIRST =
  /\b(key|token|credentials|401|authenticat\w+)\b[^.]*\b(first|before)\b|\b401\b[^.]*\b(also|even)\b[^.]*\b(not exist|no records?|unknown)\b/i

/** The order in which a service checks requests: the key, and then the record. */
const IN_ORDER = /\border\b[\s\S]*\b(401|keys?)\b[\s\S]*\b(404|existence)\b/i

/** A request without a key for no record, where the document says that the key is checked first. */
function absentProbe(operation: Operation, { api }: DocumentTexts): Probe[] {
  const parameter = operation.parameters.findLast(({ in: place }) => place === 'path')
  const isPlain = operation.path.endsWith(`{${parameter?.name}}`) && !operation.body
  const isSaid = api.split(/\n\s*\n/).some((one) => CHECKED_FIRST.test(one) || IN_ORDER.test(one))
  if (!parameter || !isPlain || !isSaid || !hasStatus(operation, 401)) return []
  const name = 'asks for a key before it looks for the record'
  const check = operationCheck(operation, 'no-key/absent', name, ([response]) =>
    response ? passIf(response.status === 401, response, '401') : NO_RESPONSE,
  )
  const probe = singleRequestProbe(
    ORDER.otherAuthentication,
    operation,
    [check],
    async (session) => {
      const request = await validRequest(operation, session, 'none')
      const id = session.gate.ids.newId(parameter.schema, parameter.validate)
      if (id === undefined) throw new NotSent('the document allows no id that is surely unknown')
      const path = pathOf(request.target).replace(/[^/]*$/, encodeURIComponent(id))
      return { ...request, target: withPath(request.target, path) }
    },
  )
  return [probe]
}

/** Requests without a valid key: all cases for the first operation that reads, two cases for each of the others. */
export function authenticationProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  // Whether an operation that has only errors checks keys, nobody knows.
  const secured = contract.operations.filter(
    (one) => isCheckable(one, contract) && !isOnlyErrors(one),
  )
  const reads = secured.filter(({ method }) => method === 'GET')
  const [first] = reads
  const last = reads.length > 1 ? reads.at(-1) : undefined
  const isBearer = (operation: Operation): boolean =>
    alternativesOf(operation, contract).every((schemes) =>
      schemes.every(({ type }) => type === 'bearer'),
    )

  return secured.flatMap((operation, place) => {
    const wrong = operation === last ? OTHER_CASE : place % 2 === 1 && BEGINNING
    const isFirst = operation === first
    const absent = operation.method === 'GET' ? absentProbe(operation, texts) : []
    const cases = CASES.slice(0, isFirst && isBearer(operation) ? 3 : 2).map((one, at) =>
      authenticationProbe(
        operation,
        (one.id === WRONG_KEY && wrong) || one,
        isFirst ? ORDER.authentication + at / 10 : ORDER.otherAuthentication,
        contract,
      ),
    )
    return [...cases, ...absent]
  })
}

function authenticationProbe(
  operation: Operation,
  { credentials, id, what }: (typeof CASES)[number] | typeof OTHER_CASE | typeof BEGINNING,
  order: number,
  { sandbox }: Contract,
): Probe {
  const statuses = refusalStatuses(operation)
  const name = `rejects ${what} with a ${statuses.join(' or ')}`
  const isRefused = unlessUnknown((response) =>
    passIf(statuses.includes(response.status), response, statuses.join(' or ')),
  )
  const evaluate = unlessRemoved(operation, isRefused)
  const check = operationCheck(operation, id, name, evaluate, { clause: 'OpenAPI, security' })
  const probe = singleRequestProbe(order, operation, [check], async (session) => {
    const request = await validRequest(operation, session, credentials)
    const target = knownTarget(operation, session)
    return target === undefined ? request : { ...request, target }
  })
  // A document with a 401 promises that a key is checked.
  const isPromised = sandbox?.auth === 'keys' || hasStatus(operation, 401)

  return {
    ...probe,
    send: async (session) => {
      const responses = await probe.send(session)
      requireServed(responses, session)
      if (credentials === 'none') return responses
      if (isOfSandbox(session)) throw new NotSent(ACCEPTS_EVERY_KEY)
      if (!isPromised) requireKnownKeys(session)
      return responses
    },
  }
}

/** The target of a read that succeeded with a valid key, and whose record still exists. */
function knownTarget(operation: Operation, { responses, gate }: Session): string | undefined {
  if (operation.method !== 'GET' || !operation.path.includes('{')) return undefined
  return responses.findLast((one) => {
    const { request } = one
    const isRead = request.operation === operation && request.credentials === 'key'
    const path = isRead && isSuccess(one) ? concretePath(operation, request.target) : undefined
    return path !== undefined && !gate.own.isRemoved(path)
  })?.request.target
}

function hasStatus({ responses }: Operation, wanted: number): boolean {
  return responses.some(({ status }) => status === wanted)
}

/** The documented status of a request without valid credentials: 401, else 403. Without any, both are right. */
function refusalStatuses({ responses }: Operation): readonly number[] {
  const documented = responses.map(({ status }) => status)
  if (documented.includes(401)) return [401]
  return documented.includes(403) ? [403, 401] : [401, 403]
}

/** A service that accepts every key makes one mistake: the failures after the first one are its consequences. */
export function withOneCause(results: readonly CheckResult[]): readonly CheckResult[] {
  const isOf = ({ id }: CheckResult, check: string): boolean => id.endsWith(`/${check}`)
  const isStrict = results.some((one) => isOf(one, WRONG_KEY) && one.status === 'passed')
  const failed = results.filter(({ status }) => status === 'failed')
  const [first, ...more] = failed.filter((one) => isOf(one, WRONG_KEY))
  if (!first || isStrict) return results
  const others = [...more, ...failed.filter((one) => isOf(one, OTHER_CASE.id))]
  const consequences = new Set(others)

  return results.map((one) => (consequences.has(one) ? { ...one, consequenceOf: first.id } : one))
}

/** A path that the server does not have says nothing about keys: with the right one, the response is the same. */
function requireServed(responses: readonly ProbeResponse[], { responses: all }: Session): void {
  const [response] = responses
  const { status = 0, request, url } = response ?? {}
  if (!UNSERVED.has(status)) return
  const isSame = all.some(
    (one) =>
      one.request.credentials === 'key' &&
      one.request.method === request?.method &&
      one.url === url &&
      one.status === status,
  )
  if (isSame) throw new NotSent(`with a valid key, the server returns ${status}, too`)
}

const UNSERVED: ReadonlySet<number> = new Set([404, 405, 410, 501])

/** Whether a sandbox of this program serves the requests, and accepts every key: unless its keys are known, it does. */
function isOfSandbox({ responses }: Session): boolean {
  return (
    responses.some((one) => isSuccess(one) && one.headers.has(SOURCE_HEADER)) &&
    !responses.some(isKeyRefused)
  )
}

/** Whether a response refuses a key that is not valid. */
function isKeyRefused(response: ProbeResponse): boolean {
  const { credentials } = response.request
  return (credentials === 'invalid-key' || credentials === 'cut-key') && isUnauthorized(response)
}

const ACCEPTS_EVERY_KEY =
  'the server is a sandbox of pet-sandbox, which accepts every key unless its keys are configured'

/** A mock server may accept every key. Then an accepted key is no mistake, unless the document says that keys are checked. */
function requireKnownKeys({ responses }: Session): void {
  if (!responses.some(isKeyRefused)) {
    throw new NotSent('the server accepts every key, and the document does not forbid that')
  }
}
