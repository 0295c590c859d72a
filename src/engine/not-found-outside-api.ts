import type { Contract } from '../contract/contract.ts'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { problems } from '../http/problem.ts'
import { chooseWorld } from '../http/world-path.ts'

/**
 * The base path to suggest for a path outside the API: that of the world in the path. When the API is at `/v1`, `/worlds/v1/pets`
 * does not name a world: URL parsers make it of `/worlds/./v1/pets`.
 */
export function nearestBasePath(
  { basePath }: Pick<Contract, 'basePath'>,
  pathname: string,
): string {
  if (pathBelow(`/worlds${basePath}`, pathname) !== undefined) return basePath
  const { name, prefix } = chooseWorld(pathname)

  return (name === undefined ? '' : prefix) + basePath
}

/** The 404 for an address outside the API. It says where the API is. `crossOrigin` are the headers of CORS. */
export function notFoundOutsideApi(
  { basePath, operations, title }: Contract,
  origin: string,
  pathname: string,
  crossOrigin: CoreResponse['headers'],
): CoreResponse {
  const paths = operations.map(({ method, path }) => `${method} ${basePath}${path}`).join(', ')

  return problems
    .notFound(`There is nothing at ${pathname}. The ${title} is at ${origin}${basePath}: ${paths}.`)
    .with(crossOrigin)
    .toResponse()
}
