import type { Operation } from '../contract/contract.ts'

/** The path of one record: the path of its collection, then a parameter that contains the id. */
export const ITEM_PATH: RegExp = /^([^{}]*\/[^{}/]+)\/\{([^{}/]+)\}$/

/** The operations on a collection, and those on one of its records. */
export interface CollectionOperations {
  readonly collection: Operation[]
  readonly item: Operation[]
}

/** Groups operations by the path of their collection. Another path is its own group. */
export function groupByCollection(
  operations: readonly Operation[],
): ReadonlyMap<string, CollectionOperations> {
  const collections = new Map<string, CollectionOperations>()
  for (const operation of operations) {
    const [, itemOf] = ITEM_PATH.exec(operation.path) ?? []
    const path = itemOf ?? operation.path
    const group = collections.get(path) ?? { collection: [], item: [] }
    const part = itemOf === undefined ? group.collection : group.item
    part.push(operation)
    collections.set(path, group)
  }
  return collections
}

/** A name for each path: its last segment, or the whole path when another path ends with the same segment. */
export function namesOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  for (const path of paths)
    counts.set(lastSegmentOf(path), (counts.get(lastSegmentOf(path)) ?? 0) + 1)

  return new Map(
    paths.map((path) => [
      path,
      counts.get(lastSegmentOf(path)) === 1 ? lastSegmentOf(path) : path.slice(1),
    ]),
  )
}

function lastSegmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
