import { decodeComponent } from '../../contract/parse-text.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { once } from '../../validation/objects.ts'
import { type CollectionAddress, hasParents } from '../collection-name.ts'
import { TRASHED } from '../hidden-properties.ts'
import type { Resource } from '../resource.ts'
import type { Ancestor, Records } from './records.ts'

/**
 * The collections of a world: in memory, or in a transaction on a shared store. Each has a path, such as `orgs/acme/repos`, and the
 * generation of the records above it: how often they were removed and created again. Each generation of a path is a collection
 * of its own. What is in memory is known without waiting.
 */
export interface Collections extends Ancestors {
  /**
   * Those that are kept, in the order in which snapshots have them; default: of all resources. Those of earlier generations may be among them.
   */
  opened(isWanted?: (resource: Resource) => boolean): Awaitable<readonly OpenedCollection[]>
  /** What was removed from a collection, as text; nothing from one that nobody has opened. */
  removedFrom(path: string, generation: number): Awaitable<readonly string[]>
  /** Opens a collection with the records of `start`, if it is needed for the first time. */
  open(place: CollectionPlace, start: () => Promise<EmptiedRecords>): Awaitable<Records>
  /** The same collections for another store. Changing one of them does not change the other. */
  fork(): Collections
  /** Begins changes of a transaction that can be dropped. Collections in memory have no transaction. */
  begin?(): CollectionsAttempt
}

/** Changes of collections that others see when they are committed, all at once. */
export interface CollectionsAttempt {
  /** The collections with these changes. */
  readonly collections: Collections
  /**
   * Makes the changes. Resolves with a function that undoes them; with `undefined`, and without a change, when others have changed what
   * they were decided on.
   */
  commit(): Promise<(() => Promise<void>) | undefined>
  /** Drops the changes. */
  abort(): void
}

/** Tells of the collections above another one, by their paths and the generations of their parents. */
interface Ancestors {
  /**
   * The numbers of segments after which the path of a collection of this resource may be that of a collection above; `undefined`
   * when each may be one.
   */
  endsAbove(resource: Resource): readonly number[] | undefined
  /** What is known about a record; `undefined` where there is no such collection. */
  ancestor(path: string, generation: number, id: string): Awaitable<Ancestor | undefined>
  /** Whether a collection below a removed record was used since. */
  wasUsed(path: string, generation: number): Awaitable<boolean>
}

/** Where a collection is, and how it starts. */
export interface CollectionPlace extends CollectionAddress {
  /** Without the first slash. */
  readonly path: string
  readonly generation: number
  /** Whether it starts without records, because it is below a removed or a new one. */
  readonly isEmpty: boolean
  /** What its records must not refer to, because it was removed; absent where they refer to nothing. */
  readonly removed?: string | undefined
}

/** The records of a collection, and which of its first records were removed before it was used. */
export interface EmptiedRecords {
  readonly records: Records
  /** The ids of the removed first records; absent when the collection started with them. */
  readonly emptied?: readonly Id[]
  /** What its first records do not refer to. */
  readonly removed?: string | undefined
}

export interface OpenedCollection extends EmptiedRecords {
  readonly generation: number
}

/** What the records above a collection say about it. */
interface Ancestry {
  /** How often they were removed and created again. */
  readonly generation: number
  /** Whether one is removed, and nothing was created below it since. */
  readonly isGone: boolean
  /** The lowest one that exists. */
  readonly record?: StoredRecord | undefined
  /** Whether one of them is in the trash. */
  readonly isTrashed?: boolean
}

/** Finds out about the records above a collection, one after the other. */
export function ancestryOf(
  resource: Resource,
  path: string,
  ancestors: Ancestors,
): Awaitable<Ancestry> {
  if (!hasParents(resource)) return NO_ANCESTORS
  const ends = ancestors.endsAbove(resource)
  const elsewhere = parentsElsewhere(resource)
  const segments = path.split('/')
  const ancestryFrom = (at: number, above: Ancestry): Awaitable<Ancestry> => {
    const { generation, isGone, record, isTrashed = false } = above
    const end = ends ? (ends[at] ?? segments.length) : at
    const here = segments.slice(0, end).join('/')
    return whenKnown(isGone && ancestors.wasUsed(here, generation), (isBack) => {
      const found = { generation, isGone: isGone && !isBack, record, isTrashed }
      if (end >= segments.length) return found
      const id = decodeComponent(segments[end] ?? '')
      const other = elsewhere.get(end)
      const one =
        other === undefined
          ? ancestors.ancestor(here, generation, id)
          : ancestors.ancestor(other, 0, id)
      return whenKnown(one, (own) =>
        ancestryFrom(at + 1, {
          generation: generation + (own?.generation ?? 0),
          isGone: found.isGone || (own?.generation ?? 0) % 2 === 1,
          record: own?.record ?? record,
          isTrashed: isTrashed || own?.record?.[TRASHED] === true,
        }),
      )
    })
  }
  return ancestryFrom(0, NO_ANCESTORS)
}

/**
 * The paths of the collections at other paths that have records above a resource, by the number of segments before those that name them.
 * Those without parents only: what is above others is not in the path.
 */
export const parentsElsewhere: (resource: Resource) => ReadonlyMap<number, string> = once(
  ({ path, within = [] }: Resource) => {
    const segments = path.slice(1).split('/')
    const found = within.flatMap(({ parameter, of }) => {
      const parent = of()
      const at = segments.indexOf(`{${parameter}}`)
      return parent && at >= 0 && !hasParents(parent) ? [[at, parent.path.slice(1)] as const] : []
    })
    return new Map(found)
  },
)

/** What there is above a collection without parents. */
const NO_ANCESTORS: Ancestry = { generation: 0, isGone: false }
