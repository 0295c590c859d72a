import type { Location, Router } from '../contract/router.ts'
import { chooseWorld } from '../http/paths.ts'

/** A longer URL, such as a `data:` URL, is not a request to an API. */
const MAX_URL_LENGTH = 65_536

/** The maximum number of occurrences of a base path that are tried. */
const MAX_OCCURRENCES = 16

/** The part of a URL below a base path. */
export interface PathBelowBase extends Pick<Location, 'path' | 'serverPath'> {
  readonly query: string
}

/**
 * The path and query of a URL relative to a base path; `undefined` for a request to something else. A proxy or a world can put
 * a prefix before the base path. Only paths of operations are accepted, except from archives of a sandbox: they have only
 * requests to it.
 */
export function pathBelowBase(
  routes: Router,
  url: string,
  isOfSandbox: boolean,
): PathBelowBase | undefined {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return undefined
  const { pathname, search } = new URL(url)
  const located = isOfSandbox ? routes.locate(chooseWorld(pathname).rest) : undefined
  const location = located ?? findBelowPrefix(routes, pathname, isOfSandbox)
  if (!location) return undefined

  return { path: location.path, serverPath: location.serverPath, query: search.slice(1) }
}

/** Looks for each base path anywhere in a path. */
function findBelowPrefix(
  routes: Router,
  pathname: string,
  acceptsAll: boolean,
): Location | undefined {
  for (const { basePath, serverPath } of routes.bases) {
    let at = pathname.indexOf(`${basePath}/`)
    for (let tried = 0; at !== -1 && tried < MAX_OCCURRENCES; tried += 1) {
      const path = pathname.slice(at + basePath.length)
      if (acceptsAll || routes.hasRoute(path, serverPath)) return { basePath, path, serverPath }
      at = pathname.indexOf(`${basePath}/`, at + 1)
    }
  }
  return undefined
}
