import { type HttpHandler, http } from 'msw'
import { chooseWorld } from '../http/world-path.ts'
import { toCoreRequest, toResponse } from '../sandbox/fetch.ts'
import { type Mount, routerOf, type WorldRouter } from '../sandbox/router.ts'
import { requireOwnSandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
import { refuseUnknown } from '../validation/usage-error.ts'
import { type BaseUrl, everyOrigin, readBaseUrls } from './msw-base-url.ts'

/** Where handlers answer. */
export interface HandlerOptions {
  /**
   * The base address with its path, as `https://api.example.com/v1`, or several of them. As in MSW, `*` stands for any text
   * (`*\/v1`), and a path alone (`/v1`) is of the page's own origin; in Node, where there is no page, of every origin. When
   * left out, requests to every origin are answered below the contract's own base path. A `URL` object stands for its text.
   */
  readonly baseUrl?: string | URL | readonly (string | URL)[]
}

/** Options for MSW 2 and 3 alike: a request that no handler answers is an error. */
export const strict: { readonly onUnhandledRequest: 'error'; readonly onUnhandledFrame: 'error' } =
  {
    onUnhandledRequest: 'error',
    onUnhandledFrame: 'error',
  }

/**
 * The sandbox as a handler for MSW 2 or 3, in a list as MSW takes them. It answers every method on every path that the
 * contract has; all other requests are left to MSW. Throws a UsageError for a base address that is not an http or https
 * address, a path or a pattern, and for a sandbox that another copy of the package made.
 *
 * @example
 * const server = setupServer(...toHandlers(createSandbox(), { baseUrl: 'https://api.example.com/v1' }))
 */
export function toHandlers(sandbox: World, options: HandlerOptions = {}): HttpHandler[] {
  requireOwnSandbox('make handlers', sandbox)
  refuseUnknown('toHandlers option', options, ['baseUrl'])
  const router = routerOf(sandbox)
  const { baseUrl } = options
  const bases =
    baseUrl === undefined
      ? [everyOrigin(sandbox.contract.basePath)]
      : readBaseUrls([baseUrl].flat())

  const handler = http.all(
    ({ request }) => mountOf(router, request, bases) !== undefined,
    ({ request }) => resolve(router, request, bases),
  )
  // MSW shows the header in its log, and would name every predicate alike.
  handler.info.header = bases.map(({ text }) => `${text}/*`).join(', ')

  return [handler]
}

/** Where a request leads; `undefined` where the contract has no such path. */
function mountOf(
  router: WorldRouter,
  request: Request,
  bases: readonly BaseUrl[],
): Mount | undefined {
  const { origin, pathname } = new URL(request.url)
  const header = (name: string): string | undefined => request.headers.get(name) ?? undefined
  // The base path comes after the world.
  for (const path of new Set([chooseWorld(pathname).rest, pathname])) {
    for (const base of bases) {
      for (const basePath of base.basePaths(origin, path)) {
        const mount = router.resolveMount(pathname, header, basePath)
        if (mount?.exists()) return mount
      }
    }
  }
  return undefined
}

async function resolve(
  router: WorldRouter,
  request: Request,
  bases: readonly BaseUrl[],
): Promise<Response | undefined> {
  const mount = mountOf(router, request, bases)
  if (!mount) return undefined

  const response = await mount.answer(toCoreRequest(request, mount))
  return toResponse(response, request).catch((error: unknown) => {
    // MSW itself rejects an aborted request, and would print this as an error of its handler.
    if (request.signal.aborted) return Response.error()
    throw error
  })
}
