import type { Contract, Operation } from '../../contract/contract.ts'
import { alternativesOf, type Credentials, isCheckable } from '../../contract/credentials.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { SOURCE_HEADER } from '../../http/message.ts'
import { groupBy } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  type Evaluate,
  isOnlyErrors,
  NO_RESPONSE,
  operationCheck,
  passIf,
  unlessRemoved,
  unlessUnknown,
} from '../checks/check.ts'
import {
  isSafeMethod,
  isSuccess,
  isUnauthorized,
  NotSent,
  type ProbeRequest,
  type ProbeResponse,
} from '../messages.ts'
import { concretePath, isSameTemplate, pathOf, segmentsOf, withPath } from '../record-address.ts'
import type { Session } from '../session/session.ts'
import { validRequest } from '../session/valid-request.ts'
import { takesJson } from '../test-data/sample-body.ts'
import type { CheckResult } from '../verification.ts'
import { ORDER, type Probe, requestTo, singleRequestProbe } from './probe.ts'

const WRONG_KEY = 'wrong-key'

interface Case {
  readonly id: string
  readonly what: string
  readonly credentials: Credentials
}

const NO_KEY: Case = { id: 'no-key', what: 'a request without a key', credentials: 'none' }

/** Keys that a server must refuse: a service may compare only as many characters as it is sent, or without regard to capitals. */
const INVALID_KEY: Case = { id: WRONG_KEY, what: 'an invalid key', credentials: 'invalid-key' }

const OTHER_KEYS: readonly Case[] = [
  { id: 'short-key', what: 'the beginning of the key', credentials: 'cut-key' },
  { id: 'wrong-case', what: 'the key in other capitals', credentials: 'other-case' },
  { id: 'empty-key', what: 'an empty key', credentials: 'empty-key' },
]

const WRONG_SCHEME: Case = {
  id: 'wrong-scheme',
  what: 'another authentication scheme',
  credentials: 'other-scheme',
}

const NO_SCHEME: Case = {
  id: 'no-scheme',
  what: 'the key without its authentication scheme',
  credentials: 'no-scheme',
}

/** What says that a service checks keys before it looks for records. */
const CHECKED_FIRST =
  /\b(key|token|credentials|401|authenticat\w+)\b[^.]*\b(first|before)\b|\b401\b[^.]*\b(also|even)\b[^.]*\b(not exist|no records?|unknown)\b/i

/** The order in which a service checks requests: the key, and then the record. */
const IN_ORDER = /\border\b[\s\S]*\b(401|keys?)\b[\s\S]*\b(404|existence)\b/i

/** The same for the body: what is said of the record only says nothing about it. */
const BEFORE_BODY = /\b(first|body|bodies|anything|everything|validat\w*|parameters|400|422)\b/i
const BODY_IN_ORDER = /\border\b[\s\S]*\b(401|keys?)\b[\s\S]*\b(body|validation|400|422)\b/i

/** Requests without a key that are wrong besides, where the document says that the key is checked first. */
function firstCheckProbes(
  operation: Operation,
  contract: Contract,
  { api }: DocumentTexts,
): Probe[] {
  const paragraphs = api.split(/\n\s*\n/)
  const isSaid = paragraphs.some((one) => CHECKED_FIRST.test(one) || IN_ORDER.test(one))
  const isSaidOfBody = paragraphs.some(
    (one) =>
      BODY_IN_ORDER.test(one) ||
      one.split(/\.\s/).some((each) => CHECKED_FIRST.test(each) && BEFORE_BODY.test(each)),
  )
  if (!hasStatus(operation, 401)) return []
  const { body } = operation
  const isWrongBody = isSaidOfBody && body && takesJson(body) && !body.validate([])
  return [
    ...(isSaid ? absentProbe(operation, contract) : []),
    ...(isWrongBody
      ? [
          keyFirstProbe(operation, 'body', 'reads the body', async (session) => ({
            ...(await validRequest(operation, session, 'none')),
            body: '[]',
          })),
        ]
      : []),
  ]
}

/** A request without a key for no record, which a request with the key shows first where it could change one. */
function absentProbe(operation: Operation, contract: Contract): Probe[] {
  const { method, path } = operation
  const parameter = operation.parameters.findLast(({ in: place }) => place === 'path')
  const read = contract.operations.find(
    (one) => one.method === 'GET' && isSameTemplate(segmentsOf(one.path), segmentsOf(path)),
  )
  const at = path.split('/').indexOf(`{${parameter?.name}}`)
  const isRead = isSafeMethod(method)
  if (!parameter || at < 0 || !(isRead || (read && path.endsWith('}')))) return []
  const probe = keyFirstProbe(operation, 'absent', 'looks for the record', async (session) => {
    const request = await validRequest(operation, session, 'none')
    const id = session.gate.ids.newId(parameter.schema, parameter.validate)
    if (id === undefined) throw new NotSent('the document allows no id that is surely unknown')
    const own = pathOf(request.target).split('/').with(at, encodeURIComponent(id)).join('/')
    const target = withPath(request.target, own)
    if (!isRead && read) await session.send({ ...requestTo(read, { target }), isInvalid: true })
    return { ...request, target }
  })
  return [isRead ? probe : { ...probe, maxRequests: 2 }]
}

function keyFirstProbe(
  operation: Operation,
  id: string,
  next: string,
  requestFor: (session: Session) => Promise<ProbeRequest>,
): Probe {
  const name = `asks for a key before it ${next}`
  const check = operationCheck(operation, `no-key/${id}`, name, ([response]) =>
    response ? passIf(response.status === 401, response, '401') : NO_RESPONSE,
  )
  return singleRequestProbe(ORDER.otherAuthentication, operation, [check], requestFor)
}

/**
 * Requests without a valid key: the first operation that reads gets them at the start. Those in another scheme are for the first operation of each
 * collection that reads, as what checks keys may be another one there.
 */
export function authenticationProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  // Whether an operation that has only errors checks keys, nobody knows.
  const secured = contract.operations.filter(
    (one) => isCheckable(one, contract) && !isOnlyErrors(one),
  )
  const reading = secured.filter(({ method }) => method === 'GET')
  const [first] = reading
  const firstOnes = [...groupBy(reading, ({ path }) => segmentsOf(path)[0]).values()].map(
    ([one]) => one,
  )
  const isBearer = (operation: Operation): boolean =>
    alternativesOf(operation, contract).every((schemes) =>
      schemes.every(({ type }) => type === 'bearer'),
    )

  return secured.flatMap((operation) => {
    const isFirst = operation === first
    const order = isFirst ? ORDER.authentication : ORDER.otherAuthentication
    return [
      authenticationProbe(operation, [NO_KEY], order, contract),
      authenticationProbe(operation, [INVALID_KEY], order + 0.1, contract),
      authenticationProbe(operation, OTHER_KEYS, ORDER.otherAuthentication + 0.2, contract),
      ...(firstOnes.includes(operation) && isBearer(operation)
        ? [authenticationProbe(operation, [WRONG_SCHEME], order + 0.2, contract)]
        : []),
      ...(isFirst && isBearer(operation)
        ? [authenticationProbe(operation, [NO_SCHEME], ORDER.otherAuthentication + 0.3, contract)]
        : []),
      ...firstCheckProbes(operation, contract, texts),
    ]
  })
}

function authenticationProbe(
  operation: Operation,
  cases: readonly Case[],
  order: number,
  { sandbox }: Contract,
): Probe {
  // A document with a 401 promises that a key is checked.
  const isPromised = sandbox?.auth === 'keys' || hasStatus(operation, 401)

  return {
    order,
    maxRequests: cases.length,
    ...(!isSafeMethod(operation.method) && { requires: 'writes' }),
    checks: cases.map((one) => caseCheck(operation, one)),
    send: async (session) => {
      const responses: ProbeResponse[] = []
      for (const { credentials: one } of cases) {
        const request = await validRequest(operation, session, one)
        const target = knownTarget(operation, session) ?? request.target
        const response = await session.send({ ...request, target })
        responses.push(response)
        requireServed([response], session)
        if (one === 'none') continue
        if (isOfSandbox(session)) throw new NotSent(ACCEPTS_EVERY_KEY)
        if (!isPromised) requireKnownKeys(session)
      }
      return responses
    },
  }
}

function caseCheck(operation: Operation, { id, what, credentials }: Case): CheckDefinition {
  const statuses = refusalStatuses(operation)
  const name = `rejects ${what} with a ${statuses.join(' or ')}`
  // A header without a key may be no valid one.
  const isRight = ({ status, request }: ProbeResponse): boolean =>
    statuses.includes(status) || (request.credentials === 'empty-key' && status === 400)
  const isRefused = unlessUnknown((response) =>
    passIf(isRight(response), response, statuses.join(' or ')),
  )
  const evaluate: Evaluate = (all, records) =>
    isRefused(
      all.filter(({ request }) => request.credentials === credentials),
      records,
    )
  return operationCheck(operation, id, name, unlessRemoved(operation, evaluate), {
    clause: 'OpenAPI, security',
  })
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

/** A service that accepts every key of a kind makes one mistake: the failures after the first one are its consequences. */
export function withOneCause(results: readonly CheckResult[]): readonly CheckResult[] {
  const causes = new Map<CheckResult, string>()
  let invalid: string | undefined
  for (const kind of [INVALID_KEY, ...OTHER_KEYS]) {
    const own = results.filter(({ id }) => id.endsWith(`/${kind.id}`))
    const failed = own.filter(({ status }) => status === 'failed')
    const isEvery = !own.some(({ status }) => status === 'passed')
    const cause = invalid ?? (isEvery ? failed[0]?.id : undefined)
    if (kind.id === WRONG_KEY) invalid = cause
    for (const one of failed) if (cause !== undefined && one.id !== cause) causes.set(one, cause)
  }
  return results.map((one) => {
    const consequenceOf = causes.get(one)
    return consequenceOf === undefined ? one : { ...one, consequenceOf }
  })
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
  // It says so in each of its responses.
  const isSandbox = responses.find(isSuccess)?.headers.has(SOURCE_HEADER) === true
  return isSandbox && !responses.some(isKeyRefused)
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
