import { isObject } from '../validation/is-object.ts'
import { type Document, refTarget } from './document.ts'
import { asObject, type JsonObject } from './json-value.ts'

/** Finds the property names that schemas mention. */
export class MentionedNames {
  readonly #document: Document
  readonly #known = new WeakMap<JsonObject, ReadonlySet<string>>()

  constructor(document: Document) {
    this.#document = document
  }

  /** The names in `properties` and `required` of a schema and of its branches. */
  of(schema: JsonObject): ReadonlySet<string> {
    const names = this.#known.get(schema) ?? this.#collect(schema, new Set(), new Set())
    this.#known.set(schema, names)

    return names
  }

  #collect(schema: unknown, names: Set<string>, visited: Set<unknown>): ReadonlySet<string> {
    if (!isObject(schema) || visited.has(schema)) return names
    visited.add(schema)
    for (const name of Object.keys(asObject(schema.properties))) names.add(name)
    for (const name of [schema.required].flat()) names.add(String(name))
    const { allOf, anyOf, oneOf } = schema
    const branches = [refTarget(this.#document, schema)?.value, allOf, anyOf, oneOf]
    for (const branch of branches.flat()) this.#collect(branch, names, visited)

    return names
  }
}
