/**
 * What `@mswjs/data` asks of its packages (`mutative`, `es-toolkit`, `rettime`, `outvariant`), as far as the store goes: it
 * makes, changes and deletes records of one collection, and has no relations, hooks or sorting. The packages are a quarter
 * of what a browser would load.
 */

/** A change of a draft; the patches that would tell hooks and relations of it are left out. */
export function create(base, change) {
  const draft = structuredClone(base)
  change(draft)
  return [draft, [], []]
}

export function isPlainObject(value) {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false
  const prototype = Object.getPrototypeOf(value)
  // A plain object may come from another realm, as in Jest.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Of hooks: there are none. */
export class Emitter {
  listenerCount() {
    return 0
  }

  emit() {}
}

export class TypedEvent {}

export class InvariantError extends Error {}

export function invariant(holds, message) {
  if (!holds) throw new InvariantError(message)
}

invariant.as = (toError, holds, message) => {
  if (!holds) throw toError(message)
}

export const apply = unreached
export const get = unreached
export const set = unreached
export const unset = unreached
export const isEqual = unreached

function unreached() {
  throw new TypeError('The store reached a part of @mswjs/data that it is built without')
}
