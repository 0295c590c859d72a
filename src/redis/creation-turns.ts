import type { RecordChanges } from '../records/stored-records.ts'

/** What a collection was left with by the latest creation of this instance. */
interface Latest {
  readonly sequence: number
  readonly ids: number
}

/** The turn of a creation. */
export interface CreationTurn {
  /** The state of the ids that an earlier turn left since `sequence`; absent when there was none. */
  readonly ids?: number
  /** Ends the turn. `ids` is the state that it leaves, if it created something. */
  readonly end: (ids?: number) => void
}

/** How many collections are remembered. */
const MAX_COLLECTIONS = 1000

/**
 * Lets the creations of this instance in a collection take turns, because each changes the state of the ids. Nothing depends on it but
 * speed: creations at the same time would conflict, as those of other instances do.
 */
export class CreationTurns {
  readonly #waiting = new Map<string, Promise<void>>()
  readonly #latest = new Map<string, Latest>()
  #sequence = 0

  /** Counts the creations of this instance. */
  get sequence(): number {
    return this.#sequence
  }

  /** Waits for the turn. `since` is the sequence when the creation began to read. */
  async take(collection: string, since: number): Promise<CreationTurn> {
    const before = this.#waiting.get(collection)
    let resolve = (): void => undefined
    const turn = new Promise<void>((end) => {
      resolve = end
    })
    this.#waiting.set(collection, turn)
    await before
    const latest = this.#latest.get(collection)

    return {
      ...(latest && latest.sequence > since && { ids: latest.ids }),
      end: (ids) => {
        if (ids !== undefined) this.#leave(collection, ids)
        if (this.#waiting.get(collection) === turn) this.#waiting.delete(collection)
        resolve()
      },
    }
  }

  #leave(collection: string, ids: number): void {
    this.#sequence += 1
    this.#latest.delete(collection)
    this.#latest.set(collection, { sequence: this.#sequence, ids })
    const [oldest = collection] = this.#latest.keys()
    if (this.#latest.size > MAX_COLLECTIONS) this.#latest.delete(oldest)
  }
}

/** Takes the turn of each collection, always in the same order, so that no two requests wait for each other. */
export async function takeTurns(
  ids: NonNullable<RecordChanges['ids']>,
  world: string,
  since: number,
  turns: CreationTurns,
): Promise<readonly CreationTurn[]> {
  const names = ids.map(({ collection }) => collection)
  const taken = new Map<string, CreationTurn>()
  for (const name of [...names].sort()) taken.set(name, await turns.take(`${world} ${name}`, since))

  return names.flatMap((name) => taken.get(name) ?? [])
}
