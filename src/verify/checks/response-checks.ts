import type {
  Contract,
  MediaType,
  Operation,
  OperationResponse,
  OtherResponse,
  ResponseHeader,
} from '../../contract/contract.ts'
import { deprecationHeaders } from '../../contract/deprecation.ts'
import {
  contentOf,
  documentedKey,
  documentedResponse,
  errorForm,
} from '../../contract/documented-response.ts'
import { isJson, parseJsonText } from '../../contract/json.ts'
import { parseText } from '../../contract/parse-text.ts'
import { propertiesOf } from '../../contract/schema.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { isObject, once } from '../../validation/objects.ts'
import { isSuccess, linkOf, type ProbeResponse } from '../messages.ts'
import { boundTo, idIn, recordsAt } from '../record-address.ts'
import { typeOf } from '../test-data/values.ts'
import {
  type CheckDefinition,
  type Evaluate,
  type Evaluation,
  everyResponse,
  failure,
  isOnlyErrors,
  isResponseTo,
  type LeftOut,
  operationCheck,
  passIf,
  referenceTo,
  responsesTo,
} from './check.ts'

/** Headers that have checks of their own. */
const QUOTA_HEADERS = /^X-RateLimit-/i
const DEPRECATION_HEADERS = /^(Deprecation|Sunset|Link)$/i

/** Checks of all responses, whatever the requests were: status, media type, body and headers. */
export function responseChecks(contract: Contract): CheckDefinition[] {
  return [
    ...contract.operations.flatMap((operation) => [
      ...[...operation.responses, ...(operation.otherResponses ?? [])].flatMap((response) => {
        const key = 'range' in response ? response.range : String(response.status)
        return checksOfResponse(operation, key, response)
      }),
      ...deprecationChecks(operation),
      ...listCheck(operation, contract),
    ]),
    NO_SERVER_ERROR,
    ...commonErrorCheck(contract),
  ]
}

/** A list has each record once, however it is filtered. */
function listCheck(operation: Operation, contract: Contract): CheckDefinition[] {
  const list = boundTo(contract, operation)
  if (list?.action !== 'list' || operation.method !== 'GET') return []
  const isMeant = (one: ProbeResponse): boolean => isResponseTo(operation, one) && isSuccess(one)
  const evaluate = (page: ProbeResponse): Evaluation => {
    const seen = new Set<string>()
    for (const record of recordsAt(page, list) ?? []) {
      const id = idIn(record, list)
      // Records of different kinds may have the same id.
      const text = JSON.stringify(record)
      if (id !== undefined && seen.has(text))
        return failure(page, 'each record once', `${id} again`)
      seen.add(text)
    }
    return 'passed'
  }
  const name = 'lists each record once'
  return [operationCheck(operation, 'once', name, everyResponse(isMeant, evaluate))]
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
    ...(content.some(hasSchema)
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
      const promise = {
        id: `/${name}`,
        what: required ? `with the header ${name}` : `with a valid header ${name}, if any`,
        isDecision: Boolean(decision || header.decision),
        isSelected: (one: ProbeResponse) => required || one.headers.has(name),
      }
      return responseCheck(operation, status, promise, (one) => hasHeader(one, header))
    }),
  ]
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
  const isMeant = (one: ProbeResponse): boolean =>
    isResponseTo(operation, one) &&
    documentedKey(operation, one.status) === status &&
    (one.status < 400 || errorForm(operation, one.status) !== undefined) &&
    isSelected(one)
  const name = `returns ${status} ${what}`

  const evaluateAll = everyResponse(isMeant, evaluate)
  const evaluateOwn: Evaluate = (all, records) => evaluateAll(responsesTo(operation, all), records)
  return operationCheck(operation, status + id, name, evaluateOwn, {
    clause: `${referenceTo(operation)}, response ${status}`,
    ...(isDecision && { decision: true }),
  })
}

function checkedHeaders(
  { deprecation }: Operation,
  { headers = [] }: Pick<OperationResponse, 'headers'>,
): readonly ResponseHeader[] {
  return headers.filter(
    ({ name, required }) =>
      !(required && QUOTA_HEADERS.test(name)) && !(deprecation && DEPRECATION_HEADERS.test(name)),
  )
}

function repeatsStatus(response: ProbeResponse): Evaluation {
  const status = isObject(response.json) ? response.json.status : undefined
  const isSame = status === undefined || status === response.status
  const received = `"status": ${JSON.stringify(status)}`
  return passIf(isSame, response, `"status": ${response.status}`, received)
}

/** Whether the body is valid by the schema of its media type. Only JSON, lines of JSON and texts are checked. */
function hasBody(response: ProbeResponse, content: readonly MediaType[]): Evaluation {
  if (isWithoutBody(response)) return 'passed'
  const type = mediaTypeOf(response)
  const media =
    content.find(({ mediaType }) => matchesType(type, mediaType)) ??
    content.find(({ mediaType }) => isJson(mediaType))
  if (!media || !hasSchema(media)) return 'passed'
  const { mediaType, schema, validate, isSequence } = media
  if (isSequence) return hasItems(response, media)
  if (isCheckedAsJson(type, mediaType, content)) return hasJson(response, media)
  const isText = mediaType === 'text/plain' && typeOf(schema) === 'string'

  return isText && !validate(response.text) ? invalidBody(response, media) : 'passed'
}

/** Whether a body is JSON by its own type and the documented one, which may be a range, or the document has nothing but JSON. */
function isCheckedAsJson(type: string, documented: string, content: readonly MediaType[]): boolean {
  if (isJson(type)) return isJson(documented) || documented.endsWith('*')
  return isJson(documented) && content.length === 1
}

/** What a body must match. */
type Expected = Required<Pick<MediaType, 'schema' | 'validate'>>

function hasSchema(media: MediaType): media is MediaType & Expected {
  return media.schema !== undefined && media.validate !== undefined
}

/** Whether the body is JSON that a validator accepts. */
function hasJson(response: ProbeResponse, expected: Expected): Evaluation {
  const value = parseJsonText(response.text)
  if (value !== undefined) {
    return expected.validate(value) ? 'passed' : invalidBody(response, expected)
  }
  return isSatisfiable(expected) ? failure(response, 'a JSON body') : NO_VALID_BODY
}

/** Whether each line of a sequence is valid: JSON Lines, NDJSON or a JSON text sequence (RFC 7464). */
function hasItems(response: ProbeResponse, expected: Expected): Evaluation {
  const lines = response.text
    .split('\n')
    // Each text of a JSON text sequence begins with this character.
    .map((line) => (line.startsWith('\u{1e}') ? line.slice(1) : line))
    .filter((line) => /^\s*[[{"\d]/.test(line))
  for (const line of lines) {
    const value = parseJsonText(line)
    if (value === undefined) return failure(response, 'a JSON text on each line')
    if (!expected.validate(value)) return invalidBody(response, expected)
  }
  return 'passed'
}

/** Nothing can be expected of a service by a schema that no value matches, such as a `oneOf` of equal branches. */
function invalidBody(response: ProbeResponse, expected: Expected): Evaluation {
  const { errors } = expected.validate
  return isSatisfiable(expected)
    ? failure(response, describeErrors('body', errors ?? []))
    : NO_VALID_BODY
}

const NO_VALID_BODY: LeftOut = {
  leftOut: 'no value was found that the schema of the body allows',
}

/** Whether a value was found that a media type allows. Without a schema, it allows any. */
export const isSatisfiable: (media: Pick<MediaType, 'schema' | 'validate'>) => boolean = once(
  ({ schema, validate }) => {
    if (!schema || !validate) return true
    const request = { schema, validate, seed: 'verify', now: 0, place: 'body' }
    return generateValue(request).isValid
  },
)

/**
 * Whether the media type is documented. Every JSON media type counts as JSON, but a document that has only `application/problem+json`
 * promises it: clients tell by it that the body is a problem (RFC 9457, section 3).
 */
export function hasDocumentedType(
  response: ProbeResponse,
  content: readonly MediaType[],
): Evaluation {
  if (isWithoutBody(response)) return 'passed'
  if (response.text === '' && !content.some(isSatisfiable)) return NO_VALID_BODY
  const type = mediaTypeOf(response)
  const documented = content.map(({ mediaType }) => mediaType)
  // Some documents have other words there, which no response can have.
  if (documented.some((one) => one !== '*' && !one.includes('/'))) return 'passed'
  const isOther = (one: string): boolean => PROBLEM.test(one) && !PROBLEM.test(type)
  const isExpected = documented.some(
    (one) => matchesType(type, one) || (isJson(one) && isJson(type) && !isOther(one)),
  )
  const expected = `Content-Type: ${documented.join(' or ')}`
  return passIf(isExpected, response, expected, type || 'no Content-Type')
}

const PROBLEM = /^application\/problem\+/

/** Whether HTTP allows no body, whatever the document says (RFC 9110, sections 6.4.1 and 15.3.6). */
function isWithoutBody({ status }: ProbeResponse): boolean {
  return status === 204 || status === 205 || status === 304
}

/** The media type of a response, in lower case and without parameters; empty when there is none. */
function mediaTypeOf({ headers }: ProbeResponse): string {
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';')
  return type.trim().toLowerCase()
}

/** Whether a media type is that of the document, or in its range, such as `image/*`. */
export function matchesType(type: string, documented: string): boolean {
  if (documented === '*/*' || documented === '*') return type !== ''
  return documented.endsWith('/*') ? type.startsWith(documented.slice(0, -1)) : type === documented
}

/** Whether a header is present and valid. */
function hasHeader(
  response: ProbeResponse,
  { name, validate, schema }: ResponseHeader,
): Evaluation {
  const text = response.headers.get(name)
  if (text === null) return failure(response, `the header ${name}`, 'the header is missing')
  // Retry-After may be a date, too (RFC 9110, section 10.2.3).
  const isDate = /^retry-after$/i.test(name) && /[a-z]/i.test(text)
  if (isDate && !Number.isNaN(Date.parse(text))) return 'passed'
  // The texts of lists and objects can have several meanings.
  if (['array', 'object'].includes(typeOf(schema) ?? '')) return 'passed'

  return validate(parseText(text, schema)) || validate(text)
    ? 'passed'
    : failure(response, describeErrors(name, validate.errors ?? []), `${name}: ${text}`)
}

const NO_SERVER_ERROR: CheckDefinition = {
  id: 'errors/server',
  name: 'No request gets a 5xx',
  clause: 'RFC 9110, section 15.6',
  evaluate: everyResponse(
    ({ request: { operation } }) => !operation || !isOnlyErrors(operation),
    (response) => passIf(response.status < 500, response, 'a status below 500'),
  ),
}

/**
 * Error responses with an undocumented status have the error body of the document, too, if all its errors have the same one.
 * Decisions have checks of their own.
 */
function commonErrorCheck({ operations }: Contract): CheckDefinition[] {
  const errors = operations.flatMap(({ responses, otherResponses = [] }) => [
    ...responses.filter(({ status }) => status >= 400),
    ...otherResponses.filter(({ range }) => /^[45d]/.test(range)),
  ])
  const schemas = new Set(errors.flatMap(({ schema }) => schema ?? []))
  const { validate, schema } = errors.find((one) => one.validate && one.schema) ?? {}
  if (!validate || !schema || schemas.size !== 1) return []
  const expected = { schema, validate }
  const decided = new Set(
    errors.flatMap((one) => ('status' in one && one.bodyDecision ? one.status : [])),
  )
  const isSelected = ({ status, request: { operation, method } }: ProbeResponse): boolean => {
    if (status < 400 || !operation || method === 'HEAD' || decided.has(status)) return false
    const documented = documentedResponse(operation, status)
    return !documented || contentOf(documented).some((one) => one.schema && isJson(one.mediaType))
  }
  return [
    {
      id: 'errors/body',
      name: 'Every error response has a body that matches the error schema',
      clause: 'OpenAPI, error responses',
      evaluate: everyResponse(isSelected, (response) => hasJson(response, expected)),
    },
  ]
}

/** Stands for the address of the server in expected links. */
const BASE = 'http://server'

const CLAUSES: Readonly<Record<string, string>> = {
  Deprecation: 'RFC 9745',
  Sunset: 'RFC 8594',
  Link: 'RFC 8288',
}

/** The deprecation headers of an operation. OpenAPI does not require them, so they are decisions. */
function deprecationChecks(operation: Operation): CheckDefinition[] {
  if (!operation.deprecation) return []

  return Object.entries(deprecationHeaders(operation.deprecation, BASE)).map(([name, value]) => {
    const expected = `${name}: ${value.replace(BASE, '…')}`
    const evaluate = everyResponse(
      (response) => isResponseTo(operation, response),
      (response) => {
        const received = response.headers.get(name) ?? 'the header is missing'
        const isExpected = name === 'Link' ? hasLink(response, value) : received === value
        return passIf(isExpected, response, expected, received)
      },
    )
    const what = `announces its deprecation in the header ${name}`
    return operationCheck(operation, `deprecation/${name}`, what, evaluate, {
      decision: true,
      clause: CLAUSES[name] ?? 'RFC 9745',
    })
  })
}

/** Compares the path of the link only, because the rest depends on the address of the server. */
function hasLink({ headers }: ProbeResponse, expected: string): boolean {
  const target = linkOf(headers, 'successor-version') ?? ''
  const [, path = ''] = /<http:\/\/server([^>]*)>/.exec(expected) ?? []

  return path === '' ? expected.includes(`<${target}>`) : target.endsWith(path)
}
