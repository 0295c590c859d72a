import { isObject } from '../../validation/objects.ts'
import { asObject, type JsonObject } from '../json-value.ts'

/** The objects of a document that may have any number of entries. */
const LARGE = ['paths', 'webhooks', 'components.schemas', 'components.responses']

/**
 * Divides a document into smaller ones, so that the time and the memory of a check can be limited. Each path item and each
 * component is in one of them. `size` is the number of values that the next part should have.
 */
export function* partsOf(root: JsonObject, size: () => number): Generator<JsonObject, void> {
  const { components } = root
  const small = LARGE.reduce((rest, name) => replaceAt(rest, name, {}), root)
  yield { ...small, paths: isObject(root.paths ?? {}) ? {} : root.paths }
  const frame = { openapi: root.openapi, info: { title: '', version: '' }, paths: {} }
  for (const name of LARGE) {
    const [, inner] = name.split('.')
    const entries = asObject(inner === undefined ? root[name] : asObject(components)[inner])
    for (const slice of slicesOf(entries, size)) {
      yield inner === undefined
        ? { ...frame, [name]: slice }
        : { ...frame, components: { [inner]: slice } }
    }
  }
}

/** A copy of a document in which the object of this name is another one, if there is one. */
function replaceAt(root: JsonObject, name: string, value: JsonObject): JsonObject {
  const [outer = '', inner] = name.split('.')
  if (inner === undefined) return isObject(root[outer]) ? { ...root, [outer]: value } : root
  const object = root[outer]
  if (!isObject(object) || !isObject(object[inner])) return root

  return { ...root, [outer]: { ...object, [inner]: value } }
}

/** The entries of an object as several objects, each with a limited number of values. */
function* slicesOf(object: JsonObject, size: () => number): Generator<JsonObject, void> {
  let entries: [string, unknown][] = []
  let values = 0
  for (const entry of Object.entries(object)) {
    entries.push(entry)
    values += sizeOf(entry[1])
    if (values < size()) continue
    yield Object.fromEntries(entries)
    entries = []
    values = 0
  }
  if (entries.length > 0) yield Object.fromEntries(entries)
}

/** How many values a value contains. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  for (const inner of Object.values(value)) size += sizeOf(inner)

  return size
}
