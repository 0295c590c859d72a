import type {
  Contract,
  MediaType,
  Operation,
  OperationResponse,
  OtherResponse,
  ResponseHeader,
} from '../../contract/contract.ts'
import { contentOf, documentedKey } from '../../contract/documented-response.ts'
import { isJson } from '../../contract/is-json.ts'
import { propertiesOf } from '../../contract/schema-properties.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { type CheckDefinition, type Evaluation, operationCheck, referenceTo } from './check.ts'
import { hasBody, hasDocumentedType, hasHeader } from './content-checks.ts'
import { deprecationChecks } from './deprecation-checks.ts'
import { errorBodyChecks } from './error-checks.ts'
import { everyResponse, failure, isResponseTo } from './evaluate.ts'

/** Headers that have checks of their own. */
const QUOTA_HEADERS = /^X-RateLimit-/i
const DEPRECATION_HEADERS = /^(Deprecation|Sunset|Link)$/i

/** Checks of all responses, whatever the requests were: status, media type, body and headers. */
export function responseChecks(contract: Contract): CheckDefinition[] {
  return [
    ...contract.operations.flatMap((operation) => [
      ...operation.responses.flatMap((response) =>
        checksOfResponse(operation, String(response.status), response),
      ),
      ...(operation.otherResponses ?? []).flatMap((response) =>
        checksOfResponse(operation, response.range, response),
      ),
      ...deprecationChecks(operation),
    ]),
    ...errorBodyChecks(contract),
  ]
}

/** Checks of all responses that a documented response describes. `status` is that response's key in the document. */
function checksOfResponse(
  operation: Operation,
  status: string,
  response: OperationResponse | OtherResponse,
): CheckDefinition[] {
  const { schema, decision, bodyDecision } = response
  const bodyCheck = (
    id: string,
    what: string,
    evaluate: (response: ProbeResponse) => Evaluation,
  ): CheckDefinition => {
    const isDecision = Boolean(decision || bodyDecision)
    return responseCheck(operation, status, { id, what, isDecision }, evaluate)
  }
  const content = operation.method === 'HEAD' ? [] : contentOf(response)
  const isError = !/^[123]/.test(status)

  return [
    ...(content.some(isCheckedBody)
      ? [bodyCheck('/body', 'with a body that matches the schema', (one) => hasBody(one, content))]
      : []),
    ...(content.length > 0
      ? [bodyCheck('/type', typeCheckName(content), (one) => hasDocumentedType(one, content))]
      : []),
    ...(schema && isError && propertiesOf(schema).get('status')?.type === 'integer'
      ? [bodyCheck('/status', 'with the same status in the body', repeatsStatus)]
      : []),
    ...checkedHeaders(operation, response).map((header) => {
      const { name, required } = header
      const isDecision = Boolean(decision || header.decision)
      const what = required ? `with the header ${name}` : `with a valid header ${name}, if any`
      const promise = {
        id: `/${name}`,
        what,
        isDecision,
        isSelected: (one: ProbeResponse) => required || one.headers.has(name),
      }
      return responseCheck(operation, status, promise, (one) => hasHeader(one, header))
    }),
  ]
}

function isCheckedBody({ schema, validate }: MediaType): boolean {
  return schema !== undefined && validate !== undefined
}

function typeCheckName(content: readonly MediaType[]): string {
  return content.every(({ mediaType }) => isJson(mediaType))
    ? 'with a JSON media type'
    : 'with a documented media type'
}

/** What a document promises about the responses with one status. */
interface ResponsePromise {
  readonly id: string
  readonly what: string
  readonly isDecision: boolean
  /** Which of the responses have to keep it. Default: all. */
  readonly isSelected?: (response: ProbeResponse) => boolean
}

/** A check of all responses to an operation that the documented response of a status or range describes. */
function responseCheck(
  operation: Operation,
  status: string,
  { id, what, isDecision, isSelected = () => true }: ResponsePromise,
  evaluate: (response: ProbeResponse) => Evaluation,
): CheckDefinition {
  return operationCheck(
    operation,
    status + id,
    `returns ${status} ${what}`,
    everyResponse(
      (one) =>
        isResponseTo(operation, one) &&
        documentedKey(operation, one.status) === status &&
        isSelected(one),
      evaluate,
    ),
    {
      clause: `${referenceTo(operation)}, response ${status}`,
      ...(isDecision && { decision: true }),
    },
  )
}

function checkedHeaders(
  { deprecation }: Operation,
  { headers = [] }: Pick<OperationResponse, 'headers'>,
): readonly ResponseHeader[] {
  return headers
    .filter(({ name, required }) => !(required && QUOTA_HEADERS.test(name)))
    .filter(({ name }) => !(deprecation && DEPRECATION_HEADERS.test(name)))
}

function repeatsStatus(response: ProbeResponse): Evaluation {
  const status = isObject(response.json) ? response.json.status : undefined
  return status === undefined || status === response.status
    ? 'passed'
    : failure(response, `"status": ${response.status}`, `"status": ${JSON.stringify(status)}`)
}
