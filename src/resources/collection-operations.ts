import type { Operation } from '../contract/contract.ts'

/** The path of one record: the path of its collection, and the parameter that holds the id. */
export const ITEM_PATH: RegExp = /^([^{}]*\/[^{}/]+)\/\{([^{}/]+)\}$/

/** The operations on a collection and on its records, as far as there are any. */
export interface CollectionOperations {
  readonly collection: Operation[]
  readonly item: Operation[]
}

/** The operations by the path of their collection; a path that has none stands for itself. */
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

/** The last word of each path, or the whole path where another one ends in the same word. */
export function namesOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(lastWordOf(path), (counts.get(lastWordOf(path)) ?? 0) + 1)

  return new Map(
    paths.map((path) => [
      path,
      counts.get(lastWordOf(path)) === 1 ? lastWordOf(path) : path.slice(1),
    ]),
  )
}

function lastWordOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
