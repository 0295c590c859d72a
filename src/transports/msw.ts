import { type HttpHandler, http } from 'msw'
import { toAsk, toResponse } from '../sandbox/fetch.ts'
import { refuseForeign } from '../sandbox/sandbox.ts'
import type { Place, World } from '../sandbox/world.ts'
import { refuseUnknown, UsageError } from '../usage-error.ts'

/** Where handlers answer. */
export interface HandlerOptions {
  /**
   * The base address with its path, as `https://api.example.com/v1`, or several of them. When left out, requests to every
   * origin are answered below the contract's own base path.
   */
  readonly baseUrl?: string | readonly string[]
}

/** Options for MSW 2 and 3 alike: a request that no handler answers is an error. */
export const strict: { readonly onUnhandledRequest: 'error'; readonly onUnhandledFrame: 'error' } =
  {
    onUnhandledRequest: 'error',
    onUnhandledFrame: 'error',
  }

/**
 * The sandbox as a handler for MSW 2 or 3, in a list as MSW takes them. It answers every method on every path that the
 * contract has; all other requests are left to MSW. Throws a UsageError for a base address that is no http or https address
 * or has a query, and for a sandbox that another copy of the package made.
 *
 * @example
 * const server = setupServer(...toHandlers(createSandbox(), { baseUrl: 'https://api.example.com/v1' }))
 */
export function toHandlers(sandbox: World, options: HandlerOptions = {}): HttpHandler[] {
  refuseForeign('make handlers', sandbox)
  refuseUnknown('toHandlers option', options, ['baseUrl'])
  const { baseUrl } = options
  const isAnywhere = baseUrl === undefined
  const bases = isAnywhere
    ? [{ origin: '*', path: sandbox.contract.basePath }]
    : toBases([baseUrl].flat())

  const handler = http.all(
    ({ request }) => placeOf(sandbox, request, bases) !== undefined,
    ({ request }) => resolve(sandbox, request, bases),
  )
  // MSW shows the header in its log, and would name every predicate alike.
  handler.info.header = bases.map(({ origin, path }) => `${origin}${path}/*`).join(', ')

  return [handler]
}

interface Base {
  /** `*` for every origin. */
  readonly origin: string
  /** The base address's path; empty for a root. */
  readonly path: string
}

/** Where a request leads; `undefined` where the contract has no such path. */
function placeOf(sandbox: World, request: Request, bases: readonly Base[]): Place | undefined {
  const { origin, pathname, protocol } = new URL(request.url)
  for (const base of bases) {
    const isHere = base.origin === '*' ? /^https?:$/.test(protocol) : base.origin === origin
    const place = isHere ? sandbox.at(pathname, base.path) : undefined
    if (place?.exists()) return place
  }
  return undefined
}

async function resolve(
  sandbox: World,
  request: Request,
  bases: readonly Base[],
): Promise<Response | undefined> {
  const place = placeOf(sandbox, request, bases)
  if (!place) return undefined

  const reply = await place.answer(toAsk(request, place))
  return toResponse(reply, request).catch((error: unknown) => {
    // MSW itself rejects an aborted request, and would print this as an error of its handler.
    if (request.signal.aborted) return Response.error()
    throw error
  })
}

function toBases(urls: readonly string[]): Base[] {
  if (urls.length > 0) return urls.map(toBase)
  throw new UsageError(
    'invalid_base_url',
    'Cannot make handlers: baseUrl lists no address. Leave it out for every origin.',
  )
}

function toBase(url: string): Base {
  const base = URL.canParse(url) ? new URL(url) : undefined
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:') {
    throw wrongBase(url, 'it is no http or https address. Write it as https://api.example.com/v1.')
  }
  if (/[?#]/.test(base.href)) throw wrongBase(url, 'it has a query or a fragment. Leave that out.')

  return { origin: base.origin, path: base.pathname.replace(/\/+$/, '') }
}

function wrongBase(url: string, why: string): UsageError {
  return new UsageError('invalid_base_url', `Cannot answer at "${url}": ${why}`)
}
