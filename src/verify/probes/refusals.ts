import type { Contract, Operation, Parameter } from '../../contract/contract.ts'
import { alternativesOf } from '../../contract/credentials.ts'
import { isJson, parseJsonText } from '../../contract/json.ts'
import { CLIENT_HEADERS } from '../../contract/parameters.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { requiredParameters } from '../../requests/operation-input.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { serializeBody } from '../../requests/serialize-body.ts'
import { isObject } from '../../validation/objects.ts'
import {
  ABSENT_RECORD,
  type CheckDefinition,
  type Evaluate,
  everyResponse,
  hasStatus,
  isResponseTo,
  operationCheck,
  passIf,
  type RequestPart,
} from '../checks/check.ts'
import { isGone, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import type { Session } from '../session/session.ts'
import { ownValueOf, validRequest } from '../session/valid-request.ts'
import { brokenValue } from '../test-data/body-variants.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'

/**
 * Requests that lack a required parameter, or have an invalid body: one of each kind for each operation. `varied` have several
 * invalid bodies already.
 */
export function refusalProbes(
  operations: readonly Operation[],
  contract: Contract,
  varied: ReadonlySet<Operation>,
): Probe[] {
  return operations.flatMap((operation) => [
    ...missingParameterProbe(operation, contract),
    ...(varied.has(operation) ? [] : brokenBodyProbe(operation)),
  ])
}

/** A request without the first parameter that is required, and is no credential. */
function missingParameterProbe(operation: Operation, contract: Contract): Probe[] {
  const parameter = requiredParameters(operation).find(
    ({ in: location, name }) =>
      location !== 'path' &&
      !(location === 'header' && CLIENT_HEADERS.test(name.toLowerCase())) &&
      !isDecisive(operation, name) &&
      !isCredential(operation, name, contract),
  )
  if (!parameter) return []
  const { name, in: location } = parameter
  const what = `a missing ${location.startsWith('query') ? 'parameter' : location} ${name}`

  return [
    refusalProbe(operation, what, 'query', async (session) =>
      withoutParameter(await validRequest(operation, session), parameter, session),
    ),
  ]
}

/** Without the parameter of a query condition, a request is for another operation. */
function isDecisive({ conditions = [] }: Operation, name: string): boolean {
  return conditions.some((condition) => condition.name === name)
}

function isCredential(operation: Operation, name: string, contract: Contract): boolean {
  const schemes = alternativesOf(operation, contract).flat()
  return schemes.some(
    (scheme) => 'parameter' in scheme && scheme.parameter.toLowerCase() === name.toLowerCase(),
  )
}

async function withoutParameter(
  request: ProbeRequest,
  { name, in: location }: Parameter,
  { inputs }: Session,
): Promise<ProbeRequest> {
  const { operation, target, headers = [], cookies = [] } = request
  if (location === 'header') {
    return { ...request, headers: headers.filter(([one]) => one !== name) }
  }
  if (location === 'cookie') {
    return { ...request, cookies: cookies.filter(([one]) => one !== name) }
  }
  const sent = operation && (await inputs.of(operation)).query.get(name)
  const names = new Set(sent?.map(([one]) => decodeURIComponent(one)))

  return { ...request, target: withQuery(target, (one) => names.has(one)) }
}

/** A body that breaks its schema. In a format other than JSON, XML and forms, there is none. */
function brokenBodyProbe(operation: Operation): Probe[] {
  if (!operation.body) return []
  const what = 'a body that does not match the schema'

  return [
    refusalProbe(operation, what, 'body', async (session) => {
      const request = await validRequest(operation, session)
      const { body } = await session.inputs.of(operation)
      if (!body) throw new NotSent('the operation takes no body')
      const { media } = body
      const value = ownValueOf(operation, body.value, request.target, session)
      const broken = brokenValue(media, value)
      const isWritten = broken !== undefined && (isJson(media.mediaType) || isObject(broken))
      const sent = isWritten ? serializeBody(media, broken) : undefined
      if (!sent) throw new NotSent('the schema of the body has no simple invalid value')
      // A form without fields is an empty body, which servers cannot tell from none.
      if (sent.text === '' && !operation.body?.required)
        throw new NotSent('the operation accepts a request without a body')

      return { ...request, body: sent.text, type: sent.type }
    }),
  ]
}

function refusalProbe(
  operation: Operation,
  what: string,
  location: 'query' | 'body',
  requestFor: (session: Session) => Promise<ProbeRequest>,
): Probe {
  const checks = rejectionChecks(operation, location, what)
  return singleRequestProbe(ORDER.refusal, operation, checks, requestFor)
}

/** The statuses with which a document can promise to reject invalid input. */
const REJECTION_STATUSES: Readonly<Record<RequestPart, readonly number[]>> = {
  query: [400, 422],
  path: [404],
  body: [400, 422],
}

/** What a description says of a body that cannot be read, and of one that breaks its schema. */
const UNREADABLE = /\bnot? (valid )?json\b|\bmalformed\b|\bsyntax|\bpars(ed?|ing)\b/i
const BREAKS_SCHEMA = /\b(schema|validation|valid|constraints?)\b/i

/** Whether descriptions give the 400 to bodies that cannot be read, and the 422 to those that break the schema. */
function hasStatusForSchema({ id, responses }: Operation, texts: DocumentTexts): boolean {
  const hasBoth = [400, 422].every((one) => responses.some(({ status }) => status === one))
  const unreadable = texts.anyResponse(id, 400)
  const isForBoth = unreadable
    .split(/[,;.]|\bor\b/)
    .some((one) => /\bbody\b/i.test(one) && BREAKS_SCHEMA.test(one) && !UNREADABLE.test(one))
  const isSaid = UNREADABLE.test(unreadable) && BREAKS_SCHEMA.test(texts.anyResponse(id, 422))
  return hasBoth && isSaid && !isForBoth
}

/** Bodies that break the schema are refused with the status that descriptions have for them. Evaluates all responses of a run. */
export function invalidBodyStatusChecks(
  { operations }: Contract,
  texts: DocumentTexts,
): readonly CheckDefinition[] {
  return operations.flatMap((operation) => {
    const { body } = operation
    if (!body || !hasStatusForSchema(operation, texts)) return []
    const isSent = (response: ProbeResponse): boolean =>
      isResponseTo(operation, response) && isJson(response.request.type ?? 'application/json')
    const valueIn = ({ request }: ProbeResponse): unknown => parseJsonText(request.body ?? '')
    const isBroken = (one: ProbeResponse): boolean =>
      isSent(one) && valueIn(one) !== undefined && !body.validate(valueIn(one))
    const isUnreadable = (one: ProbeResponse): boolean =>
      isSent(one) && Boolean(one.request.body) && valueIn(one) === undefined
    const name = 'rejects bodies that break the schema with the status of their description'
    const evaluate = everyResponse(isBroken, (one) => passIf(one.status !== 400, one, '422'))
    const unreadable = 'rejects bodies that are no JSON with the status of their description'
    return [
      operationCheck(operation, 'invalid/422', name, evaluate),
      operationCheck(
        operation,
        'invalid/400',
        unreadable,
        everyResponse(isUnreadable, (one) => passIf(one.status !== 422, one, '400')),
      ),
    ]
  })
}

/** The statuses that count as a rejection when the document promises none. */
const ANY_REJECTION = [400, 404, 409, 422]

/**
 * Checks that an operation rejects invalid input with the status that the document promises. Where it promises none, the
 * check is a decision, because a server may ignore an invalid parameter. An invalid id in a path always names no record.
 */
export function rejectionChecks(
  operation: Operation,
  location: RequestPart,
  what: string,
  id: string = what.replaceAll(' ', '-'),
): readonly CheckDefinition[] {
  const { responses, otherResponses = [] } = operation
  const documented = responses.filter(({ status }) => REJECTION_STATUSES[location].includes(status))
  const promised = documented.filter(({ decision }) => decision === undefined)
  const anyRejection = (more?: { readonly decision: true }): CheckDefinition =>
    operationCheck(operation, id, `rejects ${what}`, hasStatus(...ANY_REJECTION), {
      rejects: location,
      ...more,
    })
  // The document describes errors without their status.
  if (documented.length === 0 && otherResponses.some(({ range }) => /^(4XX|default)$/.test(range)))
    return [anyRejection()]
  if (location !== 'path' && promised.length > 0) {
    const statuses = promised.map(({ status }) => status)
    const name = `rejects ${what} with a ${statuses.join(' or ')}`
    return [
      operationCheck(operation, id, name, unlessAbsent(operation, hasStatus(...statuses)), {
        rejects: location,
      }),
    ]
  }
  const decided = documented.map(({ status }) => decidedCheck(operation, status, what, id))
  if (location === 'path') return [anyRejection(), ...decided]

  return documented.length === 0 ? [anyRejection({ decision: true })] : decided
}

/** A service may look for the record in the path first: its documented 404 or 410 says nothing about the input. */
function unlessAbsent({ path, responses }: Operation, evaluate: Evaluate): Evaluate {
  return (all, records) => {
    const status = all.at(-1)?.status ?? 0
    const isAbsent = isGone({ status }) && responses.some((one) => one.status === status)
    return isAbsent && path.includes('{') ? ABSENT_RECORD : evaluate(all, records)
  }
}

/** Checks that an operation rejects a query for which OpenAPI has no rule; none where the document has no status for it. */
export function decidedRejectionChecks(
  operation: Operation,
  what: string,
  id: string = what.replaceAll(' ', '-'),
): readonly CheckDefinition[] {
  const documented = operation.responses.find(({ status }) =>
    REJECTION_STATUSES.query.includes(status),
  )
  return documented ? [decidedCheck(operation, documented.status, what, id)] : []
}

function decidedCheck(
  operation: Operation,
  status: number,
  what: string,
  id: string,
): CheckDefinition {
  const name = `rejects ${what} with a ${status}`
  return operationCheck(operation, `${id}/${status}`, name, hasStatus(status), { decision: true })
}
