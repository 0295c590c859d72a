import type { Router } from '../contract/router.ts'

/** A longer URL, such as a `data:` URL, is not a request to an API. */
const MAX_URL_LENGTH = 65_536

/** The maximum number of occurrences of the base path that are tried. */
const MAX_OCCURRENCES = 16

/**
 * The path and query of a URL relative to the base path. A proxy or a world can put a prefix before the base path. With
 * `routes`, only paths of operations are accepted. Archives of a sandbox need no `routes`: they have only requests to it.
 */
export function pathBelowBase(
  basePath: string,
  url: string,
  routes: Router | undefined,
): [path?: string, query?: string] {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return []
  const { pathname, search } = new URL(url)
  let at = pathname.indexOf(`${basePath}/`)
  for (let tried = 0; at !== -1 && tried < MAX_OCCURRENCES; tried += 1) {
    const path = pathname.slice(at + basePath.length)
    if (!routes || hasPath(routes, path)) return [path, search.slice(1)]
    at = pathname.indexOf(`${basePath}/`, at + 1)
  }
  return []
}

function hasPath(routes: Router, path: string): boolean {
  try {
    routes.allowedMethods(path)
    return true
  } catch {
    return false
  }
}
