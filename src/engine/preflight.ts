import type { Router } from '../contract/router.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import { preflightOf } from '../http/response-headers.ts'
import { type Arrival, attempt, refuse, respond, type Served } from './served.ts'
import type { Service } from './service.ts'

/** Browsers send these to another origin even when the preflight's response does not list them (Fetch, CORS-safelisted method). */
const SAFELISTED: readonly string[] = ['GET', 'HEAD', 'POST']

/**
 * Answers an OPTIONS that the sandbox answers itself. A preflight for a method that the path does not have fails, although its
 * response is a 204.
 */
export function serveOptions(arrival: Arrival, service: Service): Served | Promise<Served> {
  const { request } = arrival
  const { router } = service
  const response = attempt(() => optionsResponse(request, router))
  if (response instanceof Problem) return refuse(arrival, response, service)
  const problem = preflightProblem(request, router)

  return problem
    ? refuse(arrival, problem, service, undefined, response)
    : respond(request, response)
}

/**
 * The response to OPTIONS: the methods of the path, and permission for pages of other origins to use them with the headers in
 * `allowed` (Fetch, CORS-preflight), by default those that the preflight asks for. Throws a 404 for an unknown path.
 */
export function optionsResponse(
  request: CoreRequest,
  router: Router,
  allowed: string = request.header('access-control-request-headers') ||
    'Authorization, Content-Type, Prefer',
): CoreResponse {
  const methods = router.allowedMethods(request.path, request)
  const isFromPublicPage = request.header('access-control-request-private-network') === 'true'

  return {
    status: 204,
    headers: {
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': allowed,
      'Access-Control-Max-Age': '600',
      ...(isFromPublicPage && { 'Access-Control-Allow-Private-Network': 'true' }),
    },
    body: '',
  }
}

/** The 405 of a preflight for a method that the path does not have. The browser sees it in the 204, and sends no request. */
export function preflightProblem(request: CoreRequest, router: Router): Problem | undefined {
  const preflight = preflightOf(request)
  if (!preflight || SAFELISTED.includes(preflight.method)) return undefined
  return router.methodProblem(preflight.method, request.path, request)
}

/** Whether a request is an OPTIONS that the sandbox answers itself: a preflight, or OPTIONS on a path that does not document it. */
export function isImplicitOptions(request: CoreRequest, router: Router): boolean {
  const { method, path } = request
  return (
    method === 'OPTIONS' &&
    (request.header('access-control-request-method') !== undefined ||
      !router.isDocumented(method, path, request))
  )
}
