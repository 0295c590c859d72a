import type { MediaType, Schema } from '../contract/contract.ts'
import { itemsOf } from '../contract/schema-places.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { isObject } from '../validation/objects.ts'

const known = new WeakMap<MediaType, Schema>()

/** The schema of a body; where it allows anything, one that describes the example of the document instead. */
export function schemaOrExample(media: MediaType): Schema {
  const { schema = {}, examples = [] } = media
  if (!isFree(schema)) return schema
  const described = known.get(media) ?? schemaOfExample(examples[0]?.value, schema)
  known.set(media, described)

  return described
}

/** Whether a schema tells nothing about the content of a body, or of the items of a list. A list may contain itself. */
export function isFree(schema: Schema): boolean {
  const visited = new Set<Schema>()
  let inner = schema
  for (let items = itemsOf(inner); items; items = itemsOf(inner)) {
    if (visited.has(items)) return false
    visited.add(items)
    inner = items
  }
  const types = [inner.type ?? 'object'].flat()

  return types.includes('object') && propertiesOf(inner).size === 0 && !inner.additionalProperties
}

function schemaOfExample(example: unknown, schema: Schema): Schema {
  const value = typeof example === 'string' ? parsed(example) : example
  return isObject(value) || (Array.isArray(value) && value.length > 0) ? describe(value, 0) : schema
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How deep examples are described. Records are not deeper in their envelopes. */
const MAX_DEPTH = 4

function describe(value: unknown, depth: number): Schema {
  if (depth > MAX_DEPTH) return {}
  if (Array.isArray(value)) return { type: 'array', items: describe(value[0], depth + 1) }
  if (isObject(value)) {
    const properties = Object.entries(value).map(
      ([name, inner]) => [name, describe(inner, depth + 1)] as const,
    )
    return { type: 'object', properties: Object.fromEntries(properties) }
  }
  return value === null || value === undefined ? {} : { type: typeof value }
}
