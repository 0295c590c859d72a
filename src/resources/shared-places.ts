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

/** Reads from the records above a collection where it is, as `NestedCollections` does in memory. */
export class SharedPlaces {
  readonly #transaction: Transaction
  readonly #resources: () => readonly Resource[]
  /** Whether a collection below a removed record was used since. */
  readonly #wasUsed: (path: string, generation: number) => Promise<boolean>

  constructor(
    transaction: Transaction,
    resources: () => readonly Resource[],
    wasUsed: (path: string, generation: number) => Promise<boolean>,
  ) {
    this.#transaction = transaction
    this.#resources = resources
    this.#wasUsed = wasUsed
  }

  async find(resource: Resource, path: string): Promise<Place> {
    let generation = 0
    let isGone = false
    for (const { above, id } of this.#parentsOf(resource, path)) {
      if (isGone && (await this.#wasUsed(above, generation))) isGone = false
      const own = await this.#generation(above, generation, id)
      generation += own
      if (own % 2 === 1) isGone = true
    }
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
