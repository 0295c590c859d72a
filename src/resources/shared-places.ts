import { decodeComponent } from '../contract/parse-text.ts'
import type { Transaction } from '../records/transaction.ts'
import { storedName } from './first-state.ts'
import type { Resource } from './resource.ts'

/** What the parents of a collection say about it. */
export interface Place {
  /** How often they were removed and created again. */
  readonly generation: number
  /** Whether one is removed, and nothing was created below it since. */
  readonly isGone: boolean
}

/** How many collections are remembered. */
const MAX_GUESSES = 1000

/**
 * The generations of collections that were removed with their parents, as this server saw them last. With them, a request can read
 * from a collection before it has read its parents.
 */
export class SeenGenerations {
  readonly #seen = new Map<string, number>()

  of(path: string): number {
    return this.#seen.get(path) ?? 0
  }

  note(path: string, generation: number): void {
    if (generation === 0 && !this.#seen.has(path)) return
    this.#seen.delete(path)
    if (generation > 0) this.#seen.set(path, generation)
    const [oldest = path] = this.#seen.keys()
    if (this.#seen.size > MAX_GUESSES) this.#seen.delete(oldest)
  }
}

/** Reads from the records above a collection where it is, as `NestedCollections` does in memory. */
export class SharedPlaces {
  readonly #transaction: Transaction
  readonly #resources: () => readonly Resource[]
  readonly #seen: SeenGenerations
  /** Whether a collection below a removed record was used since. */
  readonly #wasUsed: (path: string, generation: number) => Promise<boolean>

  constructor(
    transaction: Transaction,
    resources: () => readonly Resource[],
    seen: SeenGenerations,
    wasUsed: (path: string, generation: number) => Promise<boolean>,
  ) {
    this.#transaction = transaction
    this.#resources = resources
    this.#seen = seen
    this.#wasUsed = wasUsed
  }

  /** A guess at the place of a collection. What tells the real one is under way then. */
  guess(resource: Resource, path: string): Place {
    for (const { above, id } of this.#parentsOf(resource, path)) {
      this.#generation(above, this.#seen.of(above), id).catch(() => undefined)
    }
    return { generation: this.#seen.of(path), isGone: false }
  }

  async find(resource: Resource, path: string): Promise<Place> {
    this.guess(resource, path)
    let generation = 0
    let isGone = false
    for (const { above, id } of this.#parentsOf(resource, path)) {
      this.#seen.note(above, generation)
      if (isGone && (await this.#wasUsed(above, generation))) isGone = false
      const own = await this.#generation(above, generation, id)
      generation += own
      if (own % 2 === 1) isGone = true
    }
    this.#seen.note(path, generation)
    if (isGone && (await this.#wasUsed(path, generation))) isGone = false

    return { generation, isGone }
  }

  #generation(path: string, generation: number, id: string): Promise<number> {
    return this.#transaction.generation(storedName(path, generation), id)
  }

  /** The collections above a path, with the ids that the path has in them. */
  #parentsOf(resource: Resource, path: string): readonly { above: string; id: string }[] {
    const segments = path.split('/')
    return parentLengths(resource, this.#resources).map((length) => ({
      above: segments.slice(0, length).join('/'),
      id: decodeComponent(segments[length] ?? ''),
    }))
  }
}

const known = new WeakMap<Resource, readonly number[]>()

/** The numbers of segments after which the path of a resource is that of another collection. */
function parentLengths(
  resource: Resource,
  resources: () => readonly Resource[],
): readonly number[] {
  const made = known.get(resource)
  if (made) return made
  const own = resource.path.slice(1).split('/')
  const fits = ({ path }: Resource): number | [] => {
    const other = path.slice(1).split('/')
    const isAbove =
      other.length < own.length &&
      other.every((part, at) => part === own[at] || part.includes('{') || own[at]?.includes('{'))
    return isAbove ? other.length : []
  }
  const lengths = [...new Set(resources().flatMap(fits))].sort((one, other) => one - other)
  known.set(resource, lengths)
  return lengths
}
