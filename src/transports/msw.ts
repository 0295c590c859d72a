import { type HttpHandler, http, isCommonAssetRequest } from 'msw'
import { allBasePaths } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import { listOperations } from '../contract/operation-list.ts'
import { pathBelow } from '../http/message.ts'
import { chooseWorld } from '../http/paths.ts'
import { toCoreRequest, toResponse } from '../sandbox/fetch.ts'
import { type Mount, routerOf, type WorldRouter } from '../sandbox/router.ts'
import { createSandbox, requireOwnSandbox, type ShippedSandbox } from '../sandbox/sandbox.ts'
import type { World } from '../sandbox/world.ts'
import { realNow } from '../time/clock.ts'
import { isObject } from '../validation/objects.ts'
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

/** What MSW 2 and MSW 3 print about an unhandled request or frame. */
interface Print {
  readonly error: () => void
}

/**
 * Options for MSW 2 and MSW 3. A request that no handler answers fails, unless it is for a common asset such as an image. The
 * console shows the addresses that the handlers answer, and the nearest operations.
 */
export const strict: {
  readonly onUnhandledRequest: (request: Request, print: Print) => Promise<void>
  readonly onUnhandledFrame: (unhandled: {
    readonly frame: { readonly data: unknown }
    readonly defaults: Print
  }) => Promise<void>
} = {
  onUnhandledRequest: refuse,
  onUnhandledFrame: ({ frame, defaults }) => refuse(requestOf(frame.data), defaults),
}

/** Rejects with what makes MSW fail a request, or a connection, for which there is no request or one that upgrades. */
async function refuse(request: Request | undefined, print: Print): Promise<void> {
  if (!request || request.headers.get('upgrade') === 'websocket') {
    print.error()
    throw new Error('No handler answers this connection, and the option strict refuses it.')
  }
  if (isCommonAssetRequest(request)) return
  print.error()
  console.error(describeUnhandled(request, missed.get(request) ?? []))
  // MSW answers any other error with a 500, which a client may take for a response of the service.
  throw Response.error()
}

/** The request of a frame; `undefined` for a connection. */
function requestOf(data: unknown): Request | undefined {
  const request = isObject(data) ? data.request : undefined
  return isRequest(request) ? request : undefined
}

function isRequest(value: unknown): value is Request {
  return isObject(value) && 'url' in value && 'headers' in value
}

/** The handlers that did not answer a request, until MSW asks what to do with it. */
const missed = new WeakMap<Request, readonly Handlers[]>()

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

/** The handlers of a sandbox without options. */
function handlersAtEveryOrigin(sandbox: World): HttpHandler[] {
  return handlersAt(sandbox, [everyOrigin(allBasePaths(sandbox.contract))])
}

function handlersAt(sandbox: World, bases: readonly BaseUrl[]): HttpHandler[] {
  const router = routerOf(sandbox)
  const handlers: Handlers = { contract: sandbox.contract, router, bases }
  const handler = http.all(
    ({ request }) => {
      if (mountOf(router, request, bases)) return true
      missed.set(request, [...(missed.get(request) ?? []), handlers])
      return false
    },
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
  // Sign-in is at its addresses in the document, and at each origin that the handlers answer.
  const documented = router.endpointPath(origin, pathname)
  if (documented ?? bases.some((base) => base.basePaths(origin, pathname).length > 0)) {
    const mount = router.resolveMount(documented ?? pathname, header)
    if (mount?.endpoint) return mount
  }
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

  const given = toCoreRequest(request, mount)
  const response = await mount.answer(
    isFromWorker() ? { ...given, delivery: { received: realNow() } } : given,
  )
  return toResponse(response, request).catch((error: unknown) => {
    // MSW rejects an aborted request itself, and would print this error as an error of the handler.
    if (request.signal.aborted) return Response.error()
    throw error
  })
}

/** Whether requests come from a Service Worker, which passes them on after they were sent. */
function isFromWorker(): boolean {
  const { navigator } = globalThis
  return Boolean(navigator && 'serviceWorker' in navigator && navigator.serviceWorker.controller)
}

/** A sandbox of the shipped contract, ready to use. */
export const sandbox: ShippedSandbox = /* @__PURE__ */ createSandbox()

/** The handlers of {@link sandbox}. They answer every origin below `/v1`. */
export const handlers: HttpHandler[] = /* @__PURE__ */ handlersAtEveryOrigin(sandbox)

/** The handlers that one call made, and what they answer. */
export interface Handlers {
  readonly contract: Pick<Contract, 'basePath' | 'operations'>
  readonly router: WorldRouter
  readonly bases: readonly BaseUrl[]
}

/**
 * Why none of these handlers answers a request: the addresses that they answer, and the base URL below which they would have the
 * path, or the nearest operations. Loaded only for such a request.
 */
function describeUnhandled(request: Request, missed: readonly Handlers[]): string {
  const { origin, pathname } = new URL(request.url)
  const subject = `pet-sandbox does not answer ${request.method} ${origin}${pathname}.`
  if (missed.length === 0) {
    return `${subject} MSW has no handlers of pet-sandbox: give them to setupServer() or setupWorker().`
  }
  return [subject, ...missed.map((handlers) => describeHandlers(handlers, request))].join(' ')
}

function describeHandlers(handlers: Handlers, request: Request): string {
  const { contract, bases } = handlers
  const { origin, pathname } = new URL(request.url)
  const served = `Its handlers answer ${bases.map(({ text }) => `${text}/*`).join(', ')}.`
  const base = baseOf(handlers, request)
  if (base !== undefined) {
    return `${served} The contract has the path ${pathname.slice(base.length)}: set the option baseUrl to "${origin}${base}".`
  }
  const basePath = bases
    .flatMap((one) => one.basePaths(origin, pathname))
    .concat(undefined)
    .map((one) => one ?? contract.basePath)
    .find((one) => pathBelow(one, pathname) !== undefined)

  return `${served} ${listOperations(contract.operations, pathname.slice(basePath?.length ?? 0))}`
}

/** The shortest start of the path below which the contract has the rest of it. */
function baseOf({ router }: Handlers, request: Request): string | undefined {
  const { pathname } = new URL(request.url)
  const header = (name: string): string | undefined => request.headers.get(name) ?? undefined
  for (let end = 0; end !== -1; end = pathname.indexOf('/', end + 1)) {
    const base = pathname.slice(0, end)
    if (router.resolveMount(pathname, header, base)?.exists()) return base
  }
  return undefined
}
