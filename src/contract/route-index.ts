/** The part of a route that the index uses. */
export interface IndexedRoute {
  /** The path template with percent-encoded literal text, and {@link ANY} in place of each parameter. */
  readonly template: string
  /** Whether a path matches the template. */
  readonly matches: (path: string) => boolean
}

/** Replaces a parameter in a template. No request has this character in its path. */
export const ANY = '\uffff'

/** A route, and its position in the order of precedence. */
interface RankedRoute<Route> {
  readonly route: Route
  readonly rank: number
}

/** The lengths of the literal text around the parameters of a segment, such as `v` and `.json` of `v{version}.json`. */
type AffixLengths = readonly [prefix: number, suffix: number]

/**
 * Routes with parameters as a tree of their segments. Finding a route takes a few lookups for each segment of the path, however
 * many routes there are. Of several matching routes, it finds the first in the order of precedence.
 */
export class RouteIndex<Route extends IndexedRoute> {
  readonly #root = new Branch<Route>()

  /** The routes are in the order of precedence. */
  constructor(routes: readonly Route[]) {
    for (const [rank, route] of routes.entries()) {
      let branch = this.#root
      for (const segment of route.template.split('/')) branch = branch.at(segment)
      branch.leaves.push({ route, rank })
    }
  }

  find(path: string): Route | undefined {
    const found = this.#root.find(path.split('/'), 0, path)
    return found?.route
  }
}

class Branch<Route extends IndexedRoute> {
  /** The routes that end here. */
  readonly leaves: RankedRoute<Route>[] = []
  readonly #literal = new Map<string, Branch<Route>>()
  /** By the prefix and suffix of the segment, with {@link ANY} between them. */
  readonly #templated = new Map<string, Branch<Route>>()
  /** By their text, so that each is there once. */
  readonly #affixes = new Map<string, AffixLengths>()

  /** The branch of a segment of a template. Creates a missing one. */
  at(segment: string): Branch<Route> {
    const parts = segment.split(ANY)
    if (parts.length === 1) return getOrCreate(this.#literal, segment)
    const prefix = parts[0] ?? ''
    const suffix = parts.at(-1) ?? ''
    const lengths: AffixLengths = [prefix.length, suffix.length]
    this.#affixes.set(lengths.join(), lengths)

    return getOrCreate(this.#templated, prefix + ANY + suffix)
  }

  /** The first route in the order of precedence below this branch that matches the segments from `index` on. */
  find(segments: readonly string[], index: number, path: string): RankedRoute<Route> | undefined {
    const segment = segments[index]
    if (segment === undefined) return this.leaves.find(({ route }) => route.matches(path))
    let best = this.#literal.get(segment)?.find(segments, index + 1, path)
    for (const [prefixLength, suffixLength] of this.#affixes.values()) {
      if (segment.length <= prefixLength + suffixLength) continue
      const prefix = segment.slice(0, prefixLength)
      const suffix = segment.slice(segment.length - suffixLength)
      const found = this.#templated.get(prefix + ANY + suffix)?.find(segments, index + 1, path)
      if (found && (!best || found.rank < best.rank)) best = found
    }
    return best
  }
}

function getOrCreate<Route extends IndexedRoute>(
  branches: Map<string, Branch<Route>>,
  key: string,
): Branch<Route> {
  const branch = branches.get(key) ?? new Branch<Route>()
  branches.set(key, branch)
  return branch
}
