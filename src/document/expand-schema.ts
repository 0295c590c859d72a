import type { Schema } from '../contract/contract.ts'
import { isObject } from '../validation/is-object.ts'
import { type Direction, forDirection } from './direction.ts'
import { type Document, findValue, refTarget } from './document.ts'
import { withHints } from './hints.ts'
import { type Pointer, pointerKey } from './json-pointer.ts'
import { asArray, type JsonObject } from './json-value.ts'
import { findRefCycles } from './ref-cycles.ts'
import { mapSubschemas } from './subschemas.ts'
import { upgradeSchema } from './upgrade-schema.ts'

/** Turns a schema of a document into a self-contained one, for requests or for responses. */
export type ExpandSchema = (schema: unknown, direction: Direction) => Schema

/** Keywords that the sandbox does not use. Hints (`x-faker` and other extensions) stay. */
const REMOVED_KEYWORDS = new Set([
  ...['title', 'description', 'example', 'examples', 'externalDocs', 'xml', 'deprecated'],
  ...['x-decision', '$id', 'id', '$schema', '$anchor', '$dynamicAnchor', '$comment'],
  ...['$defs', 'definitions'],
  // Without its anchor, it has no target.
  '$dynamicRef',
  // Ajv's own keyword: the promise of an asynchronous validator would count as "valid".
  '$async',
])
/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS = new Set(['default', 'nullable', 'readOnly', 'writeOnly'])

/**
 * Replaces every `$ref` by its target. A schema that contains itself is replaced once. Within it, it is a `$ref` to the
 * `$defs` at the top, so that the result is finite and complete.
 */
export function createSchemaExpander(document: Document): ExpandSchema {
  const cycles = findRefCycles(document)
  const names = new Map<string, string>()
  const usedNames = new Set<string>()
  const definitions = new Map<string, Schema>()

  function nameOf(pointer: Pointer): string {
    const key = pointerKey(pointer)
    const known = names.get(key)
    if (known !== undefined) return known
    const word = (pointer.at(-1) ?? '').replaceAll(/[^\w.-]/g, '_')
    const name = usedNames.has(word) ? `${word}_${names.size}` : word
    names.set(key, name)
    usedNames.add(name)

    return name
  }

  function expand(schema: unknown, isInCycle: boolean): JsonObject {
    if (!isObject(schema)) return schema === false ? { not: {} } : {}
    const own = mapSubschemas(usedKeywords(schema), (inner) => expand(inner, isInCycle))
    const target = refTarget(document, schema)
    if (!target) return upgradeSchema(own)
    const { $ref: _, ...siblings } = own
    const isCyclic = cycles.has(target.pointer)
    const base =
      isCyclic && isInCycle
        ? { $ref: `#/$defs/${nameOf(target.pointer)}` }
        : expand(target.value, isInCycle || isCyclic)

    return upgradeSchema(mergeSiblings(base, siblings))
  }

  function definitionOf(pointer: Pointer, direction: Direction): [name: string, schema: Schema] {
    const name = nameOf(pointer)
    const key = `${direction} ${name}`
    const value = findValue(document, pointer)?.value
    const schema = definitions.get(key) ?? forDirection(expand(value, true), direction)
    definitions.set(key, schema)

    return [name, schema]
  }

  return (schema, direction) => {
    const expanded = forDirection(expand(schema, false), direction)
    const cyclic = cycles.within(schema)
    if (cyclic.length === 0) return expanded
    const $defs = Object.fromEntries(cyclic.map((pointer) => definitionOf(pointer, direction)))

    return { ...expanded, $defs }
  }
}

function usedKeywords(schema: JsonObject): JsonObject {
  const entries = Object.entries(withHints(schema))
  return Object.fromEntries(entries.filter(([keyword]) => !REMOVED_KEYWORDS.has(keyword)))
}

/** Annotations next to a `$ref` override those of the target. Restrictions apply in addition to those of the target. */
function mergeSiblings(base: JsonObject, siblings: JsonObject): JsonObject {
  const isMergeable = Object.keys(siblings).every(
    (key) => ANNOTATIONS.has(key) || key.startsWith('x-') || !Object.hasOwn(base, key),
  )

  return isMergeable
    ? { ...base, ...siblings }
    : { ...siblings, allOf: [base, ...asArray(siblings.allOf)] }
}
