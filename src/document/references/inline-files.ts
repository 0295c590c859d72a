import { isObject } from '../../validation/objects.ts'
import { type Document, FILES, refTarget } from '../document.ts'
import type { JsonObject } from '../json-value.ts'

/** The number of values that the copied parts of other files may have. */
const MAX_VALUES = 500_000

/** A document with parts of its other files in the place of the `$ref`s to them. */
export interface InlinedDocument {
  readonly root: JsonObject
  /** Whether `$ref`s were left because the copies would have too many values. */
  readonly isCut: boolean
}

/**
 * Replaces each `$ref` to another file by a copy of its target, because a check sees only what is in the document itself. A `$ref`
 * that leads back into the object that contains it stays.
 */
export function inlineFiles(document: Document): InlinedDocument {
  const { [FILES]: files, ...own } = document.root
  if (files === undefined) return { root: own, isCut: false }
  const open = new Set<unknown>()
  let values = 0
  let isCut = false

  function copy(value: unknown): unknown {
    values += 1
    if (Array.isArray(value)) return value.map(copy)
    if (!isObject(value) || value instanceof Date) return value
    const target = refTarget(document, value)
    if (target?.pointer[0] === FILES && !open.has(target.value)) {
      if (values < MAX_VALUES) return copyOpen(target.value)
      isCut = true
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
  }

  function copyOpen(value: unknown): unknown {
    open.add(value)
    const copied = copy(value)
    open.delete(value)
    return copied
  }

  return { root: copy(own) as JsonObject, isCut }
}
