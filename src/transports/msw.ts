import { type HttpHandler, http } from 'msw'
import type { Operation } from '../contract/contract.ts'
import { escapeLiteral, patternSource } from '../contract/match.ts'
import { pathBelow } from '../message.ts'
import { toAsk, toResponse } from '../sandbox/fetch.ts'
import { refuseForeign } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
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
 * The sandbox as handlers for MSW 2 or 3: one for each operation, and after them one for each path, which answers methods
 * that the path does not have. Paths that the contract does not have are left to MSW. Throws a UsageError for a base
 * address that is no http or https address or has a query, and for a sandbox that another copy of the package made.
 *
 * @example
 * const server = setupServer(...toHandlers(createSandbox(), { baseUrl: 'https://api.example.com/v1' }))
 */
export function toHandlers(sandbox: World, options: HandlerOptions = {}): HttpHandler[] {
  refuseForeign('make handlers', sandbox)
  refuseUnknown('toHandlers option', options, ['baseUrl'])
  const { basePath, operations } = sandbox.contract
  const { baseUrl } = options
  const isAnywhere = baseUrl === undefined
  const bases = isAnywhere ? [{ origin: '*', path: basePath }] : toBases([baseUrl].flat())

  return bases.flatMap((base) => {
    const resolver = ({ request }: { request: Request }) => resolve(sandbox, request, base)
    const paths = [...new Set(operations.map(({ path }) => path))]

    return [
      ...operations.map((operation) => {
        const method = http[methodOf(operation)]
        return method(new AddressPattern(base, operation.path), resolver)
      }),
      ...paths.map((path) => http.all(new AddressPattern(base, path), resolver)),
    ]
  })
}

interface Base {
  /** `*` for every origin. */
  readonly origin: string
  /** The base address's path; empty for a root. */
  readonly path: string
}

async function resolve(
  sandbox: World,
  request: Request,
  base: Base,
): Promise<Response | undefined> {
  const path = pathBelow(base.path, new URL(request.url).pathname)
  if (path === undefined) return undefined
  const ask = toAsk(request, { basePath: base.path, path })

  const reply = await sandbox.answer(ask)
  return toResponse(reply, request).catch((error: unknown) => {
    // MSW itself rejects an aborted request, and would print this as an error of its handler.
    if (request.signal.aborted) return Response.error()
    throw error
  })
}

/**
 * Matches the addresses of a path template, and shows as `https://api.example.com/v1/books/:bookId` in MSW's log. MSW's own
 * path syntax decodes parameters, and fails on a path like `/books/%zz`, which the sandbox answers.
 */
class AddressPattern extends RegExp {
  readonly #shown: string

  constructor({ origin, path }: Base, template: string) {
    const start = origin === '*' ? 'https?://[^/]+' : escapeLiteral(origin)
    super(`^${start}${patternSource(path + template, '[^/]+')}/?$`)
    this.#shown = origin + path + template.replace(/\{([^}]+)\}/g, ':$1')
  }

  override toString(): string {
    return this.#shown
  }
}

function methodOf({ method }: Operation): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  switch (method) {
    case 'POST':
      return 'post'
    case 'PUT':
      return 'put'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return 'get'
  }
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
