import type { Router } from '../contract/router.ts'

/** Longer addresses, as `data:` ones, are no requests to an API. */
const LONGEST_URL = 65_536

/** In so many places of an address the base path is looked for. */
const MOST_PLACES = 16

/**
 * The part of an address below the base path, wherever a proxy or a world has put that. A sandbox archives what it was asked
 * alone, with paths that it does not know; of others, with `routes`, only the paths of operations count.
 */
export function pathBelowBase(
  basePath: string,
  url: string,
  routes: Router | undefined,
): [path?: string, query?: string] {
  if (url.length > LONGEST_URL || !URL.canParse(url)) return []
  const { pathname, search } = new URL(url)
  let at = pathname.indexOf(`${basePath}/`)
  for (let tried = 0; at !== -1 && tried < MOST_PLACES; tried += 1) {
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
