import { isObject } from '../../validation/objects.ts'
import { type Document, locationOf, refTarget } from '../document.ts'
import { validateHints } from '../hints/read-hints.ts'
import { asObject, type JsonObject, type Pointer } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { schemasOf } from '../operations.ts'
import { createAjv } from '../schemas/ajv.ts'
import { type LocatedSchema, subschemasOf } from '../schemas/subschemas.ts'
import { CheckMeter, unchecked } from './check-budget.ts'
import { toMistakes } from './schema-errors.ts'

/** The time that the schemas of a document may take, in milliseconds. */
const TIME_LIMIT = 1500

/** Finds mistakes in the schemas of a document that OpenAPI's own schema does not detect. */
export function validateSchemas(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  const ajv = createAjv()
  const meter = new CheckMeter({ time: TIME_LIMIT })
  // OpenAPI 3.0 has a schema dialect of its own. swagger-parser has validated it already.
  const hasOwnDialect = String(document.root.openapi).startsWith('3.0')

  for (const { schema, pointer, isRoot } of walkSchemas(document)) {
    if (!meter.take()) return [...mistakes, unchecked('some of the schemas', document)]
    if (isRoot && !hasOwnDialect) mistakes.push(...byMetaSchema(schema, pointer, document, ajv))
    if (!isObject(schema)) continue
    mistakes.push(
      ...validateDialect(schema.$schema, [...pointer, '$schema'], document),
      ...validateHints('schema', schema, pointer, document),
    )
  }

  return mistakes
}

const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]

function validateDialect(dialect: unknown, pointer: Pointer, document: Document): Mistake[] {
  if (dialect === undefined || DIALECTS.includes(String(dialect).replace(/#$/, ''))) return []

  return [
    {
      reason: `the "$schema" dialect ${JSON.stringify(dialect)} is not supported`,
      location: locationOf(document, pointer),
      assumed: 'it is read as JSON Schema 2020-12, with older keywords translated',
      help: `Remove "$schema", or set it to ${DIALECTS[0]}.`,
    },
  ]
}

/** Validates a schema against the meta-schema of JSON Schema 2020-12, whatever dialect it names. */
function byMetaSchema(
  schema: unknown,
  pointer: Pointer,
  document: Document,
  ajv: ReturnType<typeof createAjv>,
): Mistake[] {
  // Real documents write `null` for a schema that accepts anything.
  if (schema === null) return []
  const { $schema: _, ...rest } = asObject(schema)
  const isValid = ajv.validateSchema(isObject(schema) ? rest : (schema as boolean))

  return isValid ? [] : toMistakes(ajv.errors ?? [], document, pointer)
}

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

/** A schema of a document. */
interface VisitedSchema {
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
