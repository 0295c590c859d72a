import { decodeComponent } from '../contract/parse-text.ts'
import { type Awaitable, allKnown, whenKnown } from '../records/awaitable.ts'
import { collectionName, type PathValues } from './collection-name.ts'
import type { OpenRecords } from './create-records.ts'
import { type EmptiedRecords, emptied, wasUsed } from './emptied-records.ts'
import { isHiddenBelowRemoved } from './hidden-below-removed.ts'
import { RecentCollections } from './recent-collections.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'

/** The records of a collection that was changed, for as long as its parents are the same. */
interface Opened extends EmptiedRecords {
  /** How often the parents had been removed and created again when the collection was opened. */
  readonly generation: number
  /** What was there before the latest change of the parents, which may be undone. */
  readonly before?: Opened
}

/** What the parents of a collection say about it. */
interface Place {
  /** How often they were removed and created again. */
  readonly generation: number
  /** Whether one is removed, and nothing was created below it since. */
  readonly isGone: boolean
}

/**
 * The collections below records, by their concrete paths. When a record is removed, the collections below it are gone, and when it
 * is created again, they start anew. That takes no work when a record is removed: a collection is valid only in the
 * generation of its parents in which it was opened. So undoing the removal brings it back, too.
 *
 * A collection that was only read is as it would be created again. So it is kept only while it is used often, and nothing else
 * depends on whether it was read.
 */
export class NestedCollections {
  readonly #open: OpenRecords
  /** The records of a collection without parents, by its path. */
  readonly #topAt: (path: string) => Records | undefined
  readonly #opened: Map<string, Opened>
  /** Those that were only read, by their generation and name. */
  readonly #unchanged = new RecentCollections<EmptiedRecords>()
  readonly #opening = new Map<string, Promise<EmptiedRecords>>()

  constructor(
    open: OpenRecords,
    topAt: (path: string) => Records | undefined,
    opened: Iterable<readonly [name: string, Opened]> = [],
  ) {
    this.#open = open
    this.#topAt = topAt
    this.#opened = new Map(opened)
  }

  /** The same collections for another store. Changing one store does not change the other. */
  fork(open: OpenRecords, topAt: (path: string) => Records | undefined): NestedCollections {
    const opened = [...this.#opened].map(([name, one]) => [name, forkOf(one)] as const)
    return new NestedCollections(open, topAt, opened)
  }

  /** Adds the records of a collection, such as those of a snapshot. Those of its parents must be there. */
  async add(records: Records): Promise<void> {
    this.#keep({ records }, (await this.#place(records.name)).generation)
  }

  /** The records of a collection; `undefined` when it is not opened. */
  find(resource: Resource, parameters: PathValues): Awaitable<Records | undefined> {
    return this.#find(collectionName(resource, parameters))
  }

  #find(name: string): Awaitable<Records | undefined> {
    return whenKnown(this.#place(name), ({ generation }) => {
      const opened = this.#at(name, generation) ?? this.#unchanged.get(`${generation} ${name}`)
      return opened?.records
    })
  }

  /** The records of a collection. Below a removed record it has none at first if reading its list is a 404 there. */
  async open(resource: Resource, parameters: PathValues): Promise<Records> {
    const name = collectionName(resource, parameters)
    const { generation, isGone } = await this.#place(name)
    const opened = this.#at(name, generation)
    if (opened) return opened.records
    const key = `${generation} ${name}`
    const unchanged = this.#unchanged.get(key)
    if (unchanged) return unchanged.records
    const isEmpty = isGone && isHiddenBelowRemoved(resource)
    const first = (): Promise<EmptiedRecords> =>
      this.#open(resource, name, parameters).then((records) =>
        isEmpty ? emptied(records) : { records },
      )
    const opening = this.#opening.get(key) ?? first()
    this.#opening.set(key, opening)
    const begun = await opening.finally(() => this.#opening.delete(key))

    const present = this.#at(name, generation) ?? this.#unchanged.get(key)
    if (present) return present.records
    this.#unchanged.set(key, begun)
    begun.records.onChange = () => {
      begun.records.onChange = undefined
      this.#unchanged.delete(key)
      this.#keep(begun, generation)
    }
    return begun.records
  }

  /** Whether a collection is below a removed record, and nothing was created there since. */
  isBelowRemoved(resource: Resource, parameters: PathValues): Awaitable<boolean> {
    return whenKnown(this.#place(collectionName(resource, parameters)), ({ isGone }) => isGone)
  }

  /** The records of all changed collections whose parents are still the same, without those that are gone. */
  all(): Awaitable<readonly Records[]> {
    const all = allKnown([...this.#opened.keys()].map((name) => this.#findUsed(name)))
    return whenKnown(all, (found) => found.filter((records) => records !== undefined))
  }

  #findUsed(name: string): Awaitable<Records | undefined> {
    return whenKnown(this.#place(name), ({ generation }) => {
      const opened = this.#at(name, generation)
      if (!opened?.emptied) return opened?.records
      return whenKnown(wasUsed(opened), (isUsed) => (isUsed ? opened.records : undefined))
    })
  }

  #keep(begun: EmptiedRecords, generation: number): void {
    const { name } = begun.records
    const present = this.#opened.get(name)
    // A request may change what was there before its parents changed.
    const isLate = present !== undefined && present.generation > generation
    const [latest, before] = isLate
      ? [present, { ...begun, generation }]
      : [{ ...begun, generation }, present]
    this.#opened.set(name, { ...latest, ...(before && { before: withoutBefore(before) }) })
  }

  #at(name: string, generation: number): Opened | undefined {
    const opened = this.#opened.get(name)
    return [opened, opened?.before].find((one) => one?.generation === generation)
  }

  #place(name: string): Awaitable<Place> {
    return this.#placeBelow(name.split('/'), 0, { generation: 0, isGone: false })
  }

  /** Asks the parents one after the other: the collection at the first `end` segments has the parent that the next one names. */
  #placeBelow(segments: readonly string[], end: number, place: Place): Awaitable<Place> {
    const name = segments.slice(0, end).join('/')
    const top = this.#topAt(name)
    const opened = top ? { records: top } : this.#at(name, place.generation)
    const records = opened?.records
    const { isGone } = place
    const isBack = isGone && opened ? wasUsed(opened) : false

    return whenKnown(isBack, (isUsed) => {
      const here = { ...place, isGone: isGone && !isUsed }
      if (end >= segments.length) return here
      const id = decodeComponent(segments[end] ?? '')
      return whenKnown(records?.generation(id) ?? 0, (generation) =>
        this.#placeBelow(segments, end + 1, {
          generation: here.generation + generation,
          isGone: here.isGone || generation % 2 === 1,
        }),
      )
    })
  }
}

function withoutBefore({ before: _, ...opened }: Opened): Opened {
  return opened
}

function forkOf({ records, before, ...rest }: Opened): Opened {
  return { records: records.fork(), ...rest, ...(before && { before: forkOf(before) }) }
}
