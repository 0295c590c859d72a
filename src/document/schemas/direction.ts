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
