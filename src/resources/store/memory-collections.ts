import type { Awaitable } from '../../records/awaitable.ts'
import { collectionPath, hasParents } from '../collection-name.ts'
import type { Resource } from '../resource.ts'
import { wasUsed } from './below-removed.ts'
import {
  ancestryOf,
  type CollectionPlace,
  type Collections,
  type EmptiedRecords,
  type OpenedCollection,
} from './collections.ts'
import { RecentCollections } from './recent-collections.ts'
import type { Ancestor, Records } from './records.ts'

/**
 * Collections in memory. One below records that was only read is as it would be created again. So it is kept only while it is used
 * often, and nothing else depends on whether it was read.
 */
export class MemoryCollections implements Collections {
  /** By their paths: of the latest generation, and of the one before the latest change of the parents, which may be undone. */
  readonly #kept: Map<string, readonly OpenedCollection[]>
  /** Those below records that were only read, by their generation and path. */
  readonly #unchanged = new RecentCollections<EmptiedRecords>()
  readonly #opening = new Map<string, Promise<EmptiedRecords>>()

  constructor(kept: Iterable<readonly [path: string, readonly OpenedCollection[]]> = []) {
    this.#kept = new Map(kept)
  }

  /** Adds a collection, such as that of a snapshot. Those of its parents must be there. */
  async add(records: Records): Promise<void> {
    const path = collectionPath(records)
    const { generation } = await ancestryOf(records.resource, path, this)
    this.keep(path, { records, generation })
  }

  opened(isWanted?: (resource: Resource) => boolean): readonly OpenedCollection[] {
    const all = [...this.#kept.values()].flat()
    return isWanted ? all.filter(({ records }) => isWanted(records.resource)) : all
  }

  endsAbove(): undefined {
    return undefined
  }

  ancestor(path: string, generation: number, id: string): Awaitable<Ancestor | undefined> {
    // What is only read has no part in generations, but its records may say how many are below them.
    const known =
      this.known({ path, generation, isEmpty: false }) ??
      this.known({ path, generation, isEmpty: true })
    return known?.ancestor(id)
  }

  wasUsed(path: string, generation: number): Awaitable<boolean> {
    const kept = this.at(path, generation)
    return kept ? wasUsed(kept) : false
  }

  removedFrom(path: string, generation: number): Awaitable<readonly string[]> {
    return this.at(path, generation)?.records.removed() ?? []
  }

  open(place: CollectionPlace, start: () => Promise<EmptiedRecords>): Awaitable<Records> {
    return this.known(place) ?? this.#open(place, start)
  }

  /** A collection that was opened. */
  known(place: Place): Records | undefined {
    return (this.at(place.path, place.generation) ?? this.unchangedAt(place))?.records
  }

  /** A collection below records that was only read. */
  unchangedAt(place: Place): EmptiedRecords | undefined {
    const found = this.#unchanged.get(keyOf(place))
    const { removed = found?.removed } = place
    return found?.removed === removed ? found : undefined
  }

  async #open(place: CollectionPlace, start: () => Promise<EmptiedRecords>): Promise<Records> {
    const { resource, path, generation } = place
    const key = keyOf(place)
    const opening = this.#opening.get(key) ?? start()
    this.#opening.set(key, opening)
    const opened = await opening.finally(() => this.#opening.delete(key))

    const present = this.known(place)
    if (present) return present
    if (hasParents(resource)) this.keepOnChange(place, { ...opened, removed: place.removed })
    else this.keep(path, { ...opened, generation })
    return opened.records
  }

  /** Keeps a collection below records when it is changed. */
  keepOnChange(place: Place, opened: EmptiedRecords): void {
    const { records } = opened
    const key = keyOf(place)
    this.#unchanged.set(key, opened)
    records.onChange = () => {
      records.onChange = undefined
      this.#unchanged.delete(key)
      this.keep(place.path, { ...opened, generation: place.generation })
    }
  }

  fork(): MemoryCollections {
    const kept = [...this.#kept].map(([path, generations]) => {
      const forks = generations.map((one) => ({ ...one, records: one.records.fork() }))
      return [path, forks] as const
    })
    return new MemoryCollections(kept)
  }

  /** A collection that is kept. */
  at(path: string, generation: number): OpenedCollection | undefined {
    return this.#kept.get(path)?.find((one) => one.generation === generation)
  }

  /** Drops a collection, which starts anew when it is opened again. */
  drop(path: string, records: Records): void {
    const kept = this.#kept.get(path) ?? []
    this.#kept.set(
      path,
      kept.filter((one) => one.records !== records),
    )
  }

  /** A request may change what was there before its parents changed. */
  keep(path: string, opened: OpenedCollection): void {
    const generations = [opened, ...(this.#kept.get(path) ?? [])]
    generations.sort((one, other) => other.generation - one.generation)
    this.#kept.set(path, generations.slice(0, 2))
  }
}

/** Where a collection is. */
export type Place = Pick<CollectionPlace, 'path' | 'generation' | 'isEmpty' | 'removed'>

/** What an unchanged collection depends on: one that was read before a record above it was created has other records. */
function keyOf({ path, generation, isEmpty }: Place): string {
  return `${generation}${isEmpty ? '-' : ' '}${path}`
}
