import { isObject } from '../validation/is-object.ts'
import { type Document, locationOf, refTarget } from './document.ts'
import { validateHints } from './hints.ts'
import type { Pointer } from './json-pointer.ts'
import { asObject, type JsonObject } from './json-value.ts'
import type { Mistake } from './mistake.ts'
import { schemasOf } from './operations.ts'
import { createAjv, isPattern } from './schema-compiler.ts'
import { toMistakes } from './schema-errors.ts'
import { subschemasOf } from './subschemas.ts'

/** Finds mistakes in the schemas of a document that OpenAPI's own schema does not detect. */
export function validateSchemas(document: Document): Mistake[] {
  const visited = new Set<unknown>()
  const mistakes: Mistake[] = []
  const ajv = createAjv()
  // OpenAPI 3.0 has a schema dialect of its own. swagger-parser has validated it already.
  const hasOwnDialect = String(document.root.openapi).startsWith('3.0')

  function visit(schema: unknown, pointer: Pointer, isRoot: boolean): void {
    if (visited.has(schema)) return
    if (isRoot && !hasOwnDialect) mistakes.push(...validateSchema(schema, pointer, document, ajv))
    if (!isObject(schema)) return
    visited.add(schema)
    mistakes.push(...validatePatterns(schema, pointer, document))
    mistakes.push(...validateHints('schema', schema, pointer, document))
    for (const [subschema, path] of subschemasOf(schema)) {
      visit(subschema, [...pointer, ...path], false)
    }
    const target = refTarget(document, schema)
    if (target) visit(target.value, target.pointer, true)
  }

  for (const [schema, pointer] of schemasOf(document)) visit(schema, pointer, true)

  return mistakes
}

const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]

/** Validates a schema against the meta-schema of JSON Schema 2020-12. Other dialects are not supported. */
function validateSchema(
  schema: unknown,
  pointer: Pointer,
  document: Document,
  ajv: ReturnType<typeof createAjv>,
): Mistake[] {
  const { $schema: dialect, ...rest } = asObject(schema)
  if (dialect !== undefined && !DIALECTS.includes(String(dialect).replace(/#$/, ''))) {
    const reason = `the "$schema" dialect ${JSON.stringify(dialect)} is not supported`
    const help = `Remove "$schema", or set it to ${DIALECTS[0]}.`
    return [{ reason, location: locationOf(document, [...pointer, '$schema']), help }]
  }
  const isValid = ajv.validateSchema(isObject(schema) ? rest : (schema as boolean))

  return isValid ? [] : toMistakes(ajv.errors ?? [], document, pointer)
}

function validatePatterns(schema: JsonObject, pointer: Pointer, document: Document): Mistake[] {
  const patterns: [unknown, Pointer, 'key' | 'value'][] = [
    [schema.pattern, ['pattern'], 'value'],
    ...Object.keys(asObject(schema.patternProperties)).map((key): [string, Pointer, 'key'] => [
      key,
      ['patternProperties', key],
      'key',
    ]),
  ]

  return patterns
    .filter(([pattern]) => typeof pattern === 'string' && !isPattern(pattern))
    .map(([pattern, path, part]) => ({
      reason: `"${String(pattern)}" is not a valid regular expression`,
      location: locationOf(document, [...pointer, ...path], part),
      help: 'Correct the pattern, or escape special characters with a backslash.',
    }))
}
