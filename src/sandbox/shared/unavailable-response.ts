import { isImplicitOptions } from '../../engine/implicit-options.ts'
import { problemResponse } from '../../engine/problem-response.ts'
import { attempt } from '../../engine/served.ts'
import type { Service } from '../../engine/service.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import { Problem, problems } from '../../http/problem.ts'
import { withCommonHeaders } from '../../http/response-headers.ts'
import { StoreUnavailableError } from '../../state/store-unavailable-error.ts'
import { Clock } from '../../time/clock.ts'

/**
 * The 503 of a request that failed because the store is away, in the form of the document, without the quota headers, which nobody can
 * know then. Rethrows any other error.
 */
export async function unavailableResponse(
  error: unknown,
  request: CoreRequest,
  service: Service,
): Promise<CoreResponse> {
  if (!(error instanceof StoreUnavailableError)) throw error
  const match = attempt(() => service.router.match(request.method, request.path, request))
  const operation = match instanceof Problem ? undefined : match.operation
  const now = new Clock().now()
  const problem = problems.unavailable(sentence(error.message), error.retryAfter)
  const response = await problemResponse(problem, { request, operation, now }, service)
  const crossOrigin = service.crossOrigin.headers(request.header('origin'), request.method)

  return withCommonHeaders(response, undefined, now, crossOrigin)
}

/**
 * The response to an OPTIONS that the sandbox answers itself, while the store is away: it depends on the document only, so that pages
 * of other origins can read the 503 of the request that follows. `undefined` for any other request.
 */
export async function optionsWithoutStore(
  request: CoreRequest,
  service: Service,
): Promise<CoreResponse | undefined> {
  const { router, crossOrigin } = service
  if (!isImplicitOptions(request, router)) return undefined
  const { optionsResponse } = await import('../../engine/preflight.ts')
  const result = attempt(() => optionsResponse(request, router))
  const now = new Clock().now()
  const response =
    result instanceof Problem ? await problemResponse(result, { request, now }, service) : result

  return withCommonHeaders(
    response,
    undefined,
    now,
    crossOrigin.headers(request.header('origin'), request.method),
  )
}

/** The response to a request that could not be read, while the store is away: the problem without quota headers. */
export async function rejectedWithoutStore(
  problem: Problem,
  service: Service,
  origin: string | undefined,
): Promise<CoreResponse> {
  const now = new Clock().now()
  const response = await problemResponse(problem, { now }, service)

  return withCommonHeaders(response, undefined, now, service.crossOrigin.headers(origin))
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
