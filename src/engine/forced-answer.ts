import { chooseResponse } from '../contract/documented-response.ts'
import type { ForcedAnswer } from '../forcing/force-rule.ts'
import type { ForcedEffect } from '../forcing/rules.ts'
import type { HandledResponse } from '../handlers/run-handlers.ts'
import { asProblem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'
import type { AdmittedRequest } from '../resources/behaviour/record-request.ts'
import { forcedSuccess, jsonIn, mistakeIn } from '../responses/forced-content.ts'
import type { Served } from './served.ts'

/**
 * The answer to a request that is served, with what a rule says about it. The operation is performed, and its changes are kept. Where it
 * refuses the request, a forced status of 2xx is answered all the same, from the document.
 */
export async function showForced(
  { answer = {}, status }: ForcedEffect,
  { request, input, binding: { operation }, service }: AdmittedRequest,
  perform: () => Promise<HandledResponse>,
): Promise<HandledResponse> {
  const isForced = status !== undefined
  const own = await performed(perform, isForced)
  const { problem, ...answered } = own ?? {}
  if (problem && own && (!isForced || problem.status >= 500)) return own
  const response = problem ? undefined : own?.response
  const wanted = {
    request,
    operation,
    parameters: input.path,
    service,
    status: status ?? response?.status ?? chooseResponse(operation).status,
    sourceReason: `a rule forces ${isForced ? `the status ${status}` : 'the answer'}`,
  }
  try {
    return { ...answered, response: await forcedSuccess(wanted, answer, response) }
  } catch (error) {
    await own?.undo?.()
    throw error
  }
}

/** What an operation answers; `undefined` when it refuses the request and this does not matter. */
async function performed(
  perform: () => Promise<HandledResponse>,
  isForced: boolean,
): Promise<HandledResponse | undefined> {
  try {
    return await perform()
  } catch (error) {
    const problem = asProblem(error)
    if (isForced && problem.status < 500) return undefined
    throw error
  }
}

/** The note that the document does not allow a forced answer; none when it does. */
export function notesOn(
  { response, operation }: Pick<Served, 'response' | 'operation'>,
  { body: part, fault }: ForcedAnswer,
): readonly Note[] {
  const { status, body } = response
  if (status === 0 || !operation) return []
  // The document may have no body for an error that the sandbox describes by itself.
  const isChecked = body.length > 0 && fault !== 'malformed' && (status < 400 || part !== undefined)
  const value = isChecked ? (jsonIn(response) ?? body) : undefined
  const isOther = body.length > 0 && value === undefined && status < 400
  if (isOther) return []
  const place = mistakeIn({ status, ...(value !== undefined && { body: value }) }, operation)

  return place === undefined ? [] : [{ kind: 'invalid-answer', place }]
}
