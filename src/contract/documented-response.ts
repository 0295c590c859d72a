import { once } from '../validation/objects.ts'
import type { MediaType, Operation, OperationResponse } from './contract.ts'
import { isJson } from './json.ts'
import { isObjectSchema, propertiesOf } from './schema.ts'

/** What the document says about the response of a status. */
export type DocumentedResponse = Omit<OperationResponse, 'status'>

/** The documented response of a status: its own, else that of its range, else `default`. */
export function documentedResponse(
  { responses, otherResponses = [] }: Pick<Operation, 'responses' | 'otherResponses'>,
  status: number,
): DocumentedResponse | undefined {
  const range = `${Math.floor(status / 100)}XX`
  return (
    responses.find((response) => response.status === status) ??
    otherResponses.find((response) => response.range === range) ??
    otherResponses.find((response) => response.range === 'default')
  )
}

/** The status that the document has for invalid input: 400, else 422, else 400 by a range or `default`, else 409. */
export function invalidInputStatus(operation: Operation): number {
  const own = [400, 422].find((wanted) => operation.responses.some((one) => one.status === wanted))
  if (own !== undefined) return own
  const hasConflict = operation.responses.some((one) => one.status === 409)

  return hasConflict && !documentedResponse(operation, 400) ? 409 : 400
}

/** The status that the document has for what does not exist: 404, or 410 where it has only that one. */
export function missingStatus(operation: Operation): 404 | 410 {
  const isGone =
    documentedResponse(operation, 404) === undefined && documentedResponse(operation, 410)
  return isGone ? 410 : 404
}

/** Where the document describes a status: under the status, else under its range, else under `default`. */
export function documentedKey(
  { responses, otherResponses = [] }: Pick<Operation, 'responses' | 'otherResponses'>,
  status: number,
): string | undefined {
  if (responses.some((response) => response.status === status)) return String(status)
  const ranges = otherResponses.map(({ range }) => range)
  const own = `${Math.floor(status / 100)}XX`

  return ranges.find((range) => range === own) ?? ranges.find((range) => range === 'default')
}

/** The content of a response in each media type, JSON first. A response with a schema and no content is JSON. */
export const contentOf: (response: DocumentedResponse) => readonly MediaType[] = once(
  ({ content, schema, validate, example }) => {
    if (content) return content
    if (!schema) return []
    return [
      {
        mediaType: 'application/json',
        schema,
        ...(validate && { validate }),
        ...(example !== undefined && { examples: [{ value: example }] }),
      },
    ]
  },
)

/** The content that describes a response best: JSON, else the first with a schema. */
export function mainContentOf(response: DocumentedResponse): MediaType | undefined {
  const content = contentOf(response)
  return content.find(({ mediaType }) => isJson(mediaType)) ?? content.find(({ schema }) => schema)
}

/**
 * The response that the document has for an error: that of the status. `default` is none where it is the success of an operation that has no
 * other one, unless it has a word for what went wrong, or no other body would be as documented.
 */
export function errorForm(operation: Operation, status: number): DocumentedResponse | undefined {
  const response = documentedResponse(operation, status)
  if (!response || status < 400 || documentedKey(operation, status) !== 'default') return response
  if (chooseResponse(operation).documented !== response) return response
  const content = contentOf(response)
  const names = content.flatMap(({ schema = {} }) => [...propertiesOf(schema).keys()])
  const isForAny = content.every(
    ({ schema = {}, validate }) => isObjectSchema(schema) && validate?.(PLAIN_ERROR) !== false,
  )

  return names.some((name) => WRONG.test(name)) || !isForAny ? response : undefined
}

/** An error as the sandbox tells it where the document says nothing of errors. */
const PLAIN_ERROR = { code: 'not_found', message: '', status: 404 }

/** Properties that say what went wrong. */
const WRONG = /^(messages?|msg|detail|fault(string)?|.*errors?|error.*)$/i

/** The status of a response, and what the document says about it. */
export interface ChosenResponse {
  readonly status: number
  /** Absent when the document says nothing about the status. */
  readonly documented?: DocumentedResponse
}

/**
 * The response of a request that succeeds. Of several with a status of 2xx: one for which the query needs no flag, 201 for a creation, 204
 * for a deletion, else the one with the lowest status. Without any: a redirect, else 200. When the document describes only errors: the first one, after a 304.
 */
export const chooseResponse: (operation: Operation) => ChosenResponse = once((operation) =>
  responseOf(operation, successStatus(operation)),
)

/** The response to a request whose query has a flag without which it would get another one; `undefined` without such a flag. */
export function flaggedResponse(
  operation: Operation,
  query: Readonly<Record<string, unknown>>,
): number | undefined {
  if (!hasFlags(operation)) return undefined
  const flagged = operation.responses.filter((one) => isSuccess(one) && isFlagged(one, operation))
  const isTrue = (value: unknown): boolean => /^(true|1)$/i.test(String(value))
  return flagged.find(({ flag = '' }) => isTrue(query[flag]))?.status
}

const hasFlags = once((operation: Operation): boolean =>
  operation.responses.some((one) => isFlagged(one, operation)),
)

/** Whether only requests with a flag get a response. */
function isFlagged({ flag }: OperationResponse, { parameters }: Operation): boolean {
  return flag !== undefined && parameters.some((one) => one.in === 'query' && one.name === flag)
}

function isSuccess({ status }: OperationResponse): boolean {
  return status >= 200 && status < 300
}

/** The response of a status. */
export function responseOf(operation: Operation, status: number): ChosenResponse {
  const documented = documentedResponse(operation, status)
  return documented ? { status, documented } : { status }
}

function successStatus(operation: Operation): ChosenResponse['status'] {
  const { method, path, responses, otherResponses = [] } = operation
  const statuses = responses.map(({ status }) => status)
  const all = responses.filter(isSuccess)
  const usual = all.filter((one) => !isFlagged(one, operation))
  const successes = (usual.length > 0 ? usual : all).map(({ status }) => status)
  const isCreation = method === 'POST' && !path.endsWith('}')
  if (isCreation && successes.includes(201)) return 201
  if (method === 'DELETE' && successes.includes(204)) return 204
  const hasRange = (range: string): boolean => otherResponses.some((one) => one.range === range)
  const redirect = statuses.find((status) => status >= 300 && status < 400 && status !== 304)
  if (successes[0] !== undefined) return successes[0]
  if (hasRange('2XX')) return 200
  if (redirect !== undefined) return redirect

  if (hasRange('default')) return 200
  if (hasRange('3XX')) return 302

  return statuses.find((status) => status === 304 || status >= 400) ?? 200
}
