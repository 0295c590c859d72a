import type { Operation } from '../../contract/contract.ts'
import { contentOf, documentedResponse } from '../../contract/documented-response.ts'
import type { ForcedEffect } from '../../forcing/rules.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import { Problem } from '../../http/problem.ts'
import type { AnsweringService } from '../../responses/answering-service.ts'
import { withDocumentedHeaders } from '../../responses/documented-headers.ts'
import { errorContent } from './error-content.ts'
import { factsOf } from './error-facts.ts'
import { errorResponse } from './error-response.ts'
import { namedErrorContent } from './named-error-content.ts'

/** A refused request. */
export interface RefusedRequest {
  /** Absent when the request could not be read. */
  readonly request?: CoreRequest | undefined
  /** Absent when none matched. */
  readonly operation?: Operation | undefined
  /** Present when the problem was forced. */
  readonly effect?: ForcedEffect | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** The response to a problem in the form that the document describes for it. */
export async function documentedError(
  given: Problem,
  refused: RefusedRequest,
  service: AnsweringService,
): Promise<CoreResponse> {
  const { request, operation, effect, now } = refused
  const problem = withStatus(given, effect ? given.status : statusOf(given, operation))
  const plain = problem.toResponse()
  // A status of 0 breaks the connection.
  if (plain.fault) return plain
  const { contract } = service.settings
  const form = errorResponse(problem.status, operation, contract)
  if (!form) return withHeaders(plain, refused, service)
  const types = { content: contentOf(form.response), accept: request?.header('accept') }
  const prefer = request?.header('prefer')
  const facts = factsOf(problem, now, request, contract.sandbox?.errors)
  const content =
    (form.isOwn ? namedErrorContent(prefer, plain, types) : undefined) ??
    (await errorContent(form, facts, { ...types, prefer, service }))
  const response = { ...plain, ...content, headers: { ...plain.headers, ...content?.headers } }

  return withHeaders(response, refused, service)
}

/** The response with the headers that the document declares for its status. */
function withHeaders(
  response: CoreResponse,
  { request, operation }: RefusedRequest,
  service: AnsweringService,
): CoreResponse | Promise<CoreResponse> {
  const { headers } = (operation && documentedResponse(operation, response.status)) ?? {}
  if (!request || !operation || !headers) return response

  return withDocumentedHeaders(response, headers, { request, operation, service, parameters: {} })
}

/** The status that the document has for invalid input: 400, else 422, else 400 by a range or `default`, else 409. */
function statusOf({ status }: Problem, operation: Operation | undefined): number {
  if (status !== 400 || !operation) return status
  const own = [400, 422].find((wanted) => operation.responses.some((one) => one.status === wanted))
  if (own !== undefined) return own
  const hasConflict = operation.responses.some((one) => one.status === 409)

  return hasConflict && !documentedResponse(operation, 400) ? 409 : 400
}

function withStatus(problem: Problem, status: number): Problem {
  if (problem.status === status) return problem
  return new Problem(status, problem.code, problem.message, problem.headers, problem)
}
