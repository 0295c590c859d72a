import { httpDate } from '../time/clock.ts'
import { type CoreRequest, type CoreResponse, SOURCE_HEADER } from './message.ts'
import { REASON_HEADER } from './problem.ts'

/** The values of the `X-RateLimit-*` headers, which describe one quota window. */
export interface RateLimit {
  /** How many requests the plan allows in the window. */
  readonly limit: number
  /** How many of them are left. */
  readonly remaining: number
  /** When the window ends, in epoch milliseconds. */
  readonly reset: number
}

/** The headers with the figures of a quota. `now` is in epoch milliseconds. */
export type WriteQuota = (rateLimit: RateLimit, now: number) => CoreResponse['headers']

/**
 * A response with the headers that every response has: date, quota where there is one, CORS, and the policy for browsers unless it is JSON. `now` is in epoch
 * milliseconds; `crossOrigin` are the headers of CORS. `writeQuota` is for a document that has headers of its own for quotas.
 */
export function withCommonHeaders(
  response: CoreResponse,
  rateLimit: RateLimit | undefined,
  now: number,
  crossOrigin: CoreResponse['headers'],
  writeQuota: WriteQuota = quotaHeaders,
): CoreResponse {
  return withBrowserPolicy({
    ...response,
    headers: {
      Date: httpDate(now),
      ...response.headers,
      ...(rateLimit && writeQuota(rateLimit, now)),
      ...crossOrigin,
    },
  })
}

function quotaHeaders({ limit, remaining, reset }: RateLimit): CoreResponse['headers'] {
  return {
    'X-RateLimit-Limit': String(limit),
    // Engines cache the text that `String` makes of a number. A cache is wasted on a count that rarely repeats.
    'X-RateLimit-Remaining': remaining.toFixed(),
    'X-RateLimit-Reset': String(reset / 1000),
  }
}

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

/** What a contract says about the headers of its responses. */
interface ExposingContract {
  /** The names of headers that the document declares. */
  readonly responseHeaders?: readonly string[]
  readonly sandbox?: { readonly sourceHeader?: boolean }
}

/** The headers that let pages of every origin read a response, with credentials too (Fetch, CORS protocol). */
export class CrossOrigin {
  readonly #exposed: string
  readonly #forAnyOrigin: Headers

  constructor({ responseHeaders = [], sandbox }: ExposingContract) {
    const own = sandbox?.sourceHeader === false ? EXPOSED : [...EXPOSED, SOURCE_HEADER]
    const exposed = new Set(own.map((name) => name.toLowerCase()))
    const declared = responseHeaders.filter((name) => !exposed.has(name.toLowerCase()))
    this.#exposed = [...own, ...declared].join(', ')
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

/**
 * The header in which a page of the sandbox itself has its policy, which is sent in its place. No document can have it (`isDocumentableHeader`).
 */
export const POLICY_HEADER: string = 'X-Sandbox-Policy'

/** A page of this policy has an origin of its own, runs no script, and loads nothing. */
export const CONTENT_SECURITY_POLICY: string =
  "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const POLICY: CoreResponse['headers'] = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
}

/** Some browsers show each part as a page, with the headers of the part. */
const MULTIPART_POLICY: CoreResponse['headers'] = {
  ...POLICY,
  'Content-Disposition': 'attachment',
}

/** Browsers show JSON as text. They take what follows a comma for another media type. */
const JSON_TYPE =
  /^(?:application|text)\/(?:[\w.-]+\+)?json(?: *; *[\w-]+=(?:[\w.-]+|"[^",\\]*"))*$/i

/**
 * A response that runs no script in a browser that opens it: its texts are those of a document or of a client, and it has the
 * origin of the control interface. JSON stays as it is.
 */
export function withBrowserPolicy(response: CoreResponse): CoreResponse {
  const { headers, body } = response
  const type = headers['Content-Type']
  if (type === 'application/json') return response
  if (type === undefined ? body.length === 0 : JSON_TYPE.test(type)) return response
  const usual = type !== undefined && /multipart/i.test(type) ? MULTIPART_POLICY : POLICY
  const own = headers[POLICY_HEADER]
  const policy = own === undefined ? usual : { ...POLICY, 'Content-Security-Policy': own }
  const decided = [...Object.keys(policy), POLICY_HEADER].map((name) => name.toLowerCase())
  const others = Object.entries(headers).filter(([name]) => !decided.includes(name.toLowerCase()))

  return { ...response, headers: { ...Object.fromEntries(others), ...policy } }
}
