import { isObject } from '../../validation/objects.ts'
import { type Document, refTarget } from '../document.ts'
import { asArray, asObject, type JsonObject } from '../json-value.ts'

/** The message that a schema describes. Requests have no read-only properties, responses no write-only ones. */
export type Direction = 'request' | 'response'

type AccessKeyword = 'readOnly' | 'writeOnly'

/** The keyword that removes a property from the messages of a direction. */
export const REMOVED_BY: Readonly<Record<Direction, AccessKeyword>> = {
  request: 'readOnly',
  response: 'writeOnly',
}

/** The names of the properties that a schema, or a branch of it, marks with the keyword. */
export function markedNames(
  schema: JsonObject,
  keyword: AccessKeyword,
  document: Document,
  visited: Set<unknown> = new Set(),
  depth = 0,
): readonly string[] {
  if (visited.has(schema) || depth > MAX_CHAIN) return []
  visited.add(schema)
  const own = Object.entries(asObject(schema.properties))
    .filter(([, property]) => isMarked(property, keyword, document))
    .map(([name]) => name)
  const target = refTarget(document, schema)?.value
  const branches = [target, ...BRANCHES.flatMap((key) => asArray(schema[key]))]

  return [
    ...own,
    ...branches.flatMap((branch) =>
      isObject(branch) ? markedNames(branch, keyword, document, visited, depth + 1) : [],
    ),
  ]
}

const ALTERNATIVES = ['anyOf', 'oneOf']

const BRANCHES = ['allOf', ...ALTERNATIVES]

/** Searching a longer chain of schemas for each of its schemas takes too much time. */
const MAX_CHAIN = 100

/** Whether a property has the keyword, itself, in what it refers to, in an `allOf`, or in all alternatives besides null. */
export function isMarked(
  property: unknown,
  keyword: AccessKeyword,
  document: Document,
  visited: Set<unknown> = new Set(),
  depth = 0,
): boolean {
  if (!isObject(property) || visited.has(property) || depth > MAX_CHAIN) return false
  visited.add(property)
  if (property[keyword] !== undefined) return property[keyword] === true
  const inner = [refTarget(document, property)?.value, ...asArray(property.allOf)]

  const isInner = (branch: unknown): boolean =>
    isMarked(branch, keyword, document, visited, depth + 1)
  const alternatives = ALTERNATIVES.flatMap((key) => asArray(property[key])).filter(
    (one) => !(isObject(one) && one.type === 'null'),
  )

  return inner.some(isInner) || (alternatives.length > 0 && alternatives.every(isInner))
}

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
