/** What the index needs to know of a route. */
export interface IndexedRoute {
  /** The path template with its literal text as requests spell it, and {@link ANY} in place of each parameter. */
  readonly shape: string
  /** Whether a path fits the template. */
  readonly fits: (path: string) => boolean
}

/** Stands for a parameter in a shape. No request has this character in its path. */
export const ANY = '\uffff'

/** A route, and its place in the order of precedence. */
interface Ranked<Route> {
  readonly route: Route
  readonly rank: number
}

/** The literal text around the parameters of a segment, as the `v` and `.json` of `v{version}.json`: how long it is. */
interface Frame {
  readonly before: number
  readonly after: number
}

/**
 * Templated routes as a tree of their segments: finding one takes a few look-ups for each segment of the path, however many
 * routes there are. Of several that fit, the first in the order of precedence is found.
 */
export class RouteIndex<Route extends IndexedRoute> {
  readonly #root = new Branch<Route>()

  /** The routes come in the order of precedence. */
  constructor(routes: readonly Route[]) {
    for (const [rank, route] of routes.entries()) {
      this.#root.grow(route.shape.split('/')).push({ route, rank })
    }
  }

  find(path: string): Route | undefined {
    const found = this.#root.find(path.split('/'), 0, path)
    return found?.route
  }
}

class Branch<Route extends IndexedRoute> {
  readonly #leaves: Ranked<Route>[] = []
  readonly #literal = new Map<string, Branch<Route>>()
  /** By the literal text of the segment, with {@link ANY} between what is before and after its parameters. */
  readonly #framed = new Map<string, Branch<Route>>()
  readonly #frames: Frame[] = []

  /** The leaves of the branch at the end of these segments, which is made unless it is there. */
  grow([segment, ...rest]: readonly string[]): Ranked<Route>[] {
    if (segment === undefined) return this.#leaves
    const parts = segment.split(ANY)
    const [before = ''] = parts
    if (parts.length === 1) return branchOf(this.#literal, segment).grow(rest)
    const after = parts.at(-1) ?? ''
    const isNew = this.#frames.every(
      (frame) => frame.before !== before.length || frame.after !== after.length,
    )
    if (isNew) this.#frames.push({ before: before.length, after: after.length })

    return branchOf(this.#framed, before + ANY + after).grow(rest)
  }

  /** The first route in the order of precedence below this branch that fits the segments from `at` on. */
  find(segments: readonly string[], at: number, path: string): Ranked<Route> | undefined {
    const segment = segments[at]
    if (segment === undefined) return this.#leaves.find(({ route }) => route.fits(path))
    let best = this.#literal.get(segment)?.find(segments, at + 1, path)
    for (const { before, after } of this.#frames) {
      if (segment.length <= before + after) continue
      const text = segment.slice(0, before) + ANY + segment.slice(segment.length - after)
      const found = this.#framed.get(text)?.find(segments, at + 1, path)
      if (found && (!best || found.rank < best.rank)) best = found
    }
    return best
  }
}

function branchOf<Route extends IndexedRoute>(
  branches: Map<string, Branch<Route>>,
  text: string,
): Branch<Route> {
  const branch = branches.get(text) ?? new Branch<Route>()
  branches.set(text, branch)
  return branch
}
