import { collectionPath } from '../collection-name.ts'
import type { Resource } from '../resource.ts'
import type {
  Collections,
  CollectionsAttempt,
  EmptiedRecords,
  OpenedCollection,
} from './collections.ts'
import { MemoryCollections, type Place } from './memory-collections.ts'
import type { Records, RecordsState } from './records.ts'

/** Begins changes of collections that are made as one. */
export function beginIn(collections: Collections): CollectionsAttempt {
  if (collections instanceof MemoryCollections) return new AttemptedCollections(collections)
  if (collections.begin) return collections.begin()
  throw new TypeError('These collections have no transaction')
}

/** What a collection of an attempt was at first. */
interface Start {
  readonly place: Place
  /** The collection that it is a fork of, and its state then; absent for one that only the attempt has opened. */
  readonly origin?: Records
  readonly at?: RecordsState
  /** The state of the fork. */
  readonly own: RecordsState
}

/**
 * Collections in memory with changes that nobody else sees. Each collection is a fork of that of the base, from its first use on. The
 * changes are made at once, unless others have changed a collection that was used.
 */
class AttemptedCollections extends MemoryCollections implements CollectionsAttempt {
  readonly #base: MemoryCollections
  readonly #starts = new Map<Records, Start>()

  constructor(base: MemoryCollections) {
    super()
    this.#base = base
  }

  get collections(): this {
    return this
  }

  override opened(isWanted?: (resource: Resource) => boolean): readonly OpenedCollection[] {
    for (const { records, generation } of this.#base.opened(isWanted))
      this.at(collectionPath(records), generation)
    return super.opened(isWanted)
  }

  override at(path: string, generation: number): OpenedCollection | undefined {
    const known = super.at(path, generation)
    if (known) return known
    const found = this.#base.at(path, generation)
    if (!found) return undefined
    const opened = { ...found, ...this.#fork(found, { path, generation, isEmpty: false }) }
    super.keep(path, opened)
    return opened
  }

  override unchangedAt(place: Place): EmptiedRecords | undefined {
    const known = super.unchangedAt(place)
    if (known) return known
    const found = this.#base.unchangedAt(place)
    if (!found) return undefined
    const opened = { ...found, ...this.#fork(found, place) }
    this.keepOnChange(place, opened)
    return opened
  }

  override keep(path: string, opened: OpenedCollection): void {
    const { records, generation } = opened
    if (!this.#starts.has(records)) {
      const place = { path, generation, isEmpty: false }
      this.#starts.set(records, { place, own: records.state() })
    }
    super.keep(path, opened)
  }

  #fork({ records: origin }: EmptiedRecords, place: Place): Pick<EmptiedRecords, 'records'> {
    const records = origin.fork()
    this.#starts.set(records, { place, origin, at: origin.state(), own: records.state() })
    return { records }
  }

  readonly commit: CollectionsAttempt['commit'] = async () => {
    const used = [...this.#starts]
    const changed = used.filter(([records, { own }]) => !records.isAt(own))
    if (changed.length === 0) return async () => undefined
    const origins = new Set(used.flatMap(([, { origin }]) => origin ?? []))

    return whileHeld(origins, () => {
      if (!used.every(([, start]) => this.#isPresent(start))) return undefined
      const undos = changed.map(([records, start]) => this.#adopt(records, start))
      return () =>
        whileHeld(origins, () => {
          for (const undo of undos) undo()
        })
    })
  }

  abort(): void {
    this.#starts.clear()
  }

  /** Whether nobody has changed a collection, or opened one that only the attempt has. */
  #isPresent({ place, origin, at }: Start): boolean {
    if (origin) return at !== undefined && origin.isAt(at)
    const { path, generation } = place
    const places = [true, false].map((isEmpty) => ({ path, generation, isEmpty }))
    return places.every((one) => this.#base.known(one) === undefined)
  }

  #adopt(records: Records, { place, origin, at }: Start): () => void {
    const { path, generation } = place
    if (!origin || !at) {
      const opened = this.at(path, generation)
      if (opened?.records === records) this.#base.keep(path, opened)
      return () => this.#base.drop(path, records)
    }
    const adopted = records.state()
    origin.adopt(adopted)
    return () => {
      // A later change stays.
      if (origin.isAt(adopted)) origin.adopt(at)
    }
  }
}

/** Calls `act` when no collection has a write in progress. Those that come meanwhile wait. */
async function whileHeld<Result>(
  collections: ReadonlySet<Records>,
  act: () => Result,
): Promise<Result> {
  const releases = await Promise.all([...collections].map((records) => records.hold()))
  try {
    return act()
  } finally {
    for (const release of releases) release()
  }
}
