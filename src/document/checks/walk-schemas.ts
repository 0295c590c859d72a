import { isObject } from '../../validation/objects.ts'
import { type Document, refTarget } from '../document.ts'
import type { Pointer } from '../json-pointer.ts'
import { schemasOf } from '../operations.ts'
import { subschemasOf } from '../schemas/subschemas.ts'

/** A schema of a document. */
export interface VisitedSchema {
  readonly schema: unknown
  readonly pointer: Pointer
  /** Whether it is no part of another schema, or the target of a `$ref`. */
  readonly isRoot: boolean
}

/** The schemas of a document that its operations and components use, with their subschemas. Each object is visited once. */
export function* walkSchemas(document: Document): Generator<VisitedSchema, void> {
  const visited = new Set<unknown>()
  for (const [first, start] of schemasOf(document)) {
    const open: VisitedSchema[] = [{ schema: first, pointer: start, isRoot: true }]
    for (let at = open.pop(); at; at = open.pop()) {
      const { schema, pointer } = at
      if (visited.has(schema)) continue
      yield at
      if (!isObject(schema)) continue
      visited.add(schema)
      const target = refTarget(document, schema)
      if (target) open.push({ schema: target.value, pointer: target.pointer, isRoot: true })
      // The last one is visited first.
      for (const [inner, path] of subschemasOf(schema).reverse()) {
        open.push({ schema: inner, pointer: [...pointer, ...path], isRoot: false })
      }
    }
  }
}
