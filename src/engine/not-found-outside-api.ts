import type { Contract } from '../contract/contract.ts'
import { listOperations } from '../contract/operation-list.ts'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { chooseWorld } from '../http/world-path.ts'
import type { Service } from './service.ts'

/**
 * The start of a path outside the API that names a world; empty when it names none. When the API is at `/v1`, `/worlds/v1/pets`
 * does not name a world: URL parsers make it of `/worlds/./v1/pets`.
 */
export function worldPrefixOf({ basePath }: Pick<Contract, 'basePath'>, pathname: string): string {
  if (pathBelow(`/worlds${basePath}`, pathname) !== undefined) return ''
  const { name, prefix } = chooseWorld(pathname)

  return name === undefined ? '' : prefix
}

/** A list with so many characters is shown completely, so that it names the address. */
const SHORT_LIST = 300

/**
 * The 404 for an address outside the API. It says where the API is, and where it has the path. `prefix` is the start of the
 * path that chooses a world; `crossOrigin` are the headers of CORS.
 */
export function notFoundOutsideApi(
  { settings, router }: Pick<Service, 'settings' | 'router'>,
  origin: string,
  pathname: string,
  crossOrigin: CoreResponse['headers'],
  prefix = '',
): CoreResponse {
  const { title, basePath, operations } = settings.contract
  const listing = listOperations(
    operations,
    ({ path, basePaths: [own = basePath] = [] }) => prefix + own + path,
  )
  const address = router.addressOf(pathname.slice(prefix.length))
  const suggestion =
    address && listing.length > SHORT_LIST ? ` Did you mean ${prefix}${address}?` : ''

  return problems
    .notFound(
      `There is nothing at ${pathname}.${suggestion} The ${title} is at ${origin}${prefix}${basePath}: ${listing}.`,
    )
    .with(crossOrigin)
    .toResponse()
}
