import { isObject } from '../../validation/objects.ts'
import { type Document, locationOf, refTarget } from '../document.ts'
import type { Pointer } from '../json-pointer.ts'
import type { JsonObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { type LocatedSchema, subschemasOf } from '../schemas/subschemas.ts'

/** The keywords whose subschemas apply to the same value as the schema itself ("in-place applicators"). */
const IN_PLACE: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'],
])

const HELP = 'Remove this $ref, or move it below "properties" or "items".'

/**
 * Finds schemas that apply themselves to the same value, so that validation would never end (JSON Schema 2020-12, section
 * 9.4.1). A schema that contains itself below `properties` or `items` is not one of them: each step leads to a smaller value.
 * Each cycle is reported once, at the `$ref` that closes it.
 */
export function findInfiniteRecursion(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  const open = new Set<JsonObject>()
  const done = new Set<JsonObject>()

  function visit(schema: unknown, pointer: Pointer): void {
    if (!isObject(schema) || done.has(schema)) return
    open.add(schema)
    for (const [subschema, path] of subschemasOf(schema)) {
      if (IN_PLACE.has(path[0] ?? '')) visit(subschema, [...pointer, ...path])
    }
    const target = refTarget(document, schema)
    if (target && isObject(target.value) && open.has(target.value)) {
      const reason = `the schema "${target.pointer.at(-1)}" applies itself to the same value, so validation never ends`
      const location = locationOf(document, [...pointer, '$ref'])
      mistakes.push({ reason, location, assumed: 'it accepts anything there', help: HELP })
    } else if (target) visit(target.value, target.pointer)
    open.delete(schema)
    done.add(schema)
  }

  // Every cycle contains the target of a `$ref`.
  for (const [schema, pointer] of refTargetsIn(document)) visit(schema, pointer)

  return mistakes
}

/** The targets of all `$ref`s of a document. */
function refTargetsIn(document: Document): LocatedSchema[] {
  const targets = new Map<unknown, Pointer>()

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const target = refTarget(document, value)
    if (target) targets.set(target.value, target.pointer)
    for (const child of Object.values(value)) visit(child)
  }
  visit(document.root)

  return [...targets]
}
