import type { Operation } from '../../contract/contract.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { shorten } from '../shorten.ts'
import type { CheckDefinition, Evaluation, Failure, LeftOut } from './check.ts'
import { expectedSuccess } from './documented-statuses.ts'
import { isRemoved } from './is-removed.ts'

type Evaluate = CheckDefinition['evaluate']

/** The number of characters of a body that a failure shows. */
const MAX_SHOWN_LENGTH = 160
/** The number of characters in which white space is collapsed before that. */
const MAX_READ_LENGTH = 10 * MAX_SHOWN_LENGTH

export const NO_RESPONSE: LeftOut = { leftOut: 'no request was sent' }

const NO_MATCH: LeftOut = { leftOut: 'no response to which the check applies' }

const NO_LIST: LeftOut = { leftOut: 'the response is not a list' }

/** Evaluates the last response. */
export function lastResponse(evaluate: (response: ProbeResponse) => Evaluation): Evaluate {
  return (responses) => {
    const response = responses.at(-1)
    return response ? evaluate(response) : NO_RESPONSE
  }
}

/** Evaluates every response that is selected; the first failure counts. */
export function everyResponse(
  isSelected: (response: ProbeResponse) => boolean,
  evaluate: (response: ProbeResponse) => Evaluation,
): Evaluate {
  return (responses) => {
    const selected = responses.filter(isSelected)
    if (selected.length === 0) return NO_MATCH
    return selected.map(evaluate).find((one) => one !== 'passed') ?? 'passed'
  }
}

/** The last response has one of these statuses. */
export function hasStatus(...statuses: readonly number[]): Evaluate {
  return lastResponse((response) =>
    statuses.includes(response.status) ? 'passed' : failure(response, statuses.join(' or ')),
  )
}

/** Evaluates nothing once the operation is removed. */
export function unlessRemoved(operation: Operation, evaluate: Evaluate): Evaluate {
  return (responses, records) => {
    const response = responses.at(-1)
    return response && isRemoved(operation, response.time)
      ? { leftOut: 'the operation is removed' }
      : evaluate(responses, records)
  }
}

/** The last response has a success status of the operation. */
export function succeeds(operation: Operation): Evaluate {
  return lastResponse((response) => hasSuccessStatus(operation, response))
}

export function hasSuccessStatus(operation: Operation, response: ProbeResponse): Evaluation {
  const { allows, text } = expectedSuccess(operation)
  return allows(response.status) ? 'passed' : failure(response, text)
}

export function isSuccess({ status }: ProbeResponse): boolean {
  return status >= 200 && status < 300
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

/** `404 {"code":"not_found"}`. */
export function summarize({ status, text }: ProbeResponse): string {
  const body = shorten(text.trim(), MAX_READ_LENGTH).replaceAll(/\s+/g, ' ')
  return `${status} ${body === '' ? 'without a body' : shorten(body, MAX_SHOWN_LENGTH)}`
}

/** The records in the body of a list; none when the body is not a list. */
export function recordsIn({ json }: ProbeResponse): readonly JsonObject[] {
  return Array.isArray(json) ? json.filter(isObject) : []
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
    return length <= most ? 'passed' : failure(response, `at most ${most}`, `${length}`)
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
