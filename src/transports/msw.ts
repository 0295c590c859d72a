import { type HttpHandler, http } from 'msw'
import { basePathsOf } from '../contract/base-paths.ts'
import { chooseWorld } from '../http/world-path.ts'
import { toCoreRequest, toResponse } from '../sandbox/fetch.ts'
import { type Mount, routerOf, type WorldRouter } from '../sandbox/router.ts'
import { requireOwnSandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
import { refuseUnknown } from '../validation/usage-error.ts'
import { type BaseUrl, everyOrigin, readBaseUrls } from './msw-base-url.ts'

/** Options of `toHandlers`. */
export interface HandlerOptions {
  /**
   * The base URL with its path, such as `https://api.example.com/v1`, or an array of base URLs. As in MSW, `*` stands for any
   * text (`*\/v1`). A path alone (`/v1`) matches the page's own origin, and every origin in Node, which has no page. Default:
   * the contract's base paths at every origin.
   */
  readonly baseUrl?: string | URL | readonly (string | URL)[]
}

/** Options for MSW 2 and MSW 3. A request that no handler answers is an error. */
export const strict: { readonly onUnhandledRequest: 'error'; readonly onUnhandledFrame: 'error' } =
  {
    onUnhandledRequest: 'error',
    onUnhandledFrame: 'error',
  }

/**
 * Creates the MSW handlers of a sandbox, for MSW 2 and MSW 3. They answer every method on every path of the contract. MSW
 * handles all other requests. Throws a UsageError for a base URL that is not an http or https URL, a path or a pattern, and for
 * a sandbox that another copy of the package created.
 *
 * @example
 * const server = setupServer(...toHandlers(createSandbox(), { baseUrl: 'https://api.example.com/v1' }))
 */
export function toHandlers(sandbox: World, options: HandlerOptions = {}): HttpHandler[] {
  requireOwnSandbox('make handlers', sandbox)
  refuseUnknown('toHandlers', options, ['baseUrl'])
  const { baseUrl } = options

  return baseUrl === undefined
    ? handlersAtEveryOrigin(sandbox)
    : handlersAt(sandbox, readBaseUrls([baseUrl].flat()))
}

/** The handlers of a sandbox without options. A page that uses no others does not load what reads base URLs. */
export function handlersAtEveryOrigin(sandbox: World): HttpHandler[] {
  return handlersAt(sandbox, [everyOrigin(basePathsOf(sandbox.contract))])
}

function handlersAt(sandbox: World, bases: readonly BaseUrl[]): HttpHandler[] {
  const router = routerOf(sandbox)
  const handler = http.all(
    ({ request }) => mountOf(router, request, bases) !== undefined,
    ({ request }) => resolve(router, request, bases),
  )
  // MSW prints this header in its log. The default is the same for every predicate.
  handler.info.header = bases.map(({ text }) => `${text}/*`).join(', ')

  return [handler]
}

/** The mount of a request; `undefined` when the contract does not have the path. */
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
    // MSW rejects an aborted request itself, and would print this error as an error of the handler.
    if (request.signal.aborted) return Response.error()
    throw error
  })
}
