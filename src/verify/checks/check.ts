import type { Operation } from '../../contract/contract.ts'
import { documentedKey } from '../../contract/documented-response.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { Resource } from '../../resources/resource.ts'
import { groupBy, isObject } from '../../validation/objects.ts'
import { isGone, isSuccess, type ProbeResponse } from '../messages.ts'
import type { SeenRecords } from '../session/seen-records.ts'

/** One promise of the contract that a server must keep. */
export interface Check {
  /** The same in each run, for instance `listBooks/limit=101`. */
  readonly id: string
  /** A sentence, for instance "listBooks rejects limit=101 with a 400". */
  readonly name: string
  /** Where the promise comes from: a part of the OpenAPI document, or an RFC. */
  readonly clause: string
  /** The id of the operation. */
  readonly operation?: string
  /** Whether the document marks the promise as its own decision (`x-decision`), or this program adds it. */
  readonly decision?: true
}

/** A check with its implementation. */
export interface CheckDefinition extends Check {
  /** The part of a request whose invalid value a server must reject; absent for other checks. */
  readonly rejects?: RequestPart
  /** What failures of several checks have in common, whatever operations they are about; absent where each is one of its own. */
  readonly cause?: string
  readonly evaluate: Evaluate
}

/** The part of a request that has an invalid value. */
export type RequestPart = 'query' | 'path' | 'body'

/** Evaluates the responses of a probe, in the order of its requests. */
export type Evaluate = (responses: readonly ProbeResponse[], records: SeenRecords) => Evaluation

export type Evaluation = 'passed' | Failure | LeftOut

/** What a server did wrong. */
interface Failure {
  readonly response?: ProbeResponse
  readonly expected: string
  readonly received: string
  /** The property of the records of the collection that is wrong. */
  readonly about?: string
}

/** Why a check could not be evaluated. */
export interface LeftOut {
  readonly leftOut: string
}

/** The part of the document that describes an operation. */
export function referenceTo({ method, path }: Operation): string {
  return `OpenAPI, ${method} ${path}`
}

/** A check of an operation; `name` completes the sentence "<operation> …". */
export function operationCheck(
  operation: Operation,
  id: string,
  name: string,
  evaluate: Evaluate,
  more: Partial<CheckDefinition> = {},
): CheckDefinition {
  return {
    id: `${operation.id}/${id}`,
    name: `${operation.id} ${name}`,
    clause: referenceTo(operation),
    operation: operation.id,
    ...more,
    evaluate,
  }
}

/** The number of characters of a body that a failure shows. */
const MAX_SHOWN_LENGTH = 160
/** The number of characters in which white space is collapsed before that. */
const MAX_READ_LENGTH = 10 * MAX_SHOWN_LENGTH

export const NO_RESPONSE: LeftOut = { leftOut: 'no request was sent' }

export const NO_MATCH: LeftOut = { leftOut: 'no response to which the check applies' }

const NO_LIST: LeftOut = { leftOut: 'the response is not a list' }

export const OPERATION_REMOVED: LeftOut = { leftOut: 'the operation is removed' }

/** Evaluates the last response. */
export function lastResponse(evaluate: (response: ProbeResponse) => Evaluation): Evaluate {
  return (responses) => {
    const response = responses.at(-1)
    return response ? evaluate(response) : NO_RESPONSE
  }
}

/** Evaluates the last response, unless it says that there is no record with an id that nobody knows. */
export function unlessUnknown(evaluate: (response: ProbeResponse) => Evaluation): Evaluate {
  return lastResponse((response) => {
    const evaluation = evaluate(response)
    const isUnknown = response.request.isGuessed === true && isGone(response)
    return evaluation !== 'passed' && isUnknown ? UNKNOWN_ID : evaluation
  })
}

const UNKNOWN_ID: LeftOut = {
  leftOut: 'no record of the server is known, and the id in the path got a 404',
}

/** Evaluates every response that is selected; the first failure counts. */
export function everyResponse(
  isSelected: (response: ProbeResponse) => boolean,
  evaluate: (response: ProbeResponse) => Evaluation,
): Evaluate {
  return (responses) => {
    const selected = responses.filter(isSelected)
    return selected.length === 0 ? NO_MATCH : firstProblem(selected.map(evaluate))
  }
}

/** The responses to an operation, of all those of a run. */
export function responsesTo(
  operation: Operation,
  responses: readonly ProbeResponse[],
): readonly ProbeResponse[] {
  const known = grouped.get(responses)
  const groups =
    known?.length === responses.length
      ? known.groups
      : groupBy(responses, ({ request }) => request.operation)
  grouped.set(responses, { length: responses.length, groups })
  return groups.get(operation) ?? []
}

/** Those of several checks, which are grouped once. */
const grouped = new WeakMap<
  readonly ProbeResponse[],
  {
    readonly length: number
    readonly groups: ReadonlyMap<Operation | undefined, readonly ProbeResponse[]>
  }
>()

/** The last response has one of these statuses. */
export function hasStatus(...statuses: readonly number[]): Evaluate {
  return lastResponse((response) =>
    passIf(statuses.includes(response.status), response, statuses.join(' or ')),
  )
}

/** Evaluates nothing once the operation is removed. */
export function unlessRemoved(operation: Operation, evaluate: Evaluate): Evaluate {
  return (responses, records) => {
    const response = responses.at(-1)
    return response && isRemoved(operation, response.time)
      ? OPERATION_REMOVED
      : evaluate(responses, records)
  }
}

/** The last response has a success status of the operation. */
export function succeeds(operation: Operation): Evaluate {
  return lastResponse((response) => hasSuccessStatus(operation, response))
}

/** The last response has a success status, unless it is about a record in the path, which other checks are about. */
export function acceptsQuery(operation: Operation): Evaluate {
  return lastResponse((response) => queryAccepted(operation, response))
}

/** Whether an operation accepts a query. A documented 404 is about the records in its path. */
export function queryAccepted(operation: Operation, response: ProbeResponse): Evaluation {
  const isDocumented = operation.responses.some(({ status }) => status === response.status)
  const isAbsent = isGone(response) && isDocumented
  return isAbsent ? ABSENT_RECORD : hasSuccessStatus(operation, response)
}

/** For a request below a record that is not there, and for a page after the last one. */
export const ABSENT_RECORD: LeftOut = {
  leftOut: 'the record in the path, or the page, was not found',
}

export function hasSuccessStatus(operation: Operation, response: ProbeResponse): Evaluation {
  const { allows, text } = expectedSuccess(operation)
  return passIf(allows(response.status), response, text)
}

/** Whether a response belongs to the operation. Responses to HEAD do not, because they have no body. */
export function isResponseTo(operation: Operation, { request }: ProbeResponse): boolean {
  return request.operation === operation && request.method === operation.method
}

/** A failure; by default it shows the status and the start of the body. */
export function failure(
  response: ProbeResponse,
  expected: string,
  received: string = summarize(response),
): Failure {
  return { response, expected, received }
}

/** A failure, unless a promise is kept. */
export function passIf(isKept: boolean, ...wrong: Parameters<typeof failure>): Evaluation {
  return isKept ? 'passed' : failure(...wrong)
}

/** The first evaluation that is not passed. */
export function firstProblem(evaluations: readonly Evaluation[]): Evaluation {
  return evaluations.find((one) => one !== 'passed') ?? 'passed'
}

/** `404 {"code":"not_found"}`. */
export function summarize({ status, text }: ProbeResponse): string {
  const body = shorten(text.trim(), MAX_READ_LENGTH).replaceAll(/\s+/g, ' ')
  return `${status} ${body === '' ? 'without a body' : shorten(body, MAX_SHOWN_LENGTH)}`
}

/** The records in the body of a list; none when the body is not a list. */
export function recordsIn({ json }: ProbeResponse): readonly JsonObject[] {
  return Array.isArray(json) ? json.filter(isObject) : []
}

/** The ids of these records. */
export function idsIn(response: ProbeResponse, { id }: Pick<Resource, 'id'>): readonly unknown[] {
  return recordsIn(response).map((record) => record[id])
}

/** The number of items in the body of a list. */
export function listLength({ json }: ProbeResponse): number {
  return Array.isArray(json) ? json.length : 0
}

/** The list has at most so many items. An error response has none. */
export function listsAtMost(most: number): Evaluate {
  return lastResponse((response) => {
    if (!Array.isArray(response.json)) return isSuccess(response) ? NO_LIST : 'passed'
    const length = listLength(response)
    return passIf(length <= most, response, `at most ${most}`, `${length}`)
  })
}

/** Evaluates the records of a list that has some. */
export function withRecords(
  evaluate: (records: readonly JsonObject[], response: ProbeResponse) => Evaluation,
): Evaluate {
  return lastResponse((response) => {
    const records = recordsIn(response)
    return records.length === 0 ? { leftOut: 'no record is listed' } : evaluate(records, response)
  })
}

/** Whether an operation is removed at this time, by the `sunset` of its deprecation. */
export function isRemoved({ deprecation }: Operation, time: number): boolean {
  return time >= (deprecation?.sunset ?? Number.POSITIVE_INFINITY)
}

/**
 * Whether the document has nothing but errors for an operation, so that only they can be expected of it. A 1xx does not count,
 * because another response follows it (RFC 9110, section 15.2).
 */
export function isOnlyErrors({ responses, otherResponses = [] }: Operation): boolean {
  const last = responses.filter(({ status }) => status >= 200)
  return (
    last.length > 0 &&
    last.every(({ status }) => status >= 400) &&
    otherResponses.every(({ range }) => range === '4XX' || range === '5XX')
  )
}

/**
 * The statuses of a response to a valid request, and their description, such as `200 or 201`: the documented 2xx and 3xx. When there
 * are none, every 2xx; and the documented errors, if there is nothing else.
 */
export function expectedSuccess(operation: Operation): {
  readonly allows: (status: number) => boolean
  readonly text: string
} {
  const { responses, otherResponses = [] } = operation
  const keys = [
    ...responses.map(({ status }) => String(status)),
    ...otherResponses.map(({ range }) => range),
  ].filter((key) => /^[23](\d\d|XX)$/.test(key))
  if (keys.length > 0) {
    const isAllowed = (status: number): boolean =>
      keys.some((key) => key === String(status) || key === `${String(status)[0]}XX`)
    return { allows: isAllowed, text: keys.join(' or ') }
  }
  return isOnlyErrors(operation)
    ? {
        allows: (status) => isSuccess({ status }) || documentedKey(operation, status) !== undefined,
        text: 'a documented status',
      }
    : { allows: (status) => isSuccess({ status }), text: 'a 2xx' }
}

/** Text with at most so many characters. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
