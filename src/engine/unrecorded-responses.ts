import type { Contract } from '../contract/contract.ts'
import { listOperations } from '../contract/operation-list.ts'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { chooseWorld } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import { withBrowserPolicy, withCommonHeaders } from '../http/response-headers.ts'
import { Clock } from '../time/clock.ts'
import { documentedError } from './documented-error.ts'
import type { Service } from './service.ts'
import type { WorldState } from './world-state.ts'

// What is answered without an exchange in a journal.

/**
 * The start of a path outside the API that names a world; empty when it names none. When the API is at `/v1`, `/worlds/v1/pets`
 * does not name a world: URL parsers make it of `/worlds/./v1/pets`.
 */
export function worldPrefixOf({ basePath }: Pick<Contract, 'basePath'>, pathname: string): string {
  if (pathBelow(`/worlds${basePath}`, pathname) !== undefined) return ''
  const { name, prefix } = chooseWorld(pathname)

  return name === undefined ? '' : prefix
}

/** A request for an address outside the API. */
interface StrayRequest {
  readonly origin: string
  readonly pathname: string
  /** The `Origin` of the page that sent it. */
  readonly pageOrigin?: string | undefined
  /** The start of the path that chooses a world; default: none. */
  readonly prefix?: string
}

/** The 404 for an address outside the API. It says where the API is, and where it has the path. */
export async function notFoundOutsideApi(
  service: Service,
  { origin, pathname, pageOrigin, prefix = '' }: StrayRequest,
): Promise<CoreResponse> {
  const { settings, router, crossOrigin } = service
  const { title, basePath, operations } = settings.contract
  const listing = listOperations(operations, pathname, {
    addressOf: ({ path, basePaths: [own = basePath] = [] }) => prefix + own + path,
  })
  const address = router.addressOf(pathname.slice(prefix.length))
  const suggestion = address ? ` Did you mean ${prefix}${address}?` : ''
  const problem = problems
    .notFound(
      `There is nothing at ${pathname}.${suggestion} The API "${title}" is at ${origin}${prefix}${basePath}. ${listing}`,
    )
    .with(crossOrigin.headers(pageOrigin))

  // The clock of the machine, because the address belongs to no world.
  return withBrowserPolicy(await documentedError(problem, { now: new Clock().now() }, service))
}

/**
 * The response to a request that a transport could not read, or that failed: the problem, with the quota headers of a caller
 * without a key. `origin` is the request's `Origin`, where that could be read.
 */
export async function rejectUnparsed(
  problem: Problem,
  { clock, keys, limits, service }: WorldState,
  origin?: string,
): Promise<CoreResponse> {
  const now = clock.now()
  const rateLimit =
    limits.count(keys.callers.by(undefined), now) ?? service.access.declaredRate?.(now)
  const crossOrigin = service.crossOrigin.headers(origin)
  const response = await documentedError(problem, { now }, service)

  return withCommonHeaders(response, rateLimit, now, crossOrigin, service.access.writeQuota)
}
