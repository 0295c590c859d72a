import { isObject } from '../../validation/objects.ts'
import { type Document, refTarget } from '../document.ts'
import { asArray, asObject, type JsonObject } from '../json-value.ts'

/** Finds the property names that schemas mention. */
export class MentionedNames {
  readonly #document: Document
  readonly #known = new WeakMap<JsonObject, ReadonlySet<string>>()

  constructor(document: Document) {
    this.#document = document
  }

  /** The names in `properties` and `required` of a schema and of its branches. */
  of(schema: JsonObject): ReadonlySet<string> {
    const names = this.#known.get(schema) ?? this.#collect(schema)
    this.#known.set(schema, names)

    return names
  }

  #collect(root: JsonObject): ReadonlySet<string> {
    const names = new Set<string>()
    const visited = new Set<unknown>()
    const open: unknown[] = [root]
    for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
      if (!isObject(schema) || visited.has(schema)) continue
      visited.add(schema)
      for (const name of Object.keys(asObject(schema.properties))) names.add(name)
      for (const name of [schema.required].flat()) names.add(String(name))
      const { allOf, anyOf, oneOf } = schema
      open.push(refTarget(this.#document, schema)?.value ?? null)
      for (const list of [allOf, anyOf, oneOf]) open.push(...asArray(list))
    }
    return names
  }
}
