import type {
  Contract,
  Operation,
  OperationResponse,
  ResponseHeader,
} from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { isObject } from '../../validation/is-object.ts'
import { parseJson } from '../requests/exact-json.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { type CheckDefinition, type Evaluation, operationCheck, referenceTo } from './check.ts'
import { deprecationChecks } from './deprecation-checks.ts'
import { everyResponse, failure, isResponseTo } from './evaluate.ts'

type Validate = NonNullable<OperationResponse['validate']>

/** Headers that have checks of their own. */
const QUOTA_HEADERS = /^X-RateLimit-/i
const DEPRECATION_HEADERS = /^(Deprecation|Sunset|Link)$/i

/** Checks of all responses, whatever the requests were: status, media type, body and headers. */
export function responseChecks(contract: Contract): CheckDefinition[] {
  return [
    ...contract.operations.flatMap((operation) => [
      ...operation.responses.flatMap((response) => checksOfResponse(operation, response)),
      ...deprecationChecks(operation),
    ]),
    noServerErrorCheck(),
    ...errorBodyChecks(contract),
  ]
}

function checksOfResponse(operation: Operation, response: OperationResponse): CheckDefinition[] {
  const { status, validate, schema, decision, bodyDecision } = response
  const bodyCheck = (
    id: string,
    what: string,
    evaluate: (response: ProbeResponse) => Evaluation,
  ): CheckDefinition => {
    const isDecision = Boolean(decision || bodyDecision)
    return responseCheck(operation, status, { id, what, isDecision }, evaluate)
  }

  return [
    ...(validate && schema
      ? [
          bodyCheck('/body', 'with a body that matches the schema', (one) =>
            hasBody(one, validate),
          ),
          bodyCheck('/type', 'with a JSON media type', isJson),
        ]
      : []),
    ...(schema && status >= 400 && propertiesOf(schema).has('status')
      ? [bodyCheck('/status', 'with the same status in the body', repeatsStatus)]
      : []),
    ...requiredHeaders(operation, response).map((header) => {
      const { name } = header
      const isDecision = Boolean(decision || header.decision)
      const promise = { id: `/${name}`, what: `with the header ${name}`, isDecision }
      return responseCheck(operation, status, promise, (one) => hasHeader(one, header))
    }),
  ]
}

/** What a document promises about the responses with one status. */
interface ResponsePromise {
  readonly id: string
  readonly what: string
  readonly isDecision: boolean
}

/** A check of all responses to an operation that have this status. */
function responseCheck(
  operation: Operation,
  status: number,
  { id, what, isDecision }: ResponsePromise,
  evaluate: (response: ProbeResponse) => Evaluation,
): CheckDefinition {
  return operationCheck(
    operation,
    status + id,
    `returns ${status} ${what}`,
    everyResponse((one) => isResponseTo(operation, one) && one.status === status, evaluate),
    {
      clause: `${referenceTo(operation)}, response ${status}`,
      ...(isDecision && { decision: true }),
    },
  )
}

function requiredHeaders(
  { deprecation }: Operation,
  { headers = [] }: OperationResponse,
): readonly ResponseHeader[] {
  return headers
    .filter(({ required }) => required)
    .filter(({ name }) => !QUOTA_HEADERS.test(name))
    .filter(({ name }) => !(deprecation && DEPRECATION_HEADERS.test(name)))
}

function hasHeader(
  response: ProbeResponse,
  { name, validate, schema }: ResponseHeader,
): Evaluation {
  const text = response.headers.get(name)
  if (text === null) return failure(response, `the header ${name}`, 'the header is missing')
  // Retry-After may be a date, too (RFC 9110, section 10.2.3).
  const isDate = /^retry-after$/i.test(name) && /[a-z]/i.test(text)
  if (isDate && !Number.isNaN(Date.parse(text))) return 'passed'
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const value = isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

  return validate(value)
    ? 'passed'
    : failure(response, describeErrors(name, validate.errors ?? []), `${name}: ${text}`)
}

function hasBody(response: ProbeResponse, validate: Validate): Evaluation {
  const value = parseJson(response.text)
  if (value === undefined) return failure(response, 'a JSON body')
  if (validate(value)) return 'passed'
  return failure(response, describeErrors('body', validate.errors ?? []))
}

function isJson(response: ProbeResponse): Evaluation {
  const type = response.headers.get('Content-Type') ?? 'no Content-Type'
  return /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type)
    ? 'passed'
    : failure(response, 'Content-Type: application/json', type)
}

function repeatsStatus(response: ProbeResponse): Evaluation {
  const status = isObject(response.json) ? response.json.status : undefined
  return status === response.status
    ? 'passed'
    : failure(response, `"status": ${response.status}`, `"status": ${JSON.stringify(status)}`)
}

function noServerErrorCheck(): CheckDefinition {
  return {
    id: 'errors/server',
    name: 'No request gets a 5xx',
    clause: 'RFC 9110, section 15.6',
    evaluate: everyResponse(
      () => true,
      (response) => (response.status < 500 ? 'passed' : failure(response, 'a status below 500')),
    ),
  }
}

/** Error responses with an undocumented status have the documented error body, too. Decisions have checks of their own. */
function errorBodyChecks({ operations }: Contract): CheckDefinition[] {
  const errors = operations.flatMap(({ responses }) =>
    responses.filter(({ status }) => status >= 400),
  )
  const validate = errors.find((one) => one.validate)?.validate
  if (!validate) return []
  const decided = new Set(errors.filter((one) => one.bodyDecision).map(({ status }) => status))
  const isSelected = ({ status, request: { operation, method } }: ProbeResponse): boolean =>
    status >= 400 && operation !== undefined && method !== 'HEAD' && !decided.has(status)

  return [
    {
      id: 'errors/body',
      name: 'Every error response has a body that matches the error schema',
      clause: 'OpenAPI, error responses',
      evaluate: everyResponse(isSelected, (response) => hasBody(response, validate)),
    },
  ]
}
