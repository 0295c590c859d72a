import type { Contract, Operation } from '../../contract/contract.ts'
import {
  contentOf,
  type DocumentedResponse,
  documentedResponse,
} from '../../contract/documented-response.ts'
import { isJson } from '../../contract/json.ts'
import { writerOf } from '../../responses/content/writers.ts'

/** The documented response whose form an error has. */
export interface ErrorResponse {
  readonly response: DocumentedResponse
  /** The operation that has it. */
  readonly operation: Operation
  /** Whether the document has this response for the status of the error. */
  readonly isOwn: boolean
}

/**
 * The documented response of an error: that of its operation and status. An error that the document does not describe, or
 * describes without content, has the form that most errors of its operation have, else of the document.
 */
export function errorResponse(
  status: number,
  operation: Operation | undefined,
  contract: Contract,
): ErrorResponse | undefined {
  if (!operation) return sharedForm(status, contract)
  const response = documentedResponse(operation, status)
  if (response && contentOf(response).length > 0) return { response, operation, isOwn: true }
  const form = mostCommon(errorsOf(operation)) ?? sharedForm(status, contract)

  return form && { ...form, isOwn: false }
}

/** An error response of an operation, and its status, or range of statuses. */
interface DocumentedError extends ErrorResponse {
  readonly status: number | string
}

/** So many operations, evenly spread, show what errors a document has. */
const MAX_OPERATIONS = 60

const errors = new WeakMap<Contract, readonly DocumentedError[]>()

/** The form that most operations have for a status, else for any error. */
function sharedForm(status: number, contract: Contract): ErrorResponse | undefined {
  const all = errors.get(contract) ?? jsonFirst(errorsIn(contract))
  errors.set(contract, all)

  return mostCommon(all.filter((one) => one.status === status)) ?? mostCommon(all)
}

/** The error responses of some operations; of all, where these have none. */
function errorsIn({ operations }: Contract): readonly DocumentedError[] {
  const found = spread(operations).flatMap(errorsOf)
  return found.length > 0 ? found : operations.flatMap(errorsOf)
}

/** The responses with JSON, if there are any: clients of a document expect it of an error that it does not describe. */
function jsonFirst(responses: readonly DocumentedError[]): readonly DocumentedError[] {
  const withJson = responses.filter(({ response }) =>
    contentOf(response).some(({ mediaType }) => isJson(mediaType)),
  )
  return withJson.length > 0 ? withJson : responses
}

function spread(operations: readonly Operation[]): readonly Operation[] {
  const step = Math.max(1, Math.ceil(operations.length / MAX_OPERATIONS))
  return operations.filter((_, at) => at % step === 0)
}

/** The error responses of an operation that have other content than files. */
function errorsOf(operation: Operation): readonly DocumentedError[] {
  const { responses, otherResponses = [] } = operation
  const listed = [
    ...responses.map((response) => ({ response, status: response.status })),
    ...otherResponses.map((response) => ({ response, status: response.range })),
  ]
  // Some documents describe the only response of an operation as `default`, although it is a success.
  const hasSuccess = listed.some(({ status }) => /^2/.test(String(status)))
  return listed
    .filter(({ status }) => isError(status) || (status === 'default' && hasSuccess))
    .filter(({ response }) => contentOf(response).some(({ mediaType }) => !isFile(mediaType)))
    .map(({ response, status }) => ({ response, status, operation, isOwn: false }))
}

/** A file, such as an image, says nothing about another error. */
function isFile(mediaType: string): boolean {
  return writerOf(mediaType).isFile === true
}

function isError(status: number | string): boolean {
  return /^[45]/.test(String(status))
}

/** The first response with the schema that most responses have. */
function mostCommon(responses: readonly DocumentedError[]): ErrorResponse | undefined {
  const groups = new Map<unknown, DocumentedError[]>()
  for (const one of responses) {
    const [media] = contentOf(one.response)
    const key = media?.schema ?? media?.mediaType
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  const [largest] = [...groups.values()].sort((one, other) => other.length - one.length)

  return largest?.[0]
}
