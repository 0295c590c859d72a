import { pathBelow } from '../http/message.ts'

/** Finds the base paths that a path is below. Takes one look-up for each segment, however many base paths there are. */
export class BasePathIndex {
  readonly #basePaths: ReadonlySet<string>
  /** The most slashes that a base path has. */
  readonly #depth: number

  constructor(basePaths: Iterable<string>) {
    this.#basePaths = new Set(basePaths)
    const depths = [...this.#basePaths].map((basePath) => basePath.split('/').length - 1)
    this.#depth = depths.reduce((most, depth) => Math.max(most, depth), 0)
  }

  get longestFirst(): readonly string[] {
    return [...this.#basePaths].sort((one, other) => other.length - one.length)
  }

  /** The base paths that a path is below, the longest first. */
  above(pathname: string): string[] {
    const [only] = this.#basePaths
    if (only !== undefined && this.#basePaths.size === 1) {
      return pathBelow(only, pathname) === undefined ? [] : [only]
    }
    const found: string[] = []
    let end = pathname === '' || pathname.startsWith('/') ? 0 : -1
    for (let depth = 0; depth <= this.#depth && end !== -1; depth += 1) {
      if (this.#basePaths.has(pathname.slice(0, end))) found.unshift(pathname.slice(0, end))
      if (end === pathname.length) break
      const slash = pathname.indexOf('/', end + 1)
      end = slash === -1 ? pathname.length : slash
    }
    return found
  }
}
