import type { Contract } from '../contract/contract.ts'
import type { Router } from '../contract/router.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { type Problem, REASON } from '../http/problem.ts'
import type { Preflight } from '../journal/exchange.ts'

type Headers = Readonly<Record<string, string>>

/** The headers of the sandbox itself that pages may read. */
const OWN = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Link',
  'Location',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'Preference-Applied',
  REASON,
]

/** Browsers send these to another origin even when the preflight's answer does not list them (Fetch, CORS-safelisted method). */
const SAFELISTED: readonly string[] = ['GET', 'HEAD', 'POST']

/** On what the answer to OPTIONS depends. */
const PREFLIGHT_VARY =
  'Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network'

/** The headers that let pages of every origin read an answer, with credentials too (Fetch, CORS protocol). */
export class CrossOrigin {
  readonly #exposed: string
  readonly #any: Headers

  constructor({ responseHeaders = [] }: Pick<Contract, 'responseHeaders'>) {
    const own = new Set(OWN.map((name) => name.toLowerCase()))
    const declared = responseHeaders.filter((name) => !own.has(name.toLowerCase()))
    this.#exposed = [...OWN, ...declared].join(', ')
    this.#any = this.#headersFor('*')
  }

  /** The headers of an answer; `origin` is the request's `Origin`. With credentials, browsers do not accept `*`. */
  headers(origin: string | undefined, method?: string): Headers {
    const headers = origin
      ? { ...this.#headersFor(origin), 'Access-Control-Allow-Credentials': 'true' }
      : this.#any
    return method === 'OPTIONS' ? { ...headers, Vary: PREFLIGHT_VARY } : headers
  }

  #headersFor(allowed: string): Headers {
    return {
      'Access-Control-Allow-Origin': allowed,
      'Access-Control-Expose-Headers': this.#exposed,
      Vary: 'Origin',
    }
  }
}

/**
 * The answer to OPTIONS: the methods of the path, and permission for pages of other origins to use them with the headers in
 * `allowed` (Fetch, CORS-preflight): those that the preflight asks for when left out. Throws a 404 for an unknown path.
 */
export function options(
  request: CoreRequest,
  routes: Router,
  allowed: string = request.header('access-control-request-headers') ||
    'Authorization, Content-Type, Prefer',
): CoreResponse {
  const methods = routes.allowedMethods(request.path)
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

/** What a preflight asks for; `undefined` for any other request. */
export function preflightOf(ask: Pick<CoreRequest, 'method' | 'header'>): Preflight | undefined {
  if (ask.method !== 'OPTIONS') return undefined
  const origin = ask.header('origin')
  const method = ask.header('access-control-request-method')

  return origin && method ? { origin, method } : undefined
}

/** The 405 of a preflight for a method that the path does not have. The browser sees it in the 204, and sends no request. */
export function refusedMethod(request: CoreRequest, routes: Router): Problem | undefined {
  const preflight = preflightOf(request)
  if (!preflight || SAFELISTED.includes(preflight.method)) return undefined
  return routes.methodProblem(preflight.method, request.path)
}
