import type { CoreRequest, CoreResponse } from './message.ts'
import { REASON_HEADER } from './problem.ts'

type Headers = CoreResponse['headers']

/** A preflight: the question of a browser before it sends a request to another origin (Fetch, CORS-preflight). */
export interface Preflight {
  /** The origin of the page. */
  readonly origin: string
  /** The method of the request that follows. */
  readonly method: string
}

/** The headers of the sandbox itself that pages may read. */
const EXPOSED = [
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
  REASON_HEADER,
]

/** The request headers that the response to OPTIONS depends on. */
const PREFLIGHT_VARY =
  'Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network'

/** The headers that let pages of every origin read a response, with credentials too (Fetch, CORS protocol). */
export class CrossOrigin {
  readonly #exposed: string
  readonly #forAnyOrigin: Headers

  /** `responseHeaders` are the names of headers that the document declares. */
  constructor({ responseHeaders = [] }: { readonly responseHeaders?: readonly string[] }) {
    const exposed = new Set(EXPOSED.map((name) => name.toLowerCase()))
    const declared = responseHeaders.filter((name) => !exposed.has(name.toLowerCase()))
    this.#exposed = [...EXPOSED, ...declared].join(', ')
    this.#forAnyOrigin = this.#headersFor('*')
  }

  /** The headers of a response; `origin` is the request's `Origin`. With credentials, browsers do not accept `*`. */
  headers(origin: string | undefined, method?: string): Headers {
    const headers = origin
      ? { ...this.#headersFor(origin), 'Access-Control-Allow-Credentials': 'true' }
      : this.#forAnyOrigin
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

/** The preflight that a request is; `undefined` for any other request. */
export function preflightOf(
  request: Pick<CoreRequest, 'method' | 'header'>,
): Preflight | undefined {
  if (request.method !== 'OPTIONS') return undefined
  const origin = request.header('origin')
  const method = request.header('access-control-request-method')

  return origin && method ? { origin, method } : undefined
}
