import type { Contract } from '../contract/contract.ts'
import { listOperations } from '../contract/operation-list.ts'
import { pathBelow } from '../http/message.ts'
import type { WorldRouter } from '../sandbox/router.ts'
import type { BaseUrl } from './msw-base-url.ts'

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
export function describeUnhandled(request: Request, missed: readonly Handlers[]): string {
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
