import type { Id } from '../records/record-table.ts'

// All keys of a world share a hash tag, so that a cluster keeps them on one node, and scripts derive them from the world's key.

/** The version of the keys and values in the store. */
export const STORE_FORMAT = 1

/** The key of what tells one store from another. It does not contain the version of the format, so that every version finds it. */
export function contractKey(prefix: string): string {
  return `${prefix}:contract`
}

/** The key of the registry of worlds. */
export function registryKey(prefix: string): string {
  return `${prefix}:${STORE_FORMAT}:registry:{worlds}`
}

/** The key of the answer to a delivery. */
export function answerKey(prefix: string, ticket: string): string {
  return `${prefix}:${STORE_FORMAT}:answer:{${escaped(ticket)}}`
}

/** The key of a world, which all its other keys start with. */
export function worldKey(prefix: string, world: string): string {
  return `${prefix}:${STORE_FORMAT}:{${escaped(world)}}`
}

/** The key of an epoch of a world. Epochs are random letters, digits and hyphens. */
export function epochKey(world: string, epoch: string): string {
  return `${world}:${epoch}`
}

/** The key of the set of a world's collections, as `collectionPart` writes them. */
export function collectionsKey(epoch: string): string {
  return `${epoch}:c`
}

/** A collection as a part of keys. */
export function collectionPart(collection: string): string {
  return escaped(collection)
}

/**
 * The key of a collection. `<key>:s` is its state, `<key>:r:<id>` a record, `<key>:i` the index of the ids, `<key>:removed` that of
 * the removed records, and `<key>:k` the set of the suffixes of all indexes.
 */
export function collectionKey(epoch: string, collection: string): string {
  return `${collectionsKey(epoch)}:${collectionPart(collection)}`
}

/** The key of a record. */
export function recordKey(collection: string, id: Id): string {
  return `${collection}:r:${idText(id)}`
}

/** An id in keys and in members of indexes: `7` or `"7"`. */
export function idText(id: Id): string {
  return JSON.stringify(id)
}

/** JSON writes lone surrogates, which UTF-8 does not have, as escapes. */
function escaped(name: string): string {
  return encodeURIComponent(JSON.stringify(name).slice(1, -1))
}
